"""Which gpu ops a version's gpu-to-llvm converts, and which it leaves behind or stops at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.analysis.model.function import AsyncOp, Rejection
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.opaque import UnknownType


def synchronous_lowers(name: str, profile: Profile) -> bool:
    """Tell whether the gpu op `name` has a lowering where it is not async and has no dependency.

    A gpu.launch is outlined before, and a gpu.launch_func lowers then in every version.
    """
    if name in ("gpu.alloc", "gpu.dealloc"):
        return not profile.alloc_needs_one_dependency
    return name in ("gpu.launch", "gpu.launch_func")


HOST_ONLY = frozenset({"gpu.host_register", "gpu.host_unregister", "gpu.set_default_device"})
"""Ops without stream, in every version."""


def rejections(op: AsyncOp, profile: Profile) -> tuple[Rejection, ...]:
    """Return why `profile`'s conversion does not take `op`; empty if it does."""
    check = _CHECKS.get(op.name, _one_stream)
    return tuple(check(op, profile))


def has_identity_layout(memref: Attribute) -> bool:
    """Tell whether a memref type is contiguous in the way that gpu-to-llvm asks for.

    Rank-1 `strided<[1]>` passes, rank-2 `strided<[8, 1]>` does not although it may be contiguous; any offset
    is refused (semantics 21).
    """
    if not isinstance(memref, MemRefType):
        return True
    layout: Attribute = memref.layout
    if isinstance(layout, NoneAttr):
        return True
    if isinstance(layout, StridedLayoutAttr):
        offset = layout.offset
        if not (isinstance(offset, IntAttr) and offset.data == 0):
            return False
        strides = [s.data if isinstance(s, IntAttr) else None for s in layout.strides.data]
        return strides == [1] or strides == []
    if isinstance(layout, AffineMapAttr):
        affine = layout.data
        return affine.num_symbols == 0 and str(affine) == str(type(affine).identity(affine.num_dims))
    return False


def is_layout_ignored(memref: Attribute) -> bool:
    """Tell whether a gpu.memcpy into such a memref writes to other places than the type says: to contiguous
    bytes from the descriptor's pointer (semantics 21)."""
    return not has_identity_layout(memref) and not _is_contiguous(memref)


def _is_contiguous(kind: Attribute) -> bool:
    """Tell whether a static memref has row-major strides and no offset, though not written as identity."""
    if not isinstance(kind, MemRefType):
        return True
    strides = kind.get_strides()
    offset = kind.get_offset() if strides is not None else None
    shape = kind.get_shape()
    if strides is None or offset != 0 or -1 in shape:
        return False
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if stride != expected and size != 1:
            return False
        expected *= size
    return True


def _layout_problem(memref: Attribute) -> str:
    """Say what `has_identity_layout` misses."""
    layout = memref.layout if isinstance(memref, MemRefType) else None
    if isinstance(layout, StridedLayoutAttr) and [str(s) for s in layout.strides.data] == [str(IntAttr(1))]:
        return "has a layout with an offset"
    return "is not contiguous"


def has_strided_form(memref: Attribute) -> bool:
    """Tell whether a memref type's layout can be written with an offset and strides."""
    layout = getattr(memref, "layout", None)
    return has_identity_layout(memref) if isinstance(layout, AffineMapAttr) else True


_NO_SPACE = NoneAttr()


def memory_space(memref: Attribute) -> int | Attribute:
    """Return the memory space of a memref type: a number (0 by default), or the attribute if it is none."""
    space: Attribute = getattr(memref, "memory_space", _NO_SPACE)
    if isinstance(space, NoneAttr):
        return 0
    if isinstance(space, IntegerAttr):
        return space.value.data
    return space


def bit_width(kind: Attribute) -> int | None:
    """Return the width of a scalar type in bits, or None if it has none that gpu-to-llvm knows."""
    width = integer_width(kind)
    if width is not None:
        return width
    if isinstance(kind, AnyFloat):
        return kind.bitwidth
    return None


def integer_width(kind: Attribute) -> int | None:
    """Return the width of an integer type, None for any other type."""
    return cast("IntegerType", kind).width.data if isinstance(kind, IntegerType) else None


def type_text(kind: Attribute) -> str:
    """Return a type as MLIR writes it."""
    return str(kind)


def _count(number: int) -> str:
    return "no dependency" if number == 0 else "1 dependency" if number == 1 else f"{number} dependencies"


