"""Lines that are typed key by key into a large function: what is known in the end is what it would be from
scratch, whatever was shown, stopped or concluded between two keys."""

from __future__ import annotations

import random

import pytest

from gpuasync_lsp.analysis.model.flow import stretches
from gpuasync_lsp.ide.document import state as state_module
from gpuasync_lsp.syntax.source import Item
from tests.ide.document.test_errors_first import hurried, promised
from tests.ide.document.test_incremental import copies, findings, state
from tests.ide.document.test_number_lines import new_line
from tests.ide.document.test_work_lines import TOKEN, are_equal, work
from tests.support.thinning import thinned

pytestmark = pytest.mark.usefixtures("patched_small_functions")

_KIND = "memref<8xf32>"


def line(rng: random.Random, number: int, before: list[str]) -> str:
    """Return a line that may be typed behind those `before`."""
    tokens = [found[1] for each in before if (found := TOKEN.match(each))][-8:]
    match rng.randrange(6):
        case 0:
            return new_line(rng, number)
        case 1:
            return f"  gpu.wait [{rng.choice(tokens)}]"
        case 2:
            dep = rng.choice(tokens)
            return f"  %n{number}, %m{number} = gpu.alloc async [{dep}] () : {_KIND}"
        case _:
            return work(rng, f"%n{number}", tokens)


def keys(rng: random.Random, text: str, number: int) -> list[str]:
    """Return the texts that somebody makes of `text` who types a line into it, takes characters back now and
    then, and may take it out again."""
    lines = text.split("\n")
    at = rng.randrange(14, lines.index("  return"))
    typed = line(rng, number, lines[:at])
    made: list[str] = []
    done = 0
    while done < len(typed):
        done = done - 1 if done > 2 and rng.random() < 0.1 else min(done + rng.choice((1, 1, 3)), len(typed))
        made.append("\n".join([*lines[:at], typed[:done], *lines[at:]]))
    if rng.random() < 0.3:
        made.append(text)
    return made


def session(seed: int, text: str, number_of_lines: int, looked: float) -> int:
    """Type lines; compare where the text is right, and where somebody waits, as `looked` tells how often.

    Returns how often the item was patched where it is right."""
    rng, current, patched = random.Random(seed), state(text), 0
    for number in range(number_of_lines):
        for typed in keys(rng, text, number):
            text, before = typed, items(current)
            _, current = hurried(text, current, stop=rng.random() > looked)
            if not current.is_preliminary:
                where = f"seed {seed}, line {number}, {text!r}"
                if current.source.problems():
                    assert promised(current, state(text)), where
                else:
                    scratch = state(text)
                    are_equal(current, scratch, where)
                    assert uses(current) == uses(scratch), where
                patched += items(current)[0].spans is before[0].spans
    return patched


def items(of: state_module.FileState) -> list[Item]:
    return [placed.item for placed in of.source.items]


def uses(of: state_module.FileState) -> list[tuple[str, int]]:
    """Return by how many operands each value is taken, by its name."""
    return sorted(
        (place.name, sum(1 for _ in value.uses))
        for item in items(of)
        for value, place in item.spans.values.unmoved()
    )


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_lines_are_typed(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(state_module, "LARGE", 0)
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)
    branches = seed % 2 == 1
    assert session(seed, copies(random.Random(seed), 12, branches=branches), 2, 0.05) > 1


def test_what_is_swallowed_for_a_key_is_taken_as_before() -> None:
    text = """func.func @f(%d: memref<8xf32>, %v: f32, %t: !gpu.async.token) {
  %a = gpu.memset async [%t] %d, %v : memref<8xf32>, f32
TYPED  gpu.wait [%a]
  return
}
"""
    current = state(text.replace("TYPED", ""))
    for typed in ("g", "gpu.wait [%", "gpu.wait [%a", "gpu.wait [%a]", "%x,", "%x, %y", "gpu.wait"):
        after = text.replace("TYPED", f"  {typed}\n")
        current = state(after, current)
        assert uses(current) == uses(state(after)), typed


def test_nothing_is_told_of_streams_where_a_name_is_typed_before_an_op() -> None:
    text = """// gpuasync: llvm=22
func.func @f(%d: memref<8xf32>, %h: memref<8xf32>, %v: f32) {
  %a = gpu.wait async
  %x,
  %c = gpu.memcpy async [%a] %h, %d : memref<8xf32>, memref<8xf32>
  %e = gpu.memset async [%c] %d, %v : memref<8xf32>, f32
  %f = gpu.memset async [%e] %h, %v : memref<8xf32>, f32
  gpu.wait [%f]
  return
}
"""
    assert [finding.code for finding in findings(state(text))] == ["GA001"]
