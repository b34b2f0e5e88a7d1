"""memref: checks that MLIR makes before the constraints of an op's definition.

Each function raises a VerifyException. Only layouts that consist of strides and an offset, and
equivalent maps, are checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr

from gpuasync_lsp.syntax.attributes import symbol_count
from gpuasync_lsp.syntax.checks.view import First
from gpuasync_lsp.syntax.dialects import memref
from gpuasync_lsp.syntax.dialects.assembly import (
    UnprefixedVerifyException,
    as_memref,
    fail,
    integers,
    same_type,
    typed,
)
from gpuasync_lsp.syntax.kinds import map_of
from gpuasync_lsp.syntax.memref_types import AnyMemRef, Strided, plus, strides_and_offset, times
from gpuasync_lsp.syntax.ods.by_table import TableOp


def _shown(number: int) -> str:
    return "dynamic" if number == DYNAMIC_INDEX else str(number)


def _check_lists(
    offsets: DenseArrayBase, sizes: DenseArrayBase, strides: DenseArrayBase, ranks: tuple[int, int, int]
) -> None:
    """Check that the offsets, sizes and strides have the same length, which is in `ranks`."""
    lengths = tuple(len(integers(each)) for each in (offsets, sizes, strides))
    rest = "so the rank of the result type is well-formed."
    if lengths[0] != lengths[1] and (lengths[0], ranks[0]) != (1, 1):
        raise UnprefixedVerifyException(
            f"expected mixed offsets rank to match mixed sizes rank ({lengths[0]} vs {lengths[1]}) {rest}"
        )
    if lengths[1] != lengths[2]:
        raise UnprefixedVerifyException(
            f"expected mixed sizes rank to match mixed strides rank ({lengths[1]} vs {lengths[2]}) {rest}"
        )
    for name, have, wanted in zip(("offset", "size", "stride"), lengths, ranks, strict=True):
        if have != wanted:
            raise UnprefixedVerifyException(f"expected {wanted} {name} values, got {have}")


def check_subview(
    source: Attribute,
    result: Attribute,
    offsets: DenseArrayBase,
    sizes: DenseArrayBase,
    strides: DenseArrayBase,
    *,
    compares_strides: bool,
) -> None:
    """Check the result type of memref.subview.

    The strides are checked only if `compares_strides` is true: LLVM 18 and older accept any."""
    base, part = as_memref(source), as_memref(result)
    if base is None or part is None:
        return
    rank = base.get_num_dims()
    _check_lists(offsets, sizes, strides, (rank, rank, rank))
    layout, found = strides_and_offset(base), strides_and_offset(part)
    if layout is None or (found is None and not isinstance(part.layout, AffineMapAttr)):
        return
    if base.memory_space != part.memory_space:
        raise UnprefixedVerifyException(
            f"different memory spaces specified for base memref type {typed(base)} and subview memref type "
            f"{typed(part)}"
        )
    # A zero offset remains 0 even if its stride is dynamic, except in LLVM 16.
    offset = known = layout.offset
    for at, stride in zip(integers(offsets), layout.strides, strict=True):
        offset = plus(offset, times(at, stride))
        known = plus(known, 0 if at == 0 else times(at, stride))
    steps = [times(a, b) for a, b in zip(integers(strides), layout.strides, strict=True)]
    shape = integers(sizes)
    if part.get_num_dims() > rank:
        raise UnprefixedVerifyException(
            f"expected result rank to be smaller or equal to the source rank, but got {typed(part)}"
        )
    if not same_type(base.element_type, part.element_type):
        raise UnprefixedVerifyException(
            f"expected result element type to be {typed(base.element_type)}, but got {typed(part)}"
        )
    wrong = ""
    if not _reduces([(size, None) for size in shape], [(size, None) for size in part.get_shape()]):
        wrong = "sizes"
    elif (
        found is None
        or found.offset not in (offset, known)
        or (
            compares_strides
            and not _reduces(
                list(zip(shape, steps, strict=True)), list(zip(part.get_shape(), found.strides, strict=True))
            )
        )
    ):
        wrong = "layout"
    if wrong:
        expected = MemRefType(base.element_type, shape, _layout(steps, known), base.memory_space)
        raise UnprefixedVerifyException(
            f"expected result type to be {typed(expected)} or a rank-reduced version. "
            f"(mismatch of result {wrong}), but got {typed(part)}"
        )


def _layout(strides: Sequence[int], offset: int) -> StridedLayoutAttr:
    known = [None if stride == DYNAMIC_INDEX else stride for stride in strides]
    return StridedLayoutAttr(known, None if offset == DYNAMIC_INDEX else offset)


Dimension = tuple[int, int | None]
"""The size and stride of a dimension; the stride is None if only sizes are compared."""


def _reduces(whole: Sequence[Dimension], part: Sequence[Dimension]) -> bool:
    """Return whether `part` results from `whole` by dropping dimensions of size 1."""
    reachable = {0}
    for dimension in whole:
        following = {at + 1 for at in reachable if at < len(part) and part[at] == dimension}
        if dimension[0] == 1:
            following |= reachable
        reachable = following
    return len(part) in reachable


def _verify_reinterpret_cast(op: memref.ReinterpretCastOp) -> None:
    source, target = op.source.type, as_memref(op.result.type)
    if target is None:
        return
    offsets, sizes, strides = op.static_offsets, op.static_sizes, op.static_strides
    rank = target.get_num_dims()
    _check_lists(offsets, sizes, strides, (1, rank, rank))
    space = getattr(source, "memory_space", target.memory_space)
    if space != target.memory_space:
        raise UnprefixedVerifyException(
            f"different memory spaces specified for source type {typed(source)} and result memref type "
            f"{typed(target)}"
        )
    element: Attribute = getattr(source, "element_type", target.element_type)
    if not same_type(element, target.element_type):
        raise UnprefixedVerifyException(
            f"different element types specified for source type {typed(source)} and result memref type "
            f"{typed(target)}"
        )
    for what, given, have, where in reinterpreted_numbers(target, offsets, sizes, strides):
        # LLVM 19 and older accept a static value for a dynamic one; `_reinterpret` checks newer releases.
        if have not in (DYNAMIC_INDEX, given) and given != DYNAMIC_INDEX:
            raise UnprefixedVerifyException(
                f"expected result type with {what} = {_shown(given)} instead of {_shown(have)}{where}"
            )


def reinterpreted_numbers(
    target: AnyMemRef, offsets: DenseArrayBase, sizes: DenseArrayBase, strides: DenseArrayBase
) -> Iterator[tuple[str, int, int, str]]:
    """Yield the size, offset and stride of each dimension of a `memref.reinterpret_cast`.

    An item consists of the kind, the value in the op, the value in the type, and the end of the message.
    """
    for dim, (have, given) in enumerate(zip(target.get_shape(), integers(sizes), strict=True)):
        yield "size", given, have, f" in dim = {dim}"
    layout = strides_and_offset(target)
    if layout is None:
        return
    yield "offset", integers(offsets)[0], layout.offset, ""
    for dim, (have, given) in enumerate(zip(layout.strides, integers(strides), strict=True)):
        yield "stride", given, have, f" in dim = {dim}"


def _check_reassociation(op: Operation, collapsed: Attribute, expanded: Attribute, groups: ArrayAttr) -> None:
    """Check the sizes of `memref.collapse_shape` and `memref.expand_shape`."""
    small, large = as_memref(collapsed), as_memref(expanded)
    if small is None or large is None:
        return
    is_expansion = op.name == "memref.expand_shape"
    if not same_type(small.element_type, large.element_type) and not is_expansion:
        wanted = MemRefType(large.element_type, small.shape, small.layout, small.memory_space)
        fail(op, f"expected collapsed type to be {typed(wanted)} but found {typed(small)}")
    if len(groups) != small.get_num_dims():
        fail(
            op,
            f"invalid number of reassociation groups: found {len(groups)}, expected {small.get_num_dims()}",
        )
    shape = large.get_shape()
    members = [each for group in groups for each in cast(ArrayAttr[Attribute], group)]
    if any(not isinstance(each, IntegerAttr) for each in members):
        return  # The ODS constraint reports this.
    named = [each.value.data for each in cast("list[IntegerAttr[IntegerType]]", members)]
    if is_expansion and len(named) != len(shape) and groups:
        fail(
            op,
            f"expanded rank ({len(shape)}) inconsistent with number of reassociation indices ({len(named)})",
        )
    if named != list(range(len(named))):
        fail(op, "reassociation indices must be contiguous")
    for dim, (size, group) in enumerate(zip(small.get_shape(), groups, strict=True)):
        places = [each.value.data for each in cast(ArrayAttr[IntegerAttr[IntegerType]], group)]
        if any(place >= len(shape) for place in places):
            return
        product = 1
        for place in places:
            product = times(product, shape[place])
        if (product == DYNAMIC_INDEX) != (size == DYNAMIC_INDEX):
            fail(op, f"collapsed dim ({dim}) must be dynamic if and only if reassociation group is dynamic")
        if product != size:
            fail(op, f"collapsed dim size ({size}) must equal reassociation group size ({product})")


def _has_map(type: AnyMemRef) -> bool:
    return strides_and_offset(type) != strides_and_offset(MemRefType(type.element_type, type.shape))


def _verify_view(op: memref.ViewOp) -> None:
    """Check the types of `memref.view` and the number of its size operands."""
    base, target = as_memref(op.source.type), as_memref(op.result.type)
    if base is not None and (base.get_num_dims() != 1 or base.element_type != IntegerType(8)):
        return  # The ODS constraint reports this.
    if base is not None and target is not None and base.memory_space != target.memory_space:
        types = f"base memref type {typed(base)} and view memref type {typed(target)}"
        raise UnprefixedVerifyException(f"different memory spaces specified for {types}")
    if target is not None and _has_map(target):
        raise UnprefixedVerifyException(f"unsupported map for result memref type {typed(target)}")
    if target is not None:
        dynamic = target.get_shape().count(DYNAMIC_INDEX)
        if len(op.sizes) != dynamic:
            fail(op, f"incorrect number of dynamic sizes, has {len(op.sizes)}, expected {dynamic}")


def _verify_transpose(op: memref.TransposeOp) -> None:
    """Raise a VerifyException unless the result has the input's dimensions in permuted order."""
    permutation = map_of(op.permutation)
    order = [expr.position for expr in permutation.results if isinstance(expr, AffineDimExpr)]
    if sorted(order) != list(range(permutation.num_dims)):
        fail(op, "expected a permutation map")
    base, target = as_memref(op.in_.type), as_memref(op.result.type)
    if base is None or target is None:
        return
    if base.get_num_dims() != permutation.num_dims:
        fail(op, "expected a permutation map of same rank as the input")
    layout, found = strides_and_offset(base), strides_and_offset(target)
    if layout is None or found is None:
        return
    shape = [base.get_shape()[position] for position in order]
    strides = tuple(layout.strides[position] for position in order)
    wanted = MemRefType(base.element_type, shape, _layout(strides, layout.offset), base.memory_space)
    same = same_type(base.element_type, target.element_type) and base.memory_space == target.memory_space
    if not same or list(target.get_shape()) != shape or found != Strided(strides, layout.offset):
        words = "is not equivalent to the canonical transposed input type"
        fail(op, f"result type {typed(target)} {words} {typed(wanted)}")


