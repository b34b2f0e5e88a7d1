"""The package as a library: check, lower and run the text of a module, from Python.

    import gpuasync_lsp

    gpuasync_lsp.check(module, llvm=22)            # what will not lower, or lowers to something wrong
    gpuasync_lsp.lower(module, llvm=22)            # what mlir-opt --gpu-to-llvm makes of it
    ran = gpuasync_lsp.run(module, x, y)           # on the CPU: NumPy arrays in and out
    ran.arguments[1], ran.findings, ran.output
    gpuasync_lsp.assert_clean(module, run=True)    # for tests; also a pytest fixture of this name

A module is anything whose `str()` is MLIR: text, or a module of MLIR's bindings, of xDSL, of CUTLASS. No
configuration file is read; a `// gpuasync: llvm=22` comment in the text goes before `llvm`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from gpuasync_lsp.exec import RunReport
    from gpuasync_lsp.exec.report import Value
    from gpuasync_lsp.ide.document.state import FileState


_MOST_SAID = 5
"""Findings that a message has."""


class NotUsable(ValueError):
    """The text, or what was asked of it, cannot be used; the message says why, with the line."""

    def __init__(self, message: str, findings: tuple[Problem, ...] = ()) -> None:
        more = [f"and {len(findings) - _MOST_SAID} more"] if len(findings) > _MOST_SAID else []
        super().__init__("\n".join([message, *(f"  {each}" for each in findings[:_MOST_SAID]), *more]))
        self.findings = findings
        """What a run has found before it was stopped, or crashed."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a module."""

    name: str
    """The rule (`too-many-dependencies`), or what a run found (`kernel-race`)."""

    code: str
    """The rule's code (`GA101`); empty for what a run found."""

    level: Literal["error", "warning", "information", "hint"]
    line: int
    """From 1; 0 where the place is not known."""

    message: str
    related: tuple[tuple[int, str], ...] = ()
    """Other places that belong to it, such as the other access of a race: line and what happens there."""

    def __str__(self) -> str:
        label = f"{self.level}[{self.code}] {self.name}" if self.code else f"{self.level}[{self.name}]"
        rest = [f"line {line}: note: {message}" for line, message in self.related if line]
        whole = "\n".join([f"line {self.line}: {label}: {self.message}", *rest])
        return whole.replace("\n", "\n  ")


@dataclass(frozen=True)
class Ran:
    """What a run gave."""

    arguments: tuple[Any, ...]
    """The arguments after the run, in order: a new array for each array, of the memref's element type if the
    run changed it and as it was given if not; a number as it was given."""

    results: tuple[Any, ...]
    """What the function returned: arrays, and scalars as Python's numbers."""

    output: str
    """What the program printed."""

    findings: tuple[Problem, ...]
    report: RunReport
    """All of it, as the command line shows it."""


Pipeline = Sequence[str] | str | None
"""Passes before gpu-to-llvm: a list, `["gpu-async-region"]`, or text as mlir-opt takes it."""


def check(module: object, llvm: int | None = None, *, pipeline: Pipeline = None) -> list[Problem]:
    """Return what is wrong with `module` for LLVM version `llvm` (default: the newest that is released).

    `pipeline` are the passes that you run before gpu-to-llvm. Raises `NotUsable` for a version
    or pipeline that is not known.
    """
    from gpuasync_lsp.ide.document.checker import Checker

    text = _text(module)
    state = _state(text, llvm, pipeline)
    found = Checker(state.resolved).check(text)
    return [
        Problem(
            f.name,
            f.code,
            _level(f.severity.name),
            state.lines.position(f.span.start)[0] + 1,
            f.message,
            tuple((state.lines.position(r.span.start)[0] + 1, r.message) for r in f.related if not r.within),
        )
        for f in found
    ]


def lower(
    module: object,
    llvm: int | None = None,
    *,
    stage: str | None = None,
    pipeline: Pipeline = None,
) -> str:
    """Return what mlir-opt of LLVM version `llvm` makes of `module`, at `stage` (default: gpu-to-llvm).

    Raises `NotUsable` where the real tool ends with an error, or for a stage that there is not.
    """
    from gpuasync_lsp.ide.preview.preview import UnknownStage, preview, view_of

    state = _state(_text(module), llvm, pipeline)
    try:
        shown = preview(state, view=view_of(stage, None, state.resolved.settings.pipeline))
    except UnknownStage as error:
        raise NotUsable(str(error)) from error
    errors = [note for note in shown.notes if note.error]
    if errors:
        start = errors[0].span.start if errors[0].span is not None else None
        raise NotUsable(f"{_line(state, start)}{errors[0].error}")
    return shown.text


