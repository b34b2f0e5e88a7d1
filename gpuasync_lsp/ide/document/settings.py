"""Settings of a user or a workspace, read from plain mappings (TOML, editor, command line).

An invalid value is reported with its key and ignored; all other values apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from reprlib import Repr
from typing import cast

from gpuasync_lsp.analysis import RULES
from gpuasync_lsp.analysis.config import Level, closeness, code_meant
from gpuasync_lsp.ide.document.path_patterns import PathPatterns
from gpuasync_lsp.processes import Command, NotAllowed, Origin
from gpuasync_lsp.releases import SPAN, known_version
from gpuasync_lsp.text import Severity
from gpuasync_lsp.text.plain_json import is_object
from gpuasync_lsp.text.spelling import LONGEST, closest

MOST_WORDS = 200
"""The maximum number of rules, passes or files in one setting."""

LEVELS: dict[str, Level] = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "information": Severity.INFORMATION,
    "info": Severity.INFORMATION,
    "hint": Severity.HINT,
    "off": "off",
}
"""Maps the values of a severity setting to severities."""


_SHORT = Repr()
_SHORT.maxstring = LONGEST


class SettingsError(ValueError):
    """An invalid setting; the message names it and the expected value."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one source; None if the source does not set a key.

    The docstrings of the fields are the descriptions in the JSON Schema (`python -m tools.settings_schema`).
    """

    llvm: int | None = None
    """The LLVM release that the files target."""
    select: tuple[str, ...] | None = None
    """Rules to report: codes, prefixes of codes (`GA1`), names, or `ALL`."""
    ignore: tuple[str, ...] | None = None
    """Rules not to report. If `select` names a rule more specifically, `select` wins."""
    severity: Mapping[str, Level] = field(default_factory=dict[str, Level])
    """Severities that replace the defaults of rules."""
    pipeline: tuple[str, ...] | None = None
    """Passes that run before gpu-to-llvm, in mlir-opt's syntax."""
    mlir_opt: Command | None = None
    """The user's own mlir-opt; not allowed in a workspace file."""
    dialects: tuple[str, ...] | None = None
    """IRDL files and TableGen dumps that define further dialects."""

    exclude: PathPatterns | None = None
    """Patterns of files and folders that are not searched; they replace the default."""
    extend_exclude: tuple[PathPatterns, ...] = ()
    """Patterns of further files and folders that are not searched."""
    baseline: Path | None = None
    """The file of known findings, which `check` does not report."""
    extend: Path | None = None
    """Another configuration file, whose settings hold for the keys that this one does not set."""
    per_file: tuple[tuple[PathPatterns, Settings], ...] = ()
    """Settings for the files that match a pattern. If several match, the last one wins."""

    def over(self, weaker: Settings) -> Settings:
        """Return these settings, with the values of `weaker` for the keys that are not set here.

        `severity` is merged per rule, and `extend-exclude` is concatenated.
        """
        chosen = {
            f.name: getattr(weaker if getattr(self, f.name) is None else self, f.name) for f in fields(self)
        }
        chosen["severity"] = {**weaker.severity, **self.severity}
        chosen["extend_exclude"] = (*weaker.extend_exclude, *self.extend_exclude)
        return Settings(**chosen)

    def of_file(self, path: Path) -> Settings:
        """Return the settings for the file at the absolute `path`, in which `per_file` overrides the rest.

        A matching `ignore` adds to the rules that are ignored everywhere.
        """
        settings = self
        for patterns, chosen in self.per_file:
            if patterns.covers(path):
                ignore = (*(settings.ignore or ()), *(chosen.ignore or ())) or settings.ignore
                settings = replace(chosen.over(settings), ignore=ignore)
        return settings


Report = Callable[[str, str], None]
"""Called with the key of an invalid value, and the reason."""


