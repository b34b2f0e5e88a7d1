"""Ops with regions come, go and become others in a large function: what is known is what it would be from
scratch, and the other statements are not read again."""

from __future__ import annotations

import random
import re

import pytest
from xdsl.ir import Operation

from benchmarks.generate import module
from gpuasync_lsp.analysis.model.flow import stretches
from gpuasync_lsp.syntax import source as source_module
from tests.ide.document.test_incremental import copies, findings, random_statement, state
from tests.ide.document.test_number_lines import models
from tests.ide.document.test_work_lines import are_equal, edited
from tests.support.thinning import some_and_many

HEADS = (
    "scf.for %{i} = %c1 to %c4 step %c1 {{",
    "scf.if %c {{",
    "gpu.launch blocks(%x{n}, %y{n}, %z{n}) in (%p{n} = %c1, %q{n} = %c1, %r{n} = %c1)"
    " threads(%u{n}, %v{n}, %w{n}) in (%k{n} = %c4, %l{n} = %c1, %m{n} = %c1) {{",
)
INNER = (
    "gpu.memcpy %d0, %d1 : memref<8xf32>, memref<8xf32>",
    "%s{n} = gpu.wait async",
    "%e{n} = arith.addi %c1, %c4 : index",
    "scf.if %c {{\n      }} else {{\n        gpu.memset %d2, %v : memref<8xf32>, f32\n      }}",
    "%e{n} = arith.addi %c1, %i{n} : index",
)
WRONG = "%f{n} = arith.addf %nobody, %v : f32"


pytestmark = pytest.mark.usefixtures("patched_small_functions")


def block(rng: random.Random, number: int, body: list[str]) -> list[str]:
    """Return the lines of an op with a region around `body` and a line of its own, maybe a wrong one."""
    # Names of regions may be those of others.
    names = {"n": number, "i": rng.choice((f"i{number}", "i", "t0"))}
    head = rng.choice(HEADS).format(**names)
    line = WRONG if rng.random() < 0.05 else rng.choice(INNER)
    inner = [f"    {line.format(**names)}"] if rng.random() < 0.7 else []
    if "launch" in head:
        return [f"  {head}", "    gpu.terminator", "  }"]
    return [f"  {head}", *inner, *body, "  }"]


def with_block(rng: random.Random, text: str, number: int) -> str:
    """Put an op with a region in, around statements or between two; or take one out, with what is in it or
    without."""
    lines = text.split("\n")
    heads = [n for n, line in enumerate(lines) if re.match(r"  (scf|gpu\.launch ).*\{$", line)]
    if heads and rng.random() < 0.5:
        at = rng.choice(heads)
        end = next(n for n in range(at, len(lines)) if lines[n] == "  }")
        match rng.randrange(3):
            case 0:
                del lines[at : end + 1]
            case 1 if "launch" not in lines[at]:
                lines[at] = f"  {HEADS[rng.randrange(2)].format(i=f'j{number}', n=number)}"
            case _:
                if lines[end - 1].strip() != "}" and "launch" not in lines[at]:
                    del lines[end], lines[at]
        return "\n".join(lines)
    places = [n for n in range(13, len(lines) - 10) if lines[n].startswith("  %")]
    at = rng.choice(places)
    some = rng.randrange(3) if rng.random() < 0.3 else 0
    body = lines[at : at + some] if all(line.startswith("  %") for line in lines[at : at + some]) else []
    lines[at : at + len(body)] = block(rng, number, body)
    return "\n".join(lines)


def session(seed: int, text: str, edits: int) -> int:
    """Compare with from scratch after each edit; return how often the others were not read again."""
    rng = random.Random(seed)
    undo = list[str]()
    current, stay = state(text), 0
    for number in range(edits):
        chosen = rng.random()
        first = first_op(current.source)
        before = text
        if undo and chosen < 0.2:
            text = undo.pop()
        else:
            undo.append(text)
            if chosen < 0.8:
                text = with_block(rng, text, number)
            else:
                text = edited(rng, text, number) if chosen < 0.9 else random_statement(rng, text)
        current, scratch = state(text, current), state(text)
        are_equal(current, scratch, f"seed {seed}, edit {number}")
        stay += text != before and first_op(current.source) is first
    return stay


def first_op(source: source_module.SourceFile) -> Operation | None:
    """Return the first statement of the host function."""
    for placed in source.items:
        for op in placed.item.ops:
            if op.name == "func.func":
                return op.regions[0].block.first_op
    return None


@pytest.mark.parametrize("seed", [1, 3])
def test_ops_with_regions_come_and_go(seed: int) -> None:
    assert session(seed, copies(random.Random(seed), 40), 10) > 0


@pytest.mark.parametrize("seeds", some_and_many(7_300, 2))
def test_ops_with_regions_come_and_go_often(seeds: range) -> None:
    for seed in seeds:
        session(seed, copies(random.Random(seed), 40), 20)


@pytest.mark.parametrize("head", ["scf.for %at = %c1 to %c128 step %c1", "scf.if %on"])
def test_the_statements_around_are_not_read_again(head: str) -> None:
    text = module(200, 200).replace("%c1 = ", "%on = arith.constant true\n    %c1 = ", 1)
    at = text.index("    %t50 =")
    inside = "      gpu.memcpy %d, %h : memref<1024xf32>, memref<1024xf32>\n"
    added = f"{text[:at]}    {head} {{\n{inside}    }}\n{text[at:]}"
    other = added.replace(
        "    }\n    %t50", "      gpu.memset %d, %v : memref<1024xf32>, f32\n    }\n    %t50"
    )
    first, current = None, None
    for each in (text, added, other, added.replace("step %c1", "step %c128"), text, other):
        current = state(each, current)
        first = first or first_op(current.source)
        assert first_op(current.source) is first
        assert findings(current) == findings(state(each))


def computing(rng: random.Random, text: str, number: int) -> str:
    """Put a loop or branch in that only computes, let it compute something else, or take it out."""
    lines = text.split("\n")
    heads = [n for n, line in enumerate(lines) if line.endswith("{ // only computes")]
    names = {"n": number, "i": f"i{number}"}
    if heads and rng.random() < 0.6:
        at = rng.choice(heads)
        end = next(n for n in range(at, len(lines)) if lines[n] == "  }")
        inner = [f"    %e{number} = arith.muli %c1, %c4 : index"] if rng.random() < 0.6 else []
        lines[at : end + 1] = [lines[at], *inner, "  }"] if rng.random() < 0.5 else []
        return "\n".join(lines)
    at = rng.choice([n for n in range(13, len(lines) - 10) if lines[n].startswith("  %")])
    head = HEADS[rng.randrange(2)].format(**names)
    inner = f"    scf.if %c {{\n      %f{number} = arith.addi %c1, %c4 : index\n    }}"
    body = rng.choice(([], [f"    %e{number} = arith.addi %c1, %c4 : index"], [inner]))
    lines[at:at] = [f"  {head} // only computes", *body, "  }"]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", [5])
def test_the_model_stays_where_loops_and_branches_only_compute(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    rng = random.Random(seed)
    text = copies(rng, 30, branches=False)
    current, stay = state(text), 0
    for number in range(10):
        known = models(current)
        text = computing(rng, text, number)
        current = state(text, current)
        are_equal(current, state(text), f"seed {seed}, edit {number}")
        stay += models(current) == known
    assert stay > 6
