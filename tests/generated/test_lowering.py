"""Our gpu-to-llvm, compared with the real one on generated programs.

As in `tests/differential/lowering.py`, texts are normalized by the same mlir-opt-22. For LLVM 16 the runtime
calls and their operands are compared, in order. If the real pass fails, its first message is compared.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import pytest

from gpuasync_lsp.lowering import LoweringOptions, lower
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.syntax.source import parse_source
from tests.differential.lowering import calls, normalize, run_all
from tests.generated.programs import Program
from tests.generated.real import Lowered, lower_all
from tests.generated.sample import CAMPAIGN, MORE, QUICK, sample, structured
from tests.generated.shrink import shrink
from tests.support.releases import releases

DECLARED = re.compile(r"^  llvm\.func @\w+\([^{]*(?:attributes \{[^}]*\})?\n", re.M)


@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize(
    "count",
    [
        QUICK,
        pytest.param(MORE, marks=pytest.mark.slow),
        pytest.param(CAMPAIGN // 3, marks=pytest.mark.campaign),
    ],
)
def test_lowered_texts_are_equal(version: int, count: int) -> None:
    programs = [program for program in sample(count) if structured(version, program)]
    assert len(programs) > 0.7 * count
    wrong = [p for p, (a, b) in zip(programs, both(version, programs), strict=True) if a != b]
    print(f"\nLLVM {version}: {len(programs)} programs, {len(wrong)} differ")
    if wrong:
        program = min(wrong, key=lambda p: p.size)
        small = shrink(program, lambda many: [a != b for a, b in both(version, many)])
        theirs, mine = both(version, [small])[0]
        diff = "\n".join(
            difflib.unified_diff(theirs.split("\n"), mine.split("\n"), "mlir-opt", "ours", n=3, lineterm="")
        )
        pytest.fail(
            f"{len(wrong)} programs differ; the first one, made small:\n{small.text(version)}\n{diff}"
        )


def both(version: int, programs: Sequence[Program]) -> list[tuple[str, str]]:
    """Return the comparable texts of the real pass and ours for each program, or the first errors."""
    texts = structured_lowered(version, [p.text(version) for p in programs])
    real = lower_all(version, programs)
    mine = [ours(version, text) for text in texts]
    found = [(f"error: {a.error}", f"error: {b.error}") for a, b in zip(real, mine, strict=True)]
    good = [n for n, (a, b) in enumerate(zip(real, mine, strict=True)) if not a.error and not b.error]
    a_texts, b_texts = [real[n].text for n in good], [mine[n].text for n in good]
    for n, a_text, b_text in zip(good, *one_form(version, a_texts, b_texts), strict=True):
        found[n] = a_text, b_text or f"not accepted by mlir-opt-22:\n{mine[n].text}"
    return found


def one_form(version: int, theirs: list[str], mine: list[str]) -> tuple[list[str], list[str]]:
    """Return both lists of texts in a comparable form."""
    if version != 16:
        # Declarations are in the order of first use in the module, and for LLVM 24 one module has many
        # programs.
        return [DECLARED.sub("", t) for t in normalize(theirs)], [
            DECLARED.sub("", t) for t in normalize(mine)
        ]
    typed = run_all(16, theirs, "--canonicalize=region-simplify=false", "--cse")
    opaque = run_all(22, mine, "--canonicalize=region-simplify=disabled", "--cse")
    return ["\n".join(calls(t)) for t in typed], ["\n".join(calls(t)) for t in opaque]


def structured_lowered(version: int, texts: Sequence[str]) -> list[str]:
    """Lower scf ops with the real tool, so that only gpu-to-llvm is compared."""
    return run_all(min(version, 22), list(texts), "--convert-scf-to-cf")


def ours(version: int, text: str) -> Lowered:
    """Lower a text with this project."""
    options = LoweringOptions(gpu_binary_annotation="nvvm.cubin" if version == 16 else "gpu.binary")
    lowered = lower(module_of(parse_source(text).chunks[0]), version, options)
    if lowered.error is not None:
        return Lowered("", lowered.first_message)
    # mlir-opt-22, which reprints both sides, rejects this op of 16 and 17.
    return Lowered(print_module(lowered.module).replace("llvm.mlir.null", "llvm.mlir.zero"))
