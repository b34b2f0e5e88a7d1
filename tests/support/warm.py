"""The language server in a child of a process that has imported it: a start takes milliseconds, not a second.

One such process serves a whole run of tests. A launcher, which a test starts in the place of the server,
hands its standard streams over and lives as long as the server does. Tests of the start itself start the
program.
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
"""What a server imports, at its start or with the first request."""

_LAUNCHER = """
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
socket.send_fds(server, [b"s"], [0, 1, 2])
status = server.recv(1)
sys.exit(status[0] if status else 1)
"""


class WarmServer:
    """The process from which servers are forked; it starts with the first of them."""

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / "warm")
        self._process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        """Return the command that starts a server on its standard streams."""
        if self._process is None:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(self._address)
                listener.listen()
                number = listener.fileno()
                words = [sys.executable, "-m", "tests.support.warm", str(number)]
                self._process = subprocess.Popen(words, pass_fds=(number,))
        return [sys.executable, "-I", "-S", "-c", _LAUNCHER, self._address]

    def close(self) -> None:
        """End the process; the servers are ended by whoever started them."""
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
    """Be the server of one launcher, in a child, until either of them ends."""
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
