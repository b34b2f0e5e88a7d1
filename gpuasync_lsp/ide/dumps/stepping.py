"""Creates dumps of a file and a pipeline, with the user's own mlir-opt or with built-in passes.

Both print what `sections` reads, so the reports are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.dumps.logs import Log
from gpuasync_lsp.ide.dumps.passes import PassRun, pass_runs
from gpuasync_lsp.ide.dumps.sections import Phase
from gpuasync_lsp.ide.dumps.timing import timed
from gpuasync_lsp.lowering import Pipeline, PipelineError, Step, parse_pipeline
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError
from gpuasync_lsp.lowering.pipeline.pipeline import invoked, run_steps
from gpuasync_lsp.lowering.pipeline.text import parse_steps
from gpuasync_lsp.processes import Command, NotAllowed, run
from gpuasync_lsp.syntax import module_of
from gpuasync_lsp.syntax.printer import print_module

TIMEOUT = 120.0
"""The time limit of a pipeline in the user's mlir-opt, in seconds."""
MODULE = "builtin.module"

_DUMPS = (
    "--mlir-print-ir-before-all",
    "--mlir-print-ir-after-all",
    "--mlir-print-ir-module-scope",
    "--mlir-disable-threading",
    "--mlir-timing",
)


class NotRun(Exception):
    """The pipeline could not be run; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """A dump that was created, and the effect of each pass."""

    text: str
    runs: tuple[PassRun, ...]
    errors: tuple[str, ...]
    """Errors of passes, and errors before the first pass."""


def stepped(
    state: FileState,
    pipeline: str,
    command: Command | None,
    function: str | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Stepped:
    """Run `pipeline` on each `// -----` part of a file, with `command` or with built-in passes.

    A pass that fails or crashes is the last of its part; its input becomes its reproducer. Raises NotRun if
    the program cannot be started or does not end, and PipelineError for an invalid pipeline, or one with
    passes that are not built in.
    """
    steps = parse_steps(pipeline)
    if command is None:
        printed = list(_builtin(state, parse_pipeline(pipeline), stopped))
    else:
        printed = [
            _by_tool(command, chunk.span.of(state.text), _whole(steps)) for chunk in state.source.chunks
        ]
    text = ""
    runs: list[PassRun] = []
    errors: list[str] = []
    for dump, error in printed:
        # Spans of sections are relative to the text of all parts.
        blank = " " * (len(text) - 1) + "\n" if text else ""
        log = Log(blank + dump, None)
        found = timed(list(pass_runs(log.text, state.resolved, function, stopped)), log)
        text += dump
        if error:
            errors.append(error)
            at = _failed(found)
            if at is not None:
                reproducer = _reproducer(text, found[at], steps)
                found[at] = replace(found[at], failed=True, error=error, reproducer=reproducer)
        runs += found
    return Stepped(text, tuple(runs), tuple(errors))


def _failed(runs: Sequence[PassRun]) -> int | None:
    """Return the index of the pass that caused an error: the failed pass, or the last started one."""
    for at, each in enumerate(runs):
        if each.failed or (each.section.phase is Phase.BEFORE and each.changed is None and each.class_name):
            return at
    return None


def _by_tool(command: Command, text: str, pipeline: str) -> tuple[str, str]:
    """Return the output and the error of the user's mlir-opt."""
    try:
        done = run(command.with_arguments(f"--pass-pipeline={pipeline}", *_DUMPS), text.encode(), TIMEOUT)
    except (NotAllowed, TimeoutError) as error:
        raise NotRun(f"{command.name}: {error}") from error
    except OSError as error:
        raise NotRun(f"cannot run {command.name}: {error.strerror}") from error
    stderr = done.stderr.decode(errors="replace")
    dump = f"{stderr}\n{done.stdout.decode(errors='replace')}\n"
    if done.status == 0:
        return dump, ""
    messages = [line for line in stderr.splitlines() if ": error: " in line]
    if done.status < 0 or done.status > 128:
        return dump, f"{command.name} crashed (status {done.status})"
    return dump, messages[0] if messages else f"{command.name} ended with status {done.status}"


def _builtin(state: FileState, pipeline: Pipeline, stopped: Callable[[], bool]) -> Iterator[tuple[str, str]]:
    """Yield the output and the error of the built-in passes for each part of a file."""
    for chunk in state.source.chunks:
        module = module_of(chunk).clone()
        invocation = invoked(module, pipeline, state.profile.version)
        printed = print_module(module)
        dump, error = "", ""
        for step in pipeline.steps:
            if stopped():
                break
            scope = f" ('{step.anchors[-1] if step.anchors else MODULE}' operation)"
            dump += _section(f"Before {step.name} ({step.name}){scope}", printed)
            try:
                run_steps(module, (step,), invocation)
            except (LegalizationError, PassError) as failure:
                # The IR after a failed pass differs from mlir-opt's, so this section prints the pass's input.
                error = str(failure)
                dump += _section(f"After {step.name} Failed ({step.name}){scope}", printed)
                break
            printed = print_module(module)
            dump += _section(f"After {step.name} ({step.name}){scope}", printed)
        yield dump + ("" if error else f"{printed}\n"), error


def _section(header: str, printed: str) -> str:
    return f"// -----// IR Dump {header} //----- //\n{printed.rstrip()}\n\n\n"


def _whole(steps: Sequence[Step]) -> str:
    return f"{MODULE}({','.join(map(str, steps))})"


def _reproducer(text: str, failed: PassRun, steps: Sequence[Step]) -> str:
    """Return `failed` with its input in the format of `mlir-opt --run-reproducer`."""
    given = failed.before if failed.section.phase is Phase.FAILED else failed.section
    names = [str(step) for step in steps if step.name == failed.pass_name]
    if given is None or not names:
        return ""
    pipeline = f"{MODULE}({names[0]})".replace("\\", "\\\\").replace('"', '\\"')
    return (
        f"{given.body.of(text)}\n\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n"
        f'      pipeline: "{pipeline}",\n      disable_threading: true,\n      verify_each: true\n'
        "    }\n  }\n#-}\n"
    )


__all__ = ["NotRun", "PipelineError", "Stepped", "stepped"]