def run(
    module: object,
    *arguments: Any,
    llvm: int | None = None,
    entry: str = "",
    pipeline: Pipeline = None,
    device: Literal["auto", "cuda", "cpu"] = "cpu",
    shared: bool = True,
    schedules: int = 1,
    timeout: float = 30.0,
) -> Ran:
    """Run a function of `module` in a process of its own, and return what it gave and what was found.

    `arguments` are NumPy arrays, or lists, for memrefs (converted to the memref's element type; `shared` lets
    the device use them, too), words of the command line (`"zeros@8x16"`), and numbers; those left out are
    made up as the command line does. Finding something is no error. Raises `NotUsable` where the program
    cannot be run or does not come to its end.
    """
    try:
        import numpy as np
    except ModuleNotFoundError as error:
        raise NotUsable("NumPy, of the extra `run` of gpuasync-lsp, is not installed") from error

    from gpuasync_lsp.exec import Run, RunOptions
    from gpuasync_lsp.exec.prepare import NotRunnable, prepare
    from gpuasync_lsp.ide.run.passes import run_passes

    _refuse_options(device, schedules, timeout)
    text = _text(module)
    state = _state(text, llvm, pipeline)
    resolved = state.resolved
    try:
        passes, lowering = run_passes(resolved.settings.pipeline, state.lines)
        prepared = prepare(text, resolved.target.version, entry, lowering, passes)
    except NotRunnable as error:
        raise NotUsable(f"{_line(state, error.span.start if error.span else None)}{error.message}") from error
    parameters = prepared.program.parameters
    if len(arguments) > len(parameters):
        raise NotUsable(f"@{prepared.program.entry} takes {len(parameters)} arguments, not {len(arguments)}")
    with TemporaryDirectory(prefix="gpuasync") as folder:
        given: list[tuple[str, str]] = []
        for number, argument in enumerate(arguments):
            if parameters[number].kind == "memref" and not isinstance(argument, str | int | float):
                path = Path(folder) / f"argument{number}.npy"
                np.save(path, _array(argument, parameters[number].name), allow_pickle=False)
                given.append((str(number), str(path)))
            else:
                is_bool = isinstance(argument, bool | np.bool_)  # MLIR's i1 is 0 or 1
                given.append((str(number), str(int(cast(Any, argument)) if is_bool else argument)))
        options = RunOptions(
            device=device,
            arguments=tuple(given),
            shared_arguments=shared,
            schedules=schedules,
            timeout=timeout,
            save=str(Path(folder) / "values"),
        )
        process = Run(prepared.program, options, prepared.place_of)
        try:
            report = process.wait()
        except BaseException:
            # Ctrl-C, the time limit of a test: the program must not go on without its caller.
            process.cancel()
            process.wait()
            raise
        if report.outcome not in ("ok", "findings"):
            where = f"line {report.place.line}: " if report.place.line else ""
            # A file of the folder is how an array gets to the worker: nobody has seen its name.
            message = re.sub(
                re.escape(f"{folder}{os.sep}") + r"argument\d+\.npy", "the array", report.message
            )
            raise NotUsable(f"{where}{message}", _problems(report))
        after: list[Any] = list(arguments)
        results: list[Any] = []
        names = {parameter.name: number for number, parameter in enumerate(parameters)}
        for value in report.values:
            array: Any = np.load(value.file, allow_pickle=False) if value.file else _number(value)
            number = names.get(value.name)
            if number is None:
                results.append(array)
            elif number < len(after):
                after[number] = array if value.file else _as_given(arguments[number])
    return Ran(tuple(after), tuple(results), report.output, _problems(report), report)


def _as_given(argument: object) -> Any:
    """Return a new array for an array, and a word of the command line as it is."""
    import numpy as np

    return argument if isinstance(argument, str) else np.array(argument)


def _problems(report: RunReport) -> tuple[Problem, ...]:
    return tuple(
        Problem(
            f.name, "", f.level, f.place.line, f.message, tuple((r.place.line, r.message) for r in f.related)
        )
        for f in report.findings
    )


def assert_clean(
    module: object,
    llvm: int | None = None,
    *,
    run: bool = False,
    arguments: Sequence[Any] = (),
    ignore: Collection[str] = (),
    **options: Any,
) -> None:
    """Raise AssertionError with what `check` says of `module` and, with `run`, what a run finds.

    `arguments` and `options` are those of `run`. Hints and information are no problem, nor is what `ignore`
    names (`"GA402"`, `"leaked-buffer"`). With `run`, GA108 is none: a run outlines kernels itself.
    """
    if not _are_words(ignore):
        raise TypeError(f"ignore is a code or a name, or several of them, not {ignore!r}")
    problems = check(module, llvm, pipeline=options.get("pipeline"))
    ignored = {ignore} if isinstance(ignore, str) else set(ignore)
    if run:
        problems += globals()["run"](module, *arguments, llvm=llvm, **options).findings
        ignored.add(_NOT_OUTLINED)
    elif arguments or options.keys() - {"pipeline"}:
        names = sorted({*options} - {"pipeline"} | ({"arguments"} if arguments else set()))
        raise TypeError(f"assert_clean() takes {', '.join(names)} with run=True only")
    problems = [
        problem
        for problem in problems
        if problem.level in ("error", "warning") and ignored.isdisjoint((problem.code, problem.name))
    ]
    if problems:
        raise AssertionError("\n".join(["the module is not clean:", *(f"  {p}" for p in problems)]))


