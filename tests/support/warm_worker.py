"""Forks workers of runs from a process that has imported their modules: importing numpy and llvmlite takes
most of the time of a short run.

One such process serves a whole test run. A run with another environment, or with a command for its
worker, starts a worker of its own; tests of the start itself are among these.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from gpuasync_lsp import processes
from gpuasync_lsp.exec import client
from tests.support.tools import ROOT

MODULES = ("__main__", "cpu.backend", "crash", "devices", "jit", "cuda.ptx", "rejection", "session", "state")
"""The modules that a worker imports at its start or for a job."""

_OWN = ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
"""Variables that pytest sets in the environment, and that workers ignore."""


class WarmWorkers:
    """The process from which workers are forked; started on first use."""

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / "warm")
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Fork the workers of this process and its forks from here, inside the context."""
        if self._process is None:
            self._begin()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client, "start", self.start)
            yield

    def start(self, command: processes.Command) -> subprocess.Popen[bytes] | ForkedWorker:
        """Start a forked worker, or what `processes.start` starts if the command or environment differs."""
        if command != processes.own_module(client.WORKER) or _environment() != self._environment:
            return processes.start(command)
        processes.check_allowed()
        return ForkedWorker(self._address)

    def close(self) -> None:
        """End the process; a worker ends after its job."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _begin(self) -> None:
        self._environment = _environment()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen()
            number = listener.fileno()
            words = [sys.executable, "-m", "tests.support.warm_worker", str(number)]
            # Its standard input is closed when this process ends in any way.
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=(number,), cwd=ROOT)


class ForkedWorker:
    """A forked worker with the part of `subprocess.Popen` that its client uses."""

    def __init__(self, address: str) -> None:
        given, stdin = os.pipe()
        stdout, out = os.pipe()
        stderr, err = os.pipe()
        self._keeper = socket.socket(socket.AF_UNIX)
        self._keeper.connect(address)
        socket.send_fds(self._keeper, [b"w"], [given, out, err])
        for number in (given, out, err):
            os.close(number)
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb")
        self.stdout: IO[bytes] = os.fdopen(stdout, "rb")
        self.stderr: IO[bytes] = os.fdopen(stderr, "rb")
        self.pid = self._number()
        self.returncode: int | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def poll(self) -> int | None:
        """Return the exit status of the worker; None while it runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the worker's exit status and return it. Raises subprocess.TimeoutExpired."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(client.WORKER, timeout or 0)
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """End the worker."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def _wait(self) -> None:
        self.returncode = self._number()
        self._keeper.close()
        self._ended.set()

    def _number(self) -> int:
        return int.from_bytes(self._keeper.recv(4, socket.MSG_WAITALL), signed=True)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _OWN}


def _main(number: int) -> None:
    for name in MODULES:
        importlib.import_module(f"gpuasync_lsp.exec.worker.{name}")
    os.chdir(os.sep)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for the keepers.
    with socket.socket(fileno=number) as listener:
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            caller, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _keep(caller)
            caller.close()


def _keep(caller: socket.socket) -> None:
    """Be the parent process of one worker, and send its process id and exit status to `caller`."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _, streams, _, _ = socket.recv_fds(caller, 1, 3)
        begun, beginning = os.pipe()
        worker = os.fork()
        if worker == 0:
            caller.close()
            os.setsid()
            os.close(begun)
            os.close(beginning)
            _work(streams)
        for stream in (*streams, beginning):
            os.close(stream)
        os.read(begun, 1)  # Its end: the worker leads a group of its own now, which can be killed.
        caller.sendall(worker.to_bytes(4, signed=True))
        _, status = os.waitpid(worker, 0)
        caller.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, signed=True))
    finally:
        os._exit(0)


def _work(streams: list[int]) -> None:
    status = 70
    try:
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
            os.close(stream)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)

        from gpuasync_lsp.exec.worker.__main__ import main

        status = main()
        sys.stdout.flush()
    finally:
        os._exit(status)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
