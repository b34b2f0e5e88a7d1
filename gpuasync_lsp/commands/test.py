"""`gpuasync-lsp test`: run the RUN lines of lit tests."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import Subparsers, add_engine, add_llvm, command_of_line, print_error
from gpuasync_lsp.output import print_rendered, print_text

if TYPE_CHECKING:
    from gpuasync_lsp.commands.sources import Source
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.runlines.results import FileResult
    from gpuasync_lsp.ide.runlines.running import Engine
    from gpuasync_lsp.text.plain_json import Json


def add_parser(subparsers: Subparsers) -> None:
    """Add the `test` command."""
    parser = subparsers.add_parser(
        "test",
        help="run the RUN lines of lit tests",
        description=(
            "Run the RUN lines of tests like lit, without a shell. mlir-opt is yours (--mlir-opt or your "
            "own settings) or else the built-in passes, where implemented; FileCheck is the package "
            "`filecheck`. A RUN line that uses programs other than these, `not` and `count` is unsupported. "
            "Report which CHECK lines failed, the most similar lines of the output, and which diagnostics "
            "were unexpected or missing."
        ),
        epilog=(
            "Exit status: 0 no test failed, 1 a test failed or has no RUN line, 2 invalid arguments, or a "
            "program that does not exist."
        ),
    )
    parser.add_argument(
        "paths", metavar="FILE", nargs="+", help="tests, folders of them (*.mlir), or - for standard input"
    )
    add_llvm(parser)
    add_engine(parser, "what runs as mlir-opt", builtin=False)
    parser.add_argument(
        "--update",
        action="store_true",
        help=(
            "rewrite the CHECK lines of failing sections (a CHECK-LABEL with the name of a function, and "
            "the lines after it) from the output"
        ),
    )
    parser.add_argument(
        "--whole-output", action="store_true", help="show the full output of a failed RUN line"
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Run the tests and print their results; return the exit status."""
    from gpuasync_lsp.commands.progress import Progress
    from gpuasync_lsp.commands.sources import UnreadableSource, find_sources, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.runlines.matching import NoFileCheck
    from gpuasync_lsp.ide.runlines.report import json_row, summary, text_lines
    from gpuasync_lsp.ide.runlines.results import Verdict
    from gpuasync_lsp.processes import NotAllowed
    from gpuasync_lsp.text import LineIndex

    try:
        command = None if args.mlir_opt is None else command_of_line("--mlir-opt", args.mlir_opt)
    except SettingsError as error:
        print_error(error)
        return 2
    resolver = SettingsResolver(Settings(llvm=args.llvm, mlir_opt=command), user_config())
    named = {Path(each) for each in args.paths}
    found = list(find_sources(args.paths))
    progress = Progress("ran", len(found))
    results: list[FileResult] = []
    rows: list[Json] = []
    unusable = False
    for path in found:
        try:
            if isinstance(path, UnreadableSource):
                raise path
            source = read_source(path)
            if path not in named and "RUN:" not in source.text:
                continue  # Found by a folder search; for example, an input file of a test.
            result = _test(source, resolver, args)
            if args.update and result.verdict is Verdict.FAIL:
                source, result = _update(source, result, resolver, args)
        except (UnreadableSource, SettingsError) as error:
            progress.end()
            print_error(error)
            unusable = True
            continue
        except (NoFileCheck, NotAllowed) as error:
            progress.end()
            print_error(error)
            return 2
        except OSError as error:
            progress.end()
            print_error(f"cannot run {error.filename or 'mlir-opt'}: {error.strerror or error}")
            return 2
        finally:
            progress.step()
        results.append(result)
        if args.output_format == "json":
            rows.append(json_row(result))
        else:
            progress.end()
            for line in text_lines(result, LineIndex(source.text), args.whole_output):
                print_text(line)
    progress.end()
    if args.output_format == "json":
        print_rendered(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    else:
        print_text(f"\n{summary(results)}")
    return 2 if unusable else int(any(result.verdict.is_bad for result in results))


def _test(source: Source, resolver: SettingsResolver, args: argparse.Namespace) -> FileResult:
    from gpuasync_lsp.ide.runlines.running import run_test
    from gpuasync_lsp.text import LineIndex

    return run_test(LineIndex(source.text), source.name, source.path, _engine(source, resolver, args))


def _update(
    source: Source, result: FileResult, resolver: SettingsResolver, args: argparse.Namespace
) -> tuple[Source, FileResult]:
    """Rewrite the checks that fail, if the test passes afterwards.

    Returns the resulting file and its result."""
    from gpuasync_lsp.commands.sources import NotWritten, write_source
    from gpuasync_lsp.ide.runlines.unsupported import Unsupported
    from gpuasync_lsp.ide.runlines.update import updated_and_held
    from gpuasync_lsp.text import LineIndex

    try:
        if source.path is None:
            raise Unsupported("standard input")
        after, again = updated_and_held(
            LineIndex(source.text), result, lambda lines: _test(source.with_text(lines.text), resolver, args)
        )
        written = write_source(source, after)
    except (Unsupported, NotWritten) as error:
        print_error(f"{source.name} was not updated: {error}")
        return source, result
    print_text(f"updated {source.name}", error=True)
    return written, again


def _engine(source: Source, resolver: SettingsResolver, args: argparse.Namespace) -> Engine:
    """Return the engine that replaces mlir-opt in RUN lines. Raises SettingsError."""
    from gpuasync_lsp.commands.arguments import NAME_MLIR_OPT
    from gpuasync_lsp.ide.document.settings import SettingsError
    from gpuasync_lsp.ide.run.builtin import BuiltIn
    from gpuasync_lsp.ide.runlines.running import OwnMlirOpt

    resolved = resolver.resolve(Path(source.name), source.text)
    for problem in resolved.problems:
        raise SettingsError(problem)
    command = None if args.engine == "builtin" else resolved.settings.mlir_opt
    if command is not None:
        return OwnMlirOpt(command)
    if args.engine == "mlir-opt":
        raise SettingsError(NAME_MLIR_OPT)
    return BuiltIn(resolver, Path(source.name))
