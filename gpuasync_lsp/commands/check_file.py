"""Check one file of many, and repair it: what `gpuasync-lsp check` does in whichever process has time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gpuasync_lsp.commands.sources import (
    NotWritten,
    Source,
    UnreadableSource,
    lines_of,
    read_source,
    write_source,
)
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.config_files import user_config
from gpuasync_lsp.ide.document.fix_all import Fixed, Repairs
from gpuasync_lsp.ide.document.large_text import SECONDS, check_in_time
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.reporting import FileReport, Tally
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import Safety


@dataclass(frozen=True, slots=True)
class Repair:
    """Which fixes are applied, and whether files are written or only shown."""

    allowed: frozenset[Safety]
    shown_only: bool

    @staticmethod
    def of(*, fix: bool, unsafe_fixes: bool, diff: bool) -> Repair:
        """Return what the options of the command line ask for."""
        if unsafe_fixes:
            return Repair(frozenset({Safety.SAFE, Safety.UNSAFE}), diff)
        return Repair(frozenset({Safety.SAFE} if fix or diff else ()), diff)


@dataclass(slots=True)
class Checked:
    """What came of one file."""

    tally: Tally | None = None
    """None for a file that cannot be read."""
    report: FileReport | None = None
    """What was found, where it is not shown already."""
    shown: str = ""
    """What was found, as it is printed."""
    output: str = ""
    """For standard output: the repaired standard input, or a diff."""
    repaired: int = 0
    """How many fixes were applied."""
    mistakes: list[str] = field(default_factory=list[str])
    """What is wrong with the file or its settings, for people."""


class FileChecker:
    """Checks file after file with the settings that hold for each."""

    def __init__(
        self, settings: Settings, repair: Repair, show: Callable[[FileReport], str] | None = None
    ) -> None:
        """Prepare; `show` prints what is found, and is best called by the process that has found it."""
        self.resolver = SettingsResolver(settings, user_config())
        self.repair = repair
        self.show = show

    def __call__(self, path: Path | UnreadableSource) -> Checked:
        """Check one file, and repair it where that was asked. What goes wrong is among the mistakes."""
        if isinstance(path, UnreadableSource):
            return Checked(mistakes=[str(path)])
        try:
            source = read_source(path)
        except UnreadableSource as error:
            return Checked(mistakes=[str(error)])
        # Standard input is of the current folder, as far as configuration goes.
        resolved = self.resolver.resolve(Path(source.name), source.text)
        checked = Checked(mistakes=[str(problem) for problem in resolved.problems])
        checker = Checker(resolved)
        findings, stopped = check_in_time(checker, source.text)
        if stopped is not None:
            line, lines = source.text.count("\n", 0, stopped) + 1, source.text.count("\n") + 1
            checked.mistakes.append(
                f"{source.name}:{line}: not checked from here on ({lines - line + 1} of {lines} lines), and "
                f"not repaired: the file takes more than {SECONDS:.0f} s of the processor; split it"
            )
        elif self.repair.allowed:
            fixed = Repairs(checker, parse_source(source.text, checker.last)).apply_all(self.repair.allowed)
            try:
                source = self._keep(source, fixed, checked)
            except NotWritten as error:
                checked.mistakes.append(str(error))  # what was found is still there
            else:
                checked.repaired = len(fixed.applied)
                findings = findings if self.repair.shown_only else checker.check(fixed.text)
        report = FileReport(source.name, source.text, resolved.target.version, findings)
        checked.tally = Tally.of(report)
        if self.show is None:
            checked.report = report
        else:
            checked.shown = self.show(report)
        return checked

    def _keep(self, source: Source, fixed: Fixed, checked: Checked) -> Source:
        """Write or show the repaired text; return the source as it is now. Raises NotWritten."""
        if self.repair.shown_only:
            checked.output = _diff(source, fixed.text)
            return source
        if source.path is None:
            checked.output = fixed.text
            return source.with_text(fixed.text)
        return source if fixed.text == source.text else write_source(source, fixed.text)


def _diff(source: Source, fixed: str) -> str:
    if fixed == source.text:
        return ""
    from difflib import unified_diff

    lines = unified_diff(lines_of(source.text), lines_of(fixed), source.name, source.name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