def from_mapping(
    values: Mapping[str, object], report: Report, origin: Origin, folder: Path | None = None
) -> Settings:
    """Return the settings in `values`; invalid ones are passed to `report`.

    Paths and patterns are relative to `folder`, the folder of the configuration file; without a folder, which
    is the case for editor settings, they are rejected. Keys are spelled as in TOML (`mlir-opt`); except for
    programs, editors' camel case is accepted too. `origin` is the source of the values: most sources may not
    specify a program.
    """
    settings = Settings()
    known = (*KEYS, PROGRAM, *(FILE_KEYS if folder is not None else ()))
    for spelt, value in values.items():
        key = re.sub(r"(?<=[a-z])([A-Z])", lambda m: "-" + m[1].lower(), spelt)
        if key not in known:
            report(
                spelt,
                f"unknown setting {_shown(spelt)}" + (_meant(key, known) or f"; known: {', '.join(known)}"),
            )
        elif value is not None:  # Editors send None for a setting that is not set.
            try:
                if key == PROGRAM:
                    settings = replace(settings, mlir_opt=_program(spelt, value, origin))
                elif key in FILE_KEYS and folder is not None:
                    settings = replace(
                        settings, **{key.replace("-", "_"): FILE_KEYS[key](value, report, folder)}
                    )
                else:
                    settings = KEYS[key](settings, value, report)
            except SettingsError as error:
                report(spelt, str(error))
    return settings


PROGRAM = "mlir-opt"
"""The setting that specifies a program. It has only one spelling, so that a filter of settings, such as VS
Code's for untrusted folders, cannot be bypassed."""


def command(key: str, value: object, origin: Origin) -> Command:
    """Return the command that a setting specifies: a program, or a list of a program and its first arguments.

    Raises SettingsError, including when `origin` may not specify programs.
    """
    words = _strings([value] if isinstance(value, str) else value)
    if not words:
        raise SettingsError(f"{key!r} must be a program, or a list of a program and its first arguments")
    try:
        return Command(tuple(words), origin)
    except NotAllowed as error:
        raise SettingsError(f"{error}: set {key!r} in your own settings") from error


def _program(spelt: str, value: object, origin: Origin) -> Command:
    named = command(PROGRAM, value, origin)
    if spelt != PROGRAM:
        raise SettingsError(f"the setting for the program is spelled {PROGRAM!r}")
    return named


def llvm_version(value: object) -> int:
    """Return the LLVM major version that `value` names: 22, "22", "22.1.8", "main". Raises SettingsError."""
    # A number in a configuration file may have more digits than Python converts to a string.
    if isinstance(value, str | int) and (version := known_version(value)) is not None:
        return version
    raise SettingsError(f"unknown LLVM release {_shown(value)}; known releases: {SPAN}, main")


def rule_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return `words` if each of them names one or more rules. Raises SettingsError otherwise."""
    checked = tuple(words)
    for word in checked:
        if mistake := unknown_rule(word):
            raise SettingsError(mistake)
    return checked


def unknown_rule(word: str, besides: Iterable[str] = ()) -> str:
    """Return an error message if `word` names no rule, else an empty string.

    `besides` are further names to suggest.
    """
    if any(closeness(word, rule.code, rule.name) >= 0 for rule in RULES):
        return ""
    if any(code_meant(word) == rule.code for rule in RULES):
        return f"there is no rule {_shown(word)}; did you mean {code_meant(word)!r}?"
    known = [*(rule.code for rule in RULES), *(rule.name for rule in RULES), *besides]
    return f"there is no rule {_shown(word)}{_meant(word, known)}"


def _shown(value: object) -> str:
    """Return `value` in Python syntax, shortened if it is long or deeply nested."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # repr() of an integer with thousands of digits fails.
        return "this"


def _meant(word: str, known: Iterable[str]) -> str:
    close = closest(word, known)
    return f"; did you mean {close!r}?" if close is not None else ""


def _read_severity(settings: Settings, value: object, report: Report) -> Settings:
    if not is_object(value):
        raise SettingsError(f"'severity' must map rules to one of {', '.join(LEVELS)}")
    if len(value) > MOST_WORDS:
        raise SettingsError(f"'severity' names more than {MOST_WORDS} rules")
    levels = dict[str, Level]()
    for word, level in value.items():
        if mistake := unknown_rule(word):
            report(word, mistake)
        elif level not in LEVELS:
            report(word, f"severity of {_shown(word)}: expected {', '.join(LEVELS)}, not {_shown(level)}")
        else:
            levels[word] = LEVELS[str(level)]
    return replace(settings, severity=levels)


