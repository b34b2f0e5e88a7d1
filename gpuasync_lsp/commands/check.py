"""`gpuasync-lsp check`: report code that does not lower or is lowered incorrectly, and fix it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import (
    LEVELS,
    UNUSABLE,
    Subparsers,
    add_engine,
    add_llvm,
    add_pipeline,
    command_of_line,
    note,
    print_error,
    words,
)
from gpuasync_lsp.output import print_bytes, print_rendered, print_text

if TYPE_CHECKING:
    from gpuasync_lsp.commands.check_file import Checked, FileChecker
    from gpuasync_lsp.commands.sources import UnreadableSource
    from gpuasync_lsp.ide.document.settings import Settings


def add_parser(subparsers: Subparsers) -> None:
    """Add the `check` command."""
    parser = subparsers.add_parser(
        "check",
        help="check files, and repair them",
        description="Check MLIR files for async tokens that do not lower, or that lower to wrong code.",
        epilog=(
            "Exit status: 0 no error or warning (see --fail-on), 1 at least one, 2 invalid arguments or "
            "settings, or an unreadable file."
        ),
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=["."],
        help=(
            "files, folders to search for *.mlir, @FILE for a file that lists one path per line, or - "
            "(default: .)"
        ),
    )
    add_llvm(parser)
    add_pipeline(parser)
    rules = "CODES: codes (GA101), prefixes of codes (GA1), rule names or ALL, separated by commas"
    parser.add_argument(
        "--select", metavar="CODES", type=words, action="extend", help=f"report only these rules; {rules}"
    )
    parser.add_argument(
        "--ignore", metavar="CODES", type=words, action="extend", help="do not report these rules"
    )
    parser.add_argument(
        "--run",
        dest="runs",
        action="store_true",
        help="also run the main or only function of each file on the CPU, and report its findings",
    )
    add_engine(parser, "which implementation of the passes reports where they fail, GA115")
    _add_repairs(parser.add_argument_group("fixes and known findings"))
    _add_files(parser.add_argument_group("which files"))
    _add_output(parser.add_argument_group("output"))
    parser.set_defaults(run=run, parser=parser)


def _add_repairs(group: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    group.add_argument(
        "--fix", action="store_true", help="apply the fixes that preserve the meaning of the program"
    )
    group.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="also apply fixes that add or remove a wait, an ordering or a stream",
    )
    group.add_argument(
        "--diff", action="store_true", help="print the changes as a patch instead of writing files"
    )
    group.add_argument(
        "--add-ignore",
        action="store_true",
        help="suppress each finding with a `// gpuasync: ignore[CODE]` comment",
    )
    group.add_argument(
        "--reason", metavar="TEXT", default="", help="text to add to each comment of --add-ignore"
    )
    group.add_argument(
        "--baseline",
        metavar="FILE",
        type=Path,
        help="a file of known findings, which are neither reported nor fixed",
    )
    group.add_argument(
        "--write-baseline", action="store_true", help="write all findings to the baseline, and exit 0"
    )


def _add_files(group: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    patterns = "patterns as in .gitignore, separated by commas"
    group.add_argument(
        "--exclude",
        metavar="PATTERNS",
        type=words,
        action="extend",
        help=f"do not search these files; replaces the default (hidden folders, build, ...): {patterns}",
    )
    group.add_argument(
        "--extend-exclude", metavar="PATTERNS", type=words, action="extend", help="do not search these either"
    )
    group.add_argument(
        "--force-exclude", action="store_true", help="apply the exclusions to every PATH as well"
    )
    group.add_argument(
        "--stdin-filename", metavar="FILE", type=Path, help="the file that standard input contains"
    )
    group.add_argument(
        "--no-cache", action="store_true", help="also check files that have not changed since the last run"
    )
    group.add_argument(
        "--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C"
    )
    group.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        default=0,
        help="number of processes (default: one per core)",
    )


def _add_output(group: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    group.add_argument(
        "--output-format", choices=("text", "json", "sarif", "github"), default="text", help="default: text"
    )
    group.add_argument("--output", metavar="FILE", type=Path, help="write the report to this file")
    group.add_argument("-q", "--quiet", action="store_true", help="print findings and errors only")
    group.add_argument(
        "--statistics",
        action="store_true",
        help="print the number of findings per rule instead of the findings",
    )
    group.add_argument(
        "--fail-on",
        choices=LEVELS,
        default="warning",
        help="exit with 1 for findings of this severity or higher (default: warning)",
    )
    group.add_argument(
        "--exit-zero", action="store_true", help="always exit with 0, even for unreadable files"
    )


def run(args: argparse.Namespace) -> int:
    """Check files, and apply fixes if requested; return the exit status."""
    _reject_combinations(args)
    settings = _settings(args)
    if settings is None:
        return UNUSABLE
    if not args.watch:
        return _check(args, settings)
    from gpuasync_lsp.ide.document.watching import NotInstalled, changes

    try:
        for _ in changes(args.paths):
            print_rendered("\x1b[2J\x1b[H" if sys.stdout.isatty() else "")
            _check(args, settings)
    except NotInstalled as error:
        print_error(error)
        return UNUSABLE
    return 0


def _reject_combinations(args: argparse.Namespace) -> None:
    repairs = args.fix or args.unsafe_fixes
    of_text, is_text = args.diff or args.statistics, args.output_format == "text"
    wrong = [
        (args.diff and not is_text, "--diff cannot be combined with --output-format"),
        (args.statistics and not is_text, "--statistics cannot be combined with --output-format"),
        (args.statistics and args.diff, "--statistics cannot be combined with --diff"),
        (args.add_ignore and repairs, "--add-ignore suppresses what --fix repairs: run one after the other"),
        (
            args.write_baseline and (repairs or args.add_ignore or of_text),
            "--write-baseline cannot be combined with fixes, --diff, --statistics or --add-ignore",
        ),
        (
            args.runs and (args.write_baseline or args.add_ignore),
            "--run cannot be combined with --write-baseline or --add-ignore",
        ),
        (args.reason and not args.add_ignore, "--reason requires --add-ignore"),
        ("\n" in args.reason or "//" in args.reason, "--reason must be a single line without //"),
        (args.watch and "-" in args.paths, "--watch cannot be used with standard input"),
        (args.stdin_filename and "-" not in args.paths, "--stdin-filename requires - (standard input)"),
    ]
    for is_wrong, why in wrong:
        if is_wrong:
            args.parser.error(why)


def _settings(args: argparse.Namespace) -> Settings | None:
    """Return the settings of the command line; None, after printing the error, if they are invalid."""
    from gpuasync_lsp.ide.document.path_patterns import PathPatterns
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError, rule_words

    try:
        select, ignore = (rule_words(given) if given else None for given in (args.select, args.ignore))
        mlir_opt = None if args.mlir_opt is None else command_of_line("--mlir-opt", args.mlir_opt)
    except SettingsError as error:
        print_error(error)
        return None
    here = Path.cwd()
    return Settings(
        args.llvm,
        select,
        ignore,
        pipeline=args.pipeline,
        mlir_opt=mlir_opt,
        exclude=None if args.exclude is None else PathPatterns(here, tuple(args.exclude)),
        extend_exclude=(PathPatterns(here, tuple(args.extend_exclude)),) if args.extend_exclude else (),
        baseline=None if args.baseline is None else args.baseline.absolute(),
    )


def _check(args: argparse.Namespace, settings: Settings) -> int:
    from gpuasync_lsp.commands.check_file import FileChecker, Repair
    from gpuasync_lsp.commands.outcome import CommandOutcome
    from gpuasync_lsp.commands.sources import STDIN, find_sources
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.reporting import NotUsableBaseline

    resolver = SettingsResolver(settings, user_config())
    excluding = resolver.excluding()
    if args.stdin_filename is not None and args.force_exclude and excluding.leaves_out(args.stdin_filename):
        return _pass_on(args)
    sources = list(find_sources(args.paths, excluding, force=args.force_exclude, stdin=args.stdin_filename))
    if not sources and not args.quiet:
        note(f"nothing to check: no *.mlir file in {', '.join(args.paths)} that is not excluded")
    # The caller reads the fixed standard input from standard output.
    repairs_stdin = (args.fix or args.unsafe_fixes or args.add_ignore) and Path(STDIN) in sources
    with ExitStack() as stack:
        stream = sys.stderr if repairs_stdin and not args.diff else sys.stdout
        if args.output is not None:
            try:
                stream = stack.enter_context(open(args.output, "w", encoding="utf-8", newline=""))
            except OSError as error:
                print_error(f"cannot write {args.output}: {error.strerror}")
                return UNUSABLE
        outcome = CommandOutcome(args, stream, len(sources))
        checker = FileChecker(
            resolver,
            Repair.of(args),
            outcome.show if args.output_format == "text" else None,
            stdin=args.stdin_filename,
            writes_baseline=args.write_baseline,
            runs=args.runs,
            asks_mlir_opt=args.engine == "mlir-opt",
        )
        try:
            with checker.cached(not args.no_cache):
                for checked in _checked(checker, sources, args.jobs):
                    outcome.add(checked)
            return outcome.finish()
        except NotUsableBaseline as error:
            return outcome.stop(error)
        except KeyboardInterrupt:
            outcome.progress.end()
            if len(sources) > 1:
                done = f"{outcome.progress.done:,} of {len(sources):,} files"
                print_text(f"gpuasync-lsp: interrupted: {done} checked", error=True)
            raise
        finally:
            outcome.progress.end()


def _pass_on(args: argparse.Namespace) -> int:
    """Print an excluded standard input unchanged, since an editor replaces its text with the output."""
    if args.fix or args.unsafe_fixes or args.add_ignore:
        print_bytes(sys.stdin.buffer.read())
    return 0


def _checked(
    checker: FileChecker, sources: Sequence[Path | UnreadableSource], jobs: int
) -> Iterator[Checked]:
    """Yield the result of each file in order: cached results at once, the others from several processes."""
    from gpuasync_lsp.processes import copies

    known = [checker.known(source) for source in sources]
    left = [source for source, checked in zip(sources, known, strict=True) if checked is None]
    fresh = copies(checker, left, _processes(jobs, left), checker.lost)
    for checked in known:
        if checked is None:
            checked = next(fresh)
            checker.remember(checked)
        yield checked


def _processes(jobs: int, sources: Sequence[Path | UnreadableSource]) -> int:
    """Return the number of processes to start for `sources`, at most `jobs`."""
    from gpuasync_lsp.commands.sources import STDIN
    from gpuasync_lsp.processes import worthwhile

    if Path(STDIN) in sources:  # A fork of this process has no standard input.
        return 1
    size = 0
    for source in sources:
        with suppress(OSError):
            size += os.stat(source).st_size if isinstance(source, Path) else 0
    return min(worthwhile(size, jobs), len(sources))


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:4]) <= 256:
        raise argparse.ArgumentTypeError(f"expected a number of processes from 1 to 256, not {text!r}")
    return int(text)
