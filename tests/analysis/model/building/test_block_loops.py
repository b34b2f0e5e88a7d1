"""Loops formed by branches between blocks, identified by their headers."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.building.block_loops import loops_of_blocks
from gpuasync_lsp.syntax import parse_source


def loops(branches: str) -> dict[int, list[int]] | None:
    """Return the loop headers of each block, by number; `branches` are `from>to,to` of blocks 0, 1, ..."""
    blocks = [each.partition(">")[2] for each in branches.split()]
    text = "func.func @f(%c: i1) {\n"
    for number, ways in enumerate(blocks):
        text += f"^b{number}:\n" if number else ""
        to = [f"^b{way}" for way in ways.split(",") if way]
        if len(to) == 2:
            text += f"cf.cond_br %c, {to[0]}, {to[1]}\n"
        else:
            text += f"cf.br {to[0]}\n" if to else "return\n"
    (item,) = parse_source(text + "}").chunks[0].items
    region = item.item.ops[0].regions[0]
    number = {block: at for at, block in enumerate(region.blocks)}
    found = loops_of_blocks(region)
    if found is None:
        return None
    return {number[block]: sorted(number[head] for head in heads) for block, heads in found.items()}


def test_a_loop_has_its_head_and_what_leads_back_to_it() -> None:
    assert loops("0>1 1>2,3 2>1 3>") == {1: [1], 2: [1]}


def test_a_loop_in_a_loop_is_in_both() -> None:
    assert loops("0>1 1>2,5 2>3,4 3>2 4>1 5>") == {1: [1], 2: [1, 2], 3: [1, 2], 4: [1]}


def test_a_block_that_leads_to_itself_is_a_loop() -> None:
    assert loops("0>1 1>1,2 2>") == {1: [1]}


def test_what_cannot_be_reached_makes_no_loop() -> None:
    assert loops("0>1 1> 2>1") == {}


def test_a_circle_with_two_ways_in_is_none() -> None:
    assert loops("0>1,2 1>2 2>1,3 3>") is None
