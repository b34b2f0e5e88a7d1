"""Findings about the result of `gpu-async-region`, if the user's pipeline contains this pass.

The pass threads one token through each block, so the IR that gpu-to-llvm sees differs from the file's. Here
the item's ops are cloned with their provenance, the user's passes up to and including gpu-async-region run on
the clone, and the rules check the result. Each op of the result has the span of the source op from which it
was cloned, or for which a pass created it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis import Config, FileContext, check_item, item_rejections
from gpuasync_lsp.lowering import Pipeline, PipelineError, parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.pipeline.text import Step
from gpuasync_lsp.syntax import Item, PlacedItem, SpanTable
from gpuasync_lsp.syntax.provenance import clones, source_span
from gpuasync_lsp.syntax.spans import OpSpans
from gpuasync_lsp.text import Finding, Span, in_text_order
from gpuasync_lsp.text.recent import recent

PASS = "gpu-async-region"


_OF_THE_SOURCE = ("GA0", "GA108", "GA507")
"""Codes of findings that do not depend on later passes: syntax, kernels, gpu.launch, and the rule that
explains the pass."""


_EXPLAINS = "GA507"
_BROKEN_BY_IT = ("GA101", "GA105")
"""Rules that report an op that the pass makes invalid."""


def check_after_passes(item: Item, context: FileContext, config: Config) -> tuple[Finding, ...]:
    """Return the findings of `item`, with relative spans, in the IR that gpu-to-llvm gets from the pipeline.

    Findings that exist without the pass keep their fixes; those caused by the pass have none, since their IR
    is not in the text. The pass is skipped if it fails, for example because a gpu.launch was not outlined.
    """
    written = check_item(item, context, config.profile, config)
    passes = passes_before(config.pipeline)
    after = item_after(item, context, passes, config.llvm) if passes else None
    if after is None:
        return written
    known = {(f.code, f.span, f.message): f for f in written}
    found = [f for f in written if f.code.startswith(_OF_THE_SOURCE)]
    reasons = [(f, op) for f in found if f.code == _EXPLAINS and (op := _whole(item, f.span)) is not None]
    for finding in check_item(after, context, config.profile, config):
        if finding.code.startswith(_OF_THE_SOURCE):
            continue
        same = known.get((finding.code, finding.span, finding.message))
        if same is None and finding.code in _BROKEN_BY_IT:
            for why, op in reasons:
                if op.contains(finding.span.start):
                    found = [f for f in found if f is not why]
                    finding = _explained(finding, why)
        found.append(same or replace(finding, message=f"After {PASS}: {finding.message}", fixes=()))
    # Ops with the same span, such as an op and the wait inserted for it, may have equal findings.
    unique = {(f.code, f.span, f.message): f for f in found}
    return in_text_order(unique.values())


def _whole(item: Item, name: Span) -> Span | None:
    """Return the span of the op whose name is at `name`."""
    return next((spans.whole for spans in item.spans.ops.values() if spans.name == name), None)


def _explained(finding: Finding, why: Finding) -> Finding:
    """Return `finding` with the reason and advice of `why`, since the usual advice does not apply after the
    pass."""
    effect = finding.message.partition("\n")[0]
    advice = why.message.replace("\n", " ")
    return replace(finding, message=f"{effect}\n{advice}", related=why.related)


@lru_cache(maxsize=16)
def passes_before(pipeline: tuple[str, ...] | None) -> tuple[Step, ...]:
    """Return the passes of `pipeline` up to and including gpu-async-region; empty if gpu-to-llvm precedes it.

    Passes that this tool lacks are skipped.
    """
    found: list[Step] = []
    for text in pipeline or ():
        try:
            steps = parse_pipeline(text).steps
        except PipelineError:
            continue
        for step in steps:
            if step.name == "gpu-to-llvm":
                return ()
            found.append(step)
            if step.name == PASS:
                return tuple(found)
    return ()


def item_after(item: Item, context: FileContext, passes: tuple[Step, ...], version: int) -> Item | None:
    """Return the result of `passes` on `item`, with the spans of the source.

    None if the passes fail or cannot run, or if mlir-opt rejects the item before. Cached in the item.
    """
    if item_rejections(item, context, version):
        return None
    kept = recent(item.memo, "ide.after_passes")
    found = kept.get((passes, version)) or kept.keep((passes, version), (_run(item, passes, version),))
    return found[0]


def _run(item: Item, passes: tuple[Step, ...], version: int) -> Item | None:
    if item.problems or not any(op.name == "func.func" for op in item.ops):
        return None
    cloned = clones(PlacedItem(item, 0))
    origins: dict[tuple[Span, str], Operation] = {}
    for top in item.ops:
        for op in top.walk():
            if op in item.spans.ops:
                origins[item.spans.op(op), op.name] = op
    done = run_pipeline(ModuleOp(cloned), Pipeline(passes), version)
    if done.error is not None:
        return None
    ops = tuple(op for op in done.module.ops if op.name == "func.func")
    return Item(item.text, ops, _places(item, ops, origins), ())


class _Places(SpanTable):
    """The source spans of cloned ops; for results of ops added by a pass, only a readable name."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.added: dict[SSAValue, str] = {}

    def value_name(self, value: SSAValue) -> str:
        return self.added.get(value) or super().value_name(value)


def _places(item: Item, ops: tuple[Operation, ...], origins: dict[tuple[Span, str], Operation]) -> SpanTable:
    """Map every op to the span of its source op, and every value to its name in the text."""
    table = _Places(item.text)
    at = {span: op for (span, _), op in origins.items()}
    spans = [(op, source_span(op)) for top in ops for op in top.walk()]
    placed = [(op, span) for op, span in spans if span is not None and span in at]
    for op, span in placed:
        _name_values(table, item.spans, op, origins.get((span, op.name)))
    for op, span in placed:
        origin = origins.get((span, op.name))
        mentions = _mentions(table, item.spans, origin, op) if origin is not None else ()
        table.ops[op] = OpSpans(span, item.spans.name(at[span]), mentions)
    return table


def _name_values(table: _Places, source: SpanTable, op: Operation, origin: Operation | None) -> None:
    pairs: dict[SSAValue, SSAValue] = {}
    if origin is not None:
        pairs.update(zip(op.results, origin.results, strict=False))
        for region, before in zip(op.regions, origin.regions, strict=False):
            for block, old in zip(region.blocks, before.blocks, strict=False):
                pairs.update(zip(block.args, old.args, strict=False))
    for value, old in pairs.items():
        if old in source.values:
            table.values[value] = source.values[old]
    for value in op.results:
        if value not in pairs:
            table.added[value] = f"{op.name}'s new token"


def _mentions(table: _Places, source: SpanTable, origin: Operation, op: Operation) -> tuple[Span | None, ...]:
    """Return the span of each operand of `op` in the text; None for tokens that a pass added."""
    where = {source.value_name(value): number for number, value in enumerate(origin.operands)}
    numbers = (where.get(table.value_name(value)) for value in op.operands)
    return tuple(None if number is None else source.operand(origin, number) for number in numbers)
