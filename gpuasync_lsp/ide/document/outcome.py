"""Findings about passes that fail, crash, or leave an op in a kernel unlowered when they lower a file.

Each becomes one finding at the op, unless a rule reports it already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.analysis import Config, Draft, pipeline_stops, rejections
from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline
from gpuasync_lsp.lowering import (
    DEFAULT_STAGE,
    Lowered,
    Message,
    MissingPass,
    Pipeline,
    PipelineError,
    Step,
    parse_pipeline,
    parse_steps,
    run_pipeline,
)
from gpuasync_lsp.syntax import Chunk
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.provenance import SourceLoc, module_of
from gpuasync_lsp.text import Finding, LineIndex, Severity, Span
from gpuasync_lsp.text.effort import TookTooLong, limited

MOST_LOWERED = 200_000
"""The maximum number of characters of a chunk on which the configured passes run at each check."""

_DIALECT = re.compile(r'(?:%[^=\n]*=\s*)?"?(\w+)\.')
_ALONE = frozenset({"gpu", "async", "func", "memref", "llvm", "cf"})
"""Dialects whose ops gpu-to-llvm lowers by itself; ops of other dialects may require earlier passes."""
_NEEDS_OTHERS = ("gpu.launch_func", "gpu.module")
"""Ops that gpu-to-llvm lowers only after other passes have lowered the kernels."""


@dataclass(frozen=True)
class Passes:
    """The passes of a pipeline, up to the first one that this tool does not implement."""

    steps: tuple[Step, ...]
    missing: str = ""
    """The first pass that LLVM has and this tool lacks, before which the pipeline is cut; may be empty."""
    by_default: bool = False
    """Whether the pipeline is the default one, which consists of gpu-to-llvm."""


@lru_cache(maxsize=16)
def passes_of(pipeline: tuple[str, ...]) -> Passes:
    """Return the passes of pipelines in mlir-opt's syntax; syntax errors are reported elsewhere."""
    found: list[Step] = []
    for text in pipeline:
        try:
            found += parse_pipeline(text).steps
        except MissingPass:
            names = [step.name for step in parse_steps(text)]
            return Passes(tuple(found), next(iter(names), text))
        except PipelineError:
            break
    return Passes(tuple(found))


def configured(config: Config, text: str) -> Passes | None:
    """Return the passes of the setting `pipeline`, else of the first RUN line of `text`, else gpu-to-llvm.

    None for a test that expects errors, and for a RUN line or setting none of whose passes can run here."""
    if config.pipeline is not None:
        return passes_of(config.pipeline) if config.pipeline else None
    run = run_line_pipeline(LineIndex(text)) if "RUN:" in text else None
    if run is None and "RUN:" not in text:
        return replace(passes_of((DEFAULT_STAGE,)), by_default=True)
    if run is None or run.concrete is None or run.expects_errors:
        return None
    return Passes(run.concrete.steps)


def outcome(chunk: Chunk, config: Config, passes: Passes, so_far: Iterable[Finding]) -> list[Finding]:
    """Run `passes` on `chunk`; return the findings about them, with absolute spans.

    `so_far` are the chunk's findings so far; problems that they report are left out."""
    rule = pipeline_stops.RULE
    severity = config.level(rule.code, rule.name, rule.severity)
    if severity is None or chunk.span.end - chunk.span.start > MOST_LOWERED:
        return []
    if not any(placed.item.ops for placed in chunk.items) or rejections(chunk, config.llvm):
        return []
    reported = [f.span for f in so_far if f.code.startswith(OF_LOWERING) and f.severity <= Severity.WARNING]
    try:
        with limited(chunk.span.end - chunk.span.start):
            found = list(_outcome(chunk, config, passes))
    except TookTooLong:
        return []
    return [
        draft.finding(rule, severity)
        for draft in found
        if not any(draft.span.start <= span.end and span.start <= draft.span.end for span in reported)
    ]


OF_LOWERING = ("GA0", "GA1")
"""Code prefixes of rules that report code that fails to lower."""

_INEXACT = frozenset({"convert-gpu-to-rocdl"})
"""Passes that, depending on the chip in their options, can fail here although mlir-opt succeeds."""


_UNKNOWN = "potentially unknown symbol table"
"""The error of the pass `inline` for an op of an unregistered dialect."""


def _outcome(chunk: Chunk, config: Config, passes: Passes) -> Iterator[Draft]:
    label = config.profile.label
    if passes.missing and chunk.span.start == 0:
        start = chunk.items[0].offset
        yield pipeline_stops.not_run(Span(start, start), passes.missing)
    module = module_of(chunk)
    if passes.by_default:
        for op in [op for op in module.walk() if op.name == "gpu.module"]:
            op.detach()
    done = run_pipeline(module, Pipeline(passes.steps), config.llvm)
    if not passes.by_default:
        yield from _left(done, label) if done.error is None else _stop(done, label)
        if done.error is None and any(step.name == DEFAULT_STAGE for step in passes.steps):
            yield from _tokens_left(done.module, label)
    elif done.error is not None and _is_of_its_own(done.error, chunk):
        yield from _stop(done, label)


def _is_of_its_own(error: Message, chunk: Chunk) -> bool:
    """Return whether gpu-to-llvm fails regardless of the passes before it."""
    span = _span(error)
    if span is None or error.op_name in _NEEDS_OTHERS:
        return False
    item = next((placed for placed in chunk.items if placed.span.contains(span.start)), None)
    dialect = _DIALECT.match(item.item.text, span.start - item.offset) if item is not None else None
    return dialect is not None and dialect[1] in _ALONE


def _stop(done: Lowered, label: str) -> Iterator[Draft]:
    """Yield a finding for the failed pass, unless mlir-opt may succeed.

    It may succeed if the failure is a limitation of this tool's pass, or concerns an op of a dialect that
    only the user's mlir-opt registers."""
    assert done.error is not None
    span = _span(done.error)
    if _UNKNOWN in done.error.text:
        return
    if span is not None and not done.is_own_limit and done.failed_pass not in _INEXACT:
        yield pipeline_stops.stops(span, done.failed_pass, done.error.text, done.advice, label)


def _left(done: Lowered, label: str) -> Iterator[Draft]:
    """Yield a finding for each op that a conversion leaves in a kernel, since no later pass translates it."""
    notes = {(note.op_name, span): note.text for note in done.notes if (span := _span(note)) is not None}
    if not notes:
        return
    for op in _in_kernels(done.module):
        location: object = op.location
        if isinstance(location, SourceLoc) and (reason := notes.pop((op.name, location.span), None)):
            yield pipeline_stops.leaves(location.span, op.name, reason, label)


def _tokens_left(module: ModuleOp, label: str) -> Iterator[Draft]:
    """Yield a finding for each op from which a branch with tokens was created after gpu-to-llvm."""
    found: dict[Span, None] = {}
    for op in module.walk():
        location: object = op.location
        if (
            op.name.startswith("cf.")
            and isinstance(location, SourceLoc)
            and any(isinstance(value.type, AsyncTokenType) for value in op.operands)
        ):
            found[location.span] = None
    for span in found:
        yield pipeline_stops.leaves_tokens(span, label)


def _in_kernels(module: ModuleOp) -> Iterator[Operation]:
    for op in module.walk():
        if op.name == "gpu.module":
            yield from op.walk()


def _span(message: Message) -> Span | None:
    location = message.location
    return location.span if isinstance(location, SourceLoc) else None
