"""Asynchronous copies into workgroup memory (cp.async), which are unordered until a wait.

A copy is executed at once, but the written cells of shadow memory get the maximum stamp, `PENDING`: an
access before the thread has waited is not ordered after the copy, even with barriers between them, and even
if it is by the same thread. A wait sets the cells to the current stamp, so that the copy counts as a write by
the waiting thread at the wait, and other threads can access the cells after a barrier. Each thread
has ring buffers for its pending copies and the ends of its latest groups; copies and groups that do not
fit count as waited for.
"""

from __future__ import annotations

PENDING = 0xFFFFFFFF
"""The stamp of cells written by a pending copy."""

_COPIES, _GROUPS, _THREADS = 64, 32, 1024

_ROW = f"{{ i32, i32, i32, i32, [{_GROUPS} x i32], [{_COPIES} x i64] }}"
"""The state of a thread: the first stamp of its block; the indices of the first pending and of the next copy;
the number of groups; the ends of groups; the copies (the address, with the logarithm of the size in the upper
bits)."""


def copies_code(shared_unit: int, shared_bytes: int) -> str:
    """Return the IR of `gpuasync.copies.{copy,commit,wait,end}`; `shadow_code` replaces its placeholders."""
    text = _FUNCTIONS.replace("$ROW", _ROW).replace("$COUNT", str(_THREADS))
    for name, value in (
        ("$COPIES", _COPIES),
        ("$LASTCOPY", _COPIES - 1),
        ("$GROUPS", _GROUPS),
        ("$LASTGROUP", _GROUPS - 1),
        ("$PENDING", PENDING),
        ("$LOG", shared_unit),
        ("$SIZE", shared_bytes),
    ):
        text = text.replace(name + "$", str(value))
    return text


