"""A function is run again where an edit concerns it: it comes to what it would from scratch."""

from __future__ import annotations

import random

import pytest

from gpuasync_lsp.analysis.model.flow import stretches
from tests.ide.document.test_incremental import copies, other_operand, state
from tests.ide.document.test_work_lines import are_equal, edited, stretches_run, touching, waiting

pytestmark = pytest.mark.usefixtures("patched_small_functions")


@pytest.fixture(autouse=True)
def long_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)


def test_only_stretches_are_run_again_that_an_edit_concerns(monkeypatch: pytest.MonkeyPatch) -> None:
    branches = "".join(
        f"  scf.if %c {{\n    memref.store %v, %h[%i] : memref<8xf32>\n  }}\n"
        f"  %w{n} = gpu.wait async\n"
        f"  %t{n} = gpu.memset async [%w{n}] %d{n}, %v : memref<8xf32>, f32\n  gpu.wait [%t{n}]\n"
        for n in range(6)
    )
    buffers = ", ".join(f"%d{n}: memref<8xf32>" for n in range(6))
    taken = f"%h: memref<8xf32>, %v: f32, %w: f32, %c: i1, %i: index, {buffers}"
    text = f"func.func @f({taken}) {{\n{branches}  return\n}}\n"
    run = stretches_run(monkeypatch)
    current = state(text)
    all_of_them = len(run)
    run.clear()
    text = text.replace("[%w2] %d2, %v", "[%w2] %d3, %w")
    current = state(text, current)
    assert len(run) == 1 < all_of_them
    are_equal(current, state(text), text)


@pytest.mark.parametrize("seed", range(2))
def test_it_comes_to_what_it_would_from_scratch(seed: int) -> None:
    rng = random.Random(seed)
    text = copies(rng, 25)
    current = state(text)
    for number in range(5):
        edit = rng.choice((edited, touching, waiting, None))
        text = other_operand(rng, text) if edit is None else edit(rng, text, number)
        current = state(text, current)
        are_equal(current, state(text), f"seed {seed}, edit {number}")
