"""The line map of the lowering: the source op of each lowered op.

Checked for generated programs, the measured cases and all fixtures, at every stage. Each lowered op has one
source op; without that op its lowered ops disappear, and all other calls stay. The real mlir-opt keeps the
source locations, so our calls must have the same lines as its calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from gpuasync_lsp.lowering import LoweringOptions, lower, parse_pipeline, run_pipeline, stage_pipeline
from gpuasync_lsp.lowering.pipeline.registry import PASSES
from gpuasync_lsp.syntax.provenance import module_of, source_span
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.text import LineIndex, Span
from tests.differential.passes import programs
from tests.generated.checker import Op, functions
from tests.generated.programs import Program, smaller
from tests.generated.real import Lowered
from tests.generated.sample import MORE, QUICK, lowered, sample
from tests.support.releases import releases
from tests.support.thinning import thinned

Call = tuple[str, int]

THROUGH = (
    "gpu-kernel-outlining,convert-scf-to-cf,expand-strided-metadata,gpu.module(convert-gpu-to-nvvm),gpu-to-llvm,"
    "canonicalize,reconcile-unrealized-casts"
)
"""All stages of a program with kernels, as one pipeline."""

PARTS = thinned(range(32), 32)
"""The numbers of the parts into which the programs are divided; each run tests some of them."""


@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize("count", [QUICK, pytest.param(MORE, marks=pytest.mark.slow)])
def test_calls_come_from_the_lines_that_mlir_opt_tells(version: int, count: int) -> None:
    # Programs with scf ops are skipped: lowering these with the real tool would lose our spans.
    programs = [
        (p, low) for p, low in pairs(version, count) if "scf." not in p.text(version) and not low.error
    ]
    assert len(programs) > count / 4
    for program, low in programs:
        theirs = [call for function in functions(low.text) for call in calls_of(function.blocks)]
        assert ours(program.text(version), version) == theirs, program.text(version)


@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize("count", [QUICK, pytest.param(MORE, marks=pytest.mark.slow)])
def test_every_lowered_op_of_a_generated_program_comes_from_one_source_op(version: int, count: int) -> None:
    checked = sum(ops_with_a_source(program.text(version), version) for program in sample(count)[::10])
    assert checked > 10 * count


@pytest.mark.parametrize(
    ("part", "version"),
    [
        pytest.param(
            part, version, marks=pytest.mark.slow if (part + 2 * n) % 8 == 0 else pytest.mark.campaign
        )
        for part in range(32)
        for n, version in enumerate((16, 19, 22, 24))
    ],
)
def test_every_lowered_op_comes_from_one_source_op(part: int, version: int) -> None:
    """All programs, each lowered as in one release; the campaign uses all releases."""
    checked = sum(ops_with_a_source(text, version) for text in some_programs(version, part))
    assert checked > 500


# Releases without a greedy prepass, which would also erase ops that become unused without the deleted one.
@pytest.mark.parametrize("version", [16, 19])
@pytest.mark.parametrize("part", PARTS)
def test_without_an_op_its_calls_are_gone_and_the_rest_stays_in_every_program(
    version: int, part: int
) -> None:
    deleted = sum(calls_go_with_their_ops(text, version) for text in some_programs(version, part))
    assert deleted > 10


@pytest.mark.slow
def test_without_an_op_what_comes_from_it_is_gone_and_the_rest_stays() -> None:
    # LLVM 19 folds and erases nothing before the lowering.
    deleted = 0
    for program in sample(MORE)[: MORE // 2]:
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
    assert deleted > MORE


def pairs(version: int, count: int) -> Iterator[tuple[Program, Lowered]]:
    """Return the programs, each with the real tool's output."""
    return zip(sample(count), lowered(version, count), strict=True)


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
    """Yield every op inside the functions of the lowered `text`."""
    options = LoweringOptions(gpu_binary_annotation="nvvm.cubin" if version == 16 else "gpu.binary")
    module = lower(module_of(parse_source(text).chunks[0]), version, options).module
    for function in module.walk():
        if function.name in ("llvm.func", "func.func") and any(r.blocks for r in function.regions):
            yield from (op for op in function.walk() if op is not function)


def some_programs(version: int, part: int) -> Iterator[str]:
    """Yield the measured cases and fixtures of one part that parse and verify."""
    for name, text in list(programs(version).items())[part :: len(PARTS)]:
        if name.startswith(("host/errors", "syntax/")):
            continue
        source = parse_source(text)
        if not source.problems() and not any(placed.item.invalid for placed in source.items):
            yield text


def ops_with_a_source(text: str, version: int) -> int:
    """Check that each lowered op of every stage has a source op; return the number of lowered ops."""
    source = parse_source(text)
    found = [
        (spans.whole.shift(placed.offset), op.name)
        for placed in (*source.items, *(h for chunk in source.chunks for h in chunk.headers))
        for op, spans in placed.item.spans.ops.items()
    ]
    # An implicit terminator has the span of its parent op.
    known = Counter(span for span, name in found if not name.endswith(".yield"))
    assert not [span for span, count in known.items() if count > 1]
    places = {span for span, _ in found}
    checked = 0
    for pipeline in (*map(stage_pipeline, PASSES), parse_pipeline(THROUGH)):
        for chunk in source.chunks:
            lowered = run_pipeline(module_of(chunk), pipeline, version)
            for op in lowered.module.walk():
                if op is not lowered.module and lowered.error is None:
                    checked += 1
                    assert source_span(op) in places, f"{pipeline}: {op.name}\n{text}"
    return checked


def calls_go_with_their_ops(text: str, version: int) -> int:
    """Check that deleting an op deletes exactly its own calls; return the number of deleted ops."""
    deleted = 0
    for chunk in parse_source(text).chunks:
        module = module_of(chunk)
        before = device_ops(module, version)
        if before is None:
            continue
        for number, op in enumerate(module.walk()):
            if not is_deletable(op):
                continue
            fewer = module.clone()
            gone = next(islice(fewer.walk(), number, None))
            gone.detach()
            gone.erase()
            after = device_ops(fewer, version)
            if after is not None:
                deleted += 1
                span = source_span(op)
                rest = Counter({key: count for key, count in before.items() if key[1] != span})
                assert after == rest, f"without {op}:\n{text}"
    return deleted


def is_deletable(op: Operation) -> bool:
    """Return whether the module remains valid without `op`.

    An nvvm op counts as needed, since the dialect may be loaded because of it."""
    return not (
        any(result.uses for result in op.results)
        or op.regions
        or op.has_trait(IsTerminator)
        or op.get_attr_or_prop("sym_name") is not None
        or op.name.startswith("nvvm.")
        or source_span(op) is None
    )


def device_ops(module: ModuleOp, version: int) -> Counter[tuple[str, Span | None]] | None:
    """Return the remaining runtime calls and gpu ops with their source spans; None if lowering fails."""
    lowered = run_pipeline(module, stage_pipeline("gpu-to-llvm"), version)
    if lowered.error is not None:
        return None
    named = ((str(op.properties.get("callee", op.name)), op) for op in lowered.module.walk())
    return Counter((name, source_span(op)) for name, op in named if name.startswith(("@mgpu", "gpu.")))
