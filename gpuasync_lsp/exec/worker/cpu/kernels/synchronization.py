"""Synchronization of a block's threads: barriers, shuffles, votes and reductions, as IR that uses
counters.

At a barrier, a thread arrives, gets a ticket (the current generation), and suspends until the generation has
advanced. The last thread to arrive advances it; so does a thread that exits, if all remaining threads have
arrived.

Within a warp, a lane waits until all lanes of its mask wait with the same mask; several groups of lanes can
wait at a time, as in the PTX ISA. A lane outside of its own mask, which the PTX ISA leaves undefined, does
not wait for other lanes.

Lanes exchange values through two buffers, which each lane uses alternately. Two suffice: a lane suspends
after each value that it gives, and the driver resumes all threads between two resumptions of the lane, so
they have read a value when the lane gives the next but one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.kernels import matrices


@dataclass(frozen=True)
class Synchronization:
    """The code that replaces a call to a synchronization intrinsic.

    If the thread suspends (`suspends`), `before` and `after` surround the suspension; otherwise `before` is
    all of it."""

    suspends: bool
    before: Sequence[str]
    after: Sequence[str] = ()
    generation: str = ""
    ticket: str = ""


def synchronization_call(
    name: str, result: str | None, arguments: Sequence[str], number: int
) -> Synchronization | None:
    """Return the code for a call of an NVVM intrinsic; None if it is not supported.

    `number` makes names unique; `%gpuasync.lane`, the thread's number in its block, must be defined in the
    calling function."""
    if name in _WITHOUT_EFFECT or name.startswith(_WITHOUT_EFFECT_PREFIXES):
        return Synchronization(False, ())
    if name in ("llvm.nvvm.barrier.cta.sync.aligned.all", "llvm.nvvm.barrier.cta.sync.all"):
        return _barrier(number, arguments[0].split()[-1], "0")
    if name in ("llvm.nvvm.barrier.cta.sync.aligned.count", "llvm.nvvm.barrier.cta.sync.count"):
        return _barrier(number, arguments[0].split()[-1], arguments[1].split()[-1])
    if name.startswith("llvm.nvvm.barrier.cta.red."):
        return _reducing_barrier(name.split(".")[5], result or f"%gpuasync.unused{number}", arguments, number)
    if name == "llvm.nvvm.barrier.cta.arrive.aligned.count":
        return Synchronization(
            False, (f"  call void @gpuasync.bar.pass({', '.join(arguments)}, i32 %gpuasync.lane)",)
        )
    if name == "llvm.nvvm.bar.warp.sync":
        return _warp(number, f"call void @gpuasync.warp.arrive(i32 %gpuasync.lane, {arguments[0]})", ())
    if name.startswith("llvm.nvvm.shfl.sync."):
        return _shuffle(
            name.split(".")[4], name.split(".")[5], result or f"%gpuasync.unused{number}", arguments, number
        )
    if name.startswith("llvm.nvvm.vote."):
        return _vote(name.split(".")[3], result or f"%gpuasync.unused{number}", arguments, number)
    if name.startswith("llvm.nvvm.match."):
        return _match(name.split(".")[3], result or f"%gpuasync.unused{number}", arguments, number)
    if name.startswith("llvm.nvvm.redux.sync."):
        return _reduce(name.split(".")[4], result or f"%gpuasync.unused{number}", arguments, number)
    if (parts := matrices.product(name, result, arguments, number)) is not None:
        before, after = parts
        return _warp(number, "call void @gpuasync.warp.arrive(i32 %gpuasync.lane, i32 -1)", after, before)
    if name == "llvm.nvvm.rcp.approx.ftz.f":
        return Synchronization(False, (f"  {result} = fdiv float 1.0, {arguments[0].split()[-1]}",))
    if name.startswith(("llvm.nvvm.idp4a.", "llvm.nvvm.idp2a.")):
        return Synchronization(False, tuple(_dot(name, result or f"%gpuasync.unused{number}", arguments)))
    return None


def _dot(name: str, result: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the code of a dot product of four bytes, or of two 16-bit words with the lower or upper bytes.

    Source: `dp4a` and `dp2a` in the PTX ISA."""
    kind, *signs = name.split(".")[2:5]
    count, wide, skipped = (4, 8, 0) if kind == "idp4a" else (2, 16, 2 * arguments[2].endswith("true"))
    own = result.strip('%"')
    total = arguments[-1].split()[-1]
    for place in range(count):
        for factor, bits, number in ((0, wide, place), (1, 8, place + skipped)):
            at = f"%gpuasync.d{factor}.{place}.{own}"
            shift = "ashr" if signs[factor] == "s" else "lshr"
            yield f"  {at}.l = shl i32 {arguments[factor].split()[-1]}, {32 - bits * (number + 1)}"
            yield f"  {at} = {shift} i32 {at}.l, {32 - bits}"
        yield f"  %gpuasync.p.{place}.{own} = mul i32 %gpuasync.d0.{place}.{own}, %gpuasync.d1.{place}.{own}"
        last = result if place == count - 1 else f"%gpuasync.t.{place}.{own}"
        yield f"  {last} = add i32 {total}, %gpuasync.p.{place}.{own}"
        total = last