def _verify_reshape(op: memref.ReshapeOp) -> None:
    """Raise a VerifyException unless the buffer `shape` determines the sizes of the result of
    memref.reshape."""
    sizes = as_memref(op.shape.type)
    if sizes is None or sizes.get_num_dims() != 1:
        return
    base, target = as_memref(op.source.type), as_memref(op.result.type)
    if base is not None and target is not None and not same_type(base.element_type, target.element_type):
        fail(op, "element types of source and destination memref types should be the same")
    for name, type in (("source", base), ("result", target)):
        if type is not None and _has_map(type):
            fail(op, f"{name} memref type should have identity affine map")
    if target is not None:
        length = sizes.get_shape()[0]
        if length == DYNAMIC_INDEX:
            fail(
                op, "cannot use shape operand with dynamic length to reshape to statically-ranked memref type"
            )
        if length != target.get_num_dims():
            fail(op, "length of shape operand differs from the result's memref rank")


def _verify_realloc(op: memref.ReallocOp) -> None:
    """Raise a VerifyException unless the result of memref.realloc is a 1D memref compatible with the
    source."""
    base, target = as_memref(op.source.type), as_memref(op.result.type)
    if base is None or target is None or target.get_num_dims() != 1:
        return
    types = f"source memref type {typed(base)} and result memref type {typed(target)}"
    if base.memory_space != target.memory_space:
        raise UnprefixedVerifyException(f"different memory spaces specified for {types}")
    if not same_type(base.element_type, target.element_type):
        raise UnprefixedVerifyException(f"different element types specified for {types}")
    is_dynamic = target.get_shape()[0] == DYNAMIC_INDEX
    if is_dynamic != (op.dynamic_result_size is not None):
        what = "missing" if is_dynamic else "unnecessary"
        raise UnprefixedVerifyException(f"{what} dimension operand for result type {typed(target)}")


