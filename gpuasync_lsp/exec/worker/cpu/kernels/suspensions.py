"""Threads as LLVM coroutines: suspension points, and the coroutine function that contains a thread's code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuasync_lsp.exec.worker.cpu.checks import Names
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import Access
from gpuasync_lsp.exec.worker.cpu.kernels.synchronization import (
    POLLED,
    SYNCHRONIZATION_SITE,
    WHERE,
    Synchronization,
)

FINAL = "gpuasync.final"
"""The label of the block that ends a thread."""

_EDGE = re.compile(r", %(\"[^\"]+\"|[\w.$-]+) \]")


class Suspensions:
    """The suspension points of one kernel, and the blocks that they split."""

    def __init__(self) -> None:
        self.number = 1
        """The number of the next suspension point."""
        self._splits: dict[str, str] = {}
        """Maps each split block to the label of its last part."""

    def meet(self, synchronization: Synchronization, site: int, block: str) -> list[str]:
        """Return the code that suspends a thread in `block` until the other threads have arrived."""
        number, go = self._split(block)
        return [
            f"  store volatile i32 {site}, ptr {SYNCHRONIZATION_SITE}",
            *synchronization.before,
            f"  br label %gpuasync.wait.{number}",
            f"gpuasync.wait.{number}:",
            f"  %gpuasync.s{number} = call i8 @llvm.coro.suspend(token none, i1 false)",
            f"  switch i8 %gpuasync.s{number}, label %gpuasync.suspend "
            f"[i8 0, label %gpuasync.check.{number} i8 1, label %gpuasync.cleanup]",
            f"gpuasync.check.{number}:",
            f"  %gpuasync.same{number} = call i1 "
            f"@gpuasync.waits(ptr {synchronization.generation}, i32 {synchronization.ticket})",
            f"  br i1 %gpuasync.same{number}, label %gpuasync.wait.{number}, label %{go}",
            f"{go}:",
            *synchronization.after,
        ]

    def spin(self, line: str, found: Access, pointer: str, site: int, block: str, names: Names) -> list[str]:
        """Return the code that suspends a thread after an access in a spin loop.

        The code also records whether the access changed memory."""
        result, changed = line.split("=")[0].strip(), names.fresh()
        polled = "0"
        if "cmpxchg" in line:
            lines = [f"  {changed} = extractvalue {{ {found.type}, i1 }} {result}, 1"]
        else:
            after, bits = names.fresh(), 8 * found.size
            lines = [f"  {after} = load volatile {found.type}, {found.pointer_type} {pointer}"]
            if not found.type.startswith("i"):
                old, new = names.fresh(), names.fresh()
                lines += [
                    f"  {old} = bitcast {found.type} {result} to i{bits}",
                    f"  {new} = bitcast {found.type} {after} to i{bits}",
                ]
                result, after = old, new
            lines.append(f"  {changed} = icmp ne i{bits} {result}, {after}")
            if bits == 64:
                polled = after
        number, go = self._split(block)
        return [
            *lines,
            f"  call void @gpuasync.spun(i32 %gpuasync.lane, i32 {site}, i1 {changed}, i64 {polled}, "
            f"ptr {WHERE}, ptr {POLLED})",
            f"  %gpuasync.s{number} = call i8 @llvm.coro.suspend(token none, i1 false)",
            f"  switch i8 %gpuasync.s{number}, label %gpuasync.suspend "
            f"[i8 0, label %{go} i8 1, label %gpuasync.cleanup]",
            f"{go}:",
        ]

    def with_edges(self, line: str) -> str:
        """Replace a phi's predecessors with the last parts of split blocks; return other lines unchanged."""
        if " = phi " not in line:
            return line
        return _EDGE.sub(lambda found: f", %{self._splits.get(found[1], found[1])} ]", line)

    def _split(self, block: str) -> tuple[int, str]:
        number = self.number
        self.number += 1
        self._splits[block] = go = f"gpuasync.go.{number}"
        return number, go


def coroutine(name: str, parameters: str, first: str, code: Sequence[str]) -> list[str]:
    """Return a thread's coroutine; `code` is its body, which begins with the block `first`."""
    return [
        f"define internal ptr @gpuasync.thread.{name}({parameters}) presplitcoroutine {{",
        "gpuasync.entry:",
        "  %gpuasync.id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)",
        "  %gpuasync.size = call i64 @llvm.coro.size.i64()",
        # Vectors that are live across a suspension are aligned to their size, which malloc does not ensure.
        "  %gpuasync.align = call i64 @llvm.coro.align.i64()",
        "  %gpuasync.last.byte = sub i64 %gpuasync.align, 1",
        "  %gpuasync.more = add i64 %gpuasync.size, %gpuasync.last.byte",
        "  %gpuasync.mask = sub i64 0, %gpuasync.align",
        "  %gpuasync.whole = and i64 %gpuasync.more, %gpuasync.mask",
        "  %gpuasync.memory = call ptr @aligned_alloc(i64 %gpuasync.align, i64 %gpuasync.whole)",
        "  %gpuasync.handle = call ptr @llvm.coro.begin(token %gpuasync.id, ptr %gpuasync.memory)",
        f"  br label %{first}",
        *code,
        f"{FINAL}:",
        "  call void @gpuasync.leave(i32 %gpuasync.lane)",
        "  %gpuasync.last = call i8 @llvm.coro.suspend(token none, i1 true)",
        "  switch i8 %gpuasync.last, label %gpuasync.suspend "
        "[i8 0, label %gpuasync.trap i8 1, label %gpuasync.cleanup]",
        "gpuasync.trap:",
        "  unreachable",
        "gpuasync.cleanup:",
        "  %gpuasync.freed = call ptr @llvm.coro.free(token %gpuasync.id, ptr %gpuasync.handle)",
        "  call void @free(ptr %gpuasync.freed)",
        "  br label %gpuasync.suspend",
        "gpuasync.suspend:",
        "  call void @llvm.coro.end(ptr %gpuasync.handle, i1 false, token none)",
        "  ret ptr %gpuasync.handle",
        "}",
    ]


COROUTINE_FUNCTIONS = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare i64 @llvm.coro.align.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.done(ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
"""
