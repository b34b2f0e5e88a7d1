"""A line is typed key by key, beside lines that are broken: what is read is what the text gives by itself."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from benchmarks.generate import module
from gpuasync_lsp.syntax import Change, SourceFile, parse_source
from tests.syntax.corpus import TEXTS
from tests.syntax.test_fuzz import summary

BROKEN = (
    "%",
    "]",
    "%zz",
    "%zz =",
    "%zz = gpu.",
    "gpu.wait async",
    "scf.if %",
    "%zz = gpu.memset async [%",
    "@f",
    "scf.for %zi = %c1 to %c1 step %c1 {",
    "%zz = arith.constant {a",
)
"""Lines in the middle of being typed."""


pytestmark = pytest.mark.usefixtures("patched_small_functions")


def typed(rng: random.Random, text: str) -> list[str]:
    """Return the texts while one line of `text` is taken out or stays, and one is typed."""
    lines = text.split("\n")
    at = rng.randrange(1, len(lines))
    line = lines[at] if rng.random() < 0.7 else rng.choice(lines)
    if rng.random() < 0.4:
        lines[at : at + 1] = []
    if rng.random() < 0.4:
        line = line.replace("%", "%new", 1)
    found = ["\n".join(lines)]
    for end in range(len(line) + 1):
        if rng.random() < 0.6 or end == len(line):
            found.append("\n".join([*lines[:at], line[:end], *lines[at:]]))
    if rng.random() < 0.5:
        found.append(found[0])
    return found


def texts(rng: random.Random, text: str) -> list[str]:
    """Return the texts of a session of typing in `text`."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        lines = text.split("\n")
        lines.insert(rng.randrange(1, len(lines)), "  " + rng.choice(BROKEN))
        text = "\n".join(lines)
    found = [text]
    for _ in range(2):
        found += typed(rng, found[-1])
    return found


def change(old: str, new: str) -> Change:
    """Return what makes `new` of `old`."""
    start = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    back = 0
    while back < min(len(old), len(new)) - start and old[-1 - back] == new[-1 - back]:
        back += 1
    return Change(start, len(old) - back, len(new) - back)


def session(seed: int) -> int:
    """Compare after each key; return how often statements alone were read again."""
    rng = random.Random(seed)
    source: SourceFile | None = None
    kept = 0
    for text in texts(rng, rng.choice(TEXTS)):
        before = [] if source is None else [op for placed in source.items for op in placed.item.ops]
        source = parse_source(text, source, change(source.text, text) if source else None)
        kept += any(op in before for placed in source.items for op in placed.item.ops)
        assert summary(source) == summary(parse_source(text)), f"seed {seed}"
    return kept


@pytest.mark.parametrize("seed", range(8))
def test_a_line_is_typed(seed: int) -> None:
    session(seed)


@pytest.mark.slow
def test_hundreds_of_lines_are_typed() -> None:
    for seed in range(5_000, 5_060):
        session(seed)


def test_a_use_above_the_definition_of_another_type() -> None:
    """The error is one of the definition, which stands in lines that nobody types."""
    text = """func.func @f(%c: i1) -> i32 {
  %z = arith.constant 0 : i32
  return %p : i
  %r = arith.constant 0 : i32
  cf.cond_br %c, ^bb1(%r : i32), ^bb1(%z : i32)
^bb1(%p: i32):
  return %p : i32
}
"""
    at = text.index("return %p : i\n") + len("return %p : i")
    typed = f"{text[:at]}3{text[at:]}"
    assert summary(parse_source(typed, parse_source(text), Change(at, at, at + 1))) == summary(
        parse_source(typed)
    )


def test_an_op_without_its_dialect_in_a_function_whose_head_is_broken() -> None:
    text = "func.func @f(%a: i)ndex, %b: i1) {\n  %0 = arith.constant 0 : i32\n  return\n}\n"
    at = text.index("0 : i32") + 1
    typed = f"{text[:at]}return{text[at:]}"
    assert summary(parse_source(typed, parse_source(text), Change(at, at, at + 6))) == summary(
        parse_source(typed)
    )


def test_the_rest_of_an_op_with_regions_is_typed() -> None:
    text = "gpu.module @k {\n  func.func private @f(index) \n  gpu.func @g() {\n    gpu.return\n  }\n}\n"
    at = text.index("(index) ") + len("(index) ")
    typed = f"{text[:at]}-> !{text[at:]}"
    assert summary(parse_source(typed, parse_source(text), Change(at, at, at + 4))) == summary(
        parse_source(typed)
    )


def test_a_line_that_is_typed_beside_one_that_was_taken_out_is_the_only_one_that_came() -> None:
    """What was taken out before is no part of what somebody types now."""
    lines = module(60, 60).split("\n")
    at = next(n for n, line in enumerate(lines) if "gpu.memset async" in line)
    token = lines[at].partition("[")[2].partition("]")[0]
    kind = "memref<1024xf32>"
    rows = [f"    %gone = gpu.dealloc async [{token}] %d : {kind}"]
    texts = ["\n".join(lines), "\n".join([*lines[:at], *rows, *lines[at:]]), "\n".join(lines)]
    typed = f"    %new = gpu.memcpy async [{token}] %d, %h : {kind}, {kind}"
    texts += ["\n".join([*lines[:at], typed[:end], *lines[at:]]) for end in range(5, len(typed) + 1)]
    source = parse_source(texts[0])
    for before, text in pairwise(texts):
        source = parse_source(text, source, change(before, text))
    edit = [placed.item for placed in source.items][-1].before
    assert edit is not None
    assert edit.lines is not None
    assert [op.name for op in edit.lines.made] == ["gpu.memcpy"]
    assert not edit.lines.gone
