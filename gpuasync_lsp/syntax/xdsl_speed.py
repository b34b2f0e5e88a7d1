"""Faster replacements, with equal results, for xDSL methods that run millions of times for a large function.

`speed_up` replaces methods of xDSL's classes, once per process, in the releases that pyproject.toml allows;
`tests/syntax/test_xdsl_speed.py` compares the replacements with xDSL's own methods.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false

from __future__ import annotations

import struct
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter, methodcaller
from typing import Any, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, i32
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Data,
    Operation,
    OpResult,
    ParametrizedAttribute,
    Region,
    SSAValue,
    Use,
)
from xdsl.ir.core import BlockOps, IRNode, IRUses, IRWithUses, OpOperands, OpSuccessors, SSAValues
from xdsl.irdl import IRDLOperation, operations
from xdsl.irdl.operations import BaseAccessor, BaseAttrAccessor, OptionalDef
from xdsl.parser import AttrParser
from xdsl.utils.mlir_lexer import MLIRToken, PunctuationSpelling

# Private parts of xDSL's parser, for the functions that parse attributes and ops.
current_token: Callable[[AttrParser], MLIRToken] = attrgetter("_parser_state.current_token")
consume_token = AttrParser._consume_token
resume_from = AttrParser._resume_from


def punctuation(text: str) -> PunctuationSpelling:
    """Return punctuation whose spelling is known only at run time."""
    return cast(PunctuationSpelling, text)


symbol_body: Callable[[AttrParser], str] = methodcaller("_parse_dialect_symbol_body")


def speed_up() -> None:
    """Replace xDSL's methods with the faster ones."""
    for owner, name, method in _FASTER:
        setattr(owner, name, method)
    for root in (Operation, Attribute, IRWithUses, Block, Region):
        _look_at_bases_only(root)