_WITHOUT_EFFECT = frozenset(
    {
        "llvm.nvvm.membar.cta",
        "llvm.nvvm.membar.gl",
        "llvm.nvvm.membar.sys",
        "llvm.nvvm.fence.sc.cluster",
        "llvm.nvvm.fence.acq_rel.cluster",
    }
)
_WITHOUT_EFFECT_PREFIXES = tuple(
    f"llvm.nvvm.{beginning}."
    for beginning in (
        "fence.proxy",
        "fence.mbarrier_init",
        "setmaxnreg",
        "griddepcontrol",
        "cp.async.bulk.commit",
        "cp.async.bulk.wait",
        "prefetch.tensormap",
    )
)
"""Prefixes of further intrinsics that have no effect on the CPU, such as fences and hints."""

_MODES = {"up": 0, "down": 1, "bfly": 2, "idx": 3}
_REDUCTIONS = {"add": 0, "min": 1, "max": 2, "umin": 3, "umax": 4, "and": 5, "or": 6, "xor": 7}


def _barrier(number: int, identifier: str, expected: str) -> Synchronization:
    return Synchronization(
        True,
        (
            f"  %gpuasync.gen{number} = getelementptr [16 x i32], ptr @gpuasync.bar.generation, "
            f"i32 0, i32 {identifier}",
            f"  %gpuasync.ticket{number} = call i32 @gpuasync.arrive(i32 {identifier}, i32 {expected}, "
            "i32 %gpuasync.lane)",
        ),
        (),
        f"%gpuasync.gen{number}",
        f"%gpuasync.ticket{number}",
    )


def _reducing_barrier(kind: str, result: str, arguments: Sequence[str], number: int) -> Synchronization:
    identifier, expected = arguments[0].split()[-1], arguments[1].split()[-1] if len(arguments) == 3 else "0"
    plain = _barrier(number, identifier, expected)
    counts = f"i32 @gpuasync.bar.counted(i32 {identifier}, i32 %gpuasync.ticket{number}"
    true = f"%gpuasync.true{number}"
    after = {
        "popc": (f"  {result} = call {counts}, i32 0)",),
        "or": (f"  {true} = call {counts}, i32 0)", f"  {result} = icmp ne i32 {true}, 0"),
        "and": (f"  {true} = call {counts}, i32 1)", f"  {result} = icmp eq i32 {true}, 0"),
    }[kind]
    before = f"  call void @gpuasync.bar.count.bit(i32 {identifier}, {arguments[-1]})"
    return Synchronization(True, (before, *plain.before), after, plain.generation, plain.ticket)


def _warp(number: int, arrive: str, after: Sequence[str], before: Sequence[str] = ()) -> Synchronization:
    return Synchronization(
        True,
        (
            *before,
            f"  %gpuasync.met{number} = getelementptr [1024 x i32], ptr @gpuasync.met, i32 0, "
            "i32 %gpuasync.lane",
            f"  {arrive}",
        ),
        after,
        f"%gpuasync.met{number}",
        "0",
    )


def _shuffle(mode: str, kind: str, result: str, arguments: Sequence[str], number: int) -> Synchronization:
    mask, value, lane, clamp = arguments
    pair, floating = kind.endswith("p"), kind.startswith("f32")
    before: list[str] = []
    if floating:
        before.append(f"  %gpuasync.bits{number} = bitcast {value} to i32")
        value = f"i32 %gpuasync.bits{number}"
    chosen = f"({lane}, {clamp}, i32 {_MODES[mode]}, i32 %gpuasync.lane)"
    word = f"%gpuasync.word{number}" if floating or pair else result
    after = [f"  {word} = call i32 @gpuasync.shuffle{chosen}"]
    final = word
    if floating:
        final = f"%gpuasync.float{number}" if pair else result
        after.append(f"  {final} = bitcast i32 {word} to float")
    if pair:
        type = "float" if floating else "i32"
        after += [
            f"  %gpuasync.valid{number} = call i1 @gpuasync.shuffle.valid({lane}, {clamp}, "
            f"i32 {_MODES[mode]}, i32 %gpuasync.lane)",
            f"  %gpuasync.pair{number} = insertvalue {{ {type}, i1 }} poison, {type} {final}, 0",
            f"  {result} = insertvalue {{ {type}, i1 }} %gpuasync.pair{number}, "
            f"i1 %gpuasync.valid{number}, 1",
        ]
    return _warp(number, f"call void @gpuasync.give(i32 %gpuasync.lane, {mask}, {value})", after, before)


def _vote(kind: str, result: str, arguments: Sequence[str], number: int) -> Synchronization | None:
    mask, predicate = arguments
    before = [f"  %gpuasync.bits{number} = zext {predicate} to i32"]
    ballot = "call i32 @gpuasync.reduce(i32 6, i32 1, i32 %gpuasync.lane)"
    equal = "call i32 @gpuasync.reduce(i32 5, i32 0, i32 %gpuasync.lane)"
    match kind:
        case "ballot":
            after = [f"  {result} = {ballot}"]
        case "any":
            after = [f"  %gpuasync.b{number} = {ballot}", f"  {result} = icmp ne i32 %gpuasync.b{number}, 0"]
        case "all":
            after = [
                f"  %gpuasync.b{number} = {equal}",
                f"  {result} = icmp ne i32 %gpuasync.b{number}, 0",
            ]
        case "uni":
            after = [
                f"  %gpuasync.b{number} = {ballot}",
                f"  %gpuasync.e{number} = {equal}",
                f"  %gpuasync.n{number} = icmp eq i32 %gpuasync.b{number}, 0",
                f"  %gpuasync.y{number} = icmp ne i32 %gpuasync.e{number}, 0",
                f"  {result} = or i1 %gpuasync.n{number}, %gpuasync.y{number}",
            ]
        case _:
            return None
    return _warp(
        number,
        f"call void @gpuasync.give(i32 %gpuasync.lane, {mask}, i32 %gpuasync.bits{number})",
        after,
        before,
    )


