"""`gpuasync-lsp format`: spacing and indentation in the style of mlir-opt."""

from __future__ import annotations

import argparse

from gpuasync_lsp.commands.arguments import Subparsers, print_error
from gpuasync_lsp.output import one_line, print_bytes, print_text


def add_parser(subparsers: Subparsers) -> None:
    """Add the `format` command."""
    parser = subparsers.add_parser(
        "format",
        help="format spaces and indentation",
        description=(
            "Format spaces and indentation of MLIR files as mlir-opt prints them. Comments, names, order "
            "and line breaks are kept, and so is text that cannot be parsed."
        ),
        epilog=(
            "Exit status: 0 done, 1 with --check: files would change, 2 invalid arguments, or a file that "
            "cannot be read or written."
        ),
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=["."],
        help="files, folders to search for *.mlir, or - for standard input to output (default: .)",
    )
    parser.add_argument(
        "--check", action="store_true", help="list the files that would change, without writing them"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Format the file, or print the changes; return the exit status."""
    from gpuasync_lsp.commands.sources import (
        NotWritten,
        UnreadableSource,
        find_sources,
        read_source,
        write_source,
    )
    from gpuasync_lsp.ide.features.formatting import formatted

    failed, changed = False, 0
    for path in find_sources(args.paths):
        try:
            if isinstance(path, UnreadableSource):
                raise path
            source = read_source(path)
            text = formatted(source.text)
            differs = text != source.text
            if args.check:
                if differs:
                    print_text(f"{one_line(source.name)} would change")
            elif source.path is None:
                print_bytes(source.with_text(text).encoded())
            elif differs:
                write_source(source, text)
                print_text(f"{one_line(source.name)} formatted")
            changed += differs
        except (UnreadableSource, NotWritten) as error:
            print_error(error)
            failed = True
    if failed:
        return 2
    return 1 if args.check and changed else 0
