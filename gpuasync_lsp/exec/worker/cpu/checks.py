"""Checked memory accesses: the IR functions that instrumented code calls before it accesses memory.

`gpuasync_device(ptr, size, what)`, `gpuasync_shared(...)` and `gpuasync_host(...)` return the pointer to use:
their argument, or the address of a dummy buffer if the access is not allowed, so that the program continues.
`what` packs the site, the kind and the required alignment. The fast path finds the region in the page table,
compares the bounds, and for a device access marks the bytes in the region's bit map. Addresses outside the
arena are looked up in the table of `mappings.py`, and those of shared memory are compared with every buffer.
All other accesses call `gpuasync_device_slow` and similar callbacks, which record findings, unless they are
bad in the same way as the op's previous one (`repeats.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gpuasync_lsp.exec.worker.cpu.arena import DEVICE_MAY, ENTRY_BYTES, HOST_MAY, Arena
from gpuasync_lsp.exec.worker.cpu.mappings import Mappings, look_up
from gpuasync_lsp.exec.worker.cpu.repeats import Repeats

READ, WRITE, ATOMIC = 0, 1, 2


def encoded(site: int, kind: int, alignment: int = 1) -> int:
    """Pack the `what` argument of a check; `alignment` is a power of two up to 2**15."""
    return site << 6 | (alignment.bit_length() - 1) << 2 | kind


def decoded(what: int) -> tuple[int, int, int]:
    """Return the site, kind and alignment in a packed `what` argument."""
    return what >> 6, what & 3, 1 << (what >> 2 & 15)


DYNAMIC_SHARED, DYNAMIC_SIZE = "@gpuasync.dynamic", "@gpuasync.dynamic.size"
"""The names of the buffer for dynamic shared memory, and of the variable with its size in the current
launch."""

EARLY = "@gpuasync.early.now"
"""A variable that is nonzero while a dependent launch runs early, before the previous kernel ends."""

WIDEST = 32
"""The maximum number of bytes that one call checks; wider accesses are split."""

ENTRY = "{ i64, i64, [3 x ptr], i64, ptr, i64, ptr }"
"""A row of the region table: start, end, bit maps by kind, flags, shadow memory, the number of bytes that the
shadow memory covers, and the bit map of initialized bytes."""


BLOCK_NOW, THREAD_NOW = "@gpuasync.now.block", "@gpuasync.now.thread"
"""Variables in a kernel module with the numbers of the running block and of the running thread in it."""
REPORT_THREAD = f"""  %now.block = load i64, ptr {BLOCK_NOW}
  %now.thread = load i32, ptr {THREAD_NOW}
  call void @gpuasync_accessor(i64 %now.block, i32 %now.thread)"""


def device_check(arena: Arena, mappings: Mappings, regions: str, repeats: Repeats) -> str:
    """Return the IR of `gpuasync_device` for one core; `regions` is the address of its region table."""
    declared = "declare void @gpuasync_accessor(i64, i32)\n"
    return (
        declared
        + look_up(mappings)
        + repeats.code()
        + _look_up(arena, "device", DEVICE_MAY, _MARK.format(entry=ENTRY), regions)
    )


def host_check(arena: Arena, mappings: Mappings, watch_address: int, repeats: Repeats) -> str:
    """Return the IR of `gpuasync_host`; the i32 at `watch_address` is nonzero if device work is pending."""
    regions = f"inttoptr (i64 {arena.table(0)} to ptr)"
    watch = _WATCH.format(pending=watch_address)
    return look_up(mappings) + repeats.code() + _look_up(arena, "host", HOST_MAY, watch, regions)


def shared_check(buffers: Mapping[str, int]) -> str:
    """Return the IR of `gpuasync_shared` and `gpuasync_shared_of`, the checks for shared memory.

    `gpuasync_shared` accepts aligned accesses inside any buffer, `gpuasync_shared_of` only inside the
    buffer passed as an argument. `buffers` maps the `addrspace(3)` globals to their sizes in bytes, 0 if
    the launch determines the size; each must be followed by unused memory."""
    sized: dict[str, int | str] = {name: size for name, size in buffers.items() if size}
    if len(sized) < len(buffers):
        sized[DYNAMIC_SHARED] = "%dynamic.size"
    lines = [
        _SHARED_OF,
        f"declare ptr @gpuasync_shared_slow(ptr, i64, i32) {REPORTER}",
        "define internal ptr @gpuasync_shared(ptr %p, i64 %n, i32 %what) {",
        "  %a = ptrtoint ptr %p to i64",
        f"  %dynamic.size = load i64, ptr {DYNAMIC_SIZE}",
    ]
    inside = "false"
    for number, (name, size) in enumerate(sized.items()):
        lines += [
            f"  %start{number} = ptrtoint ptr addrspace(3) {name} to i64",
            f"  %offset{number} = sub i64 %a, %start{number}",
            f"  %room{number} = sub i64 {size}, %n",
            f"  %fits{number} = icmp sge i64 %room{number}, 0",
            f"  %within{number} = icmp ule i64 %offset{number}, %room{number}",
            f"  %this{number} = and i1 %fits{number}, %within{number}",
            f"  %inside{number} = or i1 {inside}, %this{number}",
        ]
        inside = f"%inside{number}"
    return "\n".join(
        [
            *lines,
            "  %log.s = lshr i32 %what, 2",
            "  %log = and i32 %log.s, 15",
            "  %unit = shl i32 1, %log",
            "  %low = sub i32 %unit, 1",
            "  %low.w = zext i32 %low to i64",
            "  %rest = and i64 %a, %low.w",
            "  %aligned = icmp eq i64 %rest, 0",
            f"  %ok = and i1 {inside}, %aligned",
            "  br i1 %ok, label %yes, label %no",
            "yes:",
            "  ret ptr %p",
            "no:",
            f"  %key = select i1 %aligned, i32 {_SHARED_KEY}, i32 {_MISALIGNED_KEY}",
            _AGAIN,
            REPORT_THREAD,
            "  %sink = call ptr @gpuasync_shared_slow(ptr %p, i64 %n, i32 %what)",
            "  ret ptr %sink",
            "}",
            "",
        ]
    )


_SHARED_KEY, _MISALIGNED_KEY, _PRIVATE_KEY = 1 << 30, 1 << 30 | 1, 1 << 30 | 2
"""What an access reached, for `repeats.py`; the other keys are numbers of regions, and pages without one."""

_AGAIN = """  %again = call ptr @gpuasync.again(i32 %what, i32 %key)
  %is.again = icmp ne ptr %again, null
  br i1 %is.again, label %skip, label %slow
