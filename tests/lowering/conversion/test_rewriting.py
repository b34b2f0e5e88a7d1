"""The parts of a dialect conversion: where ops are inserted, and how values are converted."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IndexType, UnrealizedConversionCastOp, i32, i64
from xdsl.ir import Block, Operation
from xdsl.ir.core import Attribute

from gpuasync_lsp.lowering.conversion.errors import MatchFailure
from gpuasync_lsp.lowering.conversion.insertion import Insertion
from gpuasync_lsp.lowering.conversion.values import Values

INDEX = IndexType()


class Types:
    """A type converter: index becomes i64, i32 stays, all other types fail."""

    def convert(self, type: Attribute) -> Attribute | None:
        return {INDEX: i64, i32: i32}.get(type)


def cast(*operands: object, to: Attribute) -> UnrealizedConversionCastOp:
    return UnrealizedConversionCastOp.create(operands=list(operands), result_types=[to])


def block_of_two() -> tuple[Block, Operation, Operation]:
    """Return a block with an index argument, an op that uses it, and an op that uses the first op's
    result."""
    block = Block(arg_types=[INDEX])
    first = cast(block.args[0], to=INDEX)
    second = cast(first.results[0], to=i32)
    block.add_ops([first, second])
    return block, first, second


def test_what_is_inserted_stands_before_the_op_and_can_be_withdrawn() -> None:
    block, first, second = block_of_two()
    insertion = Insertion()
    with insertion.instead_of(second):
        new = insertion.add(cast(block.args[0], to=i64))
        with insertion.at_start(block):
            front = insertion.add(cast(block.args[0], to=i64))
        with insertion.directly_after(second):
            behind = insertion.add(cast(block.args[0], to=i64))
        with insertion.at_end(block):
            last = insertion.add(cast(block.args[0], to=i64))
        assert list(block.ops) == [front, first, new, second, behind, last]
        insertion.withdraw()
    assert list(block.ops) == [first, second]


def test_a_value_whose_op_stays_is_cast_once_behind_it() -> None:
    block, first, second = block_of_two()
    insertion = Insertion()
    values = Values(Types(), insertion, lazy_casts=True)  # pyright: ignore[reportArgumentType]
    values.begin()
    with insertion.instead_of(second):
        lowered = values.lowered(first.results[0])
        assert lowered.type == i64
        assert values.lowered(first.results[0]) is lowered
        assert list(block.ops) == [first, lowered.owner, second]
        values.withdraw()
        insertion.withdraw()
    assert first.results[0] not in values
    assert list(block.ops) == [first, second]


def test_a_type_that_stays_needs_no_cast_and_an_unknown_one_is_refused() -> None:
    _, _, second = block_of_two()
    values = Values(Types(), Insertion(), lazy_casts=True)  # pyright: ignore[reportArgumentType]
    assert values.lowered(second.results[0]) is second.results[0]
    with pytest.raises(MatchFailure, match="unable to convert type"):
        values.lowered(Block(arg_types=[i64]).args[0])


@pytest.mark.parametrize("lazy", [True, False])
def test_ops_that_stay_get_the_new_value_cast_back(lazy: bool) -> None:
    block, first, second = block_of_two()
    insertion = Insertion()
    values = Values(Types(), insertion, lazy_casts=lazy)  # pyright: ignore[reportArgumentType]
    with insertion.instead_of(first):
        new = insertion.add(cast(block.args[0], to=i64))
    values.become(first.results[0], new.results[0])
    values.cast_back(lambda op: op is first)
    back = second.operands[0].owner
    assert isinstance(back, UnrealizedConversionCastOp)
    assert (back.operands[0], back.results[0].type) == (new.results[0], INDEX)
