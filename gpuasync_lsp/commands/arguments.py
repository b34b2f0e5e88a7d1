"""Arguments that several commands share, and the printing of errors."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Protocol

from gpuasync_lsp.output import one_line, print_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.processes import Command
    from gpuasync_lsp.text import LineIndex


LEVELS = ("error", "warning", "information", "hint")
"""The values of `--fail-on`, most severe first."""
UNUSABLE = 2
"""The exit status for an unusable call, setting or file."""


class Subparsers(Protocol):
    """The type of `add_subparsers()`; argparse has no public name for it."""

    def add_parser(
        self, name: str, *, help: str, description: str, epilog: str = ...
    ) -> argparse.ArgumentParser:
        """Create the parser of a new command, and return it."""
        ...


def add_file(parser: argparse.ArgumentParser, what: str = "an MLIR file") -> None:
    """Add the argument for the input file of a command; `what` describes it in the help."""
    parser.add_argument("file", metavar="FILE", help=f"{what}, or - for standard input")


def add_mlir_opt(parser: argparse.ArgumentParser) -> None:
    """Add `--mlir-opt`, whose value is the string as typed (see `command_of_line`); None if absent."""
    parser.add_argument(
        "--mlir-opt", metavar="COMMAND", help="your mlir-opt (default: the one in your own settings)"
    )


def add_engine(parser: argparse.ArgumentParser, what: str, *, builtin: bool = True) -> None:
    """Add `--engine`, with the default `builtin`, and `--mlir-opt`; `what` describes the engine in the
    help."""
    default = "%(default)s" if builtin else "your mlir-opt if specified"
    parser.add_argument(
        "--engine",
        choices=("builtin", "mlir-opt"),
        default="builtin" if builtin else None,
        help=f"{what} (default: {default})",
    )
    add_mlir_opt(parser)


def add_llvm(parser: argparse.ArgumentParser) -> None:
    """Add `--llvm` for the target release; argparse validates the value."""
    from gpuasync_lsp.releases import SPAN

    parser.add_argument(
        "--llvm",
        metavar="V",
        type=_llvm,
        help=(
            f"LLVM release to check for: {SPAN} or main (a `// gpuasync: llvm=V` comment in the file wins; "
            "default: the nearest gpuasync.toml or pyproject.toml, your own settings, the newest release)"
        ),
    )


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add `--pipeline`, whose value is the list of the user's passes as strings; None if absent."""
    parser.add_argument(
        "--pipeline",
        metavar="P",
        type=_pipeline,
        help=(
            "passes that run before gpu-to-llvm, in mlir-opt's syntax, such as `gpu-async-region` "
            "(default: the setting `pipeline`)"
        ),
    )


def words(text: str) -> list[str]:
    """Return the words of a comma-separated list."""
    return [word.strip() for word in text.split(",") if word.strip()]


def rule_code(text: str) -> str | None:
    """Return the code of the rule whose code or name is `text`; None if there is no such rule."""
    from gpuasync_lsp.analysis import RULES

    return next((rule.code for rule in RULES if text.upper() == rule.code or text == rule.name), None)


def print_error(message: object) -> None:
    """Print an error for the user on standard error."""
    print_text(f"gpuasync-lsp: error: {message}", error=True)


def note(message: object) -> None:
    """Print a remark that is not an error on standard error."""
    print_text(f"gpuasync-lsp: note: {message}", error=True)


def print_errors(problems: Iterable[object]) -> bool:
    """Print each message as an error; return whether there are any."""
    found = list(problems)
    for problem in found:
        print_error(problem)
    return bool(found)


NAME_MLIR_OPT = "specify your mlir-opt with --mlir-opt, or with `mlir-opt` in your own settings"


def print_at(name: str, lines: LineIndex, start: int | None, kind: str, message: str) -> None:
    """Print a message with its location in the file `name` on standard error, in the format of compilers.

    `start` is a code-point offset in the file; None for the file as a whole.
    """
    place = ""
    if start is not None:
        line, column = lines.position(start)
        place = f":{line + 1}:{column + 1}"
    print_text(f"{one_line(name)}{place}: {kind}: {message}", error=True)


def print_rejections(name: str, state: FileState) -> bool:
    """Print the first line of each rejection of `name` with its location; return whether there are any."""
    refused = state.rejections
    for each in refused:
        print_at(name, state.lines, each.span.start, "error", each.message.partition("\n")[0])
    return bool(refused)


def command_of_line(option: str, text: str) -> Command:
    """Return the command that the user typed for `option`. Raises SettingsError."""
    import shlex

    from gpuasync_lsp.ide.document.settings import SettingsError, command
    from gpuasync_lsp.processes import Origin

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SettingsError(f"{option}: {error}") from error
    return command(option, words, Origin.COMMAND_LINE)


def _pipeline(text: str) -> tuple[str, ...]:
    from gpuasync_lsp.lowering import PipelineError, steps_of

    try:
        return steps_of(text)
    except PipelineError as error:
        raise argparse.ArgumentTypeError(error.caret or str(error)) from error


def pipeline_text(text: str) -> str:
    """Return `text` if its syntax is that of a pipeline, with any passes. Raises ArgumentTypeError."""
    from gpuasync_lsp.lowering import PipelineError, steps_of

    try:
        steps_of(text)
    except PipelineError as error:
        if error.caret:
            raise argparse.ArgumentTypeError(error.caret) from error
    return text


def _llvm(text: str) -> int:
    from gpuasync_lsp.ide.document.settings import SettingsError, llvm_version

    try:
        return llvm_version(text)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