def _one_stream(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    """The conversion demands `async` and exactly one dependency."""
    count = len(op.deps)
    if op.token is None:
        if count == 0:
            yield Rejection("GA102", "it is not async")
        else:
            yield Rejection("GA104", f"it has {_count(count)} and is not async")
    elif count == 0:
        yield Rejection("GA103", "it is async and has no dependency")
    elif count > 1:
        yield Rejection("GA101", f"it has {count} dependencies")


def _alloc_dependencies(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    if profile.alloc_needs_one_dependency:
        yield from _one_stream(op, profile)
    elif len(op.deps) > 1:
        yield Rejection("GA101", f"it has {len(op.deps)} dependencies")


def _spaces(
    op: AsyncOp, profile: Profile, in_any: bool, types: list[tuple[int, Attribute]]
) -> Iterator[Rejection]:
    """Find a memref in an integer space but 0, unless it lowers `in_any`, or in a named one."""
    for operand, kind in types:
        if isinstance(kind, UnknownType):
            continue
        space = memory_space(kind)
        if isinstance(space, int):
            if space and not in_any:
                yield Rejection("GA110", f"its memref is in memory space {space}", operand)
                return
        elif not profile.gpu_address_space_lowers:
            yield Rejection("GA110", f"its memref is in memory space {space}", operand)
            return


def _alloc(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    kind = op.op.results[0].type if op.op.results else UnknownType()
    if "hostShared" in op.op.properties or "hostShared" in op.op.attributes:
        if profile.host_shared == "never":
            yield Rejection("GA105", "it is host_shared")
        elif op.token is not None:
            yield Rejection("GA105", "it is host_shared and async")
        elif profile.host_shared == "sync-at-most-one" and len(op.deps) > 1:
            yield Rejection("GA101", f"it has {len(op.deps)} dependencies")
    else:
        yield from _alloc_dependencies(op, profile)
    if not has_identity_layout(kind):
        yield Rejection("GA107", f"its memref {_layout_problem(kind)}")
    yield from _spaces(op, profile, profile.alloc_in_any_space, [(-1, kind)])


def _dealloc(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    yield from _alloc_dependencies(op, profile)
    memref = op.op.operands[-1]
    yield from _spaces(op, profile, False, [(len(op.deps), memref.type)])


def _memcpy(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    yield from _one_stream(op, profile)
    first = len(op.deps)
    dst, src = op.op.operands[first].type, op.op.operands[first + 1].type
    if not has_identity_layout(src):
        yield Rejection("GA107", f"its source {_layout_problem(src)}", first + 1)
    elif not has_strided_form(dst):
        yield Rejection("GA107", "its destination has no strided form", first)
    yield from _spaces(op, profile, profile.copy_in_any_space, [(first, dst), (first + 1, src)])


def _memset(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    yield from _one_stream(op, profile)
    first = len(op.deps)
    dst, value = op.op.operands[first].type, op.op.operands[first + 1].type
    if not isinstance(value, UnknownType):
        bits = bit_width(value)
        if bits is None or not profile.memset_lowers(bits):
            yield Rejection("GA106", f"its value is {type_text(value)}", first + 1)
    if not has_identity_layout(dst):
        yield Rejection("GA107", f"its destination {_layout_problem(dst)}", first)
    yield from _spaces(op, profile, profile.copy_in_any_space, [(first, dst)])


def _wait(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    return iter(())


def _launch(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    yield Rejection("GA108", "it is not outlined")


def _launch_func(op: AsyncOp, profile: Profile) -> Iterator[Rejection]:
    count = len(op.deps)
    if op.token is None and count:
        yield Rejection("GA104", f"it has {_count(count)} and is not async")
    elif profile.launch_max_dependencies is not None and count > profile.launch_max_dependencies:
        yield Rejection("GA101", f"it has {count} dependencies")
    if isinstance(op.op, LaunchFuncOp):
        size = op.op.grid_size_x.type
        if integer_width(size) not in (None, 64):
            yield Rejection("GA113", f"its sizes are {size}", count)
        for number, argument in enumerate(op.op.kernel_operands):
            kind: Attribute = argument.type
            if isinstance(kind, TensorType):
                yield Rejection("GA113", f"argument {number} is a tensor")
            elif kind.name == "memref":
                space = memory_space(kind)
                if not isinstance(space, int) and not profile.gpu_address_space_lowers:
                    yield Rejection("GA110", f"argument {number} is in memory space {space}")


_CHECKS = {
    "gpu.wait": _wait,
    "gpu.alloc": _alloc,
    "gpu.dealloc": _dealloc,
    "gpu.memcpy": _memcpy,
    "gpu.memset": _memset,
    "gpu.launch": _launch,
    "gpu.launch_func": _launch_func,
}