def _verify_memory_space_cast(op: memref.MemorySpaceCastOp) -> None:
    """Raise a VerifyException unless two types differ only in their memory space."""
    base, target = as_memref(op.source.type), as_memref(op.dest.type)
    if base is None or target is None:
        return
    if MemRefType(base.element_type, base.shape, base.layout, target.memory_space) != target:
        types = f"operand type {typed(base)} and result type {typed(target)}"
        fail(op, f"{types} are cast incompatible")


_INDICES = {
    "memref.load": "incorrect number of indices for load, expected {rank} but got {given}",
    "memref.store": "store index operand count not equal to memref rank",
    "memref.atomic_rmw": "expects the number of subscripts to be equal to memref rank",
    "memref.prefetch": "too few indices",
}


def _verify_indices(op: TableOp) -> None:
    type = as_memref(op.memref.type)
    if type is not None and len(op.indices) != type.get_num_dims():
        fail(op, _INDICES[op.name].format(rank=type.get_num_dims(), given=len(op.indices)))


def _verify_allocation(op: memref.AllocOp | memref.AllocaOp) -> None:
    type = as_memref(op.memref.type)
    if type is None:
        return
    dynamic = type.get_shape().count(DYNAMIC_INDEX)
    if len(op.dynamic_sizes) != dynamic:
        fail(op, f"incorrect number of dynamic sizes, has {len(op.dynamic_sizes)}, expected {dynamic}")
    symbols = symbol_count(type.layout)
    if symbols is not None and len(op.symbol_operands) != symbols:
        words = "symbol operand count does not equal memref symbol count"
        fail(op, f"{words}: expected {symbols}, got {len(op.symbol_operands)}")


