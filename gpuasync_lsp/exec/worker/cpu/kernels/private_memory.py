"""Detects uninitialized reads of a thread's variables, and accesses after their lifetime.

A watched variable has a mark byte for each of its bytes, which is set to 1 when the byte is written, and to 2
after the lifetime. A variable is watched only if all uses of its address are known: otherwise writes
through a phi, a call or memory would be missed and reported as uninitialized reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, REPORT_THREAD, REPORTER, Names, encoded
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import Access, access
from gpuasync_lsp.exec.worker.cpu.kernels.pointers import Pointers

LARGEST = 4096
"""The maximum size in bytes of a watched variable, because each allocation clears its marks."""

_NAME = re.compile(r"%(?:\"[^\"]+\"|[\w.$-]+)")
_SIZES = (1, 2, 4, 8, 16, 32)

ENDED = 2
"""The mark of bytes after their variable's lifetime."""

LIFETIME = re.compile(r"llvm\.lifetime\.(start|end)\.")
"""Matches the intrinsics that the inliner inserts around the lifetime of a callee's variables."""


class PrivateMemory:
    """The variables of one kernel's threads; with `marked`, generates the code that checks their accesses."""

    def __init__(self, lines: Sequence[str], names: Names, *, marked: bool) -> None:
        pointers = Pointers({})
        bare = [line.partition(", !")[0] for line in lines]
        rest = [line for line in bare if not pointers.learn(line)]
        rooms = pointers.variables()
        self._lost = _lost(rest, pointers, calls=False) if rooms else set[str]()
        self._rooms: Mapping[str, int] = {}
        if marked and rooms:
            hidden = _lost(rest, pointers, calls=True)
            self._rooms = {n: r for n, r in rooms.items() if 0 < r <= LARGEST and n not in hidden}
        self._ending = {
            variable
            for line in rest
            if "@llvm.lifetime.end." in line
            for name in _NAME.findall(line)
            if (variable := pointers.variable(name)) is not None
        }
        """The variables of inlined functions."""
        self._names = names

    def may_move(self, variable: str) -> bool:
        """Return whether an alloca may move out of loops, because no later iteration uses its address."""
        return variable not in self._lost

    def made(self, line: str, moved: list[str]) -> list[str]:
        """Return the code that replaces a moved alloca in its block; append its marks to `moved`."""
        name = line.split("=", 1)[0].strip()
        room = self._rooms.get(name)
        if room is None:
            return []
        marks = self._marks(name)
        moved.append(f"  {marks} = alloca [{room} x i8], align 8")
        return [f"  call void @llvm.memset.p0.i64(ptr {marks}, i8 0, i64 {room}, i1 false)"]

    def lifetime(self, name: str, argument: str) -> list[str] | None:
        """Return the replacement for a call of the intrinsic `name` on a variable; None if it is not
        watched."""
        found = LIFETIME.match(name)
        variable = argument.rsplit(" ", 1)[-1]
        room = self._rooms.get(variable)
        if found is None or room is None:
            return None
        mark = ENDED if found[1] == "end" else 0
        marks = self._marks(variable)
        return [f"  call void @llvm.memset.p0.i64(ptr {marks}, i8 {mark}, i64 {room}, i1 false)"]

    def accessed(self, found: Access, variable: str, site: int) -> list[str]:
        """Return the code that checks the marks of read bytes, and sets the marks of written bytes."""
        room = self._rooms.get(variable)
        if room is None:
            return []
        where = f"ptr {found.pointer}, ptr {variable}, ptr {self._marks(variable)}, i64 {room}"
        lines: list[str] = []
        for offset, size in _pieces(found.size):
            at = f"{where}, i64 {offset}"
            what = encoded(site, found.kind)
            if found.kind in (READ, ATOMIC):
                lines.append(f"  call void @gpuasync.private.read.{size}({at}, i32 {what})")
            elif variable in self._ending:
                lines.append(f"  call void @gpuasync.private.alive({at}, i64 {size}, i32 {what})")
            if found.kind != READ:
                lines.append(f"  call void @gpuasync.private.write.{size}({at})")
        return lines

    @staticmethod
    def _marks(variable: str) -> str:
        return f'%"gpuasync.marks.{variable[1:].strip(chr(34))}"'


