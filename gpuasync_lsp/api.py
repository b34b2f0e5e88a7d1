"""The package as a library: check, lower and run the text of a module, from Python.

    import gpuasync_lsp

    gpuasync_lsp.check(module, llvm=22)            # findings: code that does not lower, or lowers incorrectly
    gpuasync_lsp.lower(module, llvm=22)            # the output of mlir-opt --gpu-to-llvm
    ran = gpuasync_lsp.run(module, x, y)           # on the CPU: NumPy arrays in and out
    ran.arguments[1], ran.findings, ran.output
    gpuasync_lsp.assert_clean(module, run=True)    # for tests; also a pytest fixture of this name
    gpuasync_lsp.fix(module)                       # the text after the fixes that preserve the meaning
    gpuasync_lsp.streams(module)                   # a diagram of its streams
    gpuasync_lsp.passes(dump)                      # what the passes of an IR dump changed

A module is anything whose `str()` is MLIR: text, or a module of MLIR's bindings, of xDSL, of CUTLASS. No
configuration file is read; a `// gpuasync: llvm=22` comment in the text overrides `llvm`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, cast

from gpuasync_lsp.text import Loc

if TYPE_CHECKING:
    from gpuasync_lsp.exec import RunReport
    from gpuasync_lsp.exec.program import Parameter
    from gpuasync_lsp.exec.report import Value
    from gpuasync_lsp.ide.document.origins import Origins
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.text import Finding, Fix, LineIndex


_MOST_QUOTED = 5
"""The maximum number of findings that an error message quotes."""


class NotUsable(ValueError):
    """Raised for unusable text or arguments; the message gives the reason and the line."""

    def __init__(self, message: str, findings: tuple[Problem, ...] = ()) -> None:
        more = [f"and {len(findings) - _MOST_QUOTED} more"] if len(findings) > _MOST_QUOTED else []
        super().__init__("\n".join([message, *(f"  {each}" for each in findings[:_MOST_QUOTED]), *more]))
        self.findings = findings
        """The findings of a run before it stopped or crashed."""


@dataclass(frozen=True)
class ProblemFix:
    """An edit of the module's text that fixes a problem; `fix` applies those that preserve the meaning."""

    title: str
    safety: Literal["safe", "unsafe", "display"]
    """`safe` preserves the meaning; `unsafe` changes a wait, ordering or stream; `display` only advises."""

    diff: str
    """The changed lines, prefixed with `-` and `+`."""


@dataclass(frozen=True)
class Problem:
    """A finding in a module."""

    name: str
    """The rule's name (`too-many-dependencies`), or the name of a finding of `run` (`kernel-race`)."""

    code: str
    """The rule's code (`GA101`); empty for a finding of `run`."""

    level: Literal["error", "warning", "information", "hint"]
    line: int
    """The 1-based line; 0 if the location is unknown."""

    message: str
    related: tuple[tuple[int, str], ...] = ()
    """Related locations, such as the other access of a race, as (line, message)."""

    column: int = 0
    """The 1-based column, in code points; 0 if the location is unknown."""

    end: tuple[int, int] = (0, 0)
    """The line and column of the end of the location."""

    source: str = ""
    """The line of the module's text that contains the location."""

    fixes: tuple[ProblemFix, ...] = ()
    loc: tuple[Loc, ...] = ()
    """The op's location (`loc`), followed by its call sites, innermost first."""

    def __str__(self) -> str:
        label = f"{self.level}[{self.code}] {self.name}" if self.code else f"{self.level}[{self.name}]"
        where = f"{self.loc[0]}: " if self.loc else ""
        rest = [f"{call}: note: called from here" for call in self.loc[1:]]
        if self.source.strip():
            rest.append(f"{self.line} | {self.source.strip()}")
        rest += [f"line {line}: note: {message}" for line, message in self.related if line]
        whole = "\n".join([f"{where}line {self.line}: {label}: {self.message}", *rest])
        return whole.replace("\n", "\n  ")


