"""`gpuasync-lsp lower`: print the output of `mlir-opt --gpu-to-llvm` of an LLVM release."""

from __future__ import annotations

import argparse
import gc
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
)
from gpuasync_lsp.output import print_program, print_text

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.ide.preview.preview import Preview, View


COLLECTION = (1_500_000, 10, 1_000)
"""The thresholds of Python's garbage collector.

The IR of one file lives until the command ends. Up to this number of objects (about 150 MB), collections only
cost time."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the `lower` command."""
    parser = subparsers.add_parser(
        "lower",
        help="print the lowered code",
        description=(
            "Print the output of `mlir-opt --gpu-to-llvm` of an LLVM release, including ops that it leaves "
            "unlowered, with a note on standard error for each of them."
        ),
        epilog=(
            "Exit status: 0 lowered, 1 that release would fail (its message is printed) or, with "
            "--compare, mlir-opt prints something else, 2 invalid arguments."
        ),
    )
    add_file(parser)
    add_llvm(parser)
    parser.add_argument(
        "--stage",
        metavar="NAME",
        help="stop after this stage (default: gpu-to-llvm); `run-line`: run the passes of the first RUN line",
    )
    parser.add_argument(
        "--pipeline",
        metavar="P",
        type=pipeline_text,
        help="run these passes, in mlir-opt's syntax: "
        "`gpu-async-region,gpu-to-llvm{use-bare-pointers-for-kernels=1}`",
    )
    parser.add_argument("--options", metavar="O", default="", help="options of gpu-to-llvm: `name=value ...`")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="add comments that describe what each call does with streams and events",
    )
    parser.add_argument(
        "--fold-descriptors",
        action="store_true",
        help="print one line for each memref descriptor; mlir-opt cannot parse this output",
    )
    add_engine(parser, "which implementation lowers")
    parser.add_argument(
        "--compare",
        action="store_true",
        help="print the difference from the output of your mlir-opt, for a bug report",
    )
    parser.add_argument(
        "--diff-with",
        metavar="WHAT",
        help=(
            "print a unified diff to another stage (`stage=NAME`) or release (`llvm=V`), or to the "
            "lowering after the fixes of the file: `fixed` for safe ones, `fixed=unsafe` for all"
        ),
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the lowered text and its notes; return the exit status."""
    from gpuasync_lsp.commands.sources import UnreadableSource, read_source
    from gpuasync_lsp.ide.document.config_files import user_config
    from gpuasync_lsp.ide.document.settings import Settings, SettingsError
    from gpuasync_lsp.ide.document.state import file_state
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.ide.preview.by_copies import functions_unread
    from gpuasync_lsp.ide.preview.engine import EngineError
    from gpuasync_lsp.ide.preview.fixed import UnknownFixes
    from gpuasync_lsp.ide.preview.lowered_diff import lowered_diff
    from gpuasync_lsp.ide.preview.own_pipeline import file_view
    from gpuasync_lsp.ide.preview.stages import RUN_LINE
    from gpuasync_lsp.ide.preview.view import UnknownStage, view_of
    from gpuasync_lsp.processes import worthwhile
    from gpuasync_lsp.text import LineIndex

    gc.set_threshold(*COLLECTION)
    try:
        command = None if args.mlir_opt is None else command_of_line("--mlir-opt", args.mlir_opt)
        source = read_source(Path(args.file))
        resolver = SettingsResolver(Settings(llvm=args.llvm, mlir_opt=command), user_config())
        lines, path = LineIndex(source.text), Path(source.name)
        processes = worthwhile(len(source.text))
        only_lowers = args.engine == "builtin" and not (
            args.explain or args.compare or args.diff_with or args.fold_descriptors
        )
        is_shared = processes > 1 and only_lowers
        state = (
            functions_unread(lines, path, resolver)
            if is_shared
            else file_state(lines, path, resolver, checked=False)
        )
        if print_errors(state.resolved.problems):
            return 2
        setting = state.resolved.settings.pipeline
        if args.stage == RUN_LINE and args.pipeline is None:
            view = file_view(state, RUN_LINE, None, args.explain, args.options)
        else:
            view = view_of(args.stage, args.pipeline, setting, args.explain, args.options)
            if args.stage is None and args.pipeline is None:
                _note_run_line(state, source.name)
        view = replace(view, processes=processes, folds_descriptors=args.fold_descriptors)
        if args.compare:
            return _compare(state, view)
        shown = _shared(state, view) if is_shared else None
        if is_shared and shown is None:
            state = file_state(lines, path, resolver, checked=False)
        if shown is None:
            shown = _ask(state, view) if args.engine == "mlir-opt" else _preview(state, view)
        other = _other(args, state, view) if args.diff_with else None
    except (UnreadableSource, UnknownStage, UnknownFixes, EngineError, SettingsError) as error:
        print_error(error)
        return 2
    failed = False
    for note in shown.notes:
        start = note.span.start if note.span else None
        is_error = bool(note.error) or note.is_defect
        print_at(source.name, state.lines, start, "error" if is_error else "note", note.error or note.message)
        failed = failed or is_error
    if other is None:
        ended = any(note.error for note in shown.notes)
        print_program(_sound_parts(shown, state) if ended else shown.text)
        return int(failed)
    fixed = ", fixed" if args.diff_with.startswith("fixed") else ""
    before, after = f"{shown.stage} (LLVM {shown.llvm})", f"{other.stage} (LLVM {other.llvm}{fixed})"
    print_program(lowered_diff(shown.text, other.text, before, after))
    return int(failed)


def _shared(state: FileState, view: View) -> Preview | None:
    """Return the preview computed by forked processes that also parse; None if forking fails or one dies."""
    from gpuasync_lsp.ide.preview.by_copies import by_copies

    try:
        return by_copies(state, replace(view, text_only=True))
    except ChildProcessError:
        return None


def _preview(state: FileState, view: View) -> Preview:
    """Return the preview computed by forked processes, or by this process if one of them dies."""
    from gpuasync_lsp.ide.preview.preview import preview

    view = replace(view, text_only=not view.explained)
    try:
        return preview(state, view=view, repeats=False)
    except ChildProcessError:
        return preview(state, view=replace(view, processes=1), repeats=False)


def _note_run_line(state: FileState, name: str) -> None:
    """Print a remark if the file's RUN line has non-default passes, since `lower` ignores the RUN line."""
    from gpuasync_lsp.ide.preview.own_pipeline import own_pipeline
    from gpuasync_lsp.ide.preview.stages import RUN_LINE
    from gpuasync_lsp.lowering import DEFAULT_STAGE

    own = own_pipeline(state)
    if own.stage == RUN_LINE and own.text != DEFAULT_STAGE:
        words = (
            f"this shows the stage {DEFAULT_STAGE}; for the passes of {own.origin} ({own.text}) use "
            f"--stage {RUN_LINE}"
        )
        print_at(name, state.lines, None, "note", words)


def _sound_parts(shown: Preview, state: FileState) -> str:
    """Return the text without the chunks that have errors, like mlir-opt's output for a split file."""
    from gpuasync_lsp.ide.preview.page import SEPARATOR

    chunks, texts = state.source.chunks, shown.text.split(SEPARATOR)
    places = [note.span.start for note in shown.notes if note.error and note.span]
    if len(texts) != len(chunks) or len(places) < sum(bool(note.error) for note in shown.notes):
        return ""
    has_error = (any(chunk.span.start <= at <= chunk.span.end for at in places) for chunk in chunks)
    sound = ["" if wrong else text for text, wrong in zip(texts, has_error, strict=True)]
    return SEPARATOR.join(sound) if any(sound) else ""


def _ask(state: FileState, view: View) -> Preview:
    """Return the preview with the output of the user's own mlir-opt. Raises EngineError."""
    from gpuasync_lsp.ide.preview.engine import EngineError, engine_preview

    command = state.resolved.settings.mlir_opt
    if command is None:
        raise EngineError(NAME_MLIR_OPT)
    return engine_preview(state, command, view)


def _compare(state: FileState, view: View) -> int:
    from gpuasync_lsp.ide.preview.engine import compare
    from gpuasync_lsp.ide.preview.preview import preview

    theirs = _ask(state, view)
    ours = preview(
        state, theirs.llvm, view=replace(view, explained=False, folds_descriptors=False), repeats=False
    )
    assert state.resolved.settings.mlir_opt is not None, "else _ask has raised"
    report = compare(ours, theirs, state.resolved.settings.mlir_opt, state)
    if report:
        print_program(report)
        return 1
    print_text(f"No difference from mlir-opt of LLVM {theirs.llvm}.")
    return 0


def _other(args: argparse.Namespace, state: FileState, view: View) -> Preview:
    """Return the preview to compare with. Raises UnknownStage, UnknownFixes or SettingsError."""
    from gpuasync_lsp.ide.document.settings import SettingsError, llvm_version
    from gpuasync_lsp.ide.preview.fixed import after_fixes
    from gpuasync_lsp.ide.preview.preview import preview, view_of

    what, _, value = args.diff_with.partition("=")
    if what == "llvm":
        return preview(state, llvm_version(value), view=view, repeats=False)
    if what == "stage":
        setting = state.resolved.settings.pipeline
        other = view_of(value, args.pipeline, setting, args.explain, args.options)
        return preview(state, view=replace(other, folds_descriptors=view.folds_descriptors))
    if what == "fixed":
        after, notes = after_fixes(state, value or "safe")
        for note in notes:
            print_text(note.message, error=True)
        return preview(after, view=view)
    raise SettingsError(f"--diff-with takes stage=NAME, llvm=V or fixed, not {args.diff_with!r}")
