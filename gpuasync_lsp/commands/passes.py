"""`gpuasync-lsp passes`: show what each pass of an IR dump changed, and which pass introduces a finding."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import (
    NAME_MLIR_OPT,
    Subparsers,
    add_engine,
    add_file,
    add_llvm,
    command_of_line,
    pipeline_text,
    print_at,
    print_error,
    print_errors,
    print_rejections,
    rule_code,
)
from gpuasync_lsp.output import print_program, print_rendered, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuasync_lsp.commands.sources import Source
    from gpuasync_lsp.ide.document.targets import Resolved, SettingsResolver
    from gpuasync_lsp.ide.dumps.passes import PassRun
    from gpuasync_lsp.reporting import FileReport


def add_parser(subparsers: Subparsers) -> None:
    """Add the `passes` command."""
    parser = subparsers.add_parser(
        "passes",
        help="show what each pass of a pipeline did",
        description=(
            "Read the IR dump of a pass pipeline (`mlir-opt --mlir-print-ir-after-all`, `-before-all`, "
            "`-after-change` or `-after-failure`, and similar dumps of other compilers). For each pass, show "
            "which ops it added and removed, and which findings it introduced and removed."
        ),
        epilog=(
            "Exit status: 0 done, 1 a pass failed, mlir-opt rejects the file, or the finding of --finding "
            "does not occur, 2 invalid arguments or not a dump. Other findings do not affect the status: "
            "use `check` for that."
        ),
    )
    add_file(parser, "a dump, or the folder of --mlir-print-ir-tree-dir; with --pipeline an MLIR file")
    parser.add_argument("--function", metavar="NAME", help="show only this function")
    parser.add_argument(
        "--finding",
        metavar="RULE",
        help="show only findings of this rule, such as GA203, and the first pass after which one exists",
    )
    add_llvm(parser)
    parser.add_argument(
        "--pipeline",
        metavar="P",
        type=pipeline_text,
        help="run these passes on FILE, in mlir-opt's syntax, instead of reading a dump",
    )
    add_engine(parser, "what runs --pipeline", builtin=False)
    parser.add_argument(
        "--dump",
        metavar="OUT",
        help="write the dump of --pipeline, or of a folder, to this file; reported line numbers refer to it",
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Print the effect of each pass; return the exit status."""
    from gpuasync_lsp.commands.dump_tree import read_tree
    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.dumps.passes import TooLarge

    path = Path(args.file)
    is_tree = args.pipeline is None and path.is_dir()
    if args.pipeline is None and (args.engine or args.mlir_opt or (args.dump and not is_tree)):
        args.parser.error("--engine, --mlir-opt and --dump require --pipeline")
    if args.finding is not None:
        args.finding = rule_code(args.finding) or args.parser.error(f"there is no rule {args.finding!r}")
    try:
        command = None if args.mlir_opt is None else command_of_line("--mlir-opt", args.mlir_opt)
        source = read_tree(path) if is_tree else read_source(path)
        resolver = SettingsResolver(Settings(llvm=args.llvm, mlir_opt=command), user_config())
        resolved = resolver.resolve(path / "dump.mlir" if is_tree else Path(source.name), source.text)
        if print_errors(resolved.problems):
            return 2
        if args.pipeline is not None:
            return _step(source, resolver, args)
        if args.dump is not None:
            Path(args.dump).write_text(source.text, "utf-8", newline="\n")
            source = replace(source, name=args.dump)
        return _read(source, resolved, args)
    except OSError as error:
        if error.filename is None:
            raise  # The output could not be written.
        print_error(f"cannot write {args.dump}: {error.strerror}")
    except (UnreadableSource, SettingsError) as error:
        print_error(error)
    except TooLarge as error:
        print_error(f"{args.file}: {error}")
    return 2


def _read(source: Source, resolved: Resolved, args: argparse.Namespace) -> int:
    from gpuasync_lsp.ide.dumps.logs import without_beginnings
    from gpuasync_lsp.ide.dumps.passes import pass_runs
    from gpuasync_lsp.ide.dumps.sections import header_spans
    from gpuasync_lsp.ide.dumps.timing import placed, timed
    from gpuasync_lsp.reporting import FileReport

    headers = header_spans(source.text)
    if not headers:
        print_error(
            f"{source.name} is not an IR dump: it has no line like `// -----// IR Dump After CSE (cse) "
            "//----- //`, as --mlir-print-ir-after-all prints; to run passes on it, use --pipeline"
        )
        return 2
    log = without_beginnings(source.text, headers)
    runs = [placed(run, log) for run in timed(list(pass_runs(log.text, resolved, args.function)), log)]
    return _print(runs, FileReport(source.name, source.text, resolved.target.version, ()), args)


def _step(source: Source, resolver: SettingsResolver, args: argparse.Namespace) -> int:
    """Run the passes of a pipeline, and print the effect of each."""
    from gpuasync_lsp.ide.document.state import file_state
    from gpuasync_lsp.ide.dumps.stepping import NotRun, PipelineError, stepped
    from gpuasync_lsp.reporting import FileReport
    from gpuasync_lsp.text import LineIndex

    state = file_state(LineIndex(source.text), Path(source.name), resolver)
    command = None if args.engine == "builtin" else state.resolved.settings.mlir_opt
    if args.engine == "mlir-opt" and command is None:
        print_error(NAME_MLIR_OPT)
        return 2
    if command is None and print_rejections(source.name, state):
        return 1
    try:
        done = stepped(state, args.pipeline, command, args.function)
        if args.dump is not None:
            Path(args.dump).write_text(done.text, "utf-8", newline="\n")
    except (NotRun, PipelineError) as error:
        print_error(error)
        return 2
    except OSError as error:
        print_error(f"cannot write {args.dump}: {error.strerror}")
        return 2
    for message in done.errors:
        print_at(source.name, state.lines, None, "error", message)
    if not done.runs and done.errors and args.output_format == "text":
        return 1
    name = args.dump or f"<dump of {source.name}>"
    status = _print(done.runs, FileReport(name, done.text, state.resolved.target.version, ()), args)
    return 1 if done.errors else status


def _print(runs: Sequence[PassRun], report: FileReport, args: argparse.Namespace) -> int:
    from gpuasync_lsp.ide.dumps.report import first_after, first_in_words, json_rows, summary, text_lines
    from gpuasync_lsp.reporting import paint_for

    first = first_after(runs, args.finding) if args.finding else None
    if args.output_format == "json":
        import json

        print_rendered(json.dumps(json_rows(runs, report, first), indent=2, ensure_ascii=False) + "\n")
    else:
        for line in text_lines(runs, report, paint_for(sys.stdout), args.finding):
            print_rendered(line + "\n")
        print_text(f"\n{summary(runs, report)}")
        if args.finding:
            print_text(first_in_words(first, args.finding, report))
        for each in runs:
            if each.reproducer:
                print_text(f"\nTo run {each.pass_name} again, with mlir-opt --run-reproducer:\n")
                print_program(each.reproducer)
    return int(any(run.failed for run in runs) or (args.finding is not None and first is None))