class Problems(list[Problem]):
    """Problems in text order; IPython and notebooks display them with their lines and fixes."""

    def _shown(self) -> str:
        return "\n\n".join(map(_at_length, self)) or "Nothing found."

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self._shown())

    def _repr_html_(self) -> str:
        from gpuasync_lsp.reporting.html import pre

        return pre(self._shown())


class Lowered(str):
    """The text of a lowered module; IPython displays it as text, a notebook next to the original module."""

    module: str = ""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from gpuasync_lsp.reporting.html import beside, pre

        return beside(pre(self.module), pre(self))


@dataclass(frozen=True)
class Streams:
    """A diagram of streams, as text and, for notebooks, as SVG."""

    text: str
    svg: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class PassDone:
    """The effect of one pass of a dump."""

    name: str
    line: int
    """The 1-based line of the pass's header in the dump."""

    changed: bool | None
    """Whether the pass changed anything; None for the first dump of a module."""

    begins: Problems
    """The problems that the pass introduces; their lines refer to the dump."""

    ends: Problems


def _at_length(problem: Problem) -> str:
    """Return a problem with its first fix, for the message of a failed test."""
    fixes = [fix for fix in problem.fixes if fix.diff][:1]
    if fixes:
        problem = replace(problem, source="")  # The fix shows the source line.
    shown = [f"fix ({fix.safety}): {fix.title}\n{fix.diff}" for fix in fixes]
    return "\n".join([str(problem), *shown]).replace("\n", "\n  ")


@dataclass(frozen=True)
class Ran:
    """The result of running a function."""

    arguments: tuple[Any, ...]
    """The arguments after the run, including generated ones.

    Each array is a new array. Its type is the memref's element type if the run changed it, and
    otherwise the type that was passed. Numbers are unchanged."""

    results: tuple[Any, ...]
    """The function's results: arrays, and scalars as Python numbers."""

    output: str
    """The text that the program printed."""

    findings: tuple[Problem, ...]
    report: RunReport
    """The complete report, which is what the command line prints."""

    def __repr__(self) -> str:
        from gpuasync_lsp.exec.render import render

        return render(self.report, "module").rstrip("\n")

    def _repr_html_(self) -> str:
        from gpuasync_lsp.exec.timeline import svg
        from gpuasync_lsp.reporting.html import pre, table

        rows = [(f"argument {number}", repr(value)) for number, value in enumerate(self.arguments)]
        rows += [(f"result {number}", repr(value)) for number, value in enumerate(self.results)]
        if self.output:
            rows.append(("output", self.output))
        found = pre("\n".join(map(str, self.findings))) if self.findings else ""
        return found + table(rows) + (svg(self.report) if self.report.operations else "")


Pipeline = Sequence[str] | str | None
"""Passes before gpu-to-llvm: a list, `["gpu-async-region"]`, or text in mlir-opt's syntax."""


def check(module: object, llvm: int | None = None, *, pipeline: Pipeline = None) -> Problems:
    """Return the findings in `module` for LLVM version `llvm` (default: the newest released one).

    `pipeline` are the passes that you run before gpu-to-llvm. Raises `NotUsable` for an unknown version or
    pipeline.
    """
    state = _state(_text(module), llvm, pipeline)
    return _problems_of(state, state.all_findings())


def fix(module: object, llvm: int | None = None, *, unsafe: bool = False, pipeline: Pipeline = None) -> str:
    """Return the text of `module` after all fixes that preserve its meaning.

    With `unsafe`, fixes that add or remove waits, orderings or streams are applied, too. Raises `NotUsable`.
    """
    from gpuasync_lsp.ide.document.fix_all import Repairs
    from gpuasync_lsp.text import Safety

    state = _state(_text(module), llvm, pipeline)
    allowed = {Safety.SAFE, Safety.UNSAFE} if unsafe else {Safety.SAFE}
    return Repairs(state.checker, state.source).apply_all(allowed).text


