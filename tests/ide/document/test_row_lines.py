"""Calls, and loops and branches in which work is done, come and go in a large function: what is known is what
it would be from scratch, and the model stays."""

from __future__ import annotations

import random
import re

import pytest

from gpuasync_lsp.analysis.model.flow import stretches
from tests.ide.document.test_incremental import copies, state
from tests.ide.document.test_number_lines import models
from tests.ide.document.test_work_lines import TOKEN, are_equal, edited, touching, waiting, with_undo
from tests.support.thinning import some_and_many

_KIND = "memref<8xf32>"
CALLED = f"""\
func.func private @unknown({_KIND})
func.func private @cudaDeviceSynchronize()
func.func @reads(%m: {_KIND}) -> f32 {{
  %i = arith.constant 3 : index
  %x = memref.load %m[%i] : {_KIND}
  return %x : f32
}}
func.func @writes(%m: {_KIND}, %v: f32, %on: i1) {{
  %i = arith.constant 1 : index
  scf.if %on {{
    memref.store %v, %m[%i] : {_KIND}
  }}
  return
}}
func.func @runs(%d: {_KIND}, %v: f32) {{
  %t = gpu.wait async
  %u = gpu.memset async [%t] %d, %v : {_KIND}, f32
  gpu.wait [%u]
  return
}}
"""
"""What nobody knows, what waits for all, what reads, what writes, and what runs on the device."""
_BUFFERS = ("%d0", "%d1", "%d2", "%h", "%g", "%a")


def row(rng: random.Random, name: str, index: str = "%c1", depth: int = 0) -> list[str]:
    """Return the lines of a call, or of a loop or branch in which something is done."""
    one, two = rng.sample(_BUFFERS, 2)
    inner = "  " * (depth + 1)
    match rng.randrange(9 if depth < 2 else 5):
        case 0:
            return [f"{inner}func.call @unknown({one}) : ({_KIND}) -> ()"]
        case 1:
            return [f"{inner}%{name}r = func.call @reads({one}) : ({_KIND}) -> f32"]
        case 2:
            on = rng.choice(("%c", f"%{name}o"))
            made = [f"{inner}%{name}o = arith.cmpi slt, {index}, %i : index"] if on != "%c" else []
            return [*made, f"{inner}func.call @writes({one}, %v, {on}) : ({_KIND}, f32, i1) -> ()"]
        case 3:
            called = (
                f"func.call @runs({one}, %w) : ({_KIND}, f32) -> ()",
                "func.call @cudaDeviceSynchronize() : () -> ()",
                f"memref.copy {one}, {two} : {_KIND} to {_KIND}",
                f"memref.dealloc {one} : {_KIND}",
            )
            return [f"{inner}{rng.choice(called)}"]
        case 4 if depth and rng.random() < 0.5:
            made = f"{inner}%{name}s = gpu.wait async"
            work = f"{inner}%{name}m = gpu.memcpy async [%{name}s] {one}, {two} : {_KIND}, {_KIND}"
            ends = (f"gpu.wait [%{name}m]", f"%{name}j = gpu.wait async [%{name}m]", "gpu.wait [%t1]")
            return [made, work, *(f"{inner}{end}" for end in rng.sample(ends, rng.randrange(3)))]
        case 4 if depth:
            return [
                rng.choice(
                    (
                        f"{inner}gpu.memcpy {one}, {two} : {_KIND}, {_KIND}",
                        f"{inner}memref.store %v, {one}[{index}] : {_KIND}",
                        f"{inner}%{name}l = memref.load {one}[{index}] : {_KIND}",
                    )
                )
            ]
        case 5 | 6:
            head, index = f"{inner}scf.for %{name}i = %c0 to %c4 step %c1 {{", f"%{name}i"
        case _:
            on = rng.choice(("%c", f"%{name}b"))
            made = [f"{inner}%{name}b = arith.cmpi sgt, {index}, %i : index"] if on != "%c" else []
            return [
                *made,
                f"{inner}scf.if {on} {{",
                *row(rng, f"{name}t", index, depth + 1),
                *(
                    [f"{inner}}} else {{", *row(rng, f"{name}e", index, depth + 1)]
                    if rng.random() < 0.4
                    else []
                ),
                f"{inner}}}",
            ]
    body = [
        line for n in range(rng.randrange(1, 3)) for line in row(rng, f"{name}{'xy'[n]}", index, depth + 1)
    ]
    return [head, *body, f"{inner}}}"]


