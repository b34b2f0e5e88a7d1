"""The patterns of the memref dialect. Source: mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, MemRefType, StridedLayoutAttr, i64
from xdsl.ir import Attribute, Operation
from xdsl.traits import get_effects

from gpuasync_lsp.lowering.conversion.edits import erase, insert_before, replace
from gpuasync_lsp.lowering.conversion.folders import constant_int
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns, inline, replace_with
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, memref
from gpuasync_lsp.syntax.dialects.assembly import i32_array, integers
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.kinds import is_memref, memref_type
from gpuasync_lsp.syntax.memref_types import AnyMemRef, dynamic, strides_and_offset


def _know_sizes(alloc: memref.AllocOp | memref.AllocaOp, _: Profile) -> bool:
    """Make sizes of an allocation static if they are constants."""
    type = memref_type(alloc.memref.type)
    given = iter(alloc.dynamic_sizes)
    shape: list[int] = []
    left: list[int] = []
    for index, size in enumerate(type.get_shape()):
        known = constant_int(next(given)) if dynamic(size) else size
        shape.append(DYNAMIC_INDEX if known is None or known < 0 else known)
        if dynamic(size) and dynamic(shape[-1]):
            left.append(index)
    if len(left) == len(alloc.dynamic_sizes):
        return False
    positions = [index for index, size in enumerate(type.get_shape()) if dynamic(size)]
    sizes = [value for at, value in zip(positions, alloc.dynamic_sizes, strict=True) if at in left]
    properties: dict[str, Attribute] = {
        **alloc.properties,
        "operandSegmentSizes": i32_array([len(sizes), len(alloc.symbol_operands)]),
    }
    new = alloc.create(
        operands=[*sizes, *alloc.symbol_operands],
        result_types=[MemRefType(type.element_type, shape, type.layout, type.memory_space)],
        properties=properties,
        attributes=dict(alloc.attributes),
    )
    insert_before(alloc, new)
    return replace_with(alloc, memref.CastOp.create(operands=new.results, result_types=[type]))


def _erase_unread(op: Operation, _: Profile) -> bool:
    """Erase an allocation that is only written and freed, together with its users."""
    (buffer,) = op.results
    users = {use.operation for use in buffer.uses}
    for user in users:
        if isinstance(user, memref.StoreOp) and user.value is not buffer:
            continue
        if not isinstance(user, memref.DeallocOp):
            return False
    for user in users:
        erase(user)
    return erase(op)


def _erase_copy_to_itself(copy: memref.CopyOp, _: Profile) -> bool:
    return copy.source is copy.target and erase(copy)


def _copy_without_casts(op: Operation, profile: Profile) -> bool:
    """Skip casts of ranked memrefs at the operands of a copy."""
    if not profile.copies_without_casts:
        return False
    casts = {
        number: operand.owner
        for number, operand in enumerate(op.operands)
        if isinstance(operand.owner, memref.CastOp) and is_memref(operand.owner.source.type)
    }
    for number, source in casts.items():
        op.operands[number] = source.source
    return bool(casts)


def _inline_scope(scope: memref.AllocaScopeOp, profile: Profile) -> bool:
    """Inline a memref.alloca_scope that does not allocate, or that is the last op in another scope."""
    if any(_may_allocate(inner, profile) for inner in scope.body_region.walk()):
        parent = scope.parent_op()
        after = scope.next_op
        if parent is None or parent.name not in _SCOPES:
            return False
        if after is None or after.next_op is not None:
            return False
    return len(scope.body_region.blocks) == 1 and inline(scope, scope.body_region.block)


_SCOPES = frozenset(
    {
        "affine.for",
        "affine.parallel",
        "async.execute",
        "func.func",
        "gpu.func",
        "gpu.launch",
        "llvm.func",
        "memref.alloca_scope",
        "scf.for",
        "scf.forall",
        "scf.parallel",
    }
)
"""Ops that, at their end, free the stack memory allocated inside them."""


def _may_allocate(op: Operation, profile: Profile) -> bool:
    """Return whether `op`, without its regions, may allocate on the stack; true if that is unknown."""
    if isinstance(op, memref.AllocaOp) or op.name == "llvm.alloca":
        return True
    known = get_effects(op) is not None or is_harmless(op, profile)
    return not known and not op.name.startswith(("memref.", "gpu.", "scf.", "affine.", "vector."))


def _know_lists(view: memref.SubviewOp, profile: Profile) -> bool:
    """Make offsets, sizes and strides of a subview static if they are constants."""
    groups = (
        (view.static_offsets, view.offsets, 0),
        (view.static_sizes, view.sizes, 0),
        (view.static_strides, view.strides, 0 if profile.folds_zero_strides else 1),
    )
    operands = [view.source]
    counts: list[int] = [1]
    lists: list[list[int]] = []
    found = False
    for static, values, least in groups:
        given = iter(values)
        numbers: list[int] = []
        before = len(operands)
        for number in integers(static):
            if dynamic(number):
                value = next(given)
                known = constant_int(value)
                if known is None or known < least:
                    operands.append(value)
                else:
                    number, found = known, True
            numbers.append(number)
        counts.append(len(operands) - before)
        lists.append(numbers)
    type = _type_of_view(view, lists) if found else None
    if type is None:
        return False
    properties: dict[str, Attribute] = {
        "static_offsets": DenseArrayBase.from_list(i64, lists[0]),
        "static_sizes": DenseArrayBase.from_list(i64, lists[1]),
        "static_strides": DenseArrayBase.from_list(i64, lists[2]),
        "operandSegmentSizes": i32_array(counts),
    }
    new = memref.SubviewOp.create(
        operands=operands, result_types=[type], properties=properties, attributes=dict(view.attributes)
    )
    insert_before(view, new)
    if type == view.result.type:
        return replace(view, new.results)
    return replace_with(view, memref.CastOp.create(operands=new.results, result_types=[view.result.type]))


def _type_of_view(view: memref.SubviewOp, lists: Sequence[Sequence[int]]) -> AnyMemRef | None:
    """Return the type of a subview with these offsets, sizes and strides; None if it drops dimensions."""
    source = memref_type(view.source.type)
    layout = strides_and_offset(source)
    offsets, sizes, steps = lists
    if layout is None or len(memref_type(view.result.type).get_shape()) != len(sizes):
        return None
    strides, offset = layout
    for position, stride in zip(offsets, strides, strict=True):
        offset = _sum(offset, _product(position, stride))
    strides = [_product(step, stride) for step, stride in zip(steps, strides, strict=True)]
    known = [None if dynamic(number) else number for number in strides]
    return MemRefType(
        source.element_type,
        sizes,
        StridedLayoutAttr(known, None if dynamic(offset) else offset),
        source.memory_space,
    )


def _sum(a: int, b: int) -> int:
    return DYNAMIC_INDEX if dynamic(a) or dynamic(b) else a + b


def _product(a: int, b: int) -> int:
    return DYNAMIC_INDEX if dynamic(a) or dynamic(b) else a * b


def _dim_of_gpu_alloc(dim: memref.DimOp, _: Profile) -> bool:
    """Replace a memref.dim of a gpu.alloc with the dynamic size; in MLIR this is a pattern, not a folder."""
    alloc, index = dim.source.owner, constant_int(dim.index)
    if not isinstance(alloc, gpu.AllocOp) or index is None:
        return False
    shape = memref_type(dim.source.type).get_shape()
    if not 0 <= index < len(shape) or not dynamic(shape[index]):
        return False
    return replace(dim, [alloc.dynamic_sizes[sum(map(dynamic, shape[:index]))]])


PATTERNS: Patterns = {
    memref.DimOp: (_dim_of_gpu_alloc,),
    memref.AllocOp: (_know_sizes, _erase_unread),
    memref.AllocaOp: (_know_sizes, _erase_unread),
    memref.ReallocOp: (_erase_unread,),
    memref.CopyOp: (_erase_copy_to_itself, _copy_without_casts),
    memref.AllocaScopeOp: (_inline_scope,),
    memref.SubviewOp: (_know_lists,),
}
