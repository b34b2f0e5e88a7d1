"""Settings: what a user or a workspace asked for, read from plain mappings (TOML, editor, command line).

A value that cannot be used is reported by its key and left out; all others count.
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
from gpuasync_lsp.text.spelling import LONGEST, closest

MOST_WORDS = 200
"""Rules, passes or files that one setting may name."""

LEVELS: dict[str, Level] = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "information": Severity.INFORMATION,
    "info": Severity.INFORMATION,
    "hint": Severity.HINT,
    "off": "off",
}
"""The words that a severity setting takes."""


_SHORT = Repr()
_SHORT.maxstring = LONGEST


class SettingsError(ValueError):
    """A setting that cannot be used; the message says which, and what would be right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one source of settings says; None where it does not say."""

    llvm: int | None = None
    """The LLVM major version that files are meant for."""
    select: tuple[str, ...] | None = None
    """Rules to report: codes, beginnings of codes (`GA1`), names, or `ALL`."""
    ignore: tuple[str, ...] | None = None
    """Rules not to report; where `select` names a rule more exactly, that wins."""
    severity: Mapping[str, Level] = field(default_factory=dict[str, Level])
    """Severities that replace a rule's default."""
    pipeline: tuple[str, ...] | None = None
    """Passes that run before gpu-to-llvm, as mlir-opt spells them."""
    mlir_opt: Command | None = None
    """The user's mlir-opt."""
    dialects: tuple[str, ...] | None = None
    """IRDL files and TableGen dumps whose dialects are known too; data, so a workspace may name them."""

    exclude: PathPatterns | None = None
    """Files and folders that are not searched, in place of the usual names."""
    extend_exclude: tuple[PathPatterns, ...] = ()
    """Files and folders that are not searched either; those of a weaker source count as well."""
    baseline: Path | None = None
    """The file of known findings."""
    extend: Path | None = None
    """The configuration file whose settings count where this one does not say."""
    per_file: tuple[tuple[PathPatterns, Settings], ...] = ()
    """What holds for the files that match, over the other settings of this source; of several, the last."""

    def over(self, weaker: Settings) -> Settings:
        """Return these settings, and those of `weaker` where these do not say."""
        chosen = {
            f.name: getattr(weaker if getattr(self, f.name) is None else self, f.name) for f in fields(self)
        }
        chosen["severity"] = {**weaker.severity, **self.severity}
        chosen["extend_exclude"] = (*weaker.extend_exclude, *self.extend_exclude)
        return Settings(**chosen)

    def of_file(self, path: Path) -> Settings:
        """Return what holds for the file at `path`, an absolute one: `per_file` over the rest.

        What `ignore` names for some files is ignored there besides what is ignored everywhere."""
        settings = self
        for patterns, chosen in self.per_file:
            if patterns.covers(path):
                ignore = (*(settings.ignore or ()), *(chosen.ignore or ())) or settings.ignore
                settings = replace(chosen.over(settings), ignore=ignore)
        return settings


Report = Callable[[str, str], None]
"""Takes the key of a value that cannot be used, and why."""


def from_mapping(
    values: Mapping[str, object], report: Report, origin: Origin, folder: Path | None = None
) -> Settings:
    """Return the settings that `values` hold; what cannot be used goes to `report`.

    Paths and patterns of a file are relative to its `folder`; an editor, which has none, cannot name any.

    Keys are spelt as in TOML (`mlir-opt`); the camel case of editors is taken as well, for all but
    programs. `origin` is where the values come from: from many, a setting that names a program is a mistake.
    """
    settings = Settings()
    known = (*_KEYS, PROGRAM, *(_FILE_KEYS if folder is not None else ()))
    for spelt, value in values.items():
        key = re.sub(r"(?<=[a-z])([A-Z])", lambda m: "-" + m[1].lower(), spelt)
        if key not in known:
            report(
                spelt,
                f"unknown setting {_shown(spelt)}" + (_meant(key, known) or f"; known: {', '.join(known)}"),
            )
        elif value is not None:  # None is how an editor says that a setting is not set.
            try:
                if key == PROGRAM:
                    settings = replace(settings, mlir_opt=_program(spelt, value, origin))
                elif key in _FILE_KEYS and folder is not None:
                    settings = replace(
                        settings, **{key.replace("-", "_"): _FILE_KEYS[key](value, report, folder)}
                    )
                else:
                    settings = _KEYS[key](settings, value, report)
            except SettingsError as error:
                report(spelt, str(error))
    return settings