skip:
  ret ptr %again
slow:"""
"""Ends a check of a bad access `%what` that reached `%key`: continues at `slow` if it has to be reported."""


def size_of(type: str) -> int:
    """Return the number of bytes that a load or store of an LLVM type accesses.

    0 for types of unknown size, and for structures with padding, which a store may skip."""
    if (vector := re.fullmatch(r"<(\d+) x ([^{}]+)>", type)) is not None:
        element = size_of(vector[2])
        return int(vector[1]) * element if vector[2] != "i1" else (int(vector[1]) + 7) // 8
    if type.startswith("ptr"):
        return 8
    if (integer := re.fullmatch(r"i(\d+)", type)) is not None:
        return (int(integer[1]) + 7) // 8
    if (array := re.fullmatch(r"\[(\d+) x (.+)\]", type)) is not None:
        return int(array[1]) * size_of(array[2])
    if type[:1] == "{":
        return _size_of_fields(type[1:-1])
    return {"half": 2, "bfloat": 2, "float": 4, "double": 8, "fp128": 16, "x86_fp80": 10}.get(type, 0)


def _size_of_fields(text: str) -> int:
    """Return the size of a structure's fields, or 0 if it has padding."""
    fields = list(_fields(text))
    sizes = [size_of(field) for field in fields]
    if not all(sizes):
        return 0
    alignments = [_alignment_of(field) for field in fields]
    at = 0
    for size, alignment in zip(sizes, alignments, strict=True):
        if at % alignment:
            return 0
        at += size
    return at if at % max(alignments, default=1) == 0 else 0


def _fields(text: str) -> Iterator[str]:
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character in "[{<") - (character in ">}]")
        if character == "," and not depth:
            yield text[start:index].strip()
            start = index + 1
    yield text[start:].strip()


def _alignment_of(type: str) -> int:
    """Return the alignment of a type of known size inside structures, on the supported machines."""
    if (array := re.fullmatch(r"\[\d+ x (.+)\]", type)) is not None:
        return _alignment_of(array[1])
    if type[:1] == "{":
        return max(map(_alignment_of, _fields(type[1:-1])))
    return 1 << (min(size_of(type), 16) - 1).bit_length()


