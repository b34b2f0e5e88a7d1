"""Kernels outlined in the source text are equivalent to those of `mlir-opt --gpu-kernel-outlining`.

`fixtures/outlining/*.mlir` contain programs with gpu.launch, separated by `// -----`. The expected text of
each file is in `*.outlined.mlir` (GPUASYNC_UPDATE=1 rewrites it). Lines between `// <select>` and
`// </select>` are extracted to a kernel instead; the pass gets them in a gpu.launch with one thread.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.ide.document.fix_all import fix_all
from gpuasync_lsp.ide.refactor import refactorings
from gpuasync_lsp.text import Safety, Span
from tests.support.marks import edited, state_of
from tests.support.texts import texts_beside
from tests.support.tools import FIXTURES, mlir_opt

TEXTS = texts_beside(__file__)

FOLDER = FIXTURES / "outlining"
UPDATE = os.environ.get("GPUASYNC_UPDATE") == "1"
FILES = sorted(p for p in FOLDER.glob("*.mlir") if not p.name.endswith(".outlined.mlir"))
SELECTED = re.compile(r"^ *// <select>\n(.*?)^ *// </select>\n", re.M | re.S)
KERNELS = re.compile(r"^( *)gpu\.module @.*?^\1}\n", re.M | re.S)

ONE_THREAD = TEXTS["ONE_THREAD"]


def outlined(text: str) -> str:
    """Outline every gpu.launch with the fixes of GA108."""
    config = Config(select=("GA108",))
    fixed = fix_all(text, check_source(text, config), lambda t: check_source(t, config), {Safety.UNSAFE})
    assert not fixed.findings
    return fixed.text


def extracted(text: str) -> str:
    """Extract the marked lines with the refactoring."""
    match = SELECTED.search(text)
    assert match
    plain = text[: match.start()] + match[1] + text[match.end() :]
    state = state_of(plain)
    span = Span(match.start(), match.start() + len(match[1]))
    (action,) = [a for a in refactorings(state, span) if a.title == "Extract to a kernel"]
    assert action.kind == "refactor.extract"
    return edited(state, tuple(action.edits()))


def meaning(text: str, version: int, *passes: str) -> str:
    """Return mlir-opt's output for `text`, with the gpu.modules sorted by name."""
    done = mlir_opt(version)(text, *passes, "--canonicalize", "--cse")
    assert done.code == 0, done.err
    kernels = sorted(match[0] for match in KERNELS.finditer(done.out))
    return KERNELS.sub("", done.out) + "".join(kernels)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_kernel_outlined_in_the_text_is_what_the_pass_makes(path: Path) -> None:
    results: list[str] = []
    for program in path.read_text().split("// -----\n"):
        selected = SELECTED.search(program)
        text = outlined(program) if selected is None else extracted(program)
        results.append(text)
        launched = SELECTED.sub(lambda m: ONE_THREAD.replace("BODY", m[1]), program)
        assert meaning(text, 22) == meaning(launched, 22, "--gpu-kernel-outlining")
    whole = "// -----\n".join(results)
    expected = path.with_suffix(".outlined.mlir")
    if UPDATE:
        expected.write_text(whole)
    assert whole == expected.read_text()


NEEDS_MORE = TEXTS["NEEDS_MORE"]


def test_a_body_that_names_a_symbol_stays() -> None:
    (finding,) = check_source(NEEDS_MORE, Config(select=("GA108",)))
    assert finding.fixes == ()


def test_what_cannot_be_outlined_is_not_offered() -> None:
    at = NEEDS_MORE.index("gpu.launch")
    assert "Outline the kernel" not in [a.title for a in refactorings(state_of(NEEDS_MORE), Span(at, at))]
    without = state_of(NEEDS_MORE.replace("func.call @helper() : () -> ()", "gpu.barrier"))
    assert "Outline the kernel" in [a.title for a in refactorings(without, Span(at, at))]


STAYS = TEXTS["STAYS"]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("%a = memref.load", "%b = arith"),  # A later op uses %a.
        ("%b = arith", "func.call"),  # A later op uses %b.
        ("func.call", "memref.store"),
        ("%s = memref.alloc", "gpu.wait ["),
        ("%t = gpu.wait", "%a ="),
        ("memref.store", "return"),
        ("emref.store", "%s ="),  # Only a part of an op.
        ("memref.store", "memref.store"),  # Nothing is selected.
    ],
)
def test_what_is_not_for_a_kernel_is_not_extracted(start: str, end: str) -> None:
    span = Span(STAYS.index(start), STAYS.index(end))
    assert "Extract to a kernel" not in [a.title for a in refactorings(state_of(STAYS), span)]


def test_extracts_what_is_selected_with_the_space_around() -> None:
    span = Span(STAYS.index("\n  memref.store"), STAYS.index("%s ="))
    (action,) = [a for a in refactorings(state_of(STAYS), span) if a.title == "Extract to a kernel"]
    assert "memref.store" not in edited(state_of(STAYS), tuple(action.edits())).partition("return")[0]
