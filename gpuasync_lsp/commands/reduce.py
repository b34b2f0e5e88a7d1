"""`gpuasync-lsp reduce`: find the smallest program that still has a finding or a crash, or passes a test."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import (
    NAME_MLIR_OPT,
    Subparsers,
    add_file,
    add_llvm,
    add_mlir_opt,
    command_of_line,
    print_error,
    print_errors,
    rule_code,
)
from gpuasync_lsp.output import print_program, print_progress, print_text

if TYPE_CHECKING:
    from gpuasync_lsp.commands.sources import Source
    from gpuasync_lsp.ide.document.targets import Resolved
    from gpuasync_lsp.ide.reduce.tests import Sought
    from gpuasync_lsp.processes import Command


def add_parser(subparsers: Subparsers) -> None:
    """Add the `reduce` command."""
    parser = subparsers.add_parser(
        "reduce",
        help="reduce a program to the smallest one that still shows a problem",
        description=(
            "Remove everything from a program that can be removed while it still has a finding, crashes "
            "your mlir-opt, or makes your script succeed: functions, ops, dependencies, regions, sizes of "
            "types."
        ),
        epilog=(
            "Exit status: 0 reduced (after Ctrl-C or a timeout: the best result so far), 1 the program "
            "does not show the problem, 2 invalid arguments."
        ),
    )
    add_file(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--finding", metavar="RULE", help="keep a finding of this rule, such as GA203")
    what.add_argument(
        "--mlir-opt-crash", action="store_true", help="keep a crash of your mlir-opt on --pipeline"
    )
    what.add_argument(
        "--test",
        metavar="SCRIPT",
        help="a script that exits with 0 if the program at the path passed to it shows the problem",
    )
    parser.add_argument("--pipeline", metavar="P", help="with --mlir-opt-crash: the passes that crash")
    add_mlir_opt(parser)
    add_llvm(parser)
    parser.add_argument("--timeout", metavar="S", type=float, default=60.0, help="seconds (default: 60)")
    parser.add_argument("--output", metavar="OUT", help="write to this file (default: standard output)")
    parser.add_argument("--report", metavar="OUT", help="write the start of a bug report to this file")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Print the reduced program; return the exit status."""
    import tempfile

    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.processes import NotAllowed

    if args.mlir_opt_crash != (args.pipeline is not None):
        args.parser.error("--mlir-opt-crash and --pipeline must be used together")
    if args.finding is not None:
        args.finding = rule_code(args.finding) or args.parser.error(f"there is no rule {args.finding!r}")
    try:
        mlir_opt = None if args.mlir_opt is None else command_of_line("--mlir-opt", args.mlir_opt)
        source = read_source(Path(args.file))
        resolver = SettingsResolver(Settings(llvm=args.llvm, mlir_opt=mlir_opt), user_config())
        resolved = resolver.resolve(Path(source.name), source.text)
        if print_errors(resolved.problems):
            return 2
        with tempfile.TemporaryDirectory() as folder:
            return _reduce(source, resolved, args, folder)
    except (UnreadableSource, SettingsError, NotAllowed, TimeoutError) as error:
        print_error(error)
    except OSError as error:
        if error.filename is None:
            raise  # The output could not be written.
        print_error(f"{error.filename}: {error.strerror}")
    return 2


def _reduce(source: Source, resolved: Resolved, args: argparse.Namespace, folder: str) -> int:
    from gpuasync_lsp.ide.reduce.reducer import Reducer

    try:
        sought = _sought(source, resolved, args, folder)
    except ValueError as error:
        print_text(f"{source.name}: {error}", error=True)
        return 1
    if not sought.holds(source.text):
        print_text(f"{source.name}: it does not show {sought.what}", error=True)
        return 1
    shows_progress = sys.stderr.isatty()

    def on_attempt(tried: int, size: int) -> None:
        if shows_progress:
            print_progress(f"{tried} attempts, {size} characters left ")

    reducer = Reducer(source.text, sought.holds, args.timeout, on_attempt)
    ended = "nothing more can be removed"
    try:
        reducer.run()
        if not reducer.is_done:
            ended = f"stopped after {args.timeout:g} s; more may be removable"
    except KeyboardInterrupt:
        ended = "stopped; more may be removable"
    if shows_progress:
        print_text(error=True)
    sizes = f"{len(source.text.splitlines())} lines to {len(reducer.best.splitlines())}"
    print_text(f"{source.name}: {sizes}, {reducer.tried} attempts; {ended}", error=True)
    if args.output is None:
        print_program(reducer.best)
    else:
        Path(args.output).write_text(reducer.best, "utf-8", newline="\n")
    if args.report is not None:
        report = _report(sought, resolved, reducer.best, args)
        Path(args.report).write_text(report, "utf-8", newline="\n")
    return 0


def _sought(source: Source, resolved: Resolved, args: argparse.Namespace, folder: str) -> Sought:
    """Return the property that the reduced program must keep.

    Raises ValueError if the options do not specify one."""
    from gpuasync_lsp.ide.reduce.tests import crashes, has_finding, succeeds

    if args.finding is not None:
        return has_finding(args.finding, resolved, source.text)
    if args.test is not None:
        return succeeds(command_of_line("--test", args.test), folder)
    command = resolved.settings.mlir_opt
    if command is None:
        raise ValueError(NAME_MLIR_OPT)
    options = (_whole(args.pipeline), "--allow-unregistered-dialect", "--mlir-disable-threading")
    return crashes(command.with_arguments(*options), source.text)


def _whole(pipeline: str) -> str:
    whole = pipeline if pipeline.startswith("builtin.module") else f"builtin.module({pipeline})"
    return f"--pass-pipeline={whole}"


def _report(sought: Sought, resolved: Resolved, text: str, args: argparse.Namespace) -> str:
    """Return the draft of a bug report: title, version, input, and output."""
    from gpuasync_lsp import __version__

    command = resolved.settings.mlir_opt if args.mlir_opt_crash else None
    lines = [f"# {sought.what[0].upper()}{sought.what[1:]}", "", f"- LLVM: {resolved.target.version}"]
    if command is not None:
        lines += [f"- {_version(command)}", f"- command: `mlir-opt input.mlir '{_whole(args.pipeline)}'`"]
    lines.append(f"- gpuasync-lsp: {__version__}")
    lines += ["", "## Input", "", *_fenced(text, "mlir")]
    lines += ["", "## Output", "", *_fenced(sought.output(text), "text")]
    return "\n".join([*lines, "", "## What should happen", "", ""])


def _version(command: Command) -> str:
    from gpuasync_lsp.processes import run

    try:
        output = run(command.with_arguments("--version"), b"", 30).stdout.decode("utf-8", "replace")
    except TimeoutError as error:
        return f"{command.name} --version: {error}"
    lines = (line.strip() for line in output.splitlines())
    return next((line for line in lines if "version" in line), f"{command.name}: does not report its version")


def _fenced(text: str, language: str) -> list[str]:
    """Return `text` as a fenced Markdown block whose fence is longer than any in `text`."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", text.rstrip("\n"), fence]
