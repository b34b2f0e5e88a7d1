"""The effects of the passes of an IR dump, as a request and as a command, and the diff of one pass."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.dumps.logs import without_beginnings
from gpuasync_lsp.ide.dumps.passes import PassRun, TooLarge, pass_runs
from gpuasync_lsp.ide.dumps.report import summary, text_lines, what_it_did
from gpuasync_lsp.ide.dumps.sections import header_spans, sections
from gpuasync_lsp.ide.dumps.sides import NoSection, sides
from gpuasync_lsp.ide.dumps.timing import placed, timed
from gpuasync_lsp.ide.preview.lowered_diff import renamed_like
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.view import View, command_argument
from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.reporting.terminal import plain
from gpuasync_lsp.text import Finding
from gpuasync_lsp.text.plain_json import Json


def passes(view: View, params: Json) -> Json:
    """Answer `gpuasync/passes`. Raises JsonRpcInvalidParams if the text is not a dump or is too large."""
    text = view.state.text
    headers = header_spans(text)
    if not headers:
        raise JsonRpcInvalidParams(
            "this is not an IR dump: it has no line like `// -----// IR Dump After CSE (cse) //----- //`"
        )
    log = without_beginnings(text, headers)
    function = params.get("function") or None
    last = function.rpartition("::")[2].lstrip("@") if isinstance(function, str) else ""
    if last and not re.search(rf'@"?{re.escape(last)}(?![\w$.-])', log.text):
        raise JsonRpcInvalidParams(f"this dump has no function @{function}")
    try:
        found = list(pass_runs(log.text, view.state.resolved, function, lambda: view.cancel.is_set))
    except TooLarge as error:
        raise JsonRpcInvalidParams(str(error)) from error
    view.cancel.check()
    runs = [placed(run, log) for run in timed(found, log)]
    name = view.uri.rpartition("/")[2]
    report = FileReport(name, text, view.state.resolved.target.version, ())
    lines = [*text_lines(runs, report, plain), "", summary(runs, report)]
    return {"passes": _rows(runs, view), "text": "\n".join(lines) + "\n", "summary": lines[-1]}


async def passes_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.passes`: the `gpuasync/passes` request for clients that support only commands."""
    argument = command_argument(params, "gpuasync.passes takes {textDocument, function?}")
    return await session.answer(passes, argument)


def difference(view: View, params: Json) -> Json:
    """Answer `gpuasync/passDifference` with both texts; values are named as in the first text.

    Raises JsonRpcInvalidParams if no section begins at one of the lines.
    """
    text = view.state.text
    log = without_beginnings(text, header_spans(text))
    starts = view.state.lines.starts
    offsets: list[int | None] = []
    for key in ("before", "after"):
        line = params.get(key)
        if line is not None and not (isinstance(line, int) and 0 <= line < len(starts)):
            raise JsonRpcInvalidParams(f"{key}: there is no such line")
        offsets.append(None if line is None else starts[line])
    before, after = offsets
    if after is None:
        raise JsonRpcInvalidParams("after: the line of a section is missing")
    by_line = {
        _line(view, at if log.rope is None else log.rope.at(at)): at
        for at in (section.whole.start for section in sections(log.text))
    }
    found = [None if at is None else by_line.get(_line(view, at), -1) for at in (before, after)]
    assert found[1] is not None, "there is a second side"
    try:
        old, new = sides(log.text, found[0], found[1], params.get("function") or None)
    except NoSection as error:
        raise JsonRpcInvalidParams(str(error)) from error
    return {"before": old, "after": renamed_like(old, new) if old else new}


def _rows(runs: Sequence[PassRun], view: View) -> list[Json]:
    return [
        {
            "name": run.pass_name,
            "scope": run.scope,
            "changed": run.changed,
            "failed": run.failed,
            "torn": run.section.torn,
            "line": _line(view, run.section.header.start),
            "before": None if run.before is None else _line(view, run.before.header.start),
            "what": what_it_did(run),
            "begin": [_finding(finding, view) for finding in run.begin],
            "end": [_finding(finding, view) for finding in run.end],
        }
        for run in runs
    ]


def _finding(finding: Finding, view: View) -> Json:
    first = finding.message.partition("\n")[0]
    return {"code": finding.code, "message": first, "line": _line(view, finding.span.start)}


def _line(view: View, offset: int) -> int:
    return view.state.lines.position(offset)[0]
