"""memref: casts and reshapes with incompatible layouts, slices out of bounds, globals, transfers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    UnregisteredAttr,
)
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.memref import first
from gpuasync_lsp.syntax.checks.memref.first import check_subview, reinterpreted_numbers
from gpuasync_lsp.syntax.checks.slices import groups_of, in_bounds, mixed_lists
from gpuasync_lsp.syntax.checks.view import Checks, Fault, NotKnown, VerifierError, View, as_memref
from gpuasync_lsp.syntax.dialects import memref
from gpuasync_lsp.syntax.dialects.assembly import UnprefixedVerifyException, fail, typed
from gpuasync_lsp.syntax.kinds import is_dense_elements, is_tensor, memref_type
from gpuasync_lsp.syntax.memref_types import AnyMemRef, Strided, strides_and_offset, times
from gpuasync_lsp.syntax.printer import attribute_text

_COMPARES_STRIDES = Profile.subviews_compare_strides.since
_CASTS_TO_DYNAMIC = Profile.reinterpret_casts_to_dynamic.since
_DEFAULT_SPACE = IntegerAttr(0, 64)


def _space(type: AnyMemRef | UnrankedMemRefType[Attribute]) -> Attribute | None:
    """Return the memory space; 0 if there is none."""
    space = type.memory_space
    return None if isinstance(space, NoneAttr) or space == _DEFAULT_SPACE else space


# Casts


def _verify_cast(op: memref.CastOp) -> None:
    with suppress(NotKnown):
        if not _may_cast(op.source.type, op.dest.type):
            types = f"{typed(op.source.type)} and result type {typed(op.dest.type)}"
            fail(op, f"operand type {types} are cast incompatible")


def _may_cast(source: Attribute, target: Attribute) -> bool:
    for type in (source, target):
        if not isinstance(type, MemRefType | UnrankedMemRefType):
            raise NotKnown
    before, after = memref_type(source), memref_type(target)
    if before.element_type != after.element_type or _space(before) != _space(after):
        return False
    if isinstance(source, UnrankedMemRefType) or isinstance(target, UnrankedMemRefType):
        return not (isinstance(source, UnrankedMemRefType) and isinstance(target, UnrankedMemRefType))
    shapes = list(zip(before.get_shape(), after.get_shape(), strict=False))
    if len(before.get_shape()) != len(after.get_shape()) or not all(_agree(a, b) for a, b in shapes):
        return False
    if before.layout == after.layout:
        return True
    if _is_foreign(before) or _is_foreign(after):
        raise NotKnown
    one, other = strides_and_offset(before), strides_and_offset(after)
    if one is None or other is None:
        return False
    pairs = [(one.offset, other.offset), *zip(one.strides, other.strides, strict=True)]
    return all(_agree(a, b) for a, b in pairs)


def _agree(a: int, b: int) -> bool:
    return a == b or DYNAMIC_INDEX in (a, b)


def _is_foreign(type: AnyMemRef) -> bool:
    return isinstance(type.layout, UnregisteredAttr)


# Reshapes


def _rank_zero(small: AnyMemRef, large: AnyMemRef) -> str | None:
    if not small.get_shape() and any(size != 1 for size in large.get_shape()):
        return "rank 0 memrefs can only be extended/collapsed with/from ones"
    return None


def _with_layout(type: AnyMemRef, element: Attribute, space: Attribute, layout: Strided | None) -> AnyMemRef:
    if layout is None:
        return MemRefType(element, type.shape, NoneAttr(), space)
    strides = [None if each == DYNAMIC_INDEX else each for each in layout.strides]
    offset = None if layout.offset == DYNAMIC_INDEX else layout.offset
    return MemRefType(element, type.shape, StridedLayoutAttr(strides, offset), space)


def _made(verb: str, source: AnyMemRef, result: AnyMemRef, layout: Strided | None) -> str | None:
    """Return the error if the result type is not `source` with the layout that the op produces."""
    wanted = _with_layout(result, source.element_type, source.memory_space, layout)
    if wanted == result or _is_foreign(result):
        return None
    same = wanted.element_type == result.element_type and _space(wanted) == _space(result)
    if (
        same
        and strides_and_offset(wanted) == strides_and_offset(result)
        and isinstance(result.layout, NoneAttr) != (layout is None)
    ):
        # MLIR's types differ if equivalent layouts are spelled differently.
        if isinstance(result.layout, NoneAttr | StridedLayoutAttr):
            return (
                f"expected {verb} type to be '{attribute_text(wanted)}' but found '{attribute_text(result)}'"
            )
        return None
    if same and strides_and_offset(wanted) == strides_and_offset(result):
        return None
    return f"expected {verb} type to be '{attribute_text(wanted)}' but found '{attribute_text(result)}'"


def _is_identity(type: MemRefType[Attribute]) -> bool:
    """Return whether the layout is the identity, such as `strided<[1]>` of one dimension."""
    return isinstance(type.layout, NoneAttr) or strides_and_offset(type) == Strided((1,), 0)


def _collapse(view: View) -> Fault:
    source, result = as_memref(view.type("src")), as_memref(view.type("result"))
    if (error := _rank_zero(result, source)) is not None:
        return error
    groups = groups_of(view)
    if not groups or len(groups) != len(result.get_shape()):
        return None
    if _is_identity(source):
        return _made("collapsed", source, result, None)
    layout = strides_and_offset(source)
    shape = source.get_shape()
    if layout is None or 1 in shape or any(not 0 <= at < len(shape) for group in groups for at in group):
        return None
    strides: list[int] = []
    for group in groups:
        is_open = len(group) > 1 and shape[group[-1]] == DYNAMIC_INDEX
        stride = DYNAMIC_INDEX if is_open else layout.strides[group[-1]]
        strides.append(stride)
        for at in reversed(group[1:]):
            stride = times(stride, shape[at])
            if not _agree(stride, layout.strides[at - 1]):
                return "invalid source layout map or collapsing non-contiguous dims"
    return _made("collapsed", source, result, Strided(tuple(strides), layout.offset))


def _expand(view: View) -> Fault:
    source, result = as_memref(view.type("src")), as_memref(view.type("result"))
    if (error := _rank_zero(source, result)) is not None:
        return error
    groups = groups_of(view)
    if not groups or len(groups) != len(source.get_shape()):
        return None
    if _is_identity(source):
        return _made("expanded", source, result, None)
    layout, shape = strides_and_offset(source), result.get_shape()
    if layout is None or any(not 0 <= at < len(shape) for group in groups for at in group):
        return None
    strides: list[int] = []
    for group, stride in zip(reversed(groups), reversed(layout.strides), strict=True):
        for at in reversed(group):
            strides.insert(0, stride)
            stride = times(stride, shape[at])
    return _made("expanded", source, result, Strided(tuple(strides), layout.offset))


# Slices


def _subview(view: View) -> Fault:
    if (error := mixed_lists(view)) is not None:
        return error
    source, result = as_memref(view.type("source")), view.type("result")
    if strides_and_offset(source) is None and not _is_foreign(source):
        target = as_memref(result)
        names = f"'{attribute_text(source)}' and subview memref type '{attribute_text(target)}'"
        if _space(source) != _space(target):
            return VerifierError(f"different memory spaces specified for base memref type {names}", bare=True)
        return VerifierError(f"base type '{attribute_text(source)}' is not strided", bare=True)
    names_of_lists = [f"static_{name}" for name in ("offsets", "sizes", "strides")]
    lists = [view.integers(name) for name in names_of_lists]
    arrays = [cast(DenseArrayBase, view.attribute(name)) for name in names_of_lists]
    try:
        check_subview(source, result, *arrays, compares_strides=True)
    except UnprefixedVerifyException as error:
        return VerifierError(str(error), _COMPARES_STRIDES, bare=True)
    return in_bounds(source.get_shape(), lists[0], lists[1], lists[2])


def _reinterpret(view: View) -> Fault:
    if (wrong := mixed_lists(view)) is not None:
        return wrong
    lists = [view.attribute(f"static_{name}") for name in ("offsets", "sizes", "strides")]
    if not all(isinstance(each, DenseArrayBase) for each in lists):
        raise NotKnown
    offsets, sizes, strides = cast("Sequence[DenseArrayBase]", lists)
    for what, given, have, where in reinterpreted_numbers(
        as_memref(view.type("result")), offsets, sizes, strides
    ):
        if given == DYNAMIC_INDEX != have:
            words = f"expected result type with {what} = dynamic instead of {have}{where}"
            return VerifierError(words, _CASTS_TO_DYNAMIC, bare=True)
    return None


# Memory


def _alloca(view: View) -> Fault:
    parent = view.op.parent_op()
    while parent is not None:
        if parent.name != "builtin.module":
            return None
        parent = parent.parent_op()
    return "requires an ancestor op with AutomaticAllocationScope trait"


def _global(view: View) -> Fault:
    type = as_memref(cast("Attribute", view.attribute("type")))
    if not type.has_static_shape():
        return f"type should be static shaped memref, but got '{attribute_text(type)}'"
    value = view.attribute("initial_value")
    if value is None or isinstance(value, UnitAttr):
        return None
    if not (is_dense_elements(value) or isinstance(value, DenseResourceAttr)):
        if isinstance(value, StringAttr | IntegerAttr | ArrayAttr):
            shown = attribute_text(cast("Attribute", value))
            return f"initial value should be a unit or elements attribute, but got {shown}"
        raise NotKnown
    given = value.type
    if not is_tensor(given):
        raise NotKnown
    wanted: TensorType[Attribute] = TensorType(type.element_type, type.get_shape())
    earlier = (
        f"initial value expected to be of type '{attribute_text(wanted)}', but was of type "
        f"'{attribute_text(given)}'"
    )
    if given.element_type != type.element_type:
        names = (
            f"'{attribute_text(type.element_type)}', but was of type '{attribute_text(given.element_type)}'"
        )
        return VerifierError(f"initial value element expected to be of type {names}", 20, earlier=earlier)
    if given.get_shape() != type.get_shape():
        have, given_sizes = (", ".join(map(str, each.get_shape())) for each in (type, given))
        words = f"initial value shape expected to be {have} but was {given_sizes}"
        return VerifierError(words, 20, earlier=earlier)
    return None


def _distinct(view: View) -> Fault:
    operands, results = view.op.operands, view.op.results
    if not operands:
        return "expected at least one operand"
    if [each.type for each in operands] != [each.type for each in results]:
        return "operand types and result types must match"
    return None


# Transfers, whose operands are distinguished by the ranks of the memrefs


def _is_memref(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType)


def _rank(value: SSAValue) -> int:
    return len(as_memref(value.type).get_shape())


def _dma_start(view: View) -> Fault:
    operands = list(view.op.operands)
    if len(operands) < 4:
        return "expected at least 4 operands"
    at = 0
    for what in ("source", "destination"):
        if not _is_memref(operands[at]):
            return f"expected {what} to be of memref type"
        rank = _rank(operands[at])
        if len(operands) < at + 1 + rank + (3 if what == "source" else 2):
            return None
        indices = operands[at + 1 : at + 1 + rank]
        if any(not isinstance(each.type, IndexType) for each in indices):
            return f"expected {what} indices to be of index type"
        at += 1 + rank
    if not isinstance(operands[at].type, IndexType):
        return "expected num elements to be of index type"
    at += 1
    if at >= len(operands) or not _is_memref(operands[at]):
        return "expected tag to be of memref type"
    at += 1 + _rank(operands[at])
    if len(operands) not in (at, at + 2):
        return "incorrect number of operands"
    return None


def _dma_wait(view: View) -> Fault:
    if len(view.op.operands) < 2:
        raise NotKnown
    tag, *indices = view.op.operands[:-1]
    rank = _rank(tag)
    if len(indices) != rank:
        return (
            "expected tagIndices to have the same number of elements as the tagMemRef rank, expected "
            f"{rank}, but got {len(indices)}"
        )
    return None


def _generic_atomic(view: View) -> VerifierError | None:
    memory, *indices = view.op.operands
    rank, given = _rank(memory), len(indices)
    if rank == given:
        return None
    return VerifierError(
        f"invalid number of indices for accessed memref, expected {rank} but got {given}", 24
    )


FIRST = {**first.FIRST, "memref.cast": _verify_cast}

CHECKS: Checks = {
    "memref.alloca": _alloca,
    "memref.collapse_shape": _collapse,
    "memref.distinct_objects": _distinct,
    "memref.dma_start": _dma_start,
    "memref.dma_wait": _dma_wait,
    "memref.expand_shape": _expand,
    "memref.generic_atomic_rmw": _generic_atomic,
    "memref.global": _global,
    "memref.reinterpret_cast": _reinterpret,
    "memref.subview": _subview,
}