class _Plain(ABCMeta):
    """A metaclass with which `isinstance` on xDSL's classes checks only base classes.

    xDSL's classes are abstract base classes, for which `isinstance` also calls Python code to find
    registered virtual subclasses. There are none (`tests/syntax/test_xdsl_speed.py`)."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


def _look_at_bases_only(root: type[Any]) -> None:
    pending: list[Any] = [root]
    while pending:
        kind = pending.pop()
        if type(kind) is ABCMeta:
            kind.__class__ = _Plain  # Classes derived from it later also have this metaclass.
        pending += kind.__subclasses__()


def _each_op(ops: BlockOps) -> Iterator[Operation]:
    """Yield the ops of a block; the caller may detach each op after it is yielded."""
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


_walk_op_in_xdsl, _walk_block_in_xdsl, _walk_region_in_xdsl = Operation.walk, Block.walk, Region.walk


def _walk_op(op: Operation, *, reverse: bool = False, region_first: bool = False) -> Iterator[Operation]:
    if reverse or region_first:
        return _walk_op_in_xdsl(op, reverse=reverse, region_first=region_first)
    return _walk_forward(op, None, iter(()))


def _walk_region(region: Region, *, reverse: bool = False, region_first: bool = False) -> Iterator[Operation]:
    if reverse or region_first:
        return _walk_region_in_xdsl(region, reverse=reverse, region_first=region_first)
    return _walk_forward(None, None, iter(region.blocks))


def _walk_block(block: Block, *, reverse: bool = False, region_first: bool = False) -> Iterable[Operation]:
    if reverse or region_first:
        return _walk_block_in_xdsl(block, reverse=reverse, region_first=region_first)
    return _walk_forward(None, block._first_op, iter(()))


def _walk_forward(
    root: Operation | None, op: Operation | None, blocks: Iterator[Block]
) -> Iterator[Operation]:
    """Yield `root` and its nested ops; or `op`, the ops after it in its block, and the ops of `blocks`.

    This is a single generator for all levels, with an explicit stack of the ops to visit after a region."""
    if root is not None:
        yield root
        blocks = _blocks_in(root)
    left: list[tuple[Operation | None, Iterator[Block]]] = []
    while True:
        while op is not None:
            following = op._next_op
            yield op
            if op.regions:
                left.append((following, blocks))
                following, blocks = None, _blocks_in(op)
            op = following
        block = next(blocks, None)
        if block is not None:
            op = block._first_op
        elif left:
            op, blocks = left.pop()
        else:
            return


def _blocks_in(op: Operation) -> Iterator[Block]:
    return (block for region in op.regions for block in region.blocks)


def _count(ops: BlockOps) -> int:
    number, op = 0, ops.block._first_op
    while op is not None:
        number, op = number + 1, op._next_op
    return number


def _add_op(block: Block, operation: Operation) -> None:
    """Append a detached op to a block."""
    block._attach_op(operation)
    last = block._last_op
    if last is None:
        block._first_op = operation
    else:
        last._next_op, operation._prev_op, operation._next_op = operation, last, None
    block._last_op = operation


_is_ancestor_in_xdsl = Operation.is_ancestor


def _parent_op(op: Operation) -> Operation | None:
    block = op.parent
    region = None if block is None else block.parent
    return None if region is None else region.parent


def _is_ancestor(op: Operation, node: IRNode) -> bool:
    """Return whether `node` is `op` or nested in it.

    It is called for each op added to a block; for an op without regions, the usual case, it returns at
    once."""
    return node is op if not op.regions else _is_ancestor_in_xdsl(op, node)


def _uses(user: Operation, used: Sequence[IRWithUses]) -> tuple[Use, ...]:
    """Add `user` to the use list of each value in `used`, as its first use."""
    uses: list[Use] = []
    for index, each in enumerate(used):
        first = each.first_use
        use = _new(Use)  # Skips `__init__`, which would run for every operand.
        use._operation, use._index, use._prev_use, use._next_use = user, index, None, first
        if first is not None:
            first._prev_use = use
        each.first_use = use
        uses.append(use)
    return tuple(uses)


operands_of: Callable[[Operation], Sequence[SSAValue]] = attrgetter("_operands")
"""Returns the current operands of an op as a tuple; `Operation.operands` creates a view in each call."""

successors_of: Callable[[Operation], Sequence[Block]] = attrgetter("_successors")
"""Returns the current successors of an op as a tuple."""


def _operands(op: Operation) -> OpOperands:
    view = _new(OpOperands)
    view._op = op
    return view


def _successors(op: Operation) -> OpSuccessors:
    view = _new(OpSuccessors)
    view._op = op
    return view


_new: Any = object.__new__


def _operand(view: OpOperands, index: Any) -> Any:
    """Return one operand for an index, several operands for a slice."""
    return _item(view._op._operands, index)


def _set_operands(op: Operation, new: Sequence[SSAValue]) -> None:
    new = SSAValues(new)
    for operand, use in zip(op._operands, op._operand_uses, strict=True):
        operand.remove_use(use)
    op._operand_uses = _uses(op, new)
    op._operands = new


def _set_successors(op: Operation, new: Sequence[Block]) -> None:
    new = tuple(new)
    for successor, use in zip(op._successors, op._successor_uses, strict=True):
        successor.remove_use(use)
    op._successor_uses = _uses(op, new)
    op._successors = new


def _results(op: Operation, types: Sequence[Attribute]) -> SSAValues[Any]:
    """Return new results of `op`, created without calling `__init__`."""
    found: list[OpResult] = []
    for index, kind in enumerate(types):
        result = _new(OpResult)
        result._type, result.op, result.index = kind, op, index
        found.append(result)
    return SSAValues(found)


def _take(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
) -> None:
    if operands:
        values = op._operands = SSAValues(operands)
        op._operand_uses = _uses(op, values)
    else:
        op._operands = _NO_VALUES
        op._operand_uses = ()
    op.results = _results(op, result_types) if result_types else _NO_VALUES
    op.properties = dict(properties)
    op.attributes = dict(attributes)


_NO_PROPERTIES: Mapping[str, Attribute] = {}


_NO_VALUES = SSAValues[Any]()


def _make(
    op: Operation,
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] = _NO_PROPERTIES,
    attributes: Mapping[str, Attribute] = _NO_PROPERTIES,
    location: Any = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> None:
    """Initialize an op with the given parts."""
    _take(op, operands, result_types, properties, attributes)
    op.location = UNKNOWN_LOC if location is None else location
    blocks = op._successors = tuple(successors)
    op._successor_uses = _uses(op, blocks) if blocks else ()
    op.regions = ()
    for region in regions:
        op.add_region(region)
    op.__post_init__()


def _create(cls: type[Operation], **parts: Any) -> Operation:
    """Return a new op of a class, bypassing its `__init__`; `parts` are the arguments of `_make`."""
    op = cls.__new__(cls)
    _make(op, **parts)
    return op


def like(
    kind: type[Operation],
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
) -> Operation:
    """Return a new op with exactly these parts, without regions and successors.

    Defaults are not added: properties and attributes must be those of an op that `create` returned."""
    op = kind.__new__(kind)
    _take(op, operands, result_types, properties, attributes)
    op.location = UNKNOWN_LOC
    op._successors = op._successor_uses = op.regions = ()
    return op


def _fill_in_defaults(op: IRDLOperation) -> None:
    """Add the default properties and attributes of the op's definition.

    xDSL's own method also asserts that the class has a name."""
    properties, attributes = _defaults(type(op))
    for name, value in properties:
        op.properties.setdefault(name, value)
    for name, value in attributes:
        op.attributes.setdefault(name, value)


