"""Runs the command line in a forked child: isolated like a new process, but with all modules imported.

Starting the interpreter and importing the modules of a command takes more than a second of processor
time, which tests of a command's behavior need not spend. Tests of the start itself start a new process.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import IO

WARM = ("commands.check", "commands.lower", "commands.run", "exec", "lowering", "analysis")
"""The modules that commands import late."""


def gpuasync(
    *words: str, stdin: str = "", cwd: Path | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run `gpuasync-lsp` with the arguments `words`; return its output and exit status.

    Raises subprocess.TimeoutExpired, as `subprocess.run` does.
    """
    for name in WARM:
        importlib.import_module(f"gpuasync_lsp.{name}")
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _run(words, (given, out, err), cwd)
        code = _wait(child, words, timeout)
        return subprocess.CompletedProcess(words, code, _text(out), _text(err))


def _run(words: tuple[str, ...], streams: tuple[IO[bytes], ...], cwd: Path | None) -> None:
    """Run the command in the forked child, and exit the child in any case."""
    code = 70
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        if cwd is not None:
            os.chdir(cwd)
        sys.argv = ["gpuasync-lsp", *words]
        from gpuasync_lsp.cli import main

        code = main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - what an interpreter does with it: print it, and end with status 1
        traceback.print_exc()
        code = 1
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _wait(child: int, words: tuple[str, ...], timeout: float) -> int:
    end = time.monotonic() + timeout
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise subprocess.TimeoutExpired(words, timeout)
        time.sleep(0.01)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()
