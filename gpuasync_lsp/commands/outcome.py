"""Prints the output of `gpuasync-lsp check`: the findings of each file while it runs, then a summary."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from gpuasync_lsp.commands.arguments import LEVELS, UNUSABLE, note, print_error
from gpuasync_lsp.commands.progress import Progress
from gpuasync_lsp.commands.sources import lines_of
from gpuasync_lsp.output import print_rendered, print_text
from gpuasync_lsp.reporting import (
    FORMATS,
    FileReport,
    Mistake,
    NotUsableBaseline,
    Outcome,
    Paint,
    RuleInfo,
    Style,
    Tally,
    paint_for,
    statistics,
    text_of,
    write_baselines,
)

if TYPE_CHECKING:
    from gpuasync_lsp.commands.check_file import Checked


class CommandOutcome:
    """Collects the results of files, and prints each in order as soon as it is available."""

    def __init__(self, args: argparse.Namespace, stream: TextIO, files: int) -> None:
        self.args = args
        self.stream = stream
        self.paint = paint_for(stream)
        self.tally = Tally()
        self.reports: list[FileReport] = []
        """The reports of all files, for formats that print them at the end."""
        self.repaired = 0
        self.changed = 0
        self.known = 0
        self.gone = 0
        self.new_baseline: list[Checked] = []
        self.mistakes: dict[Mistake, None] = {}
        self.progress = Progress("checked", files)

    def show(self, report: FileReport) -> str:
        """Return the findings of one file as text; empty if this command does not print them."""
        is_shown = not (self.args.diff or self.args.statistics or self.args.write_baseline)
        return text_of(report, self.paint) if is_shown else ""

    def add(self, checked: Checked) -> None:
        """Add the result of the next file."""
        self.progress.step()
        for mistake in checked.mistakes:
            if mistake not in self.mistakes:  # Report an error once for all files that share it.
                self.progress.end()
                print_error(mistake)
            self.mistakes[mistake] = None
        for text in checked.notes * (not self.args.quiet):
            self.progress.end()
            note(text)
        self.repaired += checked.repaired
        self.changed += bool(checked.repaired)
        self.known += checked.known
        self.gone += checked.gone
        if self.args.write_baseline:
            self.new_baseline.append(checked)
        text = checked.output
        if self.args.diff:
            self._print(self.stream, "".join(_colored(text, self.paint)))
        else:
            self._print(sys.stdout, text)
        self._print(self.stream, checked.shown)
        if checked.tally is not None:
            self.tally.add(checked.tally)
        if checked.report is not None:
            self.reports.append(checked.report)

    def _print(self, stream: TextIO, text: str) -> None:
        if text:
            self.progress.end()
            print_rendered(text, stream=stream, flush=True)

    def finish(self) -> int:
        """Print the summary; return the exit status. Raises NotUsableBaseline."""
        if self.args.write_baseline:
            return self._write_baseline()
        what = "ignore" if self.args.add_ignore else "fix"
        fixes = _plural(self.repaired, what, "ignores" if self.args.add_ignore else "fixes")
        files = _plural(self.changed, "file", "files")
        sentences: list[str] = []
        if self.args.diff:
            sentences.append(f"{fixes} in {files}. {self.tally.sentence()}")
        else:
            if self.args.output_format != "text":
                outcome = Outcome(self.reports, _rules(), [*self.mistakes])
                self._print(self.stream, FORMATS[self.args.output_format](outcome, self.paint))
            else:
                if self.args.statistics:
                    self._print(self.stream, statistics(self.tally))
                if self.tally.files and not self.args.quiet:
                    self._print(self.stream, self.tally.sentence() + "\n")
            if self.repaired:
                sentences.append(f"{'Added' if self.args.add_ignore else 'Applied'} {fixes} in {files}.")
        if self.known:
            left_out = _plural(self.known, "known finding is", "known findings are")
            sentences.append(f"{left_out} left out (--baseline).")
        for sentence in sentences * (not self.args.quiet):
            print_text(sentence, error=True)
        if self.gone and not self.args.quiet:
            gone = _plural(self.gone, "known finding is", "known findings are")
            note(f"{gone} no longer present; --write-baseline updates the file")
        return self._status()

    def stop(self, error: NotUsableBaseline) -> int:
        """Report that `error` ends the check; return the exit status."""
        self.progress.end()
        print_error(error)
        if self.args.output_format != "text":
            outcome = Outcome((), _rules(), [*self.mistakes, Mistake(str(error), is_setting=True)])
            self._print(self.stream, FORMATS[self.args.output_format](outcome, self.paint))
        return UNUSABLE

    def _write_baseline(self) -> int:
        reports = [(each.baseline, each.report) for each in self.new_baseline if each.report is not None]
        without = sum(baseline is None for baseline, _ in reports)
        if without:
            print_error("specify the file with --baseline FILE, or with `baseline` in the configuration")
            return UNUSABLE
        written = write_baselines((baseline, report) for baseline, report in reports if baseline is not None)
        for path, number in written.items():
            if not self.args.quiet:
                print_text(f"Wrote {_plural(number, 'finding', 'findings')} to {path}.", error=True)
        return UNUSABLE if self.mistakes else 0

    def _status(self) -> int:
        if any(mistake.is_setting for mistake in self.mistakes):
            return UNUSABLE
        if self.args.exit_zero:
            return 0
        if self.mistakes:
            return UNUSABLE
        # Severities are numbers; 1 is the most severe.
        return int(any(each <= LEVELS.index(self.args.fail_on) + 1 for each in self.tally.severities))


def _rules() -> list[RuleInfo]:
    from gpuasync_lsp.analysis import RULES, explain
    from gpuasync_lsp.ide.features.rule_pages import rule_page

    pages = {rule.code: rule_page(rule.code) for rule in RULES}
    return [
        RuleInfo(
            rule.code,
            rule.name,
            rule.severity,
            rule.doc.partition("\n")[0],
            explain(rule.code) or "",
            page.as_uri() if (page := pages[rule.code]) is not None else "",
        )
        for rule in RULES
    ]


def _colored(diff: str, paint: Paint) -> Iterator[str]:
    styles: dict[str, Style] = {"+": "added", "-": "removed", "@": "information"}
    for line in lines_of(diff):
        style = styles.get(line[:1])
        yield paint(line[:-1], style) + "\n" if style else line


def _plural(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
