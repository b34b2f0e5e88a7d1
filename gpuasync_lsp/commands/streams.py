"""`gpuasync-lsp streams`: show the stream of each op of a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.commands.arguments import (
    Subparsers,
    add_file,
    add_llvm,
    add_pipeline,
    print_error,
    print_errors,
    print_rejections,
)
from gpuasync_lsp.output import print_text

if TYPE_CHECKING:
    from gpuasync_lsp.ide.streams import TextOptions

_NARROWEST, _WIDEST, _PIPE = 60, 120, 100


def add_parser(subparsers: Subparsers) -> None:
    """Add the `streams` command."""
    parser = subparsers.add_parser(
        "streams",
        help="draw which op runs on which stream",
        description=(
            "Draw the streams of each function as an LLVM release lowers it: a lane per stream, its ops in "
            "order, events, the host's waits, leaks and races."
        ),
        epilog=(
            "Exit status: 0 drawn, 1 mlir-opt rejects the file (its message is printed), 2 invalid "
            "arguments. Findings do not affect the status: use `check` for that."
        ),
    )
    add_file(parser)
    parser.add_argument("--function", metavar="NAME", help="draw only this function")
    add_llvm(parser)
    add_pipeline(parser)
    parser.add_argument(
        "--output-format",
        choices=("text", "json", "dot", "svg", "compact-svg"),
        default="text",
        help="default: text; compact-svg has one line for each op, like a Git history",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the diagram; return the exit status."""
    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings
    from gpuasync_lsp.ide.document.state import file_state
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.streams import UnknownFunction, stream_view
    from gpuasync_lsp.text import LineIndex

    try:
        source = read_source(Path(args.file))
    except UnreadableSource as error:
        print_error(error)
        return 2
    resolver = SettingsResolver(Settings(llvm=args.llvm, pipeline=args.pipeline), user_config())
    state = file_state(LineIndex(source.text), Path(source.name), resolver)
    if print_errors(state.resolved.problems):
        return 2
    if print_rejections(source.name, state):
        return 1
    try:
        view = stream_view(state, args.output_format, args.function, options=_options())
    except UnknownFunction as error:
        print_error(error)
        return 2
    print_text(view.text, end="")
    return 0


def _options() -> TextOptions:
    import shutil

    from gpuasync_lsp.ide.streams import TextOptions, colored, plain
    from gpuasync_lsp.reporting.terminal import wants_color

    columns = shutil.get_terminal_size((_PIPE, 24)).columns if sys.stdout.isatty() else _PIPE
    try:
        "│●◆╧✗".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        poor = True
    else:
        poor = False
    paint = colored if wants_color(sys.stdout) else plain
    return TextOptions(min(max(columns, _NARROWEST), _WIDEST), paint, poor)