def _verify_assume_alignment(op: memref.AssumeAlignmentOp) -> None:
    alignment = op.alignment.value.data
    if alignment <= 0 or alignment & (alignment - 1):
        fail(op, "alignment must be power of 2")


def _verify_generic_atomicrmw(op: memref.GenericAtomicRMWOp) -> None:
    block = op.atomic_body.blocks.first
    if block is None or len(block.args) != 1:
        fail(op, "expected single number of entry block arguments")
    if not same_type(block.args[0].type, op.result.type):
        fail(op, "expected block argument of the same type result type")


def _verify_atomic_yield(op: memref.AtomicYieldOp) -> None:
    parent = op.parent_op()
    # A parent without a result is malformed; the verifier reports the error at the parent.
    if not isinstance(parent, memref.GenericAtomicRMWOp) or not parent.results or not op.operands:
        return
    if not same_type(op.result.type, parent.result.type):
        types = f"{typed(op.result.type)} and its parent: {typed(parent.result.type)}"
        fail(op, f"types mismatch between yield op: {types}")


def _verify_collapse_shape(op: memref.CollapseShapeOp) -> None:
    _check_reassociation(op, op.result.type, op.src.type, op.reassociation)


def _verify_expand_shape(op: memref.ExpandShapeOp) -> None:
    _check_reassociation(op, op.src.type, op.result.type, op.reassociation)
    type, output = as_memref(op.result.type), op.static_output_shape
    if type is not None and output is not None:
        for position, (given, size) in enumerate(zip(integers(output), type.get_shape(), strict=False)):
            if given != size:
                fail(op, f"invalid output shape provided at pos {position}")


def _verify_subview(op: memref.SubviewOp) -> None:
    lists = op.static_offsets, op.static_sizes, op.static_strides
    check_subview(op.source.type, op.result.type, *lists, compares_strides=False)


FIRST: First = {
    **dict.fromkeys(_INDICES, _verify_indices),
    "memref.alloc": _verify_allocation,
    "memref.alloca": _verify_allocation,
    "memref.assume_alignment": _verify_assume_alignment,
    "memref.atomic_yield": _verify_atomic_yield,
    "memref.collapse_shape": _verify_collapse_shape,
    "memref.expand_shape": _verify_expand_shape,
    "memref.generic_atomic_rmw": _verify_generic_atomicrmw,
    "memref.memory_space_cast": _verify_memory_space_cast,
    "memref.realloc": _verify_realloc,
    "memref.reinterpret_cast": _verify_reinterpret_cast,
    "memref.reshape": _verify_reshape,
    "memref.subview": _verify_subview,
    "memref.transpose": _verify_transpose,
    "memref.view": _verify_view,
}
