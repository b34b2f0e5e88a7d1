"""`gpuasync.run`: runs a function of a document in a separate process that the client can kill."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.exec import (
    Place,
    Progress,
    Run,
    RunOptions,
    RunReport,
    WorkerCommand,
    report_to_json,
)
from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from gpuasync_lsp.exec.render import render
from gpuasync_lsp.exec.timeline import chrome_trace
from gpuasync_lsp.ide.run.passes import run_passes
from gpuasync_lsp.ide.run.states import State, in_editor, run_state
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.view import Built, command_argument
from gpuasync_lsp.processes import NotAllowed, check_allowed
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.plain_json import Json, is_object

MOST_ELEMENTS = 65_536
"""Maximum number of an array's elements in a report, for clients that request elements."""
DEVICES = ("auto", "cuda", "cpu")


async def run_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.run` with `{uri, device?, entry?, args?, seed?, schedules?, profile?, ...}`.

    The report is returned and also sent as `gpuasync/runFinished`, which clients display. `elements` adds
    array elements, up to `MOST_ELEMENTS`, and sends progress as `gpuasync/runProgress`; `trace` adds the
    timeline as a Chrome trace. Findings in the document become diagnostics, and a profile becomes inlay
    hints, until the next edit. Raises JsonRpcInvalidParams for invalid arguments and in an untrusted
    workspace.
    """
    job = command_argument(params, "gpuasync.run takes {uri, device?, entry?, args?}")
    try:
        check_allowed()
        worker = session.configuration.worker()
    except (NotAllowed, ValueError) as error:
        raise JsonRpcInvalidParams(str(error)) from error
    document = session.document_of({"textDocument": {"uri": job.get("uri")}})
    options = _options(session, job)
    session.shown.forget_run(document)
    token = params.get("workDoneToken")
    if token is None and session.client.progress:
        token = await session.progress.new_token()
    name = document.uri.rsplit("/", 1)[-1]
    entry = str(job.get("entry") or "")
    title = f"Running @{entry} of {name}" if entry else f"Running {name}"
    async with session.progress.shown(token, title) as tell_progress:

        def show(state: State) -> None:
            tell_progress(state.text)
            if options.elements:
                params = {"uri": document.uri, "entry": entry, "line": state.line, "text": state.text}
                session.protocol.notify("gpuasync/runProgress", params)

        built = await session.scheduler.result(document.uri)
        report = await _run(session, built, entry, options, worker, show)
    session.shown.run(built.document, report, profiled=options.profile)
    report = replace(report, message=in_editor(report.message))
    text = render(report, name, profile=options.profile)
    trace = {"trace": chrome_trace(report, name)} if job.get("trace") and report.operations else {}
    result = {"entry": entry, **report_to_json(report), **trace, "uri": document.uri, "text": text}
    session.protocol.notify("gpuasync/runFinished", result)
    return result


async def _run(
    session: Session,
    built: Built,
    entry: str,
    options: RunOptions,
    worker: WorkerCommand,
    show: Callable[[State], None],
) -> RunReport:
    version = built.state.resolved.target.version
    show(State("compiling"))
    try:
        passes, lowering = run_passes(built.state.resolved.settings.pipeline, built.state.lines)
        prepared = await session.run(
            lambda cancel: prepare(built.state.source, version, entry, lowering, passes)
        )
    except NotRunnable as error:
        return RunReport("refused", error.message, place=_place(error.span, built))

    def report_line(progress: Progress) -> None:
        if progress.is_waiting:
            show(State("waiting for other runs to finish"))
        elif progress.place.line:
            show(run_state(built.state, progress.place, progress.host))

    loop = asyncio.get_running_loop()
    over: asyncio.Future[RunReport] = loop.create_future()

    def conclude(report: RunReport) -> None:
        with suppress(RuntimeError):  # The loop is closed after the session.
            loop.call_soon_threadsafe(lambda: over.done() or over.set_result(report))

    process = Run(
        prepared.program,
        options,
        prepared.place_of,
        worker=worker,
        on_progress=report_line,
        on_done=conclude,
    )
    try:
        return await over
    except asyncio.CancelledError:
        process.cancel()
        raise


def _place(span: Span | None, built: Built) -> Place:
    if span is None:
        return Place()
    return Place(span.start, span.end, built.document.lines.position(span.start)[0] + 1)


def _options(session: Session, job: Json) -> RunOptions:
    device = job.get("device") or session.configuration.settings_for(job["uri"]).get("device") or "auto"
    if device not in DEVICES:
        raise JsonRpcInvalidParams(f"device must be one of {', '.join(DEVICES)}, not {device!r}")
    given: object = job.get("args") or {}
    if not is_object(given):
        raise JsonRpcInvalidParams("args must map argument names to their values")
    arguments = tuple((str(key), str(value)) for key, value in given.items())
    settings = _run_settings(session, job["uri"])
    timeout = settings.get("timeout")
    return RunOptions(
        device=device,
        arguments=arguments,
        seed=job.get("seed"),
        schedules=int(job.get("schedules") or 1),
        timeout=float(timeout) if isinstance(timeout, int | float) else RunOptions.timeout,
        profile=bool(job.get("profile", settings.get("profile"))),
        elements=MOST_ELEMENTS if job.get("elements") else 0,
    )


def _run_settings(session: Session, uri: str) -> Json:
    settings = session.configuration.settings_for(uri).get("run")
    return settings if is_object(settings) else {}
