"""What is wrong with a statement, and makes no other op of it, comes and goes: what else is said of a large
function is moved, and is what it would be from scratch."""

from __future__ import annotations

import random
import re

import pytest

from benchmarks.generate import module
from tests.ide.document.test_incremental import copies, findings, state
from tests.ide.document.test_work_lines import are_equal

_TYPES = (
    "memref<9xf32>",
    "memref<8xf64>",
    "memref<8xf32, 1>",
    "memref<?xf32>",
    "memref< 8 x f32 >",
    "memref<8xf3>",
)


pytestmark = pytest.mark.usefixtures("patched_small_functions")


def respelled(rng: random.Random, text: str) -> str:
    """Write another type in a line, or the right one again, or take out or put in a character."""
    lines = text.split("\n")
    at = rng.randrange(8, len(lines) - 2)
    line = lines[at]
    place = rng.randrange(len(line) + 1)
    match rng.randrange(7):
        case 0:
            line = line.replace("memref<8xf32>", rng.choice(_TYPES), rng.choice((1, 2)))
        case 1:
            line = re.sub(r"memref<[^>]*>", "memref<8xf32>", line)
        case 2:
            line = line.replace("f32", rng.choice(("f64", "index", "f16")), 1)
        case 3:
            line = line.replace(": index", rng.choice((": i32", ":index", ": index {}")))
        case 4:
            line = line[:place] + line[place + 1 :]
        case 5:
            line = line[:place] + rng.choice("%a1:>x, ]") + line[place:]
        case _:
            line = line.replace("asynk", "async") if "asynk" in line else line.replace("async", "asynk", 1)
    lines[at] = line
    return "\n".join(lines)


def test_all_is_said_that_is_said_from_scratch() -> None:
    rng = random.Random(4)
    text = copies(rng, 40)
    current, undo = state(text), list[str]()
    for number in range(16):
        if undo and rng.random() < 0.4:
            text = undo.pop()
        else:
            undo.append(text)
            text = respelled(rng, text)
        current = state(text, current)
        are_equal(current, state(text), f"edit {number}")


def test_what_is_said_elsewhere_stays() -> None:
    text = module(200, 200)
    first = state(text)
    places = [place.start for f in first.all_findings() for place in f.places]
    lines = [found.span() for found in re.finditer(r"^.*gpu\.memcpy.*$", text, re.MULTILINE)]
    lines = [(start, end) for start, end in lines if not any(start <= place <= end + 100 for place in places)]
    at = text.index("memref<1024xf32>", lines[len(lines) // 2][0])
    wrong = f"{text[:at]}memref<1025xf32>{text[at + len('memref<1024xf32>') :]}"
    current = first
    for each in (wrong, text, wrong):
        before = {entry for group in current.findings for entry in group.findings.entries}
        current = state(each, current)
        assert findings(current) == findings(state(each))
        stay = before.intersection(entry for group in current.findings for entry in group.findings.entries)
        assert len(stay) > 20


def test_another_type_of_a_kernel_is_seen_where_it_is_launched() -> None:
    text = copies(random.Random(888004), 40)
    assert "gpu.func @k(%x: memref<8xf32>" in text
    other = text.replace("gpu.func @k(%x: memref<8xf32>", "gpu.func @k(%x: memref<8xf64>")
    current = state(other, state(text))
    assert findings(current) == findings(state(other)) != findings(state(text))
