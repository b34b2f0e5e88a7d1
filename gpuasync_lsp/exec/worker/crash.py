"""The crash handler, which sends a worker's last message when a signal in compiled code will end the worker.

Python's own signal handlers never run when compiled code faults, so the handler is compiled too: it
writes one frame with the signal, the faulting address and the current sites, and ends the process. It
has its own stack, so that a stack overflow is reported as well.

Other threads may be sending frames. The handler's frame is one write, which a pipe does not split. The
handler first waits until another thread has finished its frame, and prevents threads from beginning new
ones.
"""

from __future__ import annotations

import ctypes
import signal
import struct
import sys
from pathlib import Path

from gpuasync_lsp.exec.protocol import MAGIC
from gpuasync_lsp.exec.worker.jit import Jit
from gpuasync_lsp.exec.worker.state import STATE

SIGNALS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)
_FORMAT = '{"type":"crashed","signal":%10d,"site":%10d,"launch":%10d,"address":%20lu,"stack":%10d}'
_LENGTH = len(_FORMAT) - len("%10d%10d%10d%20lu%10d") + 60
_STACK = 64 * 1024
_PATIENCE = 1000
"""The milliseconds to wait until another thread finishes its frame; a lock of the crashed thread may block
that thread."""

_GUARD = 1 << 20
"""The number of bytes below the stack's lowest address in which a fault counts as a stack overflow."""


def install(jit: Jit, descriptor: int) -> None:
    """Install the handler, which writes to the file `descriptor`; only on Linux and macOS."""
    if sys.platform not in ("linux", "darwin"):
        return
    handler = jit.link(_handler(descriptor, _stack()), ["gpuasync_crashed"], {})["gpuasync_crashed"]
    libc = ctypes.CDLL(None)
    stack = ctypes.create_string_buffer(_STACK)
    _KEPT.append(stack)
    libc.sigaltstack(ctypes.byref(_alternate_stack(ctypes.addressof(stack))), None)
    for number in SIGNALS:
        action = _action(handler)
        libc.sigaction(int(number), ctypes.byref(action), None)


_KEPT: list[object] = []


class _LinuxAction(ctypes.Structure):
    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_char * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class _DarwinAction(ctypes.Structure):
    _fields_ = (("handler", ctypes.c_void_p), ("mask", ctypes.c_uint32), ("flags", ctypes.c_int))


class _LinuxStack(ctypes.Structure):
    _fields_ = (("pointer", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


class _DarwinStack(ctypes.Structure):
    _fields_ = (("pointer", ctypes.c_void_p), ("size", ctypes.c_size_t), ("flags", ctypes.c_int))


def _action(handler: int) -> ctypes.Structure:
    if sys.platform == "linux":  # SA_SIGINFO | SA_ONSTACK
        return _LinuxAction(handler, b"", 0x4 | 0x08000000, None)
    return _DarwinAction(handler, 0, 0x40 | 0x1)


def _alternate_stack(address: int) -> ctypes.Structure:
    if sys.platform == "linux":
        return _LinuxStack(address, 0, _STACK)
    return _DarwinStack(address, _STACK, 0)


def _stack() -> range:
    """Return the address range of the main thread's stack; empty if the system does not report it."""
    if sys.platform != "linux":
        return range(0)
    import resource

    lines = Path("/proc/self/maps").read_text("utf-8", "replace").splitlines()
    tops = [int(line.split()[0].split("-")[1], 16) for line in lines if line.endswith("[stack]")]
    size, _ = resource.getrlimit(resource.RLIMIT_STACK)
    if not tops or size == resource.RLIM_INFINITY:
        return range(0)
    return range(tops[0] - size - _GUARD, tops[0])


def _handler(descriptor: int, stack: range) -> str:
    head = MAGIC + struct.pack(">I", _LENGTH)
    text = "".join(f"\\{b:02X}" for b in _FORMAT.encode() + b"\0")
    start = "".join(f"\\{b:02X}" for b in head)
    size = len(head) + _LENGTH + 64
    offset = 16 if sys.platform == "linux" else 24
    return f"""
@format = private constant [{len(_FORMAT) + 1} x i8] c"{text}"
@head = private constant [{len(head)} x i8] c"{start}"
declare i32 @snprintf(ptr, i64, ptr, ...)
declare i64 @write(i32, ptr, i64)
declare i32 @usleep(i32)
declare void @_exit(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @gpuasync_crashed(i32 %signal, ptr %info, ptr %context) {{
start:
  %buffer = alloca [{size} x i8]
  store atomic i32 1, ptr inttoptr (i64 {STATE.crashed_address} to ptr) seq_cst, align 4
  %address.p = getelementptr i8, ptr %info, i64 {offset}
  %address = load i64, ptr %address.p
  %site = load i32, ptr inttoptr (i64 {STATE.site_address} to ptr)
  %launch = load i32, ptr inttoptr (i64 {STATE.launch_address} to ptr)
  %deep = sub i64 %address, {stack.start}
  %in.stack = icmp ult i64 %deep, {len(stack)}
  %stack = zext i1 %in.stack to i32
  call void @llvm.memcpy.p0.p0.i64(ptr %buffer, ptr @head, i64 {len(head)}, i1 false)
  %body = getelementptr i8, ptr %buffer, i64 {len(head)}
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %body, i64 {size - len(head)}, ptr @format,
      i32 %signal, i32 %site, i32 %launch, i64 %address, i32 %stack)
  br label %look
look:
  %waited = phi i32 [ 0, %start ], [ %longer, %wait ]
  %sending = load atomic i32, ptr inttoptr (i64 {STATE.sending_address} to ptr) seq_cst, align 4
  %nobody = icmp eq i32 %sending, 0
  %enough = icmp eq i32 %waited, {_PATIENCE}
  %go = or i1 %nobody, %enough
  br i1 %go, label %send, label %wait
wait:
  %slept = call i32 @usleep(i32 1000)
  %longer = add i32 %waited, 1
  br label %look
send:
  %a = call i64 @write(i32 {descriptor}, ptr %buffer, i64 {len(head) + _LENGTH})
  %code = add i32 %signal, 128
  call void @_exit(i32 %code)
  ret void
}}
"""