def type_bytes(type: str) -> int:
    """Return the size in bytes of an LLVM scalar, vector or array type; 0 for others."""
    array = re.fullmatch(r"\[(\d+) x (.+)\]", type)
    return int(array[1]) * type_bytes(array[2]) if array is not None else size_of(type)


REPORTER = "cold nounwind memory(read, inaccessiblemem: readwrite)"
"""Attributes of the functions that report accesses. These functions change no memory that the kernel can
read, so a loop need not reload values after a call."""

_SHARED_OF = f"""
define internal ptr addrspace(3) @gpuasync_shared_of(ptr addrspace(3) %p, ptr addrspace(3) %buffer, i64 %room,
                                                     i64 %n, i32 %what) alwaysinline {{
  %a = ptrtoint ptr addrspace(3) %p to i64
  %start = ptrtoint ptr addrspace(3) %buffer to i64
  %offset = sub i64 %a, %start
  %last = sub i64 %room, %n
  %within = icmp ule i64 %offset, %last
  %log.s = lshr i32 %what, 2
  %log = and i32 %log.s, 15
  %unit = shl i32 1, %log
  %low = sub i32 %unit, 1
  %low.w = zext i32 %low to i64
  %rest = and i64 %offset, %low.w
  %aligned = icmp eq i64 %rest, 0
  %ok = and i1 %within, %aligned
  br i1 %ok, label %yes, label %no
yes:
  ret ptr addrspace(3) %p
no:
  %sink = call ptr addrspace(3) @gpuasync_shared_else(ptr addrspace(3) %p, i64 %n, i32 %what)
  ret ptr addrspace(3) %sink
}}
define internal ptr addrspace(3) @gpuasync_shared_else(ptr addrspace(3) %p, i64 %n, i32 %what) noinline
    {REPORTER} {{
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %checked = call ptr @gpuasync_shared(ptr %g, i64 %n, i32 %what)
  %result = addrspacecast ptr %checked to ptr addrspace(3)
  ret ptr addrspace(3) %result
}}
"""

PRIVATE_CHECK = f"""
declare ptr @gpuasync_private_slow(i64, i64, i64, i32) {REPORTER}
define internal ptr @gpuasync_private_else(i64 %offset, i64 %room, i64 %n, i32 %what) noinline {REPORTER} {{
  %key = add i32 0, {_PRIVATE_KEY}
{_AGAIN}
{REPORT_THREAD}
  %sink = call ptr @gpuasync_private_slow(i64 %offset, i64 %room, i64 %n, i32 %what)
  ret ptr %sink
}}
define internal ptr @gpuasync_private(ptr %p, ptr %base, i64 %room, i64 %n, i32 %what) alwaysinline {{
  %a = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %base to i64
  %offset = sub i64 %a, %start
  %enough = icmp uge i64 %room, %n
  %last = sub i64 %room, %n
  %within = icmp ule i64 %offset, %last
  %fits = and i1 %enough, %within
  br i1 %fits, label %yes, label %no
yes:
  ret ptr %p
no:
  %sink = call ptr @gpuasync_private_else(i64 %offset, i64 %room, i64 %n, i32 %what)
  ret ptr %sink
}}
"""
"""The IR of `gpuasync_private`, which checks that an access is inside one local variable of a thread."""


def check_calls(which: str, pointer: str, size: int, what: int, names: Names) -> tuple[list[str], str]:
    """Return the IR lines that check an access, and the pointer for the access."""
    lines: list[str] = []
    result = pointer
    for offset in range(0, size, WIDEST):
        piece = min(WIDEST, size - offset)
        address = pointer
        if offset:
            address = names.fresh()
            lines.append(f"  {address} = getelementptr i8, ptr {pointer}, i64 {offset}")
        checked = names.fresh()
        lines.append(f"  {checked} = call ptr @gpuasync_{which}(ptr {address}, i64 {piece}, i32 {what})")
        if not offset:
            result = checked
    return lines, result


def as_generic(type: str, pointer: str, names: Names) -> tuple[list[str], str]:
    """Return the code that converts a pointer to a generic pointer, if it is not one, and the result."""
    if type == "ptr":
        return [], pointer
    generic = names.fresh()
    return [f"  {generic} = addrspacecast {type} {pointer} to ptr"], generic


