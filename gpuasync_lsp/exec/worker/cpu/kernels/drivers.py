"""IR of drivers that run a kernel's threads, either for a whole grid at once or for a block step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuasync_lsp.exec.worker.cpu.checks import BLOCK_NOW, DYNAMIC_SIZE, THREAD_NOW


def driver(name: str, parameters: Sequence[str], *, meets: bool, waits: bool) -> str:
    """Return the IR of a function that runs a range of blocks of a grid, one thread after another.

    If threads wait for writes by other threads (`waits`), the function only starts a block, and `steps`
    resumes it."""
    loads: list[str] = []
    arguments: list[str] = []
    for number, parameter in enumerate(parameters):
        type = parameter.rsplit(" ", 1)[0]
        loads += [
            f"  %pp{number} = getelementptr ptr, ptr %parameters, i64 {number}",
            f"  %pq{number} = load ptr, ptr %pp{number}",
            f"  %pv{number} = load {type}, ptr %pq{number}",
        ]
        arguments.append(f"{type} %pv{number}")
    for number, extent in enumerate(("gx", "gy", "gz", "bx", "by", "bz", "cx", "cy", "cz")):
        loads += [
            f"  %{extent}.p = getelementptr i64, ptr %geometry, i64 {number}",
            f"  %{extent}.w = load i64, ptr %{extent}.p",
            f"  %{extent} = trunc i64 %{extent}.w to i32",
        ]
    loads += [
        "  %shared.p = getelementptr i64, ptr %geometry, i64 9",
        "  %shared = load i64, ptr %shared.p",
        f"  store i64 %shared, ptr {DYNAMIC_SIZE}",
    ]
    registers = [
        "%tx",
        "%ty",
        "%tz",
        "%x",
        "%y",
        "%z",
        "%bx",
        "%by",
        "%bz",
        "%gx",
        "%gy",
        "%gz",
        "%cx",
        "%cy",
        "%cz",
    ]
    arguments += [f"i32 {r}" for r in registers]
    template = _WAITING_DRIVER if waits else _SYNCHRONIZATION_DRIVER if meets else _PLAIN_DRIVER
    return template.format(name=name, loads="\n".join(loads), arguments=", ".join(arguments))


_GRID_HEAD = """
define void @gpuasync.run.{name}(ptr %parameters, ptr %geometry) {{
entry:
{loads}
  %bxy = mul i32 %bx, %by
  %threads = mul i32 %bxy, %bz
  %gxy = mul i32 %gx, %gy
"""

_THREAD = (
    f"  store i32 %t, ptr {THREAD_NOW}\n"
    + """  %tx = urem i32 %t, %bx
  %t.r = udiv i32 %t, %bx
  %ty = urem i32 %t.r, %by
  %tz = udiv i32 %t.r, %by
"""
)

_BLOCK = (
    """  %gx.l = zext i32 %gx to i64
  %gxy.l = zext i32 %gxy to i64
  %first.p = getelementptr i64, ptr %geometry, i64 10
  %first = load i64, ptr %first.p
  %behind.p = getelementptr i64, ptr %geometry, i64 11
  %behind = load i64, ptr %behind.p
  br label %block
block:
  %n = phi i64 [ %first, %entry ], [ %n.n, %next ]
  %z.l = udiv i64 %n, %gxy.l
  %n.r = urem i64 %n, %gxy.l
  %y.l = udiv i64 %n.r, %gx.l
  %x.l = urem i64 %n.r, %gx.l
  %x = trunc i64 %x.l to i32
  %y = trunc i64 %y.l to i32
  %z = trunc i64 %z.l to i32
"""
    + f"  store i64 %n, ptr {BLOCK_NOW}\n"
)
"""Loops over the block numbers from `%first` to `%behind` - 1."""

_BEGIN = "  call void @gpuasync.block(i32 %x, i32 %y, i32 %z, i32 %gx, i32 %gy)\n"

_GRID_TAIL = """next:
  %n.n = add i64 %n, 1
  %n.c = icmp ult i64 %n.n, %behind
  br i1 %n.c, label %block, label %done
done:
  ret void
}}
"""

_PLAIN_DRIVER = (
    _GRID_HEAD
    + _BLOCK
    + _BEGIN
    + "  br label %thread\nthread:\n  %t = phi i32 [ 0, %block ], [ %t.n, %thread ]\n"
    + _THREAD
    + """  call void @gpuasync.thread.{name}({arguments})
  %t.n = add i32 %t, 1
  %t.c = icmp ult i32 %t.n, %threads
  br i1 %t.c, label %thread, label %next
"""
    + _GRID_TAIL
)

_START = (
    """  br label %begin
begin:
  call void @gpuasync.begin(i32 %threads)
  br label %start
start:
  %t = phi i32 [ 0, %begin ], [ %t.n, %start ]
"""
    + _THREAD
    + """  %h = call ptr @gpuasync.thread.{name}({arguments})
  %h.p = getelementptr ptr, ptr %handles, i32 %t
  store ptr %h, ptr %h.p
  %t.n = add i32 %t, 1
  %t.c = icmp ult i32 %t.n, %threads
  br i1 %t.c, label %start, label %started