def streams(
    module: object, llvm: int | None = None, *, function: str | None = None, pipeline: Pipeline = None
) -> Streams:
    """Return a diagram of the streams of every function, or only of `function`.

    Raises `NotUsable` if the function does not exist, or if mlir-opt rejects the module.
    """
    from gpuasync_lsp.ide.streams import UnknownFunction, stream_view

    state = _state(_text(module), llvm, pipeline)
    for refused in state.rejections:
        raise NotUsable(f"{_line(state, refused.span.start)}{refused.message}")
    try:
        text, svg = (stream_view(state, form, function).text for form in ("text", "svg"))
    except UnknownFunction as error:
        raise NotUsable(str(error)) from error
    return Streams(text, svg)


def passes(dump: object, llvm: int | None = None) -> list[PassDone]:
    """Return the effect of each pass in `dump`, the output of `--mlir-print-ir-after-all`.

    Raises `NotUsable` if `dump` is not a dump, or is too large.
    """
    from gpuasync_lsp.ide.dumps.logs import without_beginnings
    from gpuasync_lsp.ide.dumps.passes import TooLarge, pass_runs
    from gpuasync_lsp.ide.dumps.sections import header_spans
    from gpuasync_lsp.ide.dumps.timing import placed
    from gpuasync_lsp.text import LineIndex

    text = str(dump)
    headers = header_spans(text)
    if not headers:
        raise NotUsable(
            "it is not an IR dump: it has no line like `// -----// IR Dump After CSE (cse) //----- //`"
        )
    log = without_beginnings(text, headers)
    state = _state("", llvm, None)
    lines = LineIndex(text)
    try:
        runs = [placed(run, log) for run in pass_runs(log.text, state.resolved)]
    except TooLarge as error:
        raise NotUsable(str(error)) from error
    return [
        PassDone(
            each.pass_name,
            lines.position(each.section.header.start)[0] + 1,
            each.changed,
            Problems(_problem(lines, finding) for finding in each.begin),
            Problems(_problem(lines, finding) for finding in each.end),
        )
        for each in runs
    ]


def lower(
    module: object,
    llvm: int | None = None,
    *,
    stage: str | None = None,
    pipeline: Pipeline = None,
) -> Lowered:
    """Return the output of LLVM `llvm`'s mlir-opt for `module` after `stage` (default: gpu-to-llvm).

    Raises `NotUsable` if mlir-opt fails, if a defect of this tool leaves an op unlowered, or if the
    stage does not exist.
    """
    from gpuasync_lsp.ide.preview.preview import preview
    from gpuasync_lsp.ide.preview.view import UnknownStage, view_of

    state = _state(_text(module), llvm, pipeline)
    try:
        shown = preview(state, view=view_of(stage, None, state.resolved.settings.pipeline))
    except UnknownStage as error:
        raise NotUsable(str(error)) from error
    errors = [note for note in shown.notes if note.error or note.is_defect]
    if errors:
        start = errors[0].span.start if errors[0].span is not None else None
        raise NotUsable(f"{_line(state, start)}{errors[0].error or errors[0].message}")
    lowered = Lowered(shown.text)
    lowered.module = state.text
    return lowered


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
    """Run a function of `module` in a separate process; return its results and the findings.

    `arguments` are NumPy arrays or lists for memrefs (converted to the memref's element type; `shared`
    also lets the device use them), command line words (`"zeros@8x16"`), and numbers; omitted ones are
    generated as on the command line. For a token argument, pass None, and `run` creates a stream. Findings
    are not errors. Raises `NotUsable` if the program cannot be run or does not finish.
    """
    try:
        import numpy as np
    except ModuleNotFoundError as error:
        raise NotUsable("NumPy, of the extra `run` of gpuasync-lsp, is not installed") from error

    from gpuasync_lsp.exec import Run, RunOptions
    from gpuasync_lsp.exec.prepare import NotRunnable, prepare
    from gpuasync_lsp.ide.run.passes import run_passes

    _reject_options(device, schedules, timeout)
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
            if argument is None and parameters[number].kind in ("stream", "event"):
                continue
            if parameters[number].kind == "memref" and not isinstance(argument, str | int | float):
                path = Path(folder) / f"argument{number}.npy"
                np.save(path, _array(argument, parameters[number].name), allow_pickle=False)
                given.append((str(number), str(path)))
            else:
                if isinstance(argument, bool) or type(argument) is np.bool_:
                    argument = int(argument)  # An i1 of MLIR is 0 or 1.
                given.append((str(number), str(argument)))
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
            # The program must end with its caller, even after Ctrl-C or a test's time limit.
            process.cancel()
            process.wait()
            raise
        if report.outcome not in ("ok", "findings"):
            where = _line(state, report.place.start if report.place.line else None)
            # An array is passed to the worker as a file in this folder, under an internal name.
            message = re.sub(
                re.escape(f"{folder}{os.sep}") + r"argument\d+\.npy", "the array", report.message
            )
            raise NotUsable(f"{where}{message}", _problems(report, state))
        after: list[Any] = [
            arguments[n] if n < len(arguments) else _made_up(p) for n, p in enumerate(parameters)
        ]
        results: list[Any] = []
        names = {parameter.name: number for number, parameter in enumerate(parameters)}
        for value in report.values:
            array = np.load(value.file, allow_pickle=False) if value.file else _number(value)
            number = names.get(value.name)
            if number is None:
                results.append(array)
            elif value.file:
                after[number] = array
            elif number < len(arguments):
                after[number] = _as_given(arguments[number])
    return Ran(tuple(after), tuple(results), report.output, _problems(report, state), report)