_NOT_OUTLINED = "GA108"


def _text(module: object) -> str:
    """Return the text of a module; raises `NotUsable` for what names or encodes a text.

    The text of a path would be read as an op of a dialect that nobody knows, and be found to be sound.
    """
    if type(module).__module__ == "builtins" and not isinstance(module, str | bytes | bytearray):
        raise NotUsable(f"{type(module).__name__} is no module: pass its text, or what `str()` makes text of")
    text = str(module)
    if isinstance(module, os.PathLike) or re.fullmatch(r"\S+\.mlir(bc)?", text):
        raise NotUsable(f"{text} is a path, not a module: pass what is in it, pathlib.Path(...).read_text()")
    if isinstance(module, bytes | bytearray):
        raise NotUsable(f"{type(module).__name__} are no text: decode them")
    return text


def _refuse_options(device: str, schedules: int, timeout: float) -> None:
    """Raise `NotUsable` for what no run can be made with, as the command line does."""
    if device not in ("auto", "cuda", "cpu"):
        raise NotUsable(f"device is auto, cuda or cpu, not {device!r}")
    if not isinstance(cast(object, schedules), int) or schedules < 1:
        raise NotUsable(f"schedules is a number of orders, at least 1, not {schedules!r}")
    if not isinstance(cast(object, timeout), int | float) or not 0 < timeout < float("inf"):
        raise NotUsable(f"timeout is a time in seconds, more than 0, not {timeout!r}")


def _state(text: str, llvm: int | None, pipeline: Pipeline) -> FileState:
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError, llvm_version
    from gpuasync_lsp.ide.document.state import file_state
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.lowering.pipeline.pipeline import PipelineError
    from gpuasync_lsp.text import LineIndex

    try:
        version = None if llvm is None else llvm_version(str(llvm))
    except SettingsError as error:
        raise NotUsable(str(error)) from error
    try:
        steps = _steps(pipeline)
    except PipelineError as error:
        raise NotUsable(f"the pipeline: {error}") from error
    settings = Settings(llvm=version, pipeline=steps)
    state = file_state(LineIndex(text), None, SettingsResolver(settings))
    if state.resolved.problems:
        raise NotUsable(str(state.resolved.problems[0]))
    return state


def _steps(pipeline: Pipeline) -> tuple[str, ...] | None:
    """Return each pass with its options; raises `PipelineError`."""
    from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline

    if pipeline is None:
        return None
    given = [pipeline] if isinstance(pipeline, str) else pipeline
    if not _are_words(given):
        raise NotUsable(f"pipeline is the text of a pipeline, or a list of passes, not {pipeline!r}")
    return tuple(map(str, parse_pipeline(",".join(step.lstrip("-") for step in given)).steps))


def _are_words(given: object) -> bool:
    return isinstance(given, Collection) and all(
        isinstance(each, str) for each in cast("Collection[object]", given)
    )


def _array(argument: object, name: str) -> Any:
    """Return the array to save for the argument `name`; raises `NotUsable` where it is none."""
    import numpy as np

    what = f"argument {name}: {type(argument).__name__} is no array of numbers"
    try:
        array: Any = np.asarray(argument)
        if array.dtype.kind == "V" and array.dtype.names is None:
            # bfloat16 and the like: a file has no word for them.
            array = array.astype(np.float32)
    except (TypeError, ValueError) as error:  # rows of several lengths, records
        raise NotUsable(f"{what}: {error}") from error
    if array.dtype.hasobject:
        raise NotUsable(what)
    return array


def _number(value: Value) -> Any:
    """Return a scalar of a report as Python's number; its text, if it is none that Python writes so."""
    if value.type == "i1":
        return value.preview == "True"
    is_float = value.type.startswith(("f", "bf"))
    kind = complex if value.type.startswith("complex") else float if is_float else int
    try:
        return kind(value.preview)
    except ValueError:
        return value.preview


def _line(state: FileState, start: int | None) -> str:
    return "" if start is None else f"line {state.lines.position(start)[0] + 1}: "


def _level(name: str) -> Literal["error", "warning", "information", "hint"]:
    levels: dict[str, Literal["error", "warning", "information", "hint"]] = {
        "ERROR": "error",
        "WARNING": "warning",
        "INFORMATION": "information",
        "HINT": "hint",
    }
    return levels[name]