_FUNCTIONS = """
@gpuasync.copies = internal global [$COUNT x $ROW] zeroinitializer

define internal ptr @gpuasync.copies.of(i32 %lane) {
entry:
  %row = getelementptr [$COUNT x $ROW], ptr @gpuasync.copies, i32 0, i32 %lane
  %begun = load i32, ptr %row
  %start = load i32, ptr $START
  %same = icmp eq i32 %begun, %start
  br i1 %same, label %done, label %reset
reset:
  store i32 %start, ptr %row
  %head = getelementptr $ROW, ptr %row, i32 0, i32 1
  store i32 0, ptr %head
  %tail = getelementptr $ROW, ptr %row, i32 0, i32 2
  store i32 0, ptr %tail
  %groups = getelementptr $ROW, ptr %row, i32 0, i32 3
  store i32 0, ptr %groups
  br label %done
done:
  ret ptr %row
}

define internal void @gpuasync.copies.finish(ptr %row, i32 %lane, i32 %end) {
entry:
  %head.p = getelementptr $ROW, ptr %row, i32 0, i32 1
  %stamp = load i32, ptr $STAMP
  %stamp.w = zext i32 %stamp to i64
  %stamp.s = shl i64 %stamp.w, 32
  %base = ptrtoint ptr addrspace(3) @gpuasync.shared to i64
  %lane.w = zext i32 %lane to i64
  br label %next
next:
  %head = load i32, ptr %head.p
  %left = sub i32 %end, %head
  %some = icmp sgt i32 %left, 0
  br i1 %some, label %one, label %done
one:
  %place = and i32 %head, $LASTCOPY$
  %copy.p = getelementptr $ROW, ptr %row, i32 0, i32 5, i32 %place
  %copy = load i64, ptr %copy.p
  %head.n = add i32 %head, 1
  store i32 %head.n, ptr %head.p
  %log = lshr i64 %copy, 56
  %bytes = shl i64 1, %log
  %address = and i64 %copy, 72057594037927935
  %rel = sub i64 %address, %base
  %first = lshr i64 %rel, $LOG$
  %behind = add i64 %rel, %bytes
  br label %cells
cells:
  %i = phi i64 [ %first, %one ], [ %i.n, %stamped ]
  %i.b = shl i64 %i, $LOG$
  %more = icmp ult i64 %i.b, %behind
  br i1 %more, label %look, label %next
look:
  %cell = getelementptr { i64, i64, i64 }, ptr @gpuasync.cells, i64 %i
  %word = load i64, ptr %cell
  %s = lshr i64 %word, 32
  %pending = icmp eq i64 %s, $PENDING$
  %t.s = lshr i64 %word, 2
  %t = and i64 %t.s, 1023
  %mine = icmp eq i64 %t, %lane.w
  %waited = and i1 %pending, %mine
  br i1 %waited, label %stamp.it, label %stamped
stamp.it:
  %what = and i64 %word, 4294967295
  %word.n = or i64 %what, %stamp.s
  store i64 %word.n, ptr %cell
  br label %stamped
stamped:
  %i.n = add i64 %i, 1
  br label %cells
done:
  ret void
}

define internal void @gpuasync.copies.copy(ptr %p, i64 %n, i64 %meta, i32 %lane) {
entry:
  %a = ptrtoint ptr %p to i64
  %base = ptrtoint ptr addrspace(3) @gpuasync.shared to i64
  %rel = sub i64 %a, %base
  %behind = add i64 %rel, %n
  %has = icmp ule i64 %behind, $SIZE$
  %whole = icmp uge i64 %behind, %n
  %fits = and i1 %has, %whole
  br i1 %fits, label %prepare, label %done
prepare:
  %now = call i64 @gpuasync.word(i64 %meta)
  %low = and i64 %now, 4294967295
  %me = or i64 %low, -4294967296
  %first = lshr i64 %rel, $LOG$
  br label %cells
cells:
  %i = phi i64 [ %first, %prepare ], [ %i.n, %write ]
  %i.b = shl i64 %i, $LOG$
  %more = icmp ult i64 %i.b, %behind
  br i1 %more, label %write, label %note
write:
  %cell = getelementptr { i64, i64, i64 }, ptr @gpuasync.cells, i64 %i
  %i.rel = sub i64 %i.b, %rel
  %at = add i64 %a, %i.rel
  call void @gpuasync.cell.shared.write(ptr %cell, i64 1, i64 %me, i64 %at, i1 false)
  %i.n = add i64 %i, 1
  br label %cells
note:
  %row = call ptr @gpuasync.copies.of(i32 %lane)
  %tail.p = getelementptr $ROW, ptr %row, i32 0, i32 2
  %tail = load i32, ptr %tail.p
  %oldest = sub i32 %tail, $LASTCOPY$
  call void @gpuasync.copies.finish(ptr %row, i32 %lane, i32 %oldest)
  %place = and i32 %tail, $LASTCOPY$
  %copy.p = getelementptr $ROW, ptr %row, i32 0, i32 5, i32 %place
  %log = call i64 @llvm.cttz.i64(i64 %n, i1 true)
  %log.s = shl i64 %log, 56
  %copy = or i64 %a, %log.s
  store i64 %copy, ptr %copy.p
  %tail.n = add i32 %tail, 1
  store i32 %tail.n, ptr %tail.p
  br label %done
done:
  ret void
}
declare i64 @llvm.cttz.i64(i64, i1)

define internal void @gpuasync.copies.commit(i32 %lane) {
  %row = call ptr @gpuasync.copies.of(i32 %lane)
  %tail.p = getelementptr $ROW, ptr %row, i32 0, i32 2
  %tail = load i32, ptr %tail.p
  %groups.p = getelementptr $ROW, ptr %row, i32 0, i32 3
  %groups = load i32, ptr %groups.p
  %place = and i32 %groups, $LASTGROUP$
  %end.p = getelementptr $ROW, ptr %row, i32 0, i32 4, i32 %place
  store i32 %tail, ptr %end.p
  %groups.n = add i32 %groups, 1
  store i32 %groups.n, ptr %groups.p
  ret void
}

define internal void @gpuasync.copies.wait(i32 %lane, i32 %left) {
entry:
  %row = call ptr @gpuasync.copies.of(i32 %lane)
  %groups.p = getelementptr $ROW, ptr %row, i32 0, i32 3
  %groups = load i32, ptr %groups.p
  %kept = icmp ult i32 %left, $GROUPS$
  %older = icmp ult i32 %left, %groups
  %some = and i1 %kept, %older
  br i1 %some, label %finish, label %done
finish:
  %before = sub i32 %groups, %left
  %latest = sub i32 %before, 1
  %place = and i32 %latest, $LASTGROUP$
  %end.p = getelementptr $ROW, ptr %row, i32 0, i32 4, i32 %place
  %end = load i32, ptr %end.p
  call void @gpuasync.copies.finish(ptr %row, i32 %lane, i32 %end)
  br label %done
done:
  ret void
}

define internal void @gpuasync.copies.end(i32 %lane) {
  %row = call ptr @gpuasync.copies.of(i32 %lane)
  %tail.p = getelementptr $ROW, ptr %row, i32 0, i32 2
  %tail = load i32, ptr %tail.p
  call void @gpuasync.copies.finish(ptr %row, i32 %lane, i32 %tail)
  ret void
}
"""
