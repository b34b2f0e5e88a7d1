"""Findings from the user's own mlir-opt, in place of those from this tool's passes (GA115).

The program comes from the user's own settings or command line, never from a file of a workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from gpuasync_lsp.analysis import Draft, pipeline_stops
from gpuasync_lsp.ide.document.outcome import OF_LOWERING
from gpuasync_lsp.ide.document.targets import Resolved, installed_version
from gpuasync_lsp.ide.preview.engine import MESSAGE, EngineError, run_tool, without_locations
from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline
from gpuasync_lsp.lowering import DEFAULT_STAGE, PipelineError, parse_pipeline
from gpuasync_lsp.processes import Command
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.source import Chunk, SourceFile
from gpuasync_lsp.text import Finding, LineIndex, Severity, Span, in_text_order

_LEFT = re.compile(r"(?:%[^=\n]*= )?\"?(gpu\.(?!launch_func|module|binary|container)[a-z_0-9]+)")
"""Matches a line of lowered host code with a remaining gpu op. Launches are ignored: translation to LLVM IR
lowers them."""
_MODULE = re.compile(r"(\s*)gpu\.module\b.*\{$")
_OF_KERNELS = re.compile(r"got \d+ kernel operands but expected \d+|missing \S+ attribute")
_TOOLKIT = re.compile(r"\btoolkit\b")
_CRASHES = "crashes"


def judge(
    lines: LineIndex, source: SourceFile, resolved: Resolved, command: Command, reports: Sequence[Finding]
) -> Sequence[Finding]:
    """Return `reports`, the findings of a file, with those of GA115 replaced by findings from `command`.

    The tool runs the passes of the setting `pipeline`, else of the first RUN line, else gpu-to-llvm, chunk by
    chunk. Problems that rules report on the same line, and known crashes, are not repeated. Raises
    EngineError if the tool cannot be run, belongs to a release other than the file targets, or would start
    other programs.
    """
    rule, version = pipeline_stops.RULE, installed_version(command)
    if version != resolved.target.version:
        raise EngineError(f"{command.name} is LLVM {version}, and the file is for {resolved.target.version}")
    passes, is_named = _passes(lines, resolved)
    if _TOOLKIT.search(passes):
        raise EngineError("the pipeline names a toolkit, whose programs would be started")
    others = [f for f in reports if f.code != rule.code or _CRASHES in f.message]
    reported = {
        lines.position(f.span.start)[0]
        for f in others
        if f.code.startswith(OF_LOWERING) and f.severity <= Severity.WARNING
    }
    crashes = [f.span.start for f in others if _CRASHES in f.message]
    found: list[Finding] = []
    for chunk in source.chunks:
        if any(chunk.span.contains(start) for start in crashes):
            continue
        for draft in _outcome(lines, chunk, command, passes, is_named, version):
            if lines.position(draft.span.start)[0] not in reported:
                found.append(draft.finding(rule, rule.severity))
    return in_text_order((*others, *dict.fromkeys(found)))


def _passes(lines: LineIndex, resolved: Resolved) -> tuple[str, bool]:
    """Return the pipeline in mlir-opt's syntax, and whether the user or the file specifies it."""
    named, run = resolved.settings.pipeline, run_line_pipeline(lines)
    if named:
        text = ",".join(named)
        try:
            return str(parse_pipeline(text)), True
        except PipelineError:
            return f"builtin.module({text})", True  # Some passes may exist only in the user's tool.
    if named is None and run is not None and run.concrete is not None:
        return str(run.concrete), True
    return f"builtin.module({DEFAULT_STAGE})", False


def _outcome(
    lines: LineIndex, chunk: Chunk, command: Command, passes: str, is_named: bool, version: int
) -> Iterator[Draft]:
    # Leading blank lines keep the line numbers of the file.
    above = "\n" * lines.position(chunk.span.start)[0]
    text = above + chunk.span.of(lines.text)
    done = run_tool(command, text, "--mlir-print-debuginfo", f"--pass-pipeline={passes}")
    label, name = profile(version).label, command.name.rpartition("/")[2]
    names = _names(chunk)
    if done.returncode in (0, 1):
        for line in done.stderr.splitlines():
            message = MESSAGE.match(line)
            if message is None or message[3] != "error":
                continue
            if not is_named and _OF_KERNELS.search(message[4]):
                continue  # The user's pipeline would lower the kernels first.
            start = lines.offset(int(message[1]) - 1, max(int(message[2]) - 1, 0), "utf-8")
            yield pipeline_stops.stops(names.get(start, Span(start, start)), name, message[4], "", label)
        if done.returncode == 0 and DEFAULT_STAGE in passes:
            yield from _left(lines, done.stdout, names, label)
        return
    start = chunk.items[0].offset if chunk.items else chunk.span.start
    words = f"it {_CRASHES} on this file (status {done.returncode})"
    yield pipeline_stops.stops(Span(start, start), name, words, "", label)


def _names(chunk: Chunk) -> dict[int, Span]:
    """Map the start of each op name in `chunk` to the name's span."""
    spans = (
        each.name.shift(placed.offset)
        for placed in (*chunk.headers, *chunk.items)
        for each in placed.item.spans.ops.values()
    )
    return {span.start: span for span in spans}


def _left(lines: LineIndex, printed: str, names: dict[int, Span], label: str) -> Iterator[Draft]:
    """Yield a finding for each gpu op in the host code of `printed`, a text with locations."""
    plain, places = without_locations(printed)
    rows = plain.splitlines()
    kernels = _inside_modules(rows)
    for row, line, column in places:
        found = _LEFT.match(rows[row].strip())
        if found is not None and row not in kernels:
            start = lines.offset(line, column, "utf-8")
            yield pipeline_stops.left(names.get(start, Span(start, start)), found[1], label)


def _inside_modules(rows: Iterable[str]) -> set[int]:
    """Return the indices of the rows inside a gpu.module."""
    inside: set[int] = set()
    end: str | None = None
    for number, row in enumerate(rows):
        if end is not None:
            inside.add(number)
            end = None if row.startswith(end) else end
        elif (module := _MODULE.match(row)) is not None:
            end = module[1] + "}"
    return inside
