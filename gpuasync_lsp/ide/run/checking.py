"""Checks a file by running it on the CPU, with streams as late as legal."""

from __future__ import annotations

from typing import NamedTuple

from gpuasync_lsp.exec import Run, RunOptions, StartedWorker
from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from gpuasync_lsp.ide.document.targets import Resolved
from gpuasync_lsp.ide.run.passes import run_passes
from gpuasync_lsp.ide.run.results import run_findings
from gpuasync_lsp.text import Finding, LineIndex


class RunCheck(NamedTuple):
    """The report on running the program in a file."""

    findings: list[Finding]
    not_run: str = ""
    """The reason why the file was not run, as a sentence; empty if it was."""


def check_by_running(lines: LineIndex, resolved: Resolved, started: StartedWorker | None = None) -> RunCheck:
    """Run `main`, or the only function that can be run, with the default arguments of `run`.

    Argument buffers are accessible to host and device, since their origin is unknown. `started` is a running
    worker to reuse. If the text is rejected, the rules report the reason."""
    try:
        passes, lowering = run_passes(resolved.settings.pipeline, lines)
        prepared = prepare(lines.text, resolved.target.version, "", lowering, passes)
    except NotRunnable as error:
        return RunCheck([], "" if error.refused else error.message)
    run = Run(
        prepared.program, RunOptions(device="cpu", shared_arguments=True), prepared.place_of, started=started
    )
    try:
        report = run.wait()
    except KeyboardInterrupt:
        run.cancel()
        raise
    if report.outcome == "refused":
        return RunCheck([], report.message)
    found = run_findings(report, lines)
    if not found and report.outcome not in ("ok", "findings"):
        return RunCheck([], report.message)
    return RunCheck(found)
