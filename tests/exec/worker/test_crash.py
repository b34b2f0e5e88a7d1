"""A worker's message frames stay intact between program output, and when it dies of a signal."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from typing import BinaryIO, cast

import pytest

from gpuasync_lsp.exec.protocol import MAGIC, FrameReader

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="packets of local sockets, size of a pipe")

_DIES = """
import sys, threading
from gpuasync_lsp.exec.worker.__main__ import Channel
from gpuasync_lsp.exec.worker.crash import install
from gpuasync_lsp.exec.worker.jit import Jit
import ctypes
channel = Channel(int(sys.argv[1]))
jit = Jit()
install(jit, channel.descriptor)
if sys.argv[2] != "0":
    text = "x" * int(sys.argv[2])
    threading.Thread(target=channel.send, args=({"type": "output", "text": text},), daemon=True).start()
sys.stdin.read(1)
ctypes.CDLL(None)["raise"](11)
"""


def _dying(descriptor: int, size: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _DIES, str(descriptor), str(size)],
        stdin=subprocess.PIPE,
        pass_fds=[descriptor],
    )


def test_the_last_frame_is_one_write() -> None:
    """Otherwise a frame of another thread could be written between its parts."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, _dying(theirs.fileno(), 0) as process:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()
        ours.settimeout(60)
        packet = ours.recv(1 << 16)
        assert process.wait(10) == 128 + signal.SIGSEGV
    read, write = os.pipe()
    os.write(write, packet)
    os.close(write)
    with open(read, "rb") as file:
        reader = FrameReader(cast(BinaryIO, file))
        message = reader.read()
        assert message is not None
        assert (message["type"], message["signal"]) == ("crashed", signal.SIGSEGV)
        assert reader.read() is None


def test_a_frame_that_was_begun_is_ended_first() -> None:
    size = 1 << 20
    read, write = os.pipe()
    with open(read, "rb") as file, _dying(write, size) as process:
        os.close(write)
        assert process.stdin is not None
        _until_full(read)
        process.stdin.write(b"\n")
        process.stdin.close()
        reader = FrameReader(cast(BinaryIO, file))
        message = reader.read()
        assert message is not None
        assert message["text"] == "x" * size
        message = reader.read()
        assert message is not None
        assert message["type"] == "crashed"
        assert reader.read() is None


def _until_full(pipe: int) -> None:
    """Wait until the pipe is full."""
    import fcntl
    import termios

    capacity = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    waiting = ctypes.c_int(0)
    pause = threading.Event()
    while waiting.value < capacity:
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)
        pause.wait(0.01)


_PRINTS = """
import os
from gpuasync_lsp.exec.protocol import MAGIC
from gpuasync_lsp.exec.worker import __main__ as worker
def compiling(job):
    os.write(1, MAGIC)
    return {"type": "ptx", "texts": {}}
worker._ptx = compiling
worker.main()
"""


def test_what_a_compiler_prints_is_no_frame() -> None:
    job = b'{"type":"ptx"}'
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PRINTS],
        input=MAGIC + struct.pack(">I", len(job)) + job,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.startswith(MAGIC)
    assert done.stdout.count(MAGIC) == 1
    assert done.stderr == MAGIC
