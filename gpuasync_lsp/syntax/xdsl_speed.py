"""What xDSL does millions of times for one large function, done with less Python: the same results.

`speed_up` replaces methods of xDSL's classes, once for the process. It is for the release that pyproject.toml
pins; `tests/syntax/test_xdsl_speed.py` holds what is replaced to what xDSL itself does.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.ir.core import BlockOps, IRUses
from xdsl.irdl import IRDLOperation, operations


def speed_up() -> None:
    """Replace the methods."""
    for owner, name, method in _FASTER:
        setattr(owner, name, method)


def _each_op(ops: BlockOps) -> Iterator[Operation]:
    """Yield the ops of a block; the one that is handed out may be detached."""
    return _from(ops.block._first_op)


def _from(op: Operation | None) -> Iterator[Operation]:
    while op is not None:
        following = op._next_op
        yield op
        op = following


def _each_use(uses: IRUses) -> Iterator[Use]:
    use = uses.ir.first_use
    while use is not None:
        yield use
        use = use._next_use


def _walk(block: Block, *, reverse: bool = False, region_first: bool = False) -> Iterator[Operation]:
    """Yield the ops of a block and of their regions: without a generator for each op."""
    for op in reversed(block.ops) if reverse else block.ops:
        if region_first:
            yield from op.walk(reverse=reverse, region_first=True)
            continue
        yield op
        for region in reversed(op.regions) if reverse else op.regions:
            yield from region.walk(reverse=reverse)


_OPERAND = operations.VarIRConstruct.OPERAND
_RESULT = operations.VarIRConstruct.RESULT
_constructs_of_xdsl = operations.get_op_constructs


def _constructs(op: Operation, construct: operations.VarIRConstruct) -> Any:
    """Return the operands, results, regions or successors, of which an accessor returns one or some."""
    if construct is _OPERAND:
        return op._operands
    if construct is _RESULT:
        return op.results
    return _constructs_of_xdsl(op, construct)


_unpack: Any = cast(Any, DenseArrayBase).get_values


def _values(array: DenseArrayBase[Any]) -> tuple[Any, ...]:
    """Return the numbers of an array.

    The sizes of operand groups, which each access of an operand asks for, are the same few over and over.
    """
    data = array.data.data
    kind = array.elt_type
    if len(data) in _SHORT and (kind is i32 or kind == i32):
        return _integers(data)
    return _unpack(array)


_SHORT = frozenset(range(0, 65, 4))


@lru_cache(maxsize=1024)
def _integers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}i", data)


_FASTER: tuple[tuple[Any, str, Any], ...] = (
    # `id(self)`, computed by Python at each look-up in a dict.
    *((kind, "__hash__", object.__hash__) for kind in (SSAValue, Operation, IRDLOperation, Block, Use)),
    (SSAValue, "type", property(attrgetter("_type"))),
    (Use, "operation", property(attrgetter("_operation"))),
    (Use, "index", property(attrgetter("_index"))),
    (BlockOps, "__iter__", _each_op),
    (IRUses, "__iter__", _each_use),
    (Block, "walk", _walk),
    (operations, "get_op_constructs", _constructs),
    (DenseArrayBase, "get_values", _values),
)
"""What is replaced by what: class or module, name, and the method that does the same."""