PROGRAM = "mlir-opt"
"""The setting that names a program. It has this spelling alone, so that whoever filters settings, as VS Code
does where a folder is not trusted, cannot be got round by another one."""


def command(key: str, value: object, origin: Origin) -> Command:
    """Return the command that a setting names: a program, or a list of it and its first arguments.

    Raises SettingsError, also where `origin` may not name programs.
    """
    words = _strings([value] if isinstance(value, str) else value)
    if not words:
        raise SettingsError(f"{key!r} is a program, or a list of a program and its first arguments")
    try:
        return Command(tuple(words), origin)
    except NotAllowed as error:
        raise SettingsError(f"{error}: set {key!r} in your own settings") from error


def _program(spelt: str, value: object, origin: Origin) -> Command:
    named = command(PROGRAM, value, origin)
    if spelt != PROGRAM:
        raise SettingsError(f"the setting that names a program is spelt {PROGRAM!r}")
    return named


def llvm_version(value: object) -> int:
    """Return the LLVM major version that `value` names: 22, "22", "22.1.8", "main". Raises SettingsError."""
    # A number of a configuration file may have more digits than Python turns into a text.
    if isinstance(value, str | int) and (version := known_version(value)) is not None:
        return version
    raise SettingsError(f"unknown LLVM version {_shown(value)}; known are {SPAN} and main")


def rule_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return `words` after making sure that each names a rule or several. Raises SettingsError."""
    checked = tuple(words)
    for word in checked:
        if mistake := unknown_rule(word):
            raise SettingsError(mistake)
    return checked


def unknown_rule(word: str, besides: Iterable[str] = ()) -> str:
    """Return what is wrong with a word that is to name rules, empty if nothing.

    `besides` are other names that may have been meant."""
    if any(closeness(word, rule.code, rule.name) >= 0 for rule in RULES):
        return ""
    if any(code_meant(word) == rule.code for rule in RULES):
        return f"no rule is called {_shown(word)}; did you mean {code_meant(word)!r}?"
    known = [*(rule.code for rule in RULES), *(rule.name for rule in RULES), *besides]
    return f"no rule is called {_shown(word)}{_meant(word, known)}"


def _shown(value: object) -> str:
    """Return `value` as in Python, cut where it is long or nested deep."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # of an integer that has thousands of digits
        return "this"


def _meant(word: str, known: Iterable[str]) -> str:
    close = closest(word, known)
    return f"; did you mean {close!r}?" if close is not None else ""


def _read_llvm(settings: Settings, value: object, report: Report) -> Settings:
    return replace(settings, llvm=llvm_version(value))


def _read_select(settings: Settings, value: object, report: Report) -> Settings:
    return replace(settings, select=_rule_list("select", value, report))


def _read_ignore(settings: Settings, value: object, report: Report) -> Settings:
    return replace(settings, ignore=_rule_list("ignore", value, report))


def _read_severity(settings: Settings, value: object, report: Report) -> Settings:
    if not isinstance(value, dict):
        raise SettingsError(f"'severity' maps rules to one of {', '.join(LEVELS)}")
    if len(cast("Mapping[str, object]", value)) > MOST_WORDS:
        raise SettingsError(f"'severity' names more than {MOST_WORDS} rules")
    levels = dict[str, Level]()
    for word, level in cast("Mapping[str, object]", value).items():
        if mistake := unknown_rule(word):
            report(word, mistake)
        elif level not in LEVELS:
            report(word, f"severity of {_shown(word)}: {_shown(level)} is not one of {', '.join(LEVELS)}")
        else:
            levels[word] = LEVELS[str(level)]
    return replace(settings, severity=levels)