_Defaults = tuple[tuple[str, Attribute], ...]


@lru_cache(maxsize=4_096)
def _defaults(kind: type[IRDLOperation]) -> tuple[_Defaults, _Defaults]:
    definition = kind.get_irdl_definition()
    properties, attributes = (
        tuple(
            (name, each.default_value)
            for name, each in definitions.items()
            if not isinstance(each, OptionalDef) and each.default_value is not None
        )
        for definitions in (definition.properties, definition.attributes)
    )
    return properties, attributes


def _check_attribute(attribute: Attribute) -> None:
    attribute._verify()
    if not isinstance(attribute, _KINDS_OF_ATTRIBUTES):
        raise TypeError("Attributes should only be Data or ParametrizedAttribute")


_KINDS_OF_ATTRIBUTES: Any = (Data, ParametrizedAttribute)

_OPERAND = operations.VarIRConstruct.OPERAND
_RESULT = operations.VarIRConstruct.RESULT
_constructs_of_xdsl = operations.get_op_constructs


def _constructs(op: Operation, construct: operations.VarIRConstruct) -> Any:
    """Return the operands, results, regions or successors of `op`, which accessors index."""
    if construct is _OPERAND:
        return op._operands
    if construct is _RESULT:
        return op.results
    return _constructs_of_xdsl(op, construct)


def _get(accessor: BaseAccessor, op: Operation, kind: object = None) -> Any:
    """Return the part of `op` that an accessor of an xDSL class refers to."""
    construct = accessor.construct
    if construct is _OPERAND:
        return accessor.index(op._operands)
    return accessor.index(op.results if construct is _RESULT else _constructs_of_xdsl(op, construct))


def _get_by_sizes(accessor: BaseAttrAccessor, op: Operation, kind: object = None) -> Any:
    """Return the part of `op` that an accessor refers to, for groups whose sizes an attribute stores."""
    option = accessor.option
    sizes: Any = (op.properties if option.as_property else op.attributes)[option.attribute_name]
    return accessor.index(sizes.get_values(), _constructs(op, accessor.construct))


_item_of_tuple: Any = cast(Any, tuple).__getitem__


def _item(values: SSAValues[Any], index: Any) -> Any:
    """Return one value for an index, several values for a slice."""
    found = _item_of_tuple(values, index)
    return SSAValues(found) if type(index) is slice else found


_unpack: Any = cast(Any, DenseArrayBase).get_values


def _values(array: DenseArrayBase[Any]) -> tuple[Any, ...]:
    """Return the numbers of an array.

    Memoized: each access of an operand reads the group sizes, and few different sizes occur.
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
    # Hash by identity in C: xDSL's `__hash__` returns `id(self)` from Python code at each dict access.
    *((kind, "__hash__", object.__hash__) for kind in (SSAValue, Operation, IRDLOperation, Block, Use)),
    (Operation, "operands", property(_operands, _set_operands)),
    (Operation, "successors", property(_successors, _set_successors)),
    (OpOperands, "__getitem__", _operand),
    (Operation, "walk", _walk_op),
    (Operation, "next_op", property(attrgetter("_next_op"))),
    (Operation, "prev_op", property(attrgetter("_prev_op"))),
    (OpResult, "owner", property(attrgetter("op"))),
    (BlockArgument, "owner", property(attrgetter("block"))),
    (Operation, "__init__", _make),
    (Operation, "create", classmethod(_create)),
    (Operation, "is_ancestor", _is_ancestor),
    (Operation, "parent_op", _parent_op),
    (IRDLOperation, "__post_init__", _fill_in_defaults),
    (Attribute, "__post_init__", _check_attribute),
    (SSAValue, "type", property(attrgetter("_type"))),
    (Use, "operation", property(attrgetter("_operation"))),
    (Use, "index", property(attrgetter("_index"))),
    (BlockOps, "__iter__", _each_op),
    (BlockOps, "__len__", _count),
    (IRUses, "__iter__", _each_use),
    (Block, "walk", _walk_block),
    (Block, "first_op", property(attrgetter("_first_op"))),
    (Block, "last_op", property(attrgetter("_last_op"))),
    (Block, "add_op", _add_op),
    (Region, "walk", _walk_region),
    (operations, "get_op_constructs", _constructs),
    (BaseAccessor, "__get__", _get),
    (BaseAttrAccessor, "__get__", _get_by_sizes),
    (SSAValues, "__getitem__", _item),
    (DenseArrayBase, "get_values", _values),
)
"""The replacements: class or module, name, and a faster method with equal results."""
