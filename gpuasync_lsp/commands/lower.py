"""`gpuasync-lsp lower`: print what `mlir-opt --gpu-to-llvm` of an LLVM version makes of a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

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
    parser.add_argument("--stage", metavar="NAME", default="gpu-to-llvm", help="stop after this stage")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the lowered text and what is to be said of it; return the exit status."""
    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.ide.config_files import user_config
    from gpuasync_lsp.ide.preview import STAGES
    from gpuasync_lsp.ide.settings import Settings
    from gpuasync_lsp.ide.targets import SettingsResolver
    from gpuasync_lsp.lowering import Message, lower
    from gpuasync_lsp.syntax import SourceLoc, module_of, parse_source
    from gpuasync_lsp.syntax.printer import print_module
    from gpuasync_lsp.text import LineIndex, Span

    if args.stage not in STAGES:
        complain(f"unknown stage {args.stage!r}; known are {', '.join(STAGES)}")
        return 2
    try:
        source = read_source(Path(args.file))
    except UnreadableSource as error:
        complain(error)
        return 2
    resolved = SettingsResolver(Settings(llvm=args.llvm), user_config()).resolve(
        Path(source.name), source.text
    )
    for problem in resolved.problems:
        complain(problem)
    if resolved.problems:
        return 2
    version = resolved.target.version
    index = LineIndex(source.text)

    def say(span: Span, kind: str, message: str) -> None:
        line, column = index.position(span.start)
        print(f"{source.name}:{line + 1}:{column + 1}: {kind}: {message}", file=sys.stderr)

    def place(message: Message) -> Span:
        location = message.location
        if not isinstance(location, SourceLoc):
            return Span(0, 0)
        # mlir-opt points at the name of the op, behind its results.
        name = source.text.find(message.op_name, *location.span)
        return Span(max(name, location.span.start), location.span.end)

    parsed = parse_source(source.text)
    problems = parsed.problems()
    for found in problems:
        say(found.span, "error", found.message)
    if problems:
        return 1
    texts: list[str] = []
    for chunk in parsed.chunks:
        if args.stage == "source":
            texts.append(print_module(module_of(chunk)))
            continue
        lowered = lower(module_of(chunk), version)
        for note in lowered.notes:
            say(place(note), "note", f"LLVM {version} leaves this {note.op_name} as it is: {note.text}")
        if lowered.error is not None:
            say(place(lowered.error), "error", lowered.error.text)
            return 1
        texts.append(print_module(lowered.module))
    sys.stdout.write("// -----\n".join(texts))
    return 0