started:
"""
)
"""Starts the threads of a block; each runs to its first synchronization."""

_SWEEP = """  br label %sweep
sweep:
  %progress = load i32, ptr @gpuasync.progress
  br label %resume
resume:
  %u = phi i32 [ 0, %sweep ], [ %u.n, %resumed ]
  %live = phi i1 [ false, %sweep ], [ %live.n, %resumed ]
  %u.p = getelementptr ptr, ptr %handles, i32 %u
  %u.h = load ptr, ptr %u.p
  %u.d = call i1 @llvm.coro.done(ptr %u.h)
  br i1 %u.d, label %resumed, label %go
go:
  store i32 %u, ptr @gpuasync.now.thread
  call void @llvm.coro.resume(ptr %u.h)
  br label %resumed
resumed:
  %live.n = phi i1 [ %live, %resume ], [ true, %go ]
  %u.n = add i32 %u, 1
  %u.c = icmp ult i32 %u.n, %threads
  br i1 %u.c, label %resume, label %swept
swept:
  %after = load i32, ptr @gpuasync.progress
  %still = icmp eq i32 %progress, %after
"""
"""Resumes each thread of a block once.

Continues at `%live.n` if a thread has not ended, and at `%still` if no thread has made progress."""

_DESTROY = """  br label %destroying
destroying:
  br label %destroy
destroy:
  %w = phi i32 [ 0, %destroying ], [ %w.n, %destroy ]
  %w.p = getelementptr ptr, ptr %handles, i32 %w
  %w.h = load ptr, ptr %w.p
  call void @llvm.coro.destroy(ptr %w.h)
  %w.n = add i32 %w, 1
  %w.c = icmp ult i32 %w.n, %threads
  br i1 %w.c, label %destroy, label %destroyed
destroyed:
"""
"""Destroys the coroutines of a block's threads."""

_SYNCHRONIZATION_DRIVER = (
    _GRID_HEAD
    + "  %handles = alloca ptr, i32 %threads\n"
    + _BLOCK
    + _BEGIN
    + _START
    + _SWEEP
    + """  br i1 %live.n, label %moved, label %destroying
moved:
  br i1 %still, label %stuck, label %sweep
stuck:
  call void @gpuasync.stuck()
"""
    + _DESTROY
    + "  br label %next\n"
    + _GRID_TAIL
)

_WAITING_DRIVER = (
    _GRID_HEAD.replace("ptr %geometry)", "ptr %geometry, i32 %block, ptr %handles)").replace(
        "@gpuasync.run.", "@gpuasync.start."
    )
    + f"  %block.w = zext i32 %block to i64\n  store i64 %block.w, ptr {BLOCK_NOW}\n"
    + """  %x = urem i32 %block, %gx
  %block.r = udiv i32 %block, %gx
  %y = urem i32 %block.r, %gy
  %z = udiv i32 %block.r, %gy
"""
    + _BEGIN
    + _START
    + "  ret void\n}}\n"
)

ENDED, MOVED, STILL = 0, 1, 2
"""Results of `gpuasync.sweep`: all threads have ended; some have made progress; none has made any."""


def steps(state: Mapping[str, int]) -> str:
    """Return the IR of `gpuasync.sweep`, `gpuasync.end`, `gpuasync.save` and `gpuasync.restore`.

    In this order, they resume each thread of a block once, destroy the block's threads, and save and restore
    the state that the blocks of a module share. `state` maps the variables with this state to their sizes."""
    copies: dict[str, list[str]] = {"save": [], "restore": []}
    offset = 0
    for variable, size in state.items():
        place = f"%p{offset}"
        for name, lines in copies.items():
            lines.append(f"  {place} = getelementptr i8, ptr %buffer, i64 {offset}")
            ends = (place, variable) if name == "save" else (variable, place)
            lines.append(
                f"  call void @llvm.memcpy.p0.p0.i64(ptr {ends[0]}, ptr {ends[1]}, i64 {size}, i1 false)"
            )
        offset += size
    text = _STEPS
    for name, lines in copies.items():
        text += "\n".join([f"define void @gpuasync.{name}(ptr %buffer) {{", *lines, "  ret void", "}", ""])
    return text


_STEPS = (
    """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @gpuasync.sweep(ptr %handles, i32 %threads) {
"""
    + _SWEEP
    + f"""  %moved = select i1 %still, i32 {STILL}, i32 {MOVED}
  %result = select i1 %live.n, i32 %moved, i32 {ENDED}
  ret i32 %result
}}
define void @gpuasync.end(ptr %handles, i32 %threads) {{
"""
    + _DESTROY
    + """  ret void
}
define internal void @gpuasync.spun(i32 %lane, i32 %site, i1 %changed, i64 %value, ptr %where, ptr %polled) {
entry:
  %place = getelementptr i32, ptr %where, i32 %lane
  store i32 %site, ptr %place
  %value.p = getelementptr i64, ptr %polled, i32 %lane
  store i64 %value, ptr %value.p
  br i1 %changed, label %moved, label %done
moved:
  call void @gpuasync.moved()
  br label %done
done:
  ret void
}
"""
)
