"""The line map of the lowering on generated programs: where each lowered op comes from.

The real mlir-opt keeps the location of the source op in what it makes of it: its calls with their lines are
what ours must be. And what comes from an op goes with it: without the op, all other calls stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from xdsl.ir import Operation

from gpuasync_lsp.lowering import LoweringOptions, lower
from gpuasync_lsp.syntax.provenance import module_of, source_span
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.text import LineIndex
from tests.generated.checker import Op, functions
from tests.generated.programs import Program, smaller
from tests.generated.real import Lowered
from tests.generated.sample import QUICK, lowered, sample

Call = tuple[str, int]


@pytest.mark.parametrize("version", [16, 19, 22, 24])
def test_calls_come_from_the_lines_that_mlir_opt_tells(version: int) -> None:
    # Without scf ops, whose lowering by the real tool would lose our spans.
    programs = [(p, low) for p, low in pairs(version) if "scf." not in p.text(version) and not low.error]
    assert len(programs) > QUICK / 4
    for program, low in programs:
        theirs = [call for function in functions(low.text) for call in calls_of(function.blocks)]
        assert ours(program.text(version), version) == theirs, program.text(version)


@pytest.mark.parametrize("version", [16, 19, 22, 24])
def test_every_lowered_op_comes_from_one_source_op(version: int) -> None:
    checked = 0
    for program in sample(QUICK):
        text = program.text(version)
        source = parse_source(text)
        known = {
            spans.whole.shift(placed.offset)
            for placed in (*source.items, *(h for chunk in source.chunks for h in chunk.headers))
            for spans in placed.item.spans.ops.values()
        }
        for op in lowered_ops(text, version):
            checked += 1
            assert source_span(op) in known, f"{op.name}\n{text}"
    assert checked > 10 * QUICK


def test_without_an_op_what_comes_from_it_is_gone_and_the_rest_stays() -> None:
    # In 19, which does not fold or erase anything first.
    deleted = 0
    for program in sample(QUICK)[: QUICK // 2]:
        if program.fatal:
            continue
        before = ours(program.text(19), 19)
        lines = program.text(19).split("\n")
        for cut in smaller(program):
            fewer = cut.text(19).split("\n")
            gone = [n for n, line in enumerate(lines, 1) if fewer == lines[: n - 1] + lines[n:]]
            if not gone or parse_source(cut.text(19)).problems():
                continue
            deleted += 1
            rest = Counter((name, line - (line > gone[0])) for name, line in before if line != gone[0])
            assert Counter(ours(cut.text(19), 19)) == rest, f"without line {gone[0]}:\n{program.text(19)}"
    assert deleted > QUICK


def pairs(version: int) -> Iterator[tuple[Program, Lowered]]:
    """Return the programs and what the real tool makes of them."""
    return zip(sample(QUICK), lowered(version, QUICK), strict=True)


def calls_of(blocks: dict[str, list[Op]]) -> list[Call]:
    """Return the runtime calls of a printed function in order, each with its source line."""
    return [(op.name, op.line) for ops in blocks.values() for op in ops if op.name.startswith("mgpu")]


def ours(text: str, version: int) -> list[Call]:
    """Return the runtime calls of our lowering in order, each with its source line."""
    index = LineIndex(text)
    found: list[Call] = []
    for op in lowered_ops(text, version):
        callee = op.properties.get("callee")
        span = source_span(op)
        if op.name == "llvm.call" and span is not None and str(callee).startswith("@mgpu"):
            found.append((str(callee)[1:], index.position(span.start)[0] + 1))
    return found


def lowered_ops(text: str, version: int) -> Iterator[Operation]:
    """Return every op inside the functions that our lowering makes of `text`."""
    options = LoweringOptions(gpu_binary_annotation="nvvm.cubin" if version == 16 else "gpu.binary")
    module = lower(module_of(parse_source(text).chunks[0]), version, options).module
    for function in module.walk():
        if function.name in ("llvm.func", "func.func") and any(r.blocks for r in function.regions):
            yield from (op for op in function.walk() if op is not function)