def _match(kind: str, result: str, arguments: Sequence[str], number: int) -> Synchronization:
    """Return the code with which lanes find lanes with an equal value, extended to 64 bits."""
    mask, value = arguments
    wide = f"%gpuasync.wide{number}"
    same = f"call i32 @gpuasync.match(i32 %gpuasync.lane, i64 {wide})"
    before = [f"  {wide} = {f'zext {value} to i64' if value.startswith('i32') else f'or {value}, 0'}"]
    if kind == "any":
        after = [f"  {result} = {same}"]
    else:
        after = [
            f"  %gpuasync.same{number}.mask = {same}",
            f"  %gpuasync.members{number} = load i32, ptr %gpuasync.met{number}",
            f"  %gpuasync.all{number} = icmp eq i32 %gpuasync.same{number}.mask, %gpuasync.members{number}",
            f"  %gpuasync.of.all{number} = select i1 %gpuasync.all{number}, "
            f"i32 %gpuasync.members{number}, i32 0",
            f"  %gpuasync.pair{number} = insertvalue {{ i32, i1 }} poison, i32 %gpuasync.of.all{number}, 0",
            f"  {result} = insertvalue {{ i32, i1 }} %gpuasync.pair{number}, i1 %gpuasync.all{number}, 1",
        ]
    arrive = f"call void @gpuasync.give.wide(i32 %gpuasync.lane, {mask}, i64 {wide})"
    return _warp(number, arrive, after, before)


def _reduce(kind: str, result: str, arguments: Sequence[str], number: int) -> Synchronization | None:
    value, mask = arguments
    if kind not in _REDUCTIONS:
        return None
    after = [f"  {result} = call i32 @gpuasync.reduce(i32 {_REDUCTIONS[kind]}, i32 0, i32 %gpuasync.lane)"]
    return _warp(number, f"call void @gpuasync.give(i32 %gpuasync.lane, {mask}, {value})", after)


SYNCHRONIZATION_STATE = {
    "@gpuasync.threads": 4,
    "@gpuasync.bar.site": 64,
    "@gpuasync.warp.all": 128,
    "@gpuasync.alive": 4,
    "@gpuasync.progress": 4,
    "@gpuasync.waiting": 4,
    "@gpuasync.bar.count": 64,
    "@gpuasync.bar.generation": 64,
    "@gpuasync.bar.expected": 64,
    "@gpuasync.warp.alive": 128,
    "@gpuasync.warp.waiting": 128,
    "@gpuasync.warp.halves": 128,
    "@gpuasync.matrix.halves": 128,
    "@gpuasync.wanted": 4096,
    "@gpuasync.met": 4096,
    "@gpuasync.halves": 4096,
    "@gpuasync.values": 8192,
    "@gpuasync.high": 8192,
    "@gpuasync.bar.bits": 128,
    "@gpuasync.bar.all": 128,
}
"""The variables of the synchronization functions, with their sizes in bytes."""


POLLED = "@gpuasync.polled"
"""The variable with the latest 64-bit value that each thread of the block has read in a spin loop."""

SYNCHRONIZATION_SITE = "@gpuasync.synchronization.site"
"""The variable with the site of the latest synchronization."""

WHERE = "@gpuasync.where"
"""The variable with the site of each thread's latest synchronization (`KernelChecks.where`)."""


def synchronization_functions() -> str:
    """Return the IR of the functions; the linker provides `WHERE` and `SYNCHRONIZATION_SITE`."""
    return _FUNCTIONS.replace("$SITE", SYNCHRONIZATION_SITE).replace("$WHERE", WHERE)


