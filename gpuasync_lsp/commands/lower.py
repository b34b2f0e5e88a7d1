"""`gpuasync-lsp lower`: print what `mlir-opt --gpu-to-llvm` of an LLVM version makes of a file."""

from __future__ import annotations

import argparse

from gpuasync_lsp.commands.arguments import Subparsers, add_llvm, complain


def add_parser(subparsers: Subparsers) -> None:
    """Add the `lower` command."""
    parser = subparsers.add_parser(
        "lower",
        help="print the lowered code",
        description="Print what `mlir-opt --gpu-to-llvm` of an LLVM version gives, ops that it leaves behind "
        "included, with a note on standard error for each of those.",
        epilog="Exit status: 0 lowered, 1 that version would fail (its message is printed), 2 unusable call.",
    )
    parser.add_argument("file", metavar="FILE", help="an MLIR file, or - for standard input")
    add_llvm(parser)
    parser.add_argument("--stage", metavar="NAME", help="stop after this stage")
    parser.set_defaults(run=run)
