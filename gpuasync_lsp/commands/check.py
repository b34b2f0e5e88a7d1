"""`gpuasync-lsp check`: find what will not lower or lowers to something wrong, and repair it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from gpuasync_lsp.commands.arguments import Subparsers, add_llvm, add_pipeline, complain, words
from gpuasync_lsp.commands.progress import Progress

if TYPE_CHECKING:
    from gpuasync_lsp.commands.check_file import Checked
    from gpuasync_lsp.commands.sources import UnreadableSource
    from gpuasync_lsp.reporting import FileReport, Paint, RuleInfo, Style


def add_parser(subparsers: Subparsers) -> None:
    """Add the `check` command."""
    parser = subparsers.add_parser(
        "check",
        help="check files, and repair them",
        description="Check MLIR files for async tokens that will not lower, or lower to something wrong.",
        epilog="Exit status: 0 nothing found, 1 findings, 2 unusable call or a file that cannot be read.",
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=["."],
        help="files, folders to search for *.mlir, or - (default: .)",
    )
    add_llvm(parser)
    add_pipeline(parser)
    rules = "CODES: codes (GA101), beginnings of codes (GA1), rule names or ALL, separated by commas"
    parser.add_argument(
        "--select", metavar="CODES", type=words, action="extend", help=f"report these only; {rules}"
    )
    parser.add_argument("--ignore", metavar="CODES", type=words, action="extend", help="do not report these")
    parser.add_argument("--fix", action="store_true", help="apply the fixes that keep the meaning")
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="apply those too that add a wait, an order or a stream"
    )
    parser.add_argument(
        "--diff", action="store_true", help="show what the fixes would change, and write nothing"
    )
    parser.add_argument(
        "--output-format", choices=("text", "json", "sarif", "github"), default="text", help="default: text"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        default=0,
        help="processes that share many files (default: one a core)",
    )
    parser.add_argument("--exit-zero", action="store_true", help="exit 0 even if something was found")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Check, and repair where that was asked; return the exit status."""
    from gpuasync_lsp.commands.check_file import FileChecker, Repair
    from gpuasync_lsp.commands.sources import STDIN, find_sources
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError, rule_words
    from gpuasync_lsp.processes import copies

    if args.diff and args.output_format != "text":
        args.parser.error("--diff prints a diff: it does not go with --output-format")
    try:
        select, ignore = (rule_words(given) if given else None for given in (args.select, args.ignore))
    except SettingsError as error:
        complain(error)
        return 2
    sources = list(find_sources(args.paths))
    # A repaired standard input is what the caller wants to read from standard output.
    repairs_stdin = (args.fix or args.unsafe_fixes) and Path(STDIN) in sources
    outcome = _Outcome(args, sys.stderr if repairs_stdin and not args.diff else sys.stdout, len(sources))
    checker = FileChecker(
        Settings(args.llvm, select, ignore, pipeline=args.pipeline),
        Repair.of(fix=args.fix, unsafe_fixes=args.unsafe_fixes, diff=args.diff),
        outcome.show if args.output_format == "text" else None,
    )
    try:
        for checked in copies(checker, sources, _processes(args.jobs, sources)):
            outcome.add(checked)
    except ChildProcessError as error:
        complain(f"{error}; --jobs 1 checks with one process")
        return 2
    except KeyboardInterrupt:
        outcome.progress.end()
        if len(sources) > 1:
            done = f"{outcome.progress.done:,} of {len(sources):,} files"
            print(f"gpuasync-lsp: interrupted: {done} are checked", file=sys.stderr)
        raise
    finally:
        outcome.progress.end()
    return outcome.finish()


def _processes(jobs: int, sources: Sequence[Path | UnreadableSource]) -> int:
    """Return how many processes are worth their beginning."""
    from gpuasync_lsp.commands.sources import STDIN
    from gpuasync_lsp.processes import worthwhile

    if Path(STDIN) in sources:  # a copy of this process has no standard input
        return 1
    size = 0
    for source in sources:
        with suppress(OSError):
            size += os.stat(source).st_size if isinstance(source, Path) else 0
    return min(worthwhile(size, jobs), len(sources))


class _Outcome:
    """What came out, file by file; text is printed as the files come, in their order."""

    def __init__(self, args: argparse.Namespace, stream: TextIO, files: int) -> None:
        from gpuasync_lsp.reporting import Tally, paint_for

        self.args = args
        self.stream = stream
        self.paint = paint_for(stream)
        self.tally = Tally()
        self.reports: list[FileReport] = []
        """For formats that need all of them together."""
        self.repaired = 0
        self.changed = 0
        self.mistakes: dict[str, None] = {}
        self.progress = Progress("checked", files)

    def show(self, report: FileReport) -> str:
        """Return what is printed of the findings of one file."""
        from gpuasync_lsp.reporting import text_of

        return "" if self.args.diff else text_of(report, self.paint)

    def add(self, checked: Checked) -> None:
        """Take the outcome of the next file."""
        self.progress.step()
        for mistake in checked.mistakes:
            if mistake not in self.mistakes:  # said once for all files that share it
                self.progress.end()
                complain(mistake)
            self.mistakes[mistake] = None
        self.repaired += checked.repaired
        self.changed += bool(checked.repaired)
        text = checked.output
        if self.args.diff:
            text = "".join(_coloured(text, self.paint))
        self._print(sys.stdout, text)
        self._print(self.stream, checked.shown)
        if checked.tally is not None:
            self.tally.add(checked.tally)
        if checked.report is not None:
            self.reports.append(checked.report)

    def _print(self, stream: TextIO, text: str) -> None:
        if text:
            self.progress.end()
            stream.write(text)
            stream.flush()

    def finish(self) -> int:
        """Print what is said at the end; return the exit status."""
        from gpuasync_lsp.reporting import FORMATS

        fixes = _plural(self.repaired, "fix", "fixes")
        files = _plural(self.changed, "file", "files")
        if self.args.diff:
            print(f"{fixes} in {files}. {self.tally.sentence()}", file=sys.stderr)
        else:
            if self.args.output_format != "text":
                self.stream.write(FORMATS[self.args.output_format](self.reports, _rules(), self.paint))
            elif self.tally.files:
                self.stream.write(self.tally.sentence() + "\n")
            if self.repaired:
                print(f"Applied {fixes} in {files}.", file=sys.stderr)
        sys.stdout.flush()
        if self.mistakes:
            return 2
        return int(bool(self.tally.severities) and not self.args.exit_zero)


def _rules() -> list[RuleInfo]:
    from gpuasync_lsp.analysis import RULES, explain
    from gpuasync_lsp.reporting import RuleInfo

    return [
        RuleInfo(rule.code, rule.name, rule.severity, rule.doc.partition("\n")[0], explain(rule.code) or "")
        for rule in RULES
    ]


def _coloured(diff: str, paint: Paint) -> Iterator[str]:
    from gpuasync_lsp.commands.sources import lines_of

    styles: dict[str, Style] = {"+": "added", "-": "removed", "@": "information"}
    for line in lines_of(diff):
        style = styles.get(line[:1])
        yield paint(line[:-1], style) + "\n" if style else line


def _plural(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:4]) <= 256:
        raise argparse.ArgumentTypeError(f"expected a number of processes from 1 to 256, not {text!r}")
    return int(text)