_FUNCTIONS = """
declare void @gpuasync_divergent(i32, i32)
declare void @gpuasync_short(i32, i32, i32)
declare void @gpuasync_stuck()
declare void @gpuasync_divergent_warp(i32, i32, i32)
@gpuasync.threads = internal global i32 0
@gpuasync.polled = internal global [1024 x i64] zeroinitializer
@gpuasync.bar.site = internal global [16 x i32] zeroinitializer
@gpuasync.warp.all = internal global [32 x i32] zeroinitializer
@gpuasync.alive = internal global i32 0
@gpuasync.progress = internal global i32 0
@gpuasync.waiting = internal global i32 0
@gpuasync.bar.count = internal global [16 x i32] zeroinitializer
@gpuasync.bar.generation = internal global [16 x i32] zeroinitializer
@gpuasync.bar.expected = internal global [16 x i32] zeroinitializer
@gpuasync.warp.alive = internal global [32 x i32] zeroinitializer
; The lanes of each warp that wait for others, and the halves of the buffers with the latest value that each
; lane has given, and with its latest part of a matrix (`matrices.py`).
@gpuasync.warp.waiting = internal global [32 x i32] zeroinitializer
@gpuasync.warp.halves = internal global [32 x i32] zeroinitializer
@gpuasync.matrix.halves = internal global [32 x i32] zeroinitializer
; For each thread: the mask with which it has waited last; the lanes that it has met, 0 while it waits; the
; halves with the values of these lanes.
@gpuasync.wanted = internal global [1024 x i32] zeroinitializer
@gpuasync.met = internal global [1024 x i32] zeroinitializer
@gpuasync.halves = internal global [1024 x i32] zeroinitializer
@gpuasync.values = internal global [2 x [1024 x i32]] zeroinitializer
@gpuasync.high = internal global [2 x [1024 x i32]] zeroinitializer
@gpuasync.bar.bits = internal global [2 x [16 x i32]] zeroinitializer
@gpuasync.bar.all = internal global [2 x [16 x i32]] zeroinitializer
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)

define internal i32 @gpuasync.linear(i32 %x, i32 %y, i32 %z, i32 %nx, i32 %ny, i32 %nz) alwaysinline {
  %a = mul i32 %z, %ny
  %b = add i32 %a, %y
  %c = mul i32 %b, %nx
  %d = add i32 %c, %x
  ret i32 %d
}

define internal void @gpuasync.moved() {
  %p = load i32, ptr @gpuasync.progress
  %q = add i32 %p, 1
  store i32 %q, ptr @gpuasync.progress
  ret void
}

define internal void @gpuasync.begin(i32 %threads) {
entry:
  store i32 %threads, ptr @gpuasync.alive
  store i32 %threads, ptr @gpuasync.threads
  store i32 0, ptr @gpuasync.waiting
  %bytes = mul i32 %threads, 4
  %bytes.w = zext i32 %bytes to i64
  call void @llvm.memset.p0.i64(ptr $WHERE, i8 -1, i64 %bytes.w, i1 false)
  br label %bars
bars:
  %b = phi i32 [ 0, %entry ], [ %b.n, %bars ]
  %b.p = getelementptr [16 x i32], ptr @gpuasync.bar.count, i32 0, i32 %b
  store i32 0, ptr %b.p
  %bits.0 = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.bits, i32 0, i32 0, i32 %b
  store i32 0, ptr %bits.0
  %bits.1 = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.bits, i32 0, i32 1, i32 %b
  store i32 0, ptr %bits.1
  %b.n = add i32 %b, 1
  %b.c = icmp ult i32 %b.n, 16
  br i1 %b.c, label %bars, label %warps
warps:
  %w = phi i32 [ 0, %bars ], [ %w.n, %warps ]
  %first = mul i32 %w, 32
  %left = sub i32 %threads, %first
  %some = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %n = call i32 @llvm.smin.i32(i32 %some, i32 32)
  %n.w = zext i32 %n to i64
  %bit = shl i64 1, %n.w
  %ones = sub i64 %bit, 1
  %mask = trunc i64 %ones to i32
  %m.p = getelementptr [32 x i32], ptr @gpuasync.warp.alive, i32 0, i32 %w
  store i32 %mask, ptr %m.p
  %a.p = getelementptr [32 x i32], ptr @gpuasync.warp.all, i32 0, i32 %w
  store i32 %mask, ptr %a.p
  %waiting.p = getelementptr [32 x i32], ptr @gpuasync.warp.waiting, i32 0, i32 %w
  store i32 0, ptr %waiting.p
  %halves.p = getelementptr [32 x i32], ptr @gpuasync.matrix.halves, i32 0, i32 %w
  store i32 0, ptr %halves.p
  %w.n = add i32 %w, 1
  %w.c = icmp ult i32 %w.n, 32
  br i1 %w.c, label %warps, label %done
done:
  ret void
}

define internal i1 @gpuasync.waits(ptr %generation, i32 %ticket) alwaysinline {
  %now = load volatile i32, ptr %generation
  %same = icmp eq i32 %now, %ticket
  ret i1 %same
}

define internal void @gpuasync.bar.check(i32 %id) {
entry:
  %count.p = getelementptr [16 x i32], ptr @gpuasync.bar.count, i32 0, i32 %id
  %count = load i32, ptr %count.p
  %some = icmp ne i32 %count, 0
  br i1 %some, label %compare, label %done
compare:
  %expected.p = getelementptr [16 x i32], ptr @gpuasync.bar.expected, i32 0, i32 %id
  %expected = load i32, ptr %expected.p
  %alive = load i32, ptr @gpuasync.alive
  %all = icmp eq i32 %expected, 0
  %need = select i1 %all, i32 %alive, i32 %expected
  %full = icmp uge i32 %count, %need
  br i1 %full, label %release, label %done
release:
  %waiting = load i32, ptr @gpuasync.waiting
  %fewer = sub i32 %waiting, %count
  store i32 %fewer, ptr @gpuasync.waiting
  store i32 0, ptr %count.p
  %generation.p = getelementptr [16 x i32], ptr @gpuasync.bar.generation, i32 0, i32 %id
  %generation = load i32, ptr %generation.p
  %half = and i32 %generation, 1
  %all.p = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.all, i32 0, i32 %half, i32 %id
  store i32 %count, ptr %all.p
  %other = xor i32 %half, 1
  %bits.p = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.bits, i32 0, i32 %other, i32 %id
  store i32 0, ptr %bits.p
  %next = add i32 %generation, 1
  store volatile i32 %next, ptr %generation.p
  call void @gpuasync.epoch()
  %threads = load i32, ptr @gpuasync.threads
  %fewer.alive = icmp ult i32 %alive, %threads
  %left = and i1 %all, %fewer.alive
  br i1 %left, label %tell, label %done
tell:
  %site.p = getelementptr [16 x i32], ptr @gpuasync.bar.site, i32 0, i32 %id
  %site = load i32, ptr %site.p
  call void @gpuasync_divergent(i32 %site, i32 -2)
  br label %done
done:
  ret void
}

define internal void @gpuasync.stuck() {
entry:
  %alive = load i32, ptr @gpuasync.alive
  br label %bars
bars:
  %b = phi i32 [ 0, %entry ], [ %b.n, %bars.next ]
  %count.p = getelementptr [16 x i32], ptr @gpuasync.bar.count, i32 0, i32 %b
  %count = load i32, ptr %count.p
  %some = icmp ne i32 %count, 0
  br i1 %some, label %bar, label %bars.next
bar:
  %site.p = getelementptr [16 x i32], ptr @gpuasync.bar.site, i32 0, i32 %b
  %site = load i32, ptr %site.p
  %expected.p = getelementptr [16 x i32], ptr @gpuasync.bar.expected, i32 0, i32 %b
  %expected = load i32, ptr %expected.p
  %all = icmp eq i32 %expected, 0
  %need = select i1 %all, i32 %alive, i32 %expected
  call void @gpuasync_short(i32 %site, i32 %need, i32 %count)
  br label %bars.next
bars.next:
  %b.n = add i32 %b, 1
  %b.c = icmp ult i32 %b.n, 16
  br i1 %b.c, label %bars, label %warps
warps:
  %w = phi i32 [ 0, %bars.next ], [ %w.n, %warps.next ]
  %waiting.p = getelementptr [32 x i32], ptr @gpuasync.warp.waiting, i32 0, i32 %w
  %waiting = load i32, ptr %waiting.p
  %alive.p = getelementptr [32 x i32], ptr @gpuasync.warp.alive, i32 0, i32 %w
  %lanes = load i32, ptr %alive.p
  br label %groups
groups:
  %rest = phi i32 [ %waiting, %warps ], [ %rest.n, %group ]
  %waits = icmp ne i32 %rest, 0
  br i1 %waits, label %group, label %warps.next
group:
  %wanted = call i32 @gpuasync.warp.first(i32 %w, i32 %rest, ptr @gpuasync.wanted)
  %w.site = call i32 @gpuasync.warp.first(i32 %w, i32 %rest, ptr $WHERE)
  %with = call i32 @gpuasync.warp.with(i32 %w, i32 %wanted)
  %came = call i32 @llvm.ctpop.i32(i32 %with)
  %members = and i32 %wanted, %lanes
  %number = call i32 @llvm.ctpop.i32(i32 %members)
  call void @gpuasync_short(i32 %w.site, i32 %number, i32 %came)
  %others = xor i32 %with, -1
  %rest.n = and i32 %rest, %others
  br label %groups
warps.next:
  %w.n = add i32 %w, 1
  %w.c = icmp ult i32 %w.n, 32
  br i1 %w.c, label %warps, label %done
done:
  call void @gpuasync_stuck()
  ret void
}

define internal i32 @gpuasync.arrive(i32 %id, i32 %expected, i32 %lane) {
entry:
  call void @gpuasync.moved()
  %site = load volatile i32, ptr $SITE
  %where = getelementptr i32, ptr $WHERE, i32 %lane
  store i32 %site, ptr %where
  %site.p = getelementptr [16 x i32], ptr @gpuasync.bar.site, i32 0, i32 %id
  %others.p = getelementptr [16 x i32], ptr @gpuasync.bar.count, i32 0, i32 %id
  %others = load i32, ptr %others.p
  %none = icmp eq i32 %others, 0
  br i1 %none, label %first, label %compare
first:
  store i32 %site, ptr %site.p
  br label %counted
compare:
  %other = load i32, ptr %site.p
  %alike = icmp eq i32 %site, %other
  %named = icmp ne i32 %expected, 0
  %same = or i1 %alike, %named
  br i1 %same, label %counted, label %tell
tell:
  call void @gpuasync_divergent(i32 %site, i32 %other)
  br label %counted
counted:
  %generation.p = getelementptr [16 x i32], ptr @gpuasync.bar.generation, i32 0, i32 %id
  %ticket = load i32, ptr %generation.p
  %count.p = getelementptr [16 x i32], ptr @gpuasync.bar.count, i32 0, i32 %id
  %count = load i32, ptr %count.p
  %more = add i32 %count, 1
  store i32 %more, ptr %count.p
  %waiting = load i32, ptr @gpuasync.waiting
  %waiting.n = add i32 %waiting, 1
  store i32 %waiting.n, ptr @gpuasync.waiting
  %expected.p = getelementptr [16 x i32], ptr @gpuasync.bar.expected, i32 0, i32 %id
  store i32 %expected, ptr %expected.p
  call void @gpuasync.bar.check(i32 %id)
  ret i32 %ticket
}

define internal void @gpuasync.bar.pass(i32 %id, i32 %expected, i32 %lane) {
  call i32 @gpuasync.arrive(i32 %id, i32 %expected, i32 %lane)
  %where = getelementptr i32, ptr $WHERE, i32 %lane
  store i32 -1, ptr %where
  ret void
}

define internal void @gpuasync.bar.count.bit(i32 %id, i1 %bit) {
  %generation.p = getelementptr [16 x i32], ptr @gpuasync.bar.generation, i32 0, i32 %id
  %generation = load i32, ptr %generation.p
  %half = and i32 %generation, 1
  %bits.p = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.bits, i32 0, i32 %half, i32 %id
  %bits = load i32, ptr %bits.p
  %more = zext i1 %bit to i32
  %sum = add i32 %bits, %more
  store i32 %sum, ptr %bits.p
  ret void
}

define internal i32 @gpuasync.bar.counted(i32 %id, i32 %ticket, i32 %unset) {
  %half = and i32 %ticket, 1
  %bits.p = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.bits, i32 0, i32 %half, i32 %id
  %bits = load i32, ptr %bits.p
  %all.p = getelementptr [2 x [16 x i32]], ptr @gpuasync.bar.all, i32 0, i32 %half, i32 %id
  %all = load i32, ptr %all.p
  %others = sub i32 %all, %bits
  %asks = icmp ne i32 %unset, 0
  %r = select i1 %asks, i32 %others, i32 %bits
  ret i32 %r
}

define internal i32 @gpuasync.warp.first(i32 %w, i32 %lanes, ptr %words) {
  %lane = call i32 @llvm.cttz.i32(i32 %lanes, i1 false)
  %warp = shl i32 %w, 5
  %thread = or i32 %warp, %lane
  %place = getelementptr i32, ptr %words, i32 %thread
  %word = load i32, ptr %place
  ret i32 %word
}

define internal i32 @gpuasync.warp.with(i32 %w, i32 %wanted) {
  %waiting.p = getelementptr [32 x i32], ptr @gpuasync.warp.waiting, i32 0, i32 %w
  %waiting = load i32, ptr %waiting.p
  %all.p = getelementptr [32 x [32 x i32]], ptr @gpuasync.wanted, i32 0, i32 %w
  %all = load <32 x i32>, ptr %all.p, align 4
  %one = insertelement <32 x i32> poison, i32 %wanted, i32 0
  %each = shufflevector <32 x i32> %one, <32 x i32> poison, <32 x i32> zeroinitializer
  %same = icmp eq <32 x i32> %all, %each
  %lanes = bitcast <32 x i1> %same to i32
  %with = and i32 %lanes, %waiting
  ret i32 %with
}

define internal void @gpuasync.warp.set(ptr %words, i32 %w, i32 %lanes, i32 %word) {
  %p = getelementptr [32 x [32 x i32]], ptr %words, i32 0, i32 %w
  %old = load <32 x i32>, ptr %p, align 4
  %one = insertelement <32 x i32> poison, i32 %word, i32 0
  %each = shufflevector <32 x i32> %one, <32 x i32> poison, <32 x i32> zeroinitializer
  %chosen = bitcast i32 %lanes to <32 x i1>
  %new = select <32 x i1> %chosen, <32 x i32> %each, <32 x i32> %old
  store <32 x i32> %new, ptr %p, align 4
  ret void
}

define internal void @gpuasync.warp.check(i32 %w, i32 %wanted) {
entry:
  %waiting.p = getelementptr [32 x i32], ptr @gpuasync.warp.waiting, i32 0, i32 %w
  %waiting = load i32, ptr %waiting.p
  %alive.p = getelementptr [32 x i32], ptr @gpuasync.warp.alive, i32 0, i32 %w
  %alive = load i32, ptr %alive.p
  %members = and i32 %wanted, %alive
  %all.come = and i32 %members, %waiting
  %may = icmp eq i32 %all.come, %members
  br i1 %may, label %compare, label %done
compare:
  %with = call i32 @gpuasync.warp.with(i32 %w, i32 %wanted)
  %come = and i32 %members, %with
  %full = icmp eq i32 %come, %members
  br i1 %full, label %release, label %done
release:
  %still = xor i32 %waiting, %members
  store i32 %still, ptr %waiting.p
  call void @gpuasync.warp.set(ptr @gpuasync.met, i32 %w, i32 %members, i32 %members)
  %halves.p = getelementptr [32 x i32], ptr @gpuasync.warp.halves, i32 0, i32 %w
  %halves = load i32, ptr %halves.p
  call void @gpuasync.warp.set(ptr @gpuasync.halves, i32 %w, i32 %members, i32 %halves)
  %need = call i32 @llvm.ctpop.i32(i32 %members)
  %alone = icmp eq i32 %need, 1
  br i1 %alone, label %ordered, label %order
order:
  call void @gpuasync.warp.epoch(i32 %w, i32 %members, i32 %alive)
  br label %ordered
ordered:
  %all.p = getelementptr [32 x i32], ptr @gpuasync.warp.all, i32 0, i32 %w
  %all = load i32, ptr %all.p
  %asked = and i32 %wanted, %all
  %missing = xor i32 %asked, %members
  %left = icmp ne i32 %missing, 0
  br i1 %left, label %tell, label %done
tell:
  %site = call i32 @gpuasync.warp.first(i32 %w, i32 %members, ptr $WHERE)
  call void @gpuasync_divergent_warp(i32 %site, i32 %w, i32 %missing)
  br label %done
done:
  ret void
}

define internal void @gpuasync.warp.arrive(i32 %thread, i32 %mask) {
  call void @gpuasync.moved()
  %site = load volatile i32, ptr $SITE
  %where = getelementptr i32, ptr $WHERE, i32 %thread
  store i32 %site, ptr %where
  %w = lshr i32 %thread, 5
  %lane = and i32 %thread, 31
  %bit = shl i32 1, %lane
  %own = and i32 %mask, %bit
  %in = icmp ne i32 %own, 0
  %wanted = select i1 %in, i32 %mask, i32 %bit
  %wanted.p = getelementptr [1024 x i32], ptr @gpuasync.wanted, i32 0, i32 %thread
  store i32 %wanted, ptr %wanted.p
  %met.p = getelementptr [1024 x i32], ptr @gpuasync.met, i32 0, i32 %thread
  store i32 0, ptr %met.p
  %waiting.p = getelementptr [32 x i32], ptr @gpuasync.warp.waiting, i32 0, i32 %w
  %waiting = load i32, ptr %waiting.p
  %more = or i32 %waiting, %bit
  store i32 %more, ptr %waiting.p
  call void @gpuasync.warp.check(i32 %w, i32 %wanted)
  ret void
}

define internal i32 @gpuasync.turn(ptr %halves, i32 %thread) {
  %w = lshr i32 %thread, 5
  %lane = and i32 %thread, 31
  %bit = shl i32 1, %lane
  %p = getelementptr [32 x i32], ptr %halves, i32 0, i32 %w
  %old = load i32, ptr %p
  %new = xor i32 %old, %bit
  store i32 %new, ptr %p
  %shifted = lshr i32 %new, %lane
  %half = and i32 %shifted, 1
  ret i32 %half
}

define internal void @gpuasync.give(i32 %thread, i32 %mask, i32 %value) {
  %half = call i32 @gpuasync.turn(ptr @gpuasync.warp.halves, i32 %thread)
  %place = getelementptr [2 x [1024 x i32]], ptr @gpuasync.values, i32 0, i32 %half, i32 %thread
  store i32 %value, ptr %place
  call void @gpuasync.warp.arrive(i32 %thread, i32 %mask)
  ret void
}

define internal void @gpuasync.give.wide(i32 %thread, i32 %mask, i64 %value) {
  %half = call i32 @gpuasync.turn(ptr @gpuasync.warp.halves, i32 %thread)
  %low = trunc i64 %value to i32
  %low.p = getelementptr [2 x [1024 x i32]], ptr @gpuasync.values, i32 0, i32 %half, i32 %thread
  store i32 %low, ptr %low.p
  %shifted = lshr i64 %value, 32
  %high = trunc i64 %shifted to i32
  %high.p = getelementptr [2 x [1024 x i32]], ptr @gpuasync.high, i32 0, i32 %half, i32 %thread
  store i32 %high, ptr %high.p
  call void @gpuasync.warp.arrive(i32 %thread, i32 %mask)
  ret void
}

define internal i32 @gpuasync.given(ptr %values, i32 %thread, i32 %lane) {
  %halves.p = getelementptr [1024 x i32], ptr @gpuasync.halves, i32 0, i32 %thread
  %halves = load i32, ptr %halves.p
  %shifted = lshr i32 %halves, %lane
  %half = and i32 %shifted, 1
  %warp = and i32 %thread, -32
  %index = or i32 %warp, %lane
  %place = getelementptr [2 x [1024 x i32]], ptr %values, i32 0, i32 %half, i32 %index
  %value = load i32, ptr %place
  ret i32 %value
}

define internal i32 @gpuasync.match(i32 %thread, i64 %value) {
entry:
  %members.p = getelementptr [1024 x i32], ptr @gpuasync.met, i32 0, i32 %thread
  %members = load i32, ptr %members.p
  br label %loop
loop:
  %l = phi i32 [ 0, %entry ], [ %l.n, %loop ]
  %found = phi i32 [ 0, %entry ], [ %found.n, %loop ]
  %low = call i32 @gpuasync.given(ptr @gpuasync.values, i32 %thread, i32 %l)
  %high = call i32 @gpuasync.given(ptr @gpuasync.high, i32 %thread, i32 %l)
  %low.w = zext i32 %low to i64
  %high.w = zext i32 %high to i64
  %shifted = shl i64 %high.w, 32
  %theirs = or i64 %shifted, %low.w
  %same = icmp eq i64 %theirs, %value
  %one = zext i1 %same to i32
  %bit = shl i32 %one, %l
  %found.n = or i32 %found, %bit
  %l.n = add i32 %l, 1
  %more = icmp ult i32 %l.n, 32
  br i1 %more, label %loop, label %done
done:
  %r = and i32 %found.n, %members
  ret i32 %r
}

define internal { i32, i1 } @gpuasync.source(i32 %b, i32 %c, i32 %mode, i32 %thread) {
  %lane = and i32 %thread, 31
  %by = and i32 %b, 31
  %clamp = and i32 %c, 31
  %c.s = lshr i32 %c, 8
  %segment = and i32 %c.s, 31
  %segment.n = xor i32 %segment, 31
  %low = and i32 %lane, %segment
  %high.c = and i32 %clamp, %segment.n
  %high = or i32 %low, %high.c
  %up = sub i32 %lane, %by
  %up.ok = icmp sge i32 %up, %high
  %down = add i32 %lane, %by
  %down.ok = icmp sle i32 %down, %high
  %fly = xor i32 %lane, %by
  %fly.ok = icmp sle i32 %fly, %high
  %by.s = and i32 %by, %segment.n
  %index = or i32 %low, %by.s
  %index.ok = icmp sle i32 %index, %high
  %is.up = icmp eq i32 %mode, 0
  %is.down = icmp eq i32 %mode, 1
  %is.fly = icmp eq i32 %mode, 2
  %j.1 = select i1 %is.fly, i32 %fly, i32 %index
  %j.2 = select i1 %is.down, i32 %down, i32 %j.1
  %j = select i1 %is.up, i32 %up, i32 %j.2
  %k.1 = select i1 %is.fly, i1 %fly.ok, i1 %index.ok
  %k.2 = select i1 %is.down, i1 %down.ok, i1 %k.1
  %k = select i1 %is.up, i1 %up.ok, i1 %k.2
  %from = select i1 %k, i32 %j, i32 %lane
  %r.1 = insertvalue { i32, i1 } poison, i32 %from, 0
  %r = insertvalue { i32, i1 } %r.1, i1 %k, 1
  ret { i32, i1 } %r
}

define internal i32 @gpuasync.shuffle(i32 %b, i32 %c, i32 %mode, i32 %thread) {
  %s = call { i32, i1 } @gpuasync.source(i32 %b, i32 %c, i32 %mode, i32 %thread)
  %from = extractvalue { i32, i1 } %s, 0
  %value = call i32 @gpuasync.given(ptr @gpuasync.values, i32 %thread, i32 %from)
  ret i32 %value
}

define internal i1 @gpuasync.shuffle.valid(i32 %b, i32 %c, i32 %mode, i32 %thread) {
  %s = call { i32, i1 } @gpuasync.source(i32 %b, i32 %c, i32 %mode, i32 %thread)
  %valid = extractvalue { i32, i1 } %s, 1
  ret i1 %valid
}

define internal i32 @gpuasync.reduce(i32 %kind, i32 %spread, i32 %thread) {
entry:
  %members.p = getelementptr [1024 x i32], ptr @gpuasync.met, i32 0, i32 %thread
  %members = load i32, ptr %members.p
  br label %loop
loop:
  %l = phi i32 [ 0, %entry ], [ %l.n, %next ]
  %value = phi i32 [ 0, %entry ], [ %value.n, %next ]
  %first = phi i1 [ true, %entry ], [ %first.n, %next ]
  %bit = lshr i32 %members, %l
  %one = and i32 %bit, 1
  %member = icmp ne i32 %one, 0
  br i1 %member, label %take, label %next
take:
  %raw = call i32 @gpuasync.given(ptr @gpuasync.values, i32 %thread, i32 %l)
  %shifted = shl i32 %raw, %l
  %spreads = icmp ne i32 %spread, 0
  %x = select i1 %spreads, i32 %shifted, i32 %raw
  br i1 %first, label %next, label %combine
combine:
  %r.add = add i32 %value, %x
  %r.min = call i32 @llvm.smin.i32(i32 %value, i32 %x)
  %r.max = call i32 @llvm.smax.i32(i32 %value, i32 %x)
  %r.umin = call i32 @llvm.umin.i32(i32 %value, i32 %x)
  %r.umax = call i32 @llvm.umax.i32(i32 %value, i32 %x)
  %r.and = and i32 %value, %x
  %r.or = or i32 %value, %x
  %r.xor = xor i32 %value, %x
  %k.1 = icmp eq i32 %kind, 1
  %s.1 = select i1 %k.1, i32 %r.min, i32 %r.add
  %k.2 = icmp eq i32 %kind, 2
  %s.2 = select i1 %k.2, i32 %r.max, i32 %s.1
  %k.3 = icmp eq i32 %kind, 3
  %s.3 = select i1 %k.3, i32 %r.umin, i32 %s.2
  %k.4 = icmp eq i32 %kind, 4
  %s.4 = select i1 %k.4, i32 %r.umax, i32 %s.3
  %k.5 = icmp eq i32 %kind, 5
  %s.5 = select i1 %k.5, i32 %r.and, i32 %s.4
  %k.6 = icmp eq i32 %kind, 6
  %s.6 = select i1 %k.6, i32 %r.or, i32 %s.5
  %k.7 = icmp eq i32 %kind, 7
  %s.7 = select i1 %k.7, i32 %r.xor, i32 %s.6
  br label %next
next:
  %value.n = phi i32 [ %value, %loop ], [ %x, %take ], [ %s.7, %combine ]
  %first.n = phi i1 [ %first, %loop ], [ false, %take ], [ false, %combine ]
  %l.n = add i32 %l, 1
  %more = icmp ult i32 %l.n, 32
  br i1 %more, label %loop, label %done
done:
  ret i32 %value.n
}

define internal void @gpuasync.leave(i32 %thread) {
entry:
  call void @gpuasync.moved()
  %where = getelementptr i32, ptr $WHERE, i32 %thread
  store i32 -2, ptr %where
  %alive = load i32, ptr @gpuasync.alive
  %fewer = sub i32 %alive, 1
  store i32 %fewer, ptr @gpuasync.alive
  %w = lshr i32 %thread, 5
  %lane = and i32 %thread, 31
  %bit = shl i32 1, %lane
  %others = xor i32 %bit, -1
  %mask.p = getelementptr [32 x i32], ptr @gpuasync.warp.alive, i32 0, i32 %w
  %mask = load i32, ptr %mask.p
  %mask.n = and i32 %mask, %others
  store i32 %mask.n, ptr %mask.p
  %waiting.p = getelementptr [32 x i32], ptr @gpuasync.warp.waiting, i32 0, i32 %w
  %waiting.lanes = load i32, ptr %waiting.p
  br label %groups
groups:
  %rest = phi i32 [ %waiting.lanes, %entry ], [ %rest.n, %group ]
  %waits = icmp ne i32 %rest, 0
  br i1 %waits, label %group, label %grouped
group:
  %wanted = call i32 @gpuasync.warp.first(i32 %w, i32 %rest, ptr @gpuasync.wanted)
  %with = call i32 @gpuasync.warp.with(i32 %w, i32 %wanted)
  call void @gpuasync.warp.check(i32 %w, i32 %wanted)
  %without = xor i32 %with, -1
  %rest.n = and i32 %rest, %without
  br label %groups
grouped:
  %waiting = load i32, ptr @gpuasync.waiting
  %some = icmp ne i32 %waiting, 0
  br i1 %some, label %bars, label %done
bars:
  %b = phi i32 [ 0, %grouped ], [ %b.n, %bars ]
  call void @gpuasync.bar.check(i32 %b)
  %b.n = add i32 %b, 1
  %b.c = icmp ult i32 %b.n, 16
  br i1 %b.c, label %bars, label %done
done:
  ret void
}
"""
