"""Forks language servers from a process that has imported them: a start takes milliseconds, not a second.

One such process serves a whole test run. A test starts a launcher in place of the server; it passes its
standard streams to a forked server and exits with it. Tests of the start itself start the real program.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

MODULES = ("server", "analysis", "lowering", "exec", "ide.features.completion", "ide.preview.preview")
"""The modules that a server imports at its start or for the first request."""

_LAUNCHER = """
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
socket.send_fds(server, [b"s"], [0, 1, 2])
status = server.recv(1)
sys.exit(status[0] if status else 1)
"""


class WarmServer:
    """The process from which servers are forked; started together with the first server."""

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / "warm")
        self._process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        """Return the command that starts a server on standard input and output."""
        if self._process is None:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(self._address)
                listener.listen()
                number = listener.fileno()
                words = [sys.executable, "-m", "tests.support.warm", str(number)]
                self._process = subprocess.Popen(words, pass_fds=(number,))
        return [sys.executable, "-I", "-S", "-c", _LAUNCHER, self._address]

    def close(self) -> None:
        """End the process; each server is ended by the test that started it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def _main(number: int) -> None:
    for name in MODULES:
        importlib.import_module(f"gpuasync_lsp.{name}")
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for the servers.
    with socket.socket(fileno=number) as listener:
        while True:
            launcher, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _serve(launcher)
            launcher.close()


def _serve(launcher: socket.socket) -> None:
    """Run the server of one launcher in a forked child until one of them ends."""
    status = 70
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _, streams, _, _ = socket.recv_fds(launcher, 1, 3)
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
            os.close(stream)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        threading.Thread(target=_end_with, args=(launcher,), daemon=True).start()

        from gpuasync_lsp.cli import main

        status = main(["--stdio"])
        launcher.send(bytes([status]))
    finally:
        os._exit(status)


def _end_with(launcher: socket.socket) -> None:
    if not launcher.recv(1):
        os._exit(1)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
