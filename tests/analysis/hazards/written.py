"""Handwritten pairs and race-free programs, based on the documentation only: `written/*.mlir`.

A program begins at a line `//// name`, for pairs `//// name: kind`; the kernels of `head.mlir` precede it.
A line that begins with `-` is only in the broken program, one with `+` only in its repaired twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.analysis.hazards.pairs import Pair

FOLDER = Path(__file__).parent / "written"
CONSTANTS = (
    "%c0 = arith.constant 0 : index",
    "%c1 = arith.constant 1 : index",
    "%c8m1 = arith.constant 7 : index",
    "%c8 = arith.constant 8 : index",
    "%c64 = arith.constant 64 : index",
    "%f = arith.constant 0.0 : f32",
)
GRID = "blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)"


def written_pairs() -> Iterator[Pair]:
    """Yield the pairs."""
    for title, body in _sections("pairs.mlir"):
        name, kind = title.split(": ")
        lines = body.split("\n")
        broken = [" " + line[1:] if line.startswith("-") else line for line in lines if line[:1] != "+"]
        sound = [" " + line[1:] if line.startswith("+") else line for line in lines if line[:1] != "-"]
        yield Pair(f"written/{name}", kind, _program("\n".join(broken)), _program("\n".join(sound)))


def written_free() -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the race-free programs."""
    for name, body in _sections("free.mlir"):
        yield f"written/{name}", _program(body)


def _sections(file: str) -> Iterator[tuple[str, str]]:
    _, *sections = (FOLDER / file).read_text().split("//// ")
    for section in sections:
        title, _, body = section.partition("\n")
        yield title, body


def _program(body: str) -> str:
    head = (FOLDER / "head.mlir").read_text()
    return head + body.replace("CONSTS", "\n  ".join(CONSTANTS)).replace("GRID", GRID) + "}\n"
