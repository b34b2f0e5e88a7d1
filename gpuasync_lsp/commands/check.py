"""`gpuasync-lsp check`: find what will not lower or lowers to something wrong, and repair it."""

from __future__ import annotations

import argparse
import io
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import Subparsers, add_llvm, add_pipeline, complain, words

if TYPE_CHECKING:
    from gpuasync_lsp.commands.sources import Source
    from gpuasync_lsp.ide.document.targets import SettingsResolver
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
    parser.add_argument("--exit-zero", action="store_true", help="exit 0 even if something was found")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Check, and repair where that was asked; return the exit status."""
    from gpuasync_lsp.commands.sources import UnreadableSource, find_sources, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError, rule_words
    from gpuasync_lsp.ide.document.targets import SettingsResolver

    if args.diff and args.output_format != "text":
        args.parser.error("--diff prints a diff: it does not go with --output-format")
    try:
        select, ignore = (rule_words(given) if given else None for given in (args.select, args.ignore))
    except SettingsError as error:
        complain(error)
        return 2
    resolver = SettingsResolver(Settings(args.llvm, select, ignore, pipeline=args.pipeline), user_config())
    outcome = _Outcome()
    for path in find_sources(args.paths):
        try:
            if isinstance(path, UnreadableSource):
                raise path
            _check(read_source(path), resolver, args, outcome)
        except UnreadableSource as error:
            outcome.fail(error)
    return _report(outcome, args)


@dataclass(slots=True)
class _Outcome:
    """What came out so far, over all files."""

    reports: list[FileReport] = field(default_factory=list["FileReport"])
    output: list[str] = field(default_factory=list[str])
    """Fixed texts and diffs, for standard output."""
    repaired: int = 0
    changed: int = 0
    mistakes: dict[str, None] = field(default_factory=dict[str, None])

    def fail(self, message: object) -> None:
        """Print a mistake, once for all files that share it."""
        if str(message) not in self.mistakes:
            complain(message)
        self.mistakes[str(message)] = None


def _check(source: Source, resolver: SettingsResolver, args: argparse.Namespace, outcome: _Outcome) -> None:
    from gpuasync_lsp.commands.sources import NotWritten, write_source
    from gpuasync_lsp.ide.document.checker import Checker
    from gpuasync_lsp.ide.document.fix_all import fix_all
    from gpuasync_lsp.reporting import FileReport
    from gpuasync_lsp.text import Safety

    # Standard input is of the current folder, as far as configuration goes.
    resolved = resolver.resolve(Path(source.name), source.text)
    for problem in resolved.problems:
        outcome.fail(problem)
    checker = Checker(resolved)
    findings = checker.check(source.text)
    if args.fix or args.unsafe_fixes or args.diff:
        allowed = {Safety.SAFE, Safety.UNSAFE} if args.unsafe_fixes else {Safety.SAFE}
        fixed = fix_all(source.text, findings, checker.check, allowed)
        if args.diff:
            outcome.output.append(_diff(source, fixed.text))
        else:
            if source.path is None:
                outcome.output.append(fixed.text)
                source = source.with_text(fixed.text)
            elif fixed.text != source.text:
                try:
                    source = write_source(source, fixed.text)
                except NotWritten as error:
                    outcome.fail(error)
                    # What was found is still there.
                    fixed = None
            findings = findings if fixed is None else fixed.findings
        if fixed is not None:
            outcome.repaired += len(fixed.applied)
            outcome.changed += bool(fixed.applied)
    outcome.reports.append(FileReport(source.name, source.text, resolved.target.version, findings))


def _report(outcome: _Outcome, args: argparse.Namespace) -> int:
    from gpuasync_lsp.reporting import FORMATS, paint_for, summary

    if args.diff:
        paint = paint_for(sys.stdout)
        sys.stdout.write("".join(_coloured(diff, paint) for diff in outcome.output))
        print(f"{_plural(outcome.repaired, 'fix', 'fixes')} in {_plural(outcome.changed, 'file', 'files')}. "
              f"{summary(outcome.reports)}", file=sys.stderr)  # fmt: skip
    else:
        # A repaired standard input is what the caller wants to read from standard output.
        stream = sys.stderr if outcome.output else sys.stdout
        sys.stdout.write("".join(outcome.output))
        if outcome.reports or args.output_format != "text":
            stream.write(FORMATS[args.output_format](outcome.reports, _rules(), paint_for(stream)))
        if outcome.repaired:
            fixes, files = (
                _plural(outcome.repaired, "fix", "fixes"),
                _plural(outcome.changed, "file", "files"),
            )
            print(f"Applied {fixes} in {files}.", file=sys.stderr)
    sys.stdout.flush()
    if outcome.mistakes:
        return 2
    return int(any(report.findings for report in outcome.reports) and not args.exit_zero)


def _rules() -> list[RuleInfo]:
    from gpuasync_lsp.analysis import RULES, explain
    from gpuasync_lsp.reporting import RuleInfo

    return [
        RuleInfo(rule.code, rule.name, rule.severity, rule.doc.partition("\n")[0], explain(rule.code) or "")
        for rule in RULES
    ]


def _diff(source: Source, fixed: str) -> str:
    from difflib import unified_diff

    if fixed == source.text:
        return ""
    lines = unified_diff(_lines(source.text), _lines(fixed), source.name, source.name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _coloured(diff: str, paint: Paint) -> str:
    styles: dict[str, Style] = {"+": "added", "-": "removed", "@": "information"}
    painted: list[str] = []
    for line in _lines(diff):
        style = styles.get(line[:1])
        painted.append(paint(line[:-1], style) + "\n" if style else line)
    return "".join(painted)


def _lines(text: str) -> list[str]:
    # `str.splitlines` would also break at form feeds and U+2028, which `patch` does not.
    return list(io.StringIO(text, newline="\n"))


def _plural(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