def _read_pipeline(settings: Settings, value: object, report: Report) -> Settings:
    texts = [value] if isinstance(value, str) else _strings(value)
    if texts is None:
        raise SettingsError(
            "'pipeline' must be a list of passes or a string in mlir-opt's syntax, for example "
            '["gpu-async-region"]'
        )
    steps: list[str] = []
    if texts:
        # Imported lazily: this loads the lowering, which most files do not need.
        from gpuasync_lsp.lowering import PipelineError, steps_of

        for text in texts:
            try:
                steps += steps_of(text)
            except PipelineError as error:
                report("pipeline", str(error))
    return replace(settings, pipeline=tuple(steps))


def _read_dialects(settings: Settings, value: object, report: Report) -> Settings:
    paths = _strings(value)
    if paths is None:
        raise SettingsError(
            "'dialects' must be a list of IRDL files and TableGen dumps, for example [\"build/Mine.json\"]"
        )
    return replace(settings, dialects=tuple(paths))


KEYS: dict[str, Callable[[Settings, object, Report], Settings]] = {
    "llvm": lambda settings, value, report: replace(settings, llvm=llvm_version(value)),
    "select": lambda settings, value, report: replace(settings, select=_rule_list("select", value, report)),
    "ignore": lambda settings, value, report: replace(settings, ignore=_rule_list("ignore", value, report)),
    "severity": _read_severity,
    "pipeline": _read_pipeline,
    "dialects": _read_dialects,
}


def _read_patterns(key: str, value: object, folder: Path) -> PathPatterns:
    patterns = _strings(value)
    if patterns is None:
        raise SettingsError(
            f'{key!r} must be a list of patterns as in .gitignore, for example ["third_party/"]'
        )
    return PathPatterns(folder, tuple(patterns))


def _read_path(key: str, value: object, folder: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise SettingsError(f"{key!r} must be the path of a file, relative to this one")
    return folder / value


def _read_per_file(value: object, report: Report, folder: Path) -> tuple[tuple[PathPatterns, Settings], ...]:
    if not is_object(value) or not all(is_object(table) for table in value.values()):
        raise SettingsError(
            "'per-file' must have a table of settings for each pattern, such as [per-file.\"legacy/*.mlir\"]"
        )
    if len(value) > MOST_WORDS:
        raise SettingsError(f"'per-file' has more than {MOST_WORDS} patterns")
    found: list[tuple[PathPatterns, Settings]] = []
    for pattern, keys in value.items():
        for key in keys.keys() - KEYS.keys():
            report(key, f"{_shown(key)} cannot be set per file; the settings that can are {', '.join(KEYS)}")
        rest = {key: each for key, each in keys.items() if key in KEYS}
        settings = from_mapping(rest, report, Origin.WORKSPACE_FILE)
        if settings.dialects is not None:
            settings = replace(settings, dialects=tuple(str(folder / name) for name in settings.dialects))
        found.append((PathPatterns(folder, (pattern,)), settings))
    return tuple(found)


FILE_KEYS: dict[str, Callable[[object, Report, Path], object]] = {
    "exclude": lambda value, report, folder: _read_patterns("exclude", value, folder),
    "extend-exclude": lambda value, report, folder: (_read_patterns("extend-exclude", value, folder),),
    "baseline": lambda value, report, folder: _read_path("baseline", value, folder),
    "extend": lambda value, report, folder: _read_path("extend", value, folder),
    "per-file": _read_per_file,
}
"""Maps the settings that only a file can contain to their readers; paths are relative to the file."""


def _rule_list(key: str, value: object, report: Report) -> tuple[str, ...] | None:
    """Return the rules that `value` names; None if it names none, which must not deselect every rule."""
    words = _strings(value)
    if words is None:
        raise SettingsError(f'{key!r} must be a list of rules, for example ["GA101", "GA5"]')
    mistakes = {word: unknown_rule(word) for word in words}
    for mistake in filter(None, mistakes.values()):
        report(key, mistake)
    return tuple(word for word in words if not mistakes[word]) or (None if words else ())


def _strings(value: object) -> list[str] | None:
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(i, str) for i in items):
        return None
    if len(items) > MOST_WORDS:
        raise SettingsError(f"a list of {len(items)} words; at most {MOST_WORDS} are read")
    return cast("list[str]", items)