def _made_up(parameter: Parameter) -> Any:
    """Return the word for an omitted argument: `iota`, with 16 for dynamic extents and for numbers."""
    from gpuasync_lsp.exec.worker.values import made_up

    return made_up(parameter)


def _as_given(argument: object) -> Any:
    """Return a copy of an array; return any other argument unchanged."""
    import numpy as np

    return argument if isinstance(argument, str) else np.array(argument)


def _problems(report: RunReport, state: FileState) -> tuple[Problem, ...]:
    from gpuasync_lsp.ide.document.origins import Origins

    origins = Origins(state.source)
    return tuple(
        Problem(
            f.name,
            "",
            f.level,
            f.place.line,
            f.message,
            tuple((r.place.line, r.message) for r in f.related),
            source=state.lines.line_text(f.place.line - 1) if f.place.line else "",
            loc=_locs(origins, f.place.start if f.place.line else None),
        )
        for f in report.findings
    )


def _problems_of(state: FileState, found: Iterable[Finding]) -> Problems:
    from gpuasync_lsp.ide.document.origins import Origins

    origins = Origins(state.source)
    in_order = sorted(found, key=lambda f: (f.span, f.code))
    return Problems(_problem(state.lines, f, _locs(origins, f.span.start)) for f in in_order)


def _problem(lines: LineIndex, finding: Finding, loc: tuple[Loc, ...] = ()) -> Problem:
    line, column = lines.position(finding.span.start)
    last, end = lines.position(finding.span.end)
    return Problem(
        finding.name,
        finding.code,
        _level(finding.severity.name),
        line + 1,
        finding.message,
        tuple((lines.position(r.span.start)[0] + 1, r.message) for r in finding.related if not r.within),
        column + 1,
        (last + 1, end + 1),
        lines.line_text(line),
        tuple(ProblemFix(fix.title, fix.safety.value, _diff(lines, fix)) for fix in finding.fixes),
        loc,
    )


def _diff(lines: LineIndex, fix: Fix) -> str:
    """Return the lines that a fix changes, before and after the change."""
    from gpuasync_lsp.text import Edit, apply_edits

    edits = [edit for edit in fix.edits if not edit.within]
    if not edits:
        return ""
    first = lines.position(min(edit.span.start for edit in edits))[0]
    last = lines.position(max(edit.span.end for edit in edits))[0]
    start, end = lines.starts[first], lines.line_end(last)
    here = [Edit(edit.span.shift(-start), edit.text) for edit in edits]
    old, new = lines.text[start:end], apply_edits(lines.text[start:end], here)
    old_lines, new_lines = old.splitlines(), new.splitlines()
    kept = set(old_lines) & set(new_lines)
    removed = [f"- {line.strip()}" for line in old_lines if line not in kept]
    return "\n".join([*removed, *(f"+ {line.strip()}" for line in new_lines if line not in kept)])


