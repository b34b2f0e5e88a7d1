"""`gpuasync-lsp passes`: say which pass of an IR dump did what, and at which a finding begins."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import Subparsers, add_llvm, complain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuasync_lsp.ide.dumps.passes import PassRun
    from gpuasync_lsp.reporting import FileReport


def add_parser(subparsers: Subparsers) -> None:
    """Add the `passes` command."""
    parser = subparsers.add_parser(
        "passes",
        help="say which pass did what",
        description="Go through the dump of a pass pipeline (`mlir-opt --mlir-print-ir-after-all`, also "
        "before, on change or on failure, and what other compilers print like it). Say of each pass which "
        "ops came and went, and which findings begin or end with it.",
        epilog="Exit status: 0 gone through, 1 a pass failed, 2 unusable call or a text that is no dump. "
        "Findings do not count here: `check` is for that.",
    )
    parser.add_argument("file", metavar="DUMP", help="a file with the dump, or - for standard input")
    parser.add_argument("--function", metavar="NAME", help="say only what concerns this function")
    add_llvm(parser)
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what each pass did; return the exit status."""
    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.dumps.passes import TooLarge, pass_runs
    from gpuasync_lsp.ide.dumps.sections import is_dump
    from gpuasync_lsp.reporting import FileReport

    try:
        source = read_source(Path(args.file))
    except UnreadableSource as error:
        complain(error)
        return 2
    if not is_dump(source.text):
        complain(
            f"{source.name} is no dump: it has no line like `// -----// IR Dump After CSE (cse) //----- //`, "
            "as --mlir-print-ir-after-all prints"
        )
        return 2
    resolved = SettingsResolver(Settings(args.llvm), user_config()).resolve(Path(source.name), source.text)
    for problem in resolved.problems:
        complain(problem)
    if resolved.problems:
        return 2
    try:
        runs = list(pass_runs(source.text, resolved, args.function))
    except TooLarge as error:
        complain(f"{source.name}: {error}")
        return 2
    return _print(runs, FileReport(source.name, source.text, resolved.target.version, ()), args)


def _print(runs: Sequence[PassRun], report: FileReport, args: argparse.Namespace) -> int:
    from gpuasync_lsp.ide.dumps.report import json_rows, summary, text_lines
    from gpuasync_lsp.reporting import paint_for

    if args.output_format == "json":
        json.dump(json_rows(runs, report), sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        for line in text_lines(runs, report, paint_for(sys.stdout)):
            print(line)
        print(f"\n{summary(runs, report)}")
    return int(any(run.failed for run in runs))
