"""Checks and fixes a single file; `gpuasync-lsp check` distributes this work among its processes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuasync_lsp.analysis import BY_CODE, Draft, comments
from gpuasync_lsp.analysis.rules import internal_error
from gpuasync_lsp.commands.arguments import NAME_MLIR_OPT
from gpuasync_lsp.commands.sources import (
    NotWritten,
    Source,
    UnreadableSource,
    lines_of,
    read_source,
    write_source,
)
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.dialects import USER_DIALECTS
from gpuasync_lsp.ide.document.finding_cache import Cache, key_of, package_stamp
from gpuasync_lsp.ide.document.fix_all import Repairs
from gpuasync_lsp.ide.document.grouping import listed
from gpuasync_lsp.ide.document.large_text import SECONDS, check_in_time
from gpuasync_lsp.ide.document.origins import Origins
from gpuasync_lsp.ide.document.suppress import ignore_edits
from gpuasync_lsp.ide.document.targets import Resolved, SettingsResolver
from gpuasync_lsp.releases import DEFAULT
from gpuasync_lsp.reporting import Baseline, FileReport, Mistake, NotUsableBaseline, Tally, from_here
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import Finding, LineIndex, Loc, Safety, Span, apply_edits, in_text_order
from gpuasync_lsp.text.defects import contained


@dataclass(frozen=True, slots=True)
class Repair:
    """The fixes to apply or comments to add, and whether to write files or only to show the changes."""

    allowed: frozenset[Safety]
    shown_only: bool
    adds_ignores: bool
    reason: str = ""
    """The reason to write in an added comment."""

    @staticmethod
    def of(args: argparse.Namespace) -> Repair:
        """Return the repair selected by the command line."""
        allowed: frozenset[Safety] = frozenset()
        if args.unsafe_fixes:
            allowed = frozenset({Safety.SAFE, Safety.UNSAFE})
        elif args.fix or (args.diff and not args.add_ignore):
            allowed = frozenset({Safety.SAFE})
        return Repair(allowed, args.diff, args.add_ignore, args.reason)

    def changes(self, findings: Sequence[Finding]) -> bool:
        """Return whether this repair fixes or suppresses any of `findings`."""
        if self.adds_ignores:
            return bool(findings)
        return any(fix.safety in self.allowed and fix.edits for f in findings for fix in f.fixes)


@dataclass(slots=True)
class Checked:
    """The result of checking one file."""

    tally: Tally | None = None
    """The counts of the file's findings; None for an unreadable file."""
    report: FileReport | None = None
    """The findings; None if `shown` contains them."""
    shown: str = ""
    """The findings as text, to be printed."""
    output: str = ""
    """The text for standard output: the fixed standard input, or a diff."""
    repaired: int = 0
    """The number of fixes applied, or of findings suppressed."""
    notes: list[str] = field(default_factory=list[str])
    """Remarks that are not errors."""
    mistakes: list[Mistake] = field(default_factory=list[Mistake])
    """Errors in the file or its settings."""
    baseline: Path | None = None
    """The baseline that applies to the file."""
    known: int = 0
    """The number of findings left out because they are in the baseline."""
    gone: int = 0
    """The number of findings in the baseline that no longer occur."""
    to_remember: tuple[bytes, Sequence[Finding], Mapping[Finding, Sequence[Loc]]] | None = None


