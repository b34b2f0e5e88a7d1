"""The `gpuasync-lsp` command: one table of subcommands, and the switches that start the server.

A subcommand is a module of `gpuasync_lsp.commands` with `add_parser(subparsers)` and `run(args) -> int`.
These modules import argparse only; the rest of the package is imported when a command runs, so that
`--help`, `--version` and the start of the server stay quick.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from gpuasync_lsp import __version__
from gpuasync_lsp.commands import check, explain, format, lower, passes, reduce, run, streams, test
from gpuasync_lsp.output import NotPrinted, clean, print_rendered, print_text

COMMANDS = (check, format, lower, passes, test, reduce, streams, run, explain)
"""The modules of all subcommands, in the order of `--help`."""

COLLECTION = (500_000, 10, 1_000)
"""The thresholds of Python's garbage collector.

IR is up to a million long-lived objects. With the default thresholds, examining them repeatedly takes a
quarter of the run time; with 200,000, a tenth. With a million, the garbage of checked files would take 70
MB."""

LOG = "GPUASYNC_LSP_LOG"
"""The environment variable that names the file to which tracebacks of defects are appended."""

UNUSABLE = 2
"""The exit status for an unusable call or an unreadable file."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return the exit status."""
    gc.set_threshold(*COLLECTION)
    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        # The user's file may contain names or comments that the terminal's encoding cannot represent.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            status = _main(argv)
        except SystemExit as end:  # Raised by argparse for --help and invalid arguments.
            status = end.code if isinstance(end.code, int) else UNUSABLE
        # Flush now, so that an error is reported here and not by Python at exit.
        print_rendered("", flush=True)
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (`head`, a pager) has closed the pipe; drop the buffered output.
        _drop_output()
        return 141
    except NotPrinted as error:
        _drop_output()
        return _cannot(f"write the output: {error.strerror}")
    except OSError as error:
        name = "" if error.filename is None else f"use {error.filename}: "
        return _cannot(f"{name or 'go on: '}{error.strerror or error}")


def _cannot(what: str) -> int:
    with suppress(OSError):
        print_text(f"gpuasync-lsp: error: cannot {what}", error=True)
    return UNUSABLE


def _main(argv: Sequence[str] | None) -> int:
    whole = parser()
    args = whole.parse_args(argv)
    if args.stdio or args.tcp:
        # Imported here because other commands do not need the server.
        from gpuasync_lsp.server import main as serve

        return serve(args.tcp)
    if args.command is None:
        whole.print_help(sys.stderr)
        return UNUSABLE
    from gpuasync_lsp.stack import with_stack
    from gpuasync_lsp.text.defects import contained, log_to

    if LOG in os.environ:
        log_to(os.environ[LOG])
    return contained(
        f"the command {args.command}", lambda: with_stack(lambda: args.run(args)), _give_up, OSError
    )


def _give_up(message: str, _error: Exception) -> int:
    print_text(f"gpuasync-lsp: error: {message}", error=True)
    return UNUSABLE


def _open_standard_streams() -> None:
    """Open standard streams that the caller has closed, so that other files do not get their numbers.

    Reading and writing them fails as for closed streams; messages on standard error are lost.
    """
    for descriptor, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, mode)  # Gets the lowest free descriptor, normally this one.
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - stays open
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class _Parser(argparse.ArgumentParser):
    """A parser that prints through `output.py`, because argparse ignores failed writes."""

    def _print_message(self, message: str, file: Any = None) -> None:
        print_rendered(message, error=True, stream=file)

    def error(self, message: str) -> NoReturn:
        """Print an error about the arguments, escaped, and exit."""
        super().error(clean(message))


class _CommandParser(_Parser):
    """The parser of one command, which prints its own usage for unknown arguments."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride] - overloads by type variables
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Return the parsed arguments, and an empty rest; exit if an argument is unknown."""
        read, left = super().parse_known_args(self._pipelines_joined(args), namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return read, left

    def _pipelines_joined(self, words: Sequence[str]) -> list[str]:
        """Join `--pipeline --cse` into one word, since a pipeline may begin with a flag of mlir-opt."""
        joined: list[str] = []
        for word in words:
            is_pipeline = word.startswith("--") and word.partition("=")[0] not in self._option_string_actions
            if is_pipeline and joined and joined[-1] == "--pipeline":
                joined[-1] = f"--pipeline={word}"
            else:
                joined.append(word)
        return joined


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line, also used for the man page and shell completions."""
    from gpuasync_lsp.releases import SPAN

    whole = _Parser(
        prog="gpuasync-lsp",
        description=(
            f"Show what `mlir-opt --gpu-to-llvm` of LLVM {SPAN} does to the async tokens of the gpu "
            "dialect: in the terminal with a command, in an editor with --stdio."
        ),
        epilog="`gpuasync-lsp COMMAND --help` explains a command.",
    )
    whole.add_argument("--version", action="version", version=f"gpuasync-lsp {__version__}")
    server = whole.add_argument_group("language server")
    transport = server.add_mutually_exclusive_group()
    transport.add_argument(
        "--stdio", action="store_true", help="serve one editor on standard input and output"
    )
    transport.add_argument(
        "--tcp", metavar="HOST:PORT", type=_address, help="serve one editor on this machine over a socket"
    )
    # LSP also lets an editor pass its process id on the command line; `initialize` passes the same id.
    server.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    subparsers = whole.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", parser_class=_CommandParser
    )
    for command in COMMANDS:
        command.add_parser(subparsers)
    return whole


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    from gpuasync_lsp.lsp.tcp import is_loopback

    host = host.strip("[]")
    if not is_loopback(host):
        raise argparse.ArgumentTypeError(f"{host} is not a loopback address (localhost, 127.0.0.1, [::1])")
    return host, int(port)


if __name__ == "__main__":
    sys.exit(main())