def _locs(origins: Origins, start: int | None) -> tuple[Loc, ...]:
    return () if start is None else origins.at(start)


def assert_clean(
    module: object,
    llvm: int | None = None,
    *,
    run: bool = False,
    arguments: Sequence[Any] = (),
    ignore: Collection[str] = (),
    **options: Any,
) -> None:
    """Raise AssertionError with the findings of `check` in `module` and, with `run`, those of `run`.

    `arguments` and `options` are those of `run`. Hints and information are ignored, as are the rules in
    `ignore`: codes, prefixes of codes, or names (`"GA402"`, `"GA4"`, `"leaked-buffer"`). Raises ValueError
    for an unknown entry, and warns about an entry that ignores nothing. With `run`, GA108 is ignored because
    `run` outlines kernels.
    """
    __tracebackhide__ = True  # Makes pytest show the caller's line instead of this function's.
    ignored = _ignored(ignore)
    problems = [*check(module, llvm, pipeline=options.get("pipeline"))]
    if run:
        problems += globals()["run"](module, *arguments, llvm=llvm, **options).findings
    elif arguments or options.keys() - {"pipeline"}:
        names = sorted({*options} - {"pipeline"} | ({"arguments"} if arguments else set()))
        raise TypeError(f"assert_clean() takes {', '.join(names)} with run=True only")
    wrong = [p for p in problems if p.level in ("error", "warning") and not (run and p.code == _NOT_OUTLINED)]
    left = [p for p in wrong if not any(_is_meant(word, p) for word in ignored)]
    if left:
        raise NotClean(left)
    unused = [word for word in ignored if not any(_is_meant(word, p) for p in problems)]
    if unused:
        import warnings

        named = ", ".join(map(repr, unused))
        warnings.warn(f"ignore={named}: there is no such finding", UnusedIgnoreWarning, stacklevel=2)