def _read_pipeline(settings: Settings, value: object, report: Report) -> Settings:
    texts = [value] if isinstance(value, str) else _strings(value)
    if texts is None:
        raise SettingsError(
            "'pipeline' is a list of passes, or a text as for mlir-opt, for example [\"gpu-async-region\"]"
        )
    steps: list[str] = []
    if texts:
        # Only here: it brings the lowering, which most files do without.
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
            "'dialects' is a list of IRDL files and TableGen dumps, for example [\"build/Mine.json\"]"
        )
    return replace(settings, dialects=tuple(paths))


_KEYS: dict[str, Callable[[Settings, object, Report], Settings]] = {
    "llvm": _read_llvm,
    "select": _read_select,
    "ignore": _read_ignore,
    "severity": _read_severity,
    "pipeline": _read_pipeline,
    "dialects": _read_dialects,
}


def _read_patterns(key: str, value: object, folder: Path) -> PathPatterns:
    patterns = _strings(value)
    if patterns is None:
        raise SettingsError(f'{key!r} is a list of patterns as in .gitignore, for example ["third_party/"]')
    return PathPatterns(folder, tuple(patterns))


def _read_path(key: str, value: object, folder: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise SettingsError(f"{key!r} is the path of a file, relative to this one")
    return folder / value


def _read_per_file(value: object, report: Report, folder: Path) -> tuple[tuple[PathPatterns, Settings], ...]:
    tables = cast("Mapping[str, object]", value) if isinstance(value, dict) else None
    if tables is None or not all(isinstance(table, dict) for table in tables.values()):
        raise SettingsError(
            "'per-file' has a table of settings for each pattern, as [per-file.\"legacy/*.mlir\"]"
        )
    if len(tables) > MOST_WORDS:
        raise SettingsError(f"'per-file' has more than {MOST_WORDS} patterns")
    found: list[tuple[PathPatterns, Settings]] = []
    for pattern, table in tables.items():
        keys = cast("Mapping[str, object]", table)
        for key in keys.keys() - _KEYS.keys():
            report(key, f"{_shown(key)} cannot be set for some files; what can is {', '.join(_KEYS)}")
        rest = {key: each for key, each in keys.items() if key in _KEYS}
        settings = from_mapping(rest, report, Origin.WORKSPACE_FILE)
        if settings.dialects is not None:
            settings = replace(settings, dialects=tuple(str(folder / name) for name in settings.dialects))
        found.append((PathPatterns(folder, (pattern,)), settings))
    return tuple(found)


_FILE_KEYS: dict[str, Callable[[object, Report, Path], object]] = {
    "exclude": lambda value, report, folder: _read_patterns("exclude", value, folder),
    "extend-exclude": lambda value, report, folder: (_read_patterns("extend-exclude", value, folder),),
    "baseline": lambda value, report, folder: _read_path("baseline", value, folder),
    "extend": lambda value, report, folder: _read_path("extend", value, folder),
    "per-file": _read_per_file,
}
"""What only a file can say, as it names paths relative to itself."""


def _rule_list(key: str, value: object, report: Report) -> tuple[str, ...]:
    words = _strings(value)
    if words is None:
        raise SettingsError(f'{key!r} is a list of rules, for example ["GA101", "GA5"]')
    mistakes = {word: unknown_rule(word) for word in words}
    for mistake in filter(None, mistakes.values()):
        report(key, mistake)
    return tuple(word for word in words if not mistakes[word])


def _strings(value: object) -> list[str] | None:
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(i, str) for i in items):
        return None
    if len(items) > MOST_WORDS:
        raise SettingsError(f"a list of {len(items)} words; at most {MOST_WORDS} are read")
    return cast("list[str]", items)
