"""Lines that compute numbers come and go: what is known of a large function stays what it would be."""

from __future__ import annotations

import random

import pytest

from gpuasync_lsp.analysis import AsyncFunction
from gpuasync_lsp.ide.document.state import FileState
from tests.ide.document.test_incremental import (
    copies,
    findings,
    other_operand,
    random_blanks,
    random_statement,
    state,
    streams,
)
from tests.support.thinning import some_and_many, thinned

_SCALARS = ("%c0", "%c1", "%c4", "%i")


pytestmark = pytest.mark.usefixtures("patched_small_functions")


def new_line(rng: random.Random, number: int) -> str:
    """Return a line that computes something, under a name that is new, or of the kind that fixes give."""
    name = rng.choice((f"%n{number}", f"%{number}", f"%done{number}", f"%join_{number}"))
    if rng.random() < 0.2:
        name = rng.choice(("%0", "%done", "%join", "%t", "%stream"))
    one, two = rng.choices(_SCALARS, k=2)
    computed = (
        f"arith.addi {one}, {two} : index",
        f"arith.divsi {one}, {two} : index",
        "arith.addf %v, %w : f32",
        "math.absf %v : f32",
        f"arith.constant {number} : i32",
        f"arith.cmpi eq, {one}, {two} : index",
        f"index.add {one}, {two}",
        f"arith.addi {one}, {two} : index\n  {name}x = arith.muli {name}, {one} : index",
    )
    others = (
        f"arith.addi {one}, {two} overflow<nsw> : index",
        f"arith.select %c, {one}, {two} : index",
        f"arith.addi {one}, {two} {{gpu.container_module}} : index",
        f"arith.addi {one}, {two} : i64",
        f"memref.load %h[{one}] : memref<8xf32>",
        f"arith.addi {one}, {two} : index\n  memref.store %v, %h[{name}] : memref<8xf32>",
        "arith.minimumf %v, %w : f32",
        "arith.minf %v, %w : f32",
    )
    return f"  {name} = {rng.choice(computed if rng.random() < 0.8 else others)}"


def edited(rng: random.Random, text: str, number: int) -> str:
    """Put such a line anywhere, take one away, or let one compute something else."""
    lines = text.split("\n")
    computing = [n for n, line in enumerate(lines) if " = arith." in line or " = math." in line]
    match rng.randrange(5) if computing else 0:
        case 0 | 1:
            lines.insert(rng.randrange(2, len(lines) - 2), new_line(rng, number))
        case 2:
            del lines[rng.choice(computing)]
        case 3:
            at = rng.choice(computing)
            name = lines[at].split("=")[0].split(":")[0].strip()
            lines[at] = f"  {name} ={new_line(rng, number).split('=', 1)[1]}"
        case _:
            at = rng.choice(computing)
            lines[at] = lines[at].replace("addi", "muli").replace("%c0", "%i").replace("%v", "%w")
    return "\n".join(lines)


def models(of: FileState) -> list[AsyncFunction]:
    return [function for placed in of.source.items for function in of.models(placed)]


def session(seed: int, size: int, edits: int) -> int:
    """Compare with from scratch after each edit; return how often the model stayed."""
    rng = random.Random(seed)
    text, undo = copies(rng, size), list[str]()
    current, stay = state(text), 0
    for number in range(edits):
        known = models(current)
        chosen = rng.random()
        if undo and (chosen < 0.2 or current.source.problems()):
            text = undo.pop()
        else:
            undo.append(text)
            if chosen < 0.85:
                text = edited(rng, text, number)
            else:
                text = rng.choice((other_operand, random_blanks, random_statement))(rng, text)
        before, current = current.text, state(text, current)
        scratch = state(text)
        assert findings(current) == findings(scratch), f"seed {seed}"
        assert streams(current) == streams(scratch), f"seed {seed}"
        stay += text != before and models(current) == known != []
        for here, there in zip(models(current), models(scratch), strict=True):
            assert [info.order for info in here.ops] == [info.order for info in there.ops], f"seed {seed}"
            assert [*here.order.values()] == [*there.order.values()], f"seed {seed}"
            assert [here.is_reached(op) for op in here.order] == [there.is_reached(op) for op in there.order]
    return stay


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_findings_after_lines_that_compute(seed: int) -> None:
    assert session(seed, 40, 12) > 0


@pytest.mark.parametrize("seeds", some_and_many(5_000, 2))
def test_findings_after_many_lines_that_compute(seeds: range) -> None:
    for seed in seeds:
        session(seed, 40, 12)


@pytest.mark.slow
def test_findings_after_lines_that_compute_in_a_large_function() -> None:
    session(6_000, 2_000, 4)