class NotClean(AssertionError):
    """The findings of `assert_clean`; its text is the message of the failed test."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = Problems(problems)
        shown = [f"  {_at_length(p)}".replace("\n", "\n  ") for p in problems[:_MOST_QUOTED]]
        more = [f"  and {len(problems) - _MOST_QUOTED} more"] if len(problems) > _MOST_QUOTED else []
        names = ", ".join(dict.fromkeys(repr(p.code or p.name) for p in problems))
        hint = f"to ignore: assert_clean(..., ignore=[{names}])"
        if any(p.code for p in problems):
            hint += ", or `// gpuasync: ignore[CODE]` on the line"
        super().__init__("\n".join(["the module is not clean:", *shown, *more, hint]))


class UnusedIgnoreWarning(UserWarning):
    """Warns about an `ignore` entry of `assert_clean` that ignores nothing."""


def _ignored(ignore: Collection[str]) -> list[str]:
    """Return the entries of `ignore`.

    Raises TypeError if they are not strings, and ValueError for unknown ones."""
    from gpuasync_lsp.exec.report import FINDING_NAMES
    from gpuasync_lsp.ide.document.settings import unknown_rule

    __tracebackhide__ = True
    if not _are_words(ignore):
        raise TypeError(f"ignore must be a code or a name, or several of them, not {ignore!r}")
    words = [ignore] if isinstance(ignore, str) else [*ignore]
    for word in words:
        if word not in FINDING_NAMES and (mistake := unknown_rule(word, FINDING_NAMES)):
            raise ValueError(f"ignore: {mistake}")
    return words


def _is_meant(word: str, problem: Problem) -> bool:
    from gpuasync_lsp.analysis.config import closeness

    return closeness(word, problem.code, problem.name) >= 0 if problem.code else word in (problem.name, "ALL")


_NOT_OUTLINED = "GA108"


def _text(module: object) -> str:
    """Return the text of a module; raises `NotUsable` for paths and bytes.

    The parser would accept a path as an op of an unknown dialect, without findings.
    """
    kind = type(module)
    if kind.__module__ == "builtins" and not isinstance(module, str | bytes | bytearray):
        raise NotUsable(
            f"{kind.__name__} is not a module: pass its text, or an object that `str()` turns into its text"
        )
    if isinstance(module, bytes | bytearray):
        raise NotUsable(f"{kind.__name__} is not text: decode it")
    text = str(module)
    is_line = "\n" not in text.strip()
    if isinstance(module, os.PathLike) or (is_line and re.search(r"\.mlir(bc)?\s*$", text)):
        raise NotUsable(f"{text} is a path, not a module: pass its content, pathlib.Path(...).read_text()")
    if text.startswith((f"{kind.__name__}(", "<")) and text.endswith((")", ">")) and kind.__name__ in text:
        # A text like the default `repr` of a Python object without `__str__`, such as a file or an xDSL
        # region.
        raise NotUsable(f"{kind.__name__} is not a module: its text is {text[:80]}")
    return text


def _reject_options(device: str, schedules: int, timeout: float) -> None:
    """Raise `NotUsable` for an option that `run` does not accept, like the command line."""
    if device not in ("auto", "cuda", "cpu"):
        raise NotUsable(f"device must be auto, cuda or cpu, not {device!r}")
    if not isinstance(cast(object, schedules), int) or schedules < 1:
        raise NotUsable(f"schedules must be at least 1, not {schedules!r}")
    if not isinstance(cast(object, timeout), int | float) or not 0 < timeout < float("inf"):
        raise NotUsable(f"timeout must be a positive number of seconds, not {timeout!r}")


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
    """Return each pass of a pipeline with its options; raises `PipelineError`."""
    from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline

    if pipeline is None:
        return None
    given = [pipeline] if isinstance(pipeline, str) else pipeline
    if not _are_words(given):
        raise NotUsable(f"pipeline must be the text of a pipeline or a list of passes, not {pipeline!r}")
    return tuple(map(str, parse_pipeline(",".join(step.lstrip("-") for step in given)).steps))


def _are_words(given: object) -> bool:
    return isinstance(given, Collection) and all(
        isinstance(each, str) for each in cast("Collection[object]", given)
    )


def _array(argument: object, name: str) -> Any:
    """Return the array to save for the argument `name`; raises `NotUsable` if there is no array."""
    import numpy as np

    what = f"argument {name}: {type(argument).__name__} is not an array of numbers"
    try:
        array = np.asarray(argument)
        if array.dtype.kind == "V" and array.dtype.names is None:
            # bfloat16 and similar types, which the file format cannot represent.
            array = array.astype(np.float32)
    except (TypeError, ValueError) as error:  # Rows of different lengths, or records.
        raise NotUsable(f"{what}: {error}") from error
    if array.dtype.hasobject:
        raise NotUsable(what)
    return array


def _number(value: Value) -> Any:
    """Return a scalar of a report as a Python number, or its text if Python has no such number."""
    if value.type == "i1":
        return value.preview == "True"
    is_float = value.type.startswith(("f", "bf"))
    kind = complex if value.type.startswith("complex") else float if is_float else int
    try:
        return kind(value.preview)
    except ValueError:
        return value.preview


def _line(state: FileState, start: int | None) -> str:
    """Return a message's prefix: the op's `loc(...)` if it has one, and its line in the text."""
    from gpuasync_lsp.ide.document.origins import Origins

    if start is None:
        return ""
    origin = "".join(f"{loc}: " for loc in _locs(Origins(state.source), start)[:1])
    return f"{origin}line {state.lines.position(start)[0] + 1}: "


def _level(name: str) -> Literal["error", "warning", "information", "hint"]:
    levels: dict[str, Literal["error", "warning", "information", "hint"]] = {
        "ERROR": "error",
        "WARNING": "warning",
        "INFORMATION": "information",
        "HINT": "hint",
    }
    return levels[name]