def _pieces(size: int) -> list[tuple[int, int]]:
    """Split `size` bytes into pieces that one call can check; return their offsets and sizes."""
    pieces: list[tuple[int, int]] = []
    offset = 0
    while offset < size:
        piece = max(each for each in _SIZES if each <= size - offset)
        pieces.append((offset, piece))
        offset += piece
    return pieces


def _lost(lines: Sequence[str], pointers: Pointers, *, calls: bool) -> set[str]:
    """Return the variables whose address escapes; with `calls`, passing it to a call counts as escaping."""
    lost: set[str] = set()
    for line in lines:
        head, equals, tail = line.partition(" = ")
        text = tail if equals and head.strip().startswith("%") else line
        if "@llvm.lifetime." in text or (not calls and " call " in f" {text}"):
            continue
        names = _NAME.findall(text)
        found = access(line)
        variable = pointers.variable(found.pointer) if found is not None else None
        if found is not None and found.size and variable is not None and found.kind != ATOMIC:
            names = _NAME.findall(found.value)
        for name in names:
            lost |= pointers.reached(name)
    return lost


def _functions(size: int) -> str:
    bits = 8 * size
    ones = int("01" * size, 16)
    return f"""
define internal void @gpuasync.private.write.{size}(ptr %p, ptr %base, ptr %marks, i64 %room, i64 %more) alwaysinline {{
  %a = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %base to i64
  %first = sub i64 %a, %start
  %offset = add i64 %first, %more
  %last = sub i64 %room, {size}
  %fits = icmp ule i64 %offset, %last
  br i1 %fits, label %yes, label %done
yes:
  %mark = getelementptr i8, ptr %marks, i64 %offset
  store i{bits} {ones}, ptr %mark, align 1
  br label %done
done:
  ret void
}}
define internal void @gpuasync.private.read.{size}(ptr %p, ptr %base, ptr %marks, i64 %room, i64 %more, i32 %what) alwaysinline {{
  %a = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %base to i64
  %first = sub i64 %a, %start
  %offset = add i64 %first, %more
  %last = sub i64 %room, {size}
  %fits = icmp ule i64 %offset, %last
  br i1 %fits, label %yes, label %done
yes:
  %mark = getelementptr i8, ptr %marks, i64 %offset
  %marked = load i{bits}, ptr %mark, align 1
  %all = icmp eq i{bits} %marked, {ones}
  br i1 %all, label %done, label %tell
tell:
  call void @gpuasync.private.report(ptr %mark, i64 %offset, i64 %room, i64 {size}, i32 %what)
  br label %done
done:
  ret void
}}
"""  # noqa: E501 - IR has no line breaks inside a signature


_ALIVE = f"""
declare void @gpuasync_private_unwritten(i64, i64, i64, i32, i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define internal void @gpuasync.private.report(ptr %mark, i64 %offset, i64 %room, i64 %n, i32 %what) noinline {REPORTER} {{
  %first = load i8, ptr %mark
  %state = zext i8 %first to i32
  %key = or i32 %state, -8
  %again = call ptr @gpuasync.again(i32 %what, i32 %key)
  %is.again = icmp ne ptr %again, null
  br i1 %is.again, label %done, label %tell
tell:
{REPORT_THREAD}
  call void @gpuasync_private_unwritten(i64 %offset, i64 %room, i64 %n, i32 %what, i32 %state)
  br label %done
done:
  ret void
}}
define internal void @gpuasync.private.alive(ptr %p, ptr %base, ptr %marks, i64 %room, i64 %more, i64 %n, i32 %what) {{
  %a = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %base to i64
  %first = sub i64 %a, %start
  %offset = add i64 %first, %more
  %inside = icmp ult i64 %offset, %room
  br i1 %inside, label %look, label %done
look:
  %mark = getelementptr i8, ptr %marks, i64 %offset
  %state = load i8, ptr %mark
  %ended = icmp eq i8 %state, {ENDED}
  br i1 %ended, label %dead, label %done
dead:
  call void @gpuasync.private.report(ptr %mark, i64 %offset, i64 %room, i64 %n, i32 %what)
  br label %done
done:
  ret void
}}
"""  # noqa: E501 - as above

PRIVATE_FUNCTIONS = _ALIVE + "".join(map(_functions, _SIZES))
"""The IR of functions that the code of `PrivateMemory` calls."""