class Names:
    """Generates unique value names for inserted instructions."""

    def __init__(self) -> None:
        self._count = 0

    def fresh(self) -> str:
        """Return a name that is not used elsewhere."""
        self._count += 1
        return f"%gpuasync.{self._count}"


def _look_up(arena: Arena, which: str, flag: int, allowed: str, regions: str) -> str:
    return _LOOK_UP.format(
        report=REPORT_THREAD if which == "device" else "",
        which=which,
        base=arena.base,
        size=arena.size,
        table=arena.page_table,
        regions=regions,
        entry=ENTRY,
        flag=flag,
        allowed=allowed,
        again=_AGAIN,
    )


assert ENTRY_BYTES == 72

_LOOK_UP = """
declare ptr @gpuasync_{which}_slow(ptr, i64, i32)
define internal ptr @gpuasync_{which}(ptr %p, i64 %n, i32 %what) {{
entry:
  %a = ptrtoint ptr %p to i64
  %offset = sub i64 %a, {base}
  %inside = icmp ult i64 %offset, {size}
  br i1 %inside, label %look, label %outside
outside:
  %mapped = call i1 @gpuasync_mapped(i64 %a, i64 %n, i32 %what)
  br i1 %mapped, label %yes, label %bad
look:
  %page = lshr i64 %offset, 12
  %numbers = inttoptr i64 {table} to ptr
  %place = getelementptr i32, ptr %numbers, i64 %page
  %number = load i32, ptr %place
  %region = getelementptr {entry}, ptr {regions}, i32 %number
  %start = load i64, ptr %region
  %end.p = getelementptr {entry}, ptr %region, i32 0, i32 1
  %end = load i64, ptr %end.p
  %flags.p = getelementptr {entry}, ptr %region, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %flag = and i64 %flags, {flag}
  %may = icmp ne i64 %flag, 0
  %after = icmp uge i64 %a, %start
  %last = add i64 %a, %n
  %before = icmp ule i64 %last, %end
  %bounds = and i1 %after, %before
  %log.s = lshr i32 %what, 2
  %log = and i32 %log.s, 15
  %unit = shl i32 1, %log
  %low = sub i32 %unit, 1
  %low.w = zext i32 %low to i64
  %rest = and i64 %a, %low.w
  %aligned = icmp eq i64 %rest, 0
  %allowed.b = and i1 %bounds, %may
  %ok = and i1 %allowed.b, %aligned
  br i1 %ok, label %allowed, label %bad
allowed:
{allowed}
bad:
  %reached = phi i32 [ 0, %outside ], [ %number, %look ]
  %is.aligned = phi i1 [ true, %outside ], [ %aligned, %look ]
  %far = lshr i64 %a, 12
  %far.t = trunc i64 %far to i32
  %far.key = or i32 %far.t, -2147483648
  %near = icmp ne i32 %reached, 0
  %number.s = shl i32 %reached, 1
  %aligned.n = zext i1 %is.aligned to i32
  %near.key = or i32 %number.s, %aligned.n
  %key = select i1 %near, i32 %near.key, i32 %far.key
{again}
{report}
  %sink = call ptr @gpuasync_{which}_slow(ptr %p, i64 %n, i32 %what)
  ret ptr %sink
yes:
  ret ptr %p
}}
"""

_MARK = """  %kind = and i32 %what, 3
  %bits.p = getelementptr {entry}, ptr %region, i32 0, i32 2, i32 %kind
  %bits = load ptr, ptr %bits.p
  %untracked = icmp eq ptr %bits, null
  br i1 %untracked, label %slow, label %mark
mark:
  %relative = sub i64 %a, %start
  %byte = lshr i64 %relative, 3
  %shift = and i64 %relative, 7
  %one = shl i64 1, %n
  %ones = sub i64 %one, 1
  %mask = shl i64 %ones, %shift
  %word.p = getelementptr i8, ptr %bits, i64 %byte
  %word = load i64, ptr %word.p, align 1
  %new = or i64 %word, %mask
  store i64 %new, ptr %word.p, align 1
  br label %yes"""

_WATCH = """  %pending.p = inttoptr i64 {pending} to ptr
  %pending = load i32, ptr %pending.p
  %idle = icmp eq i32 %pending, 0
  br i1 %idle, label %yes, label %slow"""
