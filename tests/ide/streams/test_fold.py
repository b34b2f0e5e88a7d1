"""Folding of equal streams."""

from __future__ import annotations

from gpuasync_lsp.ide.streams import pictures
from gpuasync_lsp.ide.streams.fold import folded
from tests.support.marks import state_of

PART = """  %s{n} = gpu.wait async
  %m{n}, %a{n} = gpu.alloc async [%s{n}] () : memref<8xf32>
  %c{n} = gpu.memcpy async [%a{n}] %m{n}, %h : memref<8xf32>, memref<8xf32>
"""
END = "  gpu.wait [%c{n}]\n"
OTHER = "  %o = gpu.wait async\n  %x = gpu.memset async [%o] %d, %v : memref<8xf32>, f32\n  gpu.wait [%x]\n"


def source(count: int, end: str, other: str = "", first: str = "") -> str:
    body = "".join(PART.format(n=n) for n in range(count))
    waits = "".join(end.format(n=n) for n in range(count))
    head = "func.func @f(%h: memref<8xf32>, %d: memref<8xf32>, %v: f32) {\n"
    return f"{head}{first}{body}{waits}{other}  return\n}}\n"


def test_alike_streams_are_one_with_a_count() -> None:
    (picture,) = pictures(state_of(source(6, END, first=OTHER)))
    small = folded(picture)
    assert [lane.name for lane in small.lanes] == ["host", "stream 0", "stream 1, 6 alike"]
    assert "stream 6" in small.lanes[2].detail
    assert len(small.rows) == len(picture.rows) - 5 * 4
    assert small.streams == picture.streams == 7
    assert max(row.lane for row in small.rows) == 2


def test_one_wait_for_all_stays() -> None:
    names = ", ".join(f"%c{n}" for n in range(6))
    (picture,) = pictures(state_of(source(6, "", f"  gpu.wait [{names}]\n")))
    small = folded(picture)
    assert [lane.name for lane in small.lanes] == ["host", "stream 0, 6 alike"]
    assert any(row.waits == (1,) for row in small.rows)


def test_what_differs_stays_apart() -> None:
    (picture,) = pictures(state_of(source(2, END, OTHER)))
    assert folded(picture) is picture
    text = source(4, END).replace("gpu.wait [%c1]\n", "")  # One stream leaks.
    (picture,) = pictures(state_of(text))
    assert [lane.name for lane in folded(picture).lanes] == ["host", "stream 0, 3 alike", "stream 1"]