def with_row(rng: random.Random, text: str, number: int) -> str:
    """Put such lines in between two statements, put others in the place of some, or take them out."""
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith("func.func @f("))
    begins = [n for n, line in enumerate(lines) if n > first and line.startswith("  ") and "// row" in line]
    made = row(rng, f"n{number}")
    made[0] += " // row"
    if begins and rng.random() < 0.6:
        at = rng.choice(begins)
        end = at + 1
        while lines[at].endswith("{ // row") and lines[end - 1] != "  }":
            end += 1
        lines[at:end] = made if rng.random() < 0.4 else []
        return "\n".join(lines)
    at = rng.choice([n for n in range(first + 12, len(lines) - 10) if lines[n].startswith("  %")])
    lines[at:at] = made
    return "\n".join(lines)


def using(rng: random.Random, text: str, number: int) -> str:
    """Allocate memory, use what is allocated, or let it not be used any more."""
    lines = text.split("\n")
    uses = [n for n, line in enumerate(lines) if "// use" in line]
    allocated = [found[1] for line in lines if (found := re.match(r"  (%n\w+), %\w+ = gpu.alloc", line))]
    if uses and rng.random() < 0.4:
        del lines[rng.choice(uses)]
        return "\n".join(lines)
    if not allocated or rng.random() < 0.3:
        return touching(rng, text, number)
    buffer = rng.choice(allocated)
    at = next(n for n, line in enumerate(lines) if line.startswith(f"  {buffer}, ")) + 1
    at = min(at + rng.choice((0, 0, 3)), lines.index("  return"))
    known = [found[1] for line in lines[:at] if (found := TOKEN.match(line))]
    dep = rng.choice(known[-6:])
    use = rng.choice(
        (
            f"%u{number} = gpu.memcpy async [{dep}] {buffer}, %h : {_KIND}, {_KIND}",
            f"%u{number} = gpu.dealloc async [{dep}] {buffer} : {_KIND}",
            f"memref.store %v, {buffer}[%c1] : {_KIND}",
            f"func.call @unknown({buffer}) : ({_KIND}) -> ()",
        )
    )
    lines.insert(at, f"  {use} // use")
    return "\n".join(lines)


def session(seed: int, edits: int, *, branches: bool) -> int:
    """Compare with from scratch after each edit; return how often the model stayed."""

    def edit(rng: random.Random, text: str, number: int) -> str:
        kinds = (using, using, edited, touching, waiting)
        kind = with_row if rng.random() < 0.5 else rng.choice(kinds)
        here, marker, rest = text.partition("\nfunc.func private")
        return f"{kind(rng, here, number)}{marker}{rest}"

    rng = random.Random(seed)
    text = f"{copies(rng, 24, branches=branches)}\n{CALLED}"
    return with_undo(rng, text, edits, edit, f"seed {seed}")


@pytest.fixture(autouse=True)
def _in_small_stretches(monkeypatch: pytest.MonkeyPatch, patched_small_functions: None) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)


@pytest.mark.parametrize("branches", [False, True])
def test_calls_and_blocks_with_work_come_and_go(*, branches: bool) -> None:
    assert session(4, 12, branches=branches) > 2


def test_an_allocation_is_erased_when_what_frees_it_goes() -> None:
    text = copies(random.Random(1), 8, branches=False).replace("llvm=", "llvm=24 // ", 1)
    at = text.index("  %s5 = ")
    made = f"  %nw = gpu.wait async\n  %n, %nt = gpu.alloc async [%nw] () : {_KIND}\n"
    free = f"  %nf = gpu.dealloc async [%nt] %n : {_KIND}\n"
    current = state(text)
    for each in (made, made + free, made, ""):
        known, edited = models(current)[0], text[:at] + each + text[at:]
        current = state(edited, current)
        are_equal(current, state(edited), each)
        assert models(current)[0] is known


@pytest.mark.parametrize("seeds", some_and_many(5_500, 2))
def test_calls_and_blocks_with_work_come_and_go_often(seeds: range) -> None:
    for seed in seeds:
        session(seed, 14, branches=seed % 2 == 0)