class FileChecker:
    """Checks files one by one with the settings that apply to each."""

    def __init__(
        self,
        resolver: SettingsResolver,
        repair: Repair,
        show: Callable[[FileReport], str] | None = None,
        *,
        stdin: Path | None = None,
        writes_baseline: bool = False,
        runs: bool = False,
        asks_mlir_opt: bool = False,
    ) -> None:
        """Create a checker with the settings of the command line.

        `show` renders findings as text, in the process that found them. `stdin` is the name of the file that
        standard input contains. With `writes_baseline`, findings that are in a baseline are reported, too;
        with `runs`, each file is also run; with `asks_mlir_opt`, the user's own mlir-opt runs the passes."""
        self.resolver = resolver
        self.repair = repair
        self.show = None if writes_baseline else show
        self.stdin = stdin
        self.writes_baseline = writes_baseline
        self.runs = runs
        self.asks_mlir_opt = asks_mlir_opt
        self.cache = Cache(is_on=False)
        self._stamp = ""
        self._baselines: dict[Path, Baseline] = {}

    def cached(self, is_on: bool) -> Cache:
        """Return the cache of findings, as a context manager; a disabled cache stores nothing."""
        self.cache = Cache(is_on)
        self._stamp = package_stamp() if is_on else ""
        return self.cache

    def known(self, path: Path | UnreadableSource) -> Checked | None:
        """Return the cached result of a file; None if it is not cached, or if a finding is to be fixed."""
        if isinstance(path, UnreadableSource) or str(path) == "-":
            return None
        if not self._stamp or self.runs or self.asks_mlir_opt:
            return None
        try:
            source = read_source(path)
        except UnreadableSource:
            return None  # The error is reported when the file is checked.
        resolved = self.resolver.resolve(Path(source.name), source.text)
        key = self._key(resolved, source)
        remembered = self.cache.get(key) if key is not None else None
        if remembered is None:
            return None
        found = remembered[0]
        checked = self._begun(resolved)
        left = self._left(source, resolved, found, checked)
        if not self.writes_baseline and self.repair.changes(left):
            return None
        return self._finished(source, resolved, left, checked, remembered[1])

    def remember(self, checked: Checked) -> None:
        """Cache the findings for the next run."""
        if checked.to_remember is not None:
            self.cache.put(*checked.to_remember)

    def __call__(self, path: Path | UnreadableSource) -> Checked:
        """Check one file, and apply fixes if requested; errors are part of the result."""
        if isinstance(path, UnreadableSource):
            return Checked(mistakes=[Mistake(str(path), path.file)])
        return contained(
            "checking a file",
            lambda: self._checked(path),
            lambda message, _: self._defect(path, message),
            NotUsableBaseline,
        )

    def lost(self, path: Path | UnreadableSource) -> Checked:
        """Return the result of a file whose process died."""
        if isinstance(path, UnreadableSource):
            return Checked(mistakes=[Mistake(str(path), path.file)])
        reason = "the process that checked it ended unexpectedly (out of memory?); --jobs 1 uses one process"
        return self._defect(path, reason)

    def _defect(self, path: Path, message: str) -> Checked:
        rule, name = internal_error.RULE, path.as_posix()
        finding = Draft(Span(0, 0), f"{message}.\nThis file is not checked.").finding(rule, rule.severity)
        report = FileReport(name, "", DEFAULT, [finding])
        checked = Checked(Tally.of(report), mistakes=[Mistake(f"{name}: {message}", name)])
        if self.show is None:
            checked.report = report
        else:
            checked.shown = self.show(report)
        return checked

    def _checked(self, path: Path) -> Checked:
        try:
            source = read_source(path, self.stdin)
        except UnreadableSource as error:
            return Checked(mistakes=[Mistake(str(error), error.file)])
        # The configuration of the current folder applies to standard input.
        resolved = self.resolver.resolve(Path(source.name), source.text)
        checked = self._begun(resolved)
        checker = Checker(resolved)
        found, stopped = check_in_time(checker, source.text)
        if stopped is None and (key := self._key(resolved, source)) is not None:
            checked.to_remember = (key, found, self._origins(checker, found))
        findings = self._left(source, resolved, found, checked)
        if stopped is not None:
            line, lines = source.text.count("\n", 0, stopped) + 1, source.text.count("\n") + 1
            checked.mistakes.append(
                Mistake(
                    f"not checked from here on ({lines - line + 1} of {lines} lines), and not repaired: the "
                    f"file takes more than {SECONDS:.0f} s of CPU time; split it",
                    source.name,
                    line,
                )
            )
        elif self.repair.changes(findings):
            source, findings = self._repaired(source, resolved, findings, checker, checked)
        if self.asks_mlir_opt and stopped is None:
            findings = self._with_mlir_opt(source, resolved, findings, checker, checked)
        if self.runs and stopped is None:
            findings = self._with_run(source, resolved, findings, checker, checked)
        return self._finished(source, resolved, findings, checked, self._origins(checker, findings))

    @staticmethod
    def _with_mlir_opt(
        source: Source,
        resolved: Resolved,
        findings: Sequence[Finding],
        checker: Checker,
        checked: Checked,
    ) -> Sequence[Finding]:
        """Return `findings` with the results of the user's own mlir-opt in place of GA115."""
        # Imported here because a plain check does not need it.
        from gpuasync_lsp.ide.document.settings import SettingsError
        from gpuasync_lsp.ide.preview.engine import EngineError
        from gpuasync_lsp.ide.preview.judging import judge

        command, parsed = resolved.settings.mlir_opt, checker.last
        try:
            if command is None:
                raise EngineError(NAME_MLIR_OPT)
            assert parsed is not None, "the file has been checked"
            found = judge(LineIndex(source.text), parsed, resolved, command, findings)
        except (EngineError, SettingsError) as error:
            if str(error) not in [mistake.message for mistake in checked.mistakes]:
                checked.mistakes.append(Mistake(str(error), source.name))
            return findings
        return FileChecker._reported(source, found, checker)

    @staticmethod
    def _with_run(
        source: Source,
        resolved: Resolved,
        findings: Sequence[Finding],
        checker: Checker,
        checked: Checked,
    ) -> Sequence[Finding]:
        """Run the file; return `findings` merged with those of the run, in text order."""
        # Imported here because a plain check does not need it.
        from gpuasync_lsp.ide.run.checking import check_by_running
        from gpuasync_lsp.ide.run.merging import with_run

        lines = LineIndex(source.text)
        ran = check_by_running(lines, resolved)
        if ran.not_run:
            checked.notes.append(f"{source.name}: not run: {ran.not_run}")
        return in_text_order(FileChecker._reported(source, with_run(findings, ran.findings, lines), checker))

    @staticmethod
    def _reported(source: Source, found: Iterable[Finding], checker: Checker) -> list[Finding]:
        """Return the findings of `found` that neither settings nor comments suppress."""
        notes = comments(source.text)
        return [f for f in found if f.code not in BY_CODE or checker.reports(f, notes)]

    @staticmethod
    def _origins(checker: Checker, findings: Sequence[Finding]) -> dict[Finding, tuple[Loc, ...]]:
        """Return the `loc(...)` of the ops with findings, in the last checked version of the text."""
        if checker.last is None:
            return {}
        origins = Origins(checker.last)
        return {f: places for f in findings if (places := origins.at(f.span.start))}

    def _begun(self, resolved: Resolved) -> Checked:
        return Checked(
            mistakes=[
                Mistake(each.message, each.path.as_posix() if each.path else "", each.line, is_setting=True)
                for each in resolved.problems
            ],
            baseline=resolved.settings.baseline,
        )

    def _left(
        self, source: Source, resolved: Resolved, findings: Sequence[Finding], checked: Checked | None = None
    ) -> Sequence[Finding]:
        """Return the findings that are not in the baseline, and record the number of those that are.

        Returns all findings if a baseline is being written. Raises NotUsableBaseline."""
        path = resolved.settings.baseline
        if path is None or self.writes_baseline:
            return findings
        if path not in self._baselines:
            self._baselines[path] = Baseline(path)
        report = FileReport(source.name, source.text, resolved.target.version, findings)
        are_known, gone = self._baselines[path].split(report)
        if checked is not None:
            checked.known, checked.gone = sum(are_known), gone
        return [finding for finding, known in zip(findings, are_known, strict=True) if not known]

    def _repaired(
        self,
        source: Source,
        resolved: Resolved,
        findings: Sequence[Finding],
        checker: Checker,
        checked: Checked,
    ) -> tuple[Source, Sequence[Finding]]:
        """Fix or suppress findings; return the new text, and the findings in it."""

        def left(text: str, found: Sequence[Finding]) -> Sequence[Finding]:
            return self._left(source.with_text(text), resolved, found)

        if self.repair.adds_ignores:
            edits = ignore_edits(LineIndex(source.text), findings, self.repair.reason)
            text, number = apply_edits(source.text, edits), len(findings)
        else:
            repairs = Repairs(checker, parse_source(source.text, checker.last))
            fixed = repairs.apply_all(self.repair.allowed, wanted=left)
            text, number = fixed.text, len(fixed.applied)
        after = left(text, checker.check(text))
        try:
            source = self._keep(source, text, checked)
        except NotWritten as error:
            checked.mistakes.append(Mistake(str(error), source.name))  # The findings are kept.
            return source, findings
        checked.repaired = number - len(after) if self.repair.adds_ignores else number
        return source, findings if self.repair.shown_only else after

    def _finished(
        self,
        source: Source,
        resolved: Resolved,
        findings: Sequence[Finding],
        checked: Checked,
        origins: Mapping[Finding, Sequence[tuple[str, int, int]]],
    ) -> Checked:
        shown = listed(source.text, findings)
        report = FileReport(source.name, source.text, resolved.target.version, shown, origins)
        checked.tally = Tally.of(report)
        if self.show is None:
            checked.report = report
        else:
            checked.shown = self.show(report)
        return checked

    def _key(self, resolved: Resolved, source: Source) -> bytes | None:
        """Return the findings' cache key; None if they depend on more than the file and the settings."""
        if not self._stamp or USER_DIALECTS.are_installed:
            return None
        files: list[tuple[str, int, int]] = []
        for name in resolved.settings.dialects or ():
            try:
                status = os.stat(name)
            except OSError:
                return None
            files.append((name, status.st_mtime_ns, status.st_size))
        return key_of(self._stamp, Checker(resolved).config.key, files, source.text)

    def _keep(self, source: Source, fixed: str, checked: Checked) -> Source:
        """Write the fixed text, or store its diff; return the resulting source. Raises NotWritten."""
        if self.repair.shown_only:
            checked.output = _diff(source, fixed)
            return source
        if source.path is None:
            checked.output = fixed
            return source.with_text(fixed)
        return source if fixed == source.text else write_source(source, fixed)


def _diff(source: Source, fixed: str) -> str:
    """Return a patch that `git apply` and `patch -p1` accept in the current folder."""
    if fixed == source.text:
        return ""
    from difflib import unified_diff

    old, new = (_in_patch(f"{side}/{from_here(source.name)}") for side in "ab")
    lines = unified_diff(lines_of(source.text), lines_of(fixed), old, new)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _in_patch(name: str) -> str:
    """Return a file name as git writes it in a patch, quoted if it has special characters."""
    if name.isprintable() and not set(name) & {'"', "\\"}:
        return f"{name}\t" if " " in name else name
    shown = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in os.fsencode(name)
    )
    return f'"{shown}"'
