"""mlir-opt 22's parse and verification errors are errors here on the same line; valid text has none.

Checked for the measured cases and our own fixtures. The messages are compared too, and the counts printed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.text import LineIndex
from tests.support.markers import Found, disagreements
from tests.support.tools import ROOT, Tool, cases, mlir_opt

VERIFIER = ("GA001", "GA002", "GA003", "GA004", "GA005", "GA006")
_ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)

OTHER_WORDS = {
    "B_launch_undef_dep_sync": "we name the value",
}
"""Cases with a different message from mlir-opt's, with the reason."""

UNCHECKED = {
    "G_launcharg_tensor": "parsed and verified; gpu-to-llvm then fails, which GA113 says",
    "H_i32_dims": "parsed and verified; gpu-to-llvm then fails, which GA113 says",
}
"""Cases that mlir-opt accepts and we reject, with the reason."""


@pytest.mark.parametrize(
    "name",
    [
        "amdgpu",
        "async",
        "attributes",
        "cf",
        "func",
        "generic",
        "gpu_device",
        "llvm",
        "memref",
        "nvgpu",
        "nvvm",
        "scf",
        "slips",
        "xegpu",
    ],
)
def test_wrong_programs(name: str) -> None:
    """Every wrong program of these fixtures has exactly the errors of mlir-opt 22, with its messages."""
    has_errors_of(22, f"{name}.mlir")


@pytest.mark.parametrize("name", ["affine", "amdgpu", "gpu", "llvm", "nvvm", "rocdl", "vector", "xegpu"])
def test_wrong_programs_of_23(name: str) -> None:
    """The same for LLVM 23, which has other verifiers."""
    has_errors_of(23, f"23/{name}.mlir")


def has_errors_of(version: int, fixture: str) -> None:
    text = (ROOT / "tests" / "fixtures" / "errors" / fixture).read_text()
    config = Config(llvm=version, select=VERIFIER)
    found = [Found(f.severity, f.span, f.code, f.message) for f in check_source(text, config)]
    assert disagreements(text, found) == []
    markers = (
        "--split-input-file",
        "--verify-diagnostics=only-expected",
        "--allow-unregistered-dialect",
    )
    assert mlir_opt(version)(text, *markers).err == ""


def source_of(name: str, folder: Path) -> str | None:
    for path in (folder / f"{name}.mlir", folder / f"{name}.llvm22.mlir"):
        if path.exists():
            return path.read_text()
    return None


def ours(text: str) -> list[tuple[int, str]]:
    lines = LineIndex(text)
    config = Config(llvm=22, select=VERIFIER)
    return [(lines.position(f.span.start)[0] + 1, f.message) for f in check_source(text, config)]


def theirs(tool: Tool, text: str) -> tuple[int, str] | None:
    """Return line and message of mlir-opt's first error, or None; a crash has line 0."""
    output = tool(text)
    if output.code == 0:
        return None
    error = _ERROR.search(output.err)
    return (int(error[1]), error[2]) if error else (0, "crash")


@pytest.mark.slow
def test_cases(capsys: pytest.CaptureFixture[str]) -> None:
    tool, folder = mlir_opt(22), cases()
    names = sorted({path.name.split(".")[0] for path in folder.glob("*.mlir")})
    wrong: list[str] = []
    other_words: set[str] = set()
    rejected = accepted = 0
    for name in names:
        text = source_of(name, folder)
        if text is None:
            continue
        error, found = theirs(tool, text), ours(text)
        if error is None:
            accepted += 1
            if found and name not in UNCHECKED:
                wrong.append(f"{name}: accepted by mlir-opt, here: {found[0]}")
            continue
        rejected += 1
        line, message = error
        if line and line not in {at for at, _ in found}:
            wrong.append(f"{name}: line {line}: {message}, here: {found[:1]}")
        elif line and not any(message.strip() in said for _, said in found):
            other_words.add(name)
    with capsys.disabled():
        print(f"\nmlir-opt 22 accepts {accepted} cases and rejects {rejected}; we differ on {len(wrong)}")
        print(f"in other words than mlir-opt: {sorted(other_words)}")
    assert not wrong, "\n".join(wrong)
    assert other_words <= OTHER_WORDS.keys()
    assert rejected >= 45


@pytest.mark.slow
def test_the_generic_form_has_the_same_findings(capsys: pytest.CaptureFixture[str]) -> None:
    """mlir-opt's output for a case with `--mlir-print-op-generic` has the same findings as the case."""
    names = sorted(p for p in cases().glob("*.mlir") if not p.name.endswith((".llvm16.mlir", ".llvm19.mlir")))
    texts = [path.read_text() for path in names]
    options = ("--split-input-file", "--allow-unregistered-dialect", "--mlir-print-op-generic")
    generic = mlir_opt(22)("\n// -----\n".join(texts), *options).out.split("// -----")
    accepted = [(t, g) for t, g in zip(texts, generic, strict=True) if g.strip()]
    config = Config(llvm=22)
    wrong = [
        text
        for text, form in accepted
        if sorted(f.code for f in check_source(text, config))
        != sorted(f.code for f in check_source(form, config))
    ]
    with capsys.disabled():
        print(f"\ngeneric form: {len(accepted)} cases, {len(wrong)} with other findings")
    assert wrong == []
    assert len(accepted) > 300
