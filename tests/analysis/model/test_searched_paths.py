"""Paths on which something goes wrong: after an edit only those are searched again that it concerns."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis.model import witness
from tests.ide.document.test_incremental import state
from tests.ide.document.test_work_lines import are_equal

pytestmark = pytest.mark.usefixtures("patched_small_functions")

RACES = "\n".join(
    (
        "func.func @f(%h: memref<8xf32>, %g: memref<8xf32>, %v: f32, %c: i1) {",
        "  %t = gpu.wait async",
        *(
            f"  scf.if %c {{\n    memref.store %v, %h[%i{n}] : memref<8xf32>\n  }}\n"
            f"  %t{n} = gpu.memcpy async [%t] %g, %h : memref<8xf32>, memref<8xf32>"
            for n in range(4)
        ),
        "  return",
        "}",
    )
)


def with_indices(text: str) -> str:
    """Define the indices that the stores take."""
    constants = "".join(f"  %i{n} = arith.constant {n} : index\n" for n in range(4))
    return text.replace("  %t = gpu.wait async\n", f"{constants}  %t = gpu.wait async\n", 1)


def searches(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that gets an entry with each search that is not remembered."""
    done: list[object] = []
    search = witness.Witnesses._searched

    def noted(self: witness.Witnesses, goal: witness.Goal, *args: object, **options: object) -> object:
        done.append(goal)
        return search(self, goal, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(witness.Witnesses, "_searched", noted)
    return done


def searches_after(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Return how many paths are searched at first, and after an edit from `old` to `new`."""
    done = searches(monkeypatch)
    text = with_indices(RACES)
    current = state(text)
    all_of_them = len(done)
    done.clear()
    edited = text.replace(old, new)
    current = state(edited, current)
    again = len(done)
    are_equal(current, state(edited), edited)
    return all_of_them, again


def test_an_edit_that_leaves_the_paths_searches_few_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    all_of_them, again = searches_after(
        "%t2 = gpu.memcpy async [%t] %g, %h", "%t2 = gpu.memcpy async [%t] %h, %g", monkeypatch
    )
    assert 0 < again < all_of_them // 2


def test_an_edit_of_the_order_searches_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "  %t1 = gpu.memcpy async [%t]"
    all_of_them, again = searches_after(before, f"  %w = gpu.wait async\n{before}", monkeypatch)
    assert again > all_of_them // 2
