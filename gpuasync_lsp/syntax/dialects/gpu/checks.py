"""What MLIR's verifier demands of single gpu ops, in its own words (those of LLVM 22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Region
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.attributes import symbol_count
from gpuasync_lsp.syntax.dialects.assembly import same_type, typed
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr

AnyMemRef = MemRefType[Any]


def check_alloc(memref: Attribute, sizes: int, symbols: int) -> None:
    """Raise a VerifyException unless the counts of sizes and symbols are those of the type."""
    if not isinstance(memref, MemRefType):
        return
    expected = sum(size == DYNAMIC_INDEX for size in memref.get_shape())
    if sizes != expected:
        raise VerifyException(
            f"'gpu.alloc' op incorrect number of dynamic sizes, has {sizes}, expected {expected}"
        )
    if symbol_count(memref.layout) not in (None, symbols):
        raise VerifyException("'gpu.alloc' op symbol operand count does not equal memref symbol count")


def check_memcpy(dst: Attribute, src: Attribute) -> None:
    """Raise a VerifyException unless element types agree and shapes can be equal."""
    if not isinstance(dst, MemRefType) or not isinstance(src, MemRefType):
        return
    dst, src = cast(AnyMemRef, dst), cast(AnyMemRef, src)
    if dst.element_type != src.element_type:
        raise VerifyException("'gpu.memcpy' op arguments have incompatible element type")
    if not _may_be_equal(dst, src):
        raise VerifyException("'gpu.memcpy' op arguments have incompatible shape")


def check_memset(dst: Attribute, value: Attribute) -> None:
    """Raise a VerifyException unless the value has the buffer's element type."""
    if isinstance(dst, MemRefType) and cast(AnyMemRef, dst).element_type != value:
        raise VerifyException(
            "'gpu.memset' op failed to verify that all of {dst, value} have same element type"
        )


def _may_be_equal(a: AnyMemRef, b: AnyMemRef) -> bool:
    left, right = a.get_shape(), b.get_shape()
    return len(left) == len(right) and all(
        x == y or DYNAMIC_INDEX in (x, y) for x, y in zip(left, right, strict=True)
    )


def check_targets(targets: ArrayAttr[Attribute] | None) -> None:
    """Raise a VerifyException for an empty list of targets, and for what can be none."""
    if targets is not None and (not targets.data or any(map(_is_plain, targets.data))):
        raise VerifyException(
            "'gpu.module' op attribute 'targets' failed to satisfy constraint: "
            "array of GPU target attributes with at least 1 elements"
        )


def _is_plain(attribute: Attribute) -> bool:
    return isinstance(attribute, IntegerAttr | StringAttr)


def check_binary(are_objects: bool) -> None:
    """Raise a VerifyException unless the objects are one or more `#gpu.object`s."""
    if not are_objects:
        raise VerifyException(
            "'gpu.binary' op attribute 'objects' failed to satisfy constraint: "
            "an array of GPU object attributes with at least 1 elements"
        )


def check_body(body: Region, function_type: FunctionType, workgroup_buffers: int) -> None:
    """Raise a VerifyException unless the entry block takes what a gpu.func is called with."""
    if not body.blocks:
        raise VerifyException("'gpu.func' op expected body with at least one block")
    inputs, types = function_type.inputs.data, body.blocks[0].arg_types
    if len(types) < len(inputs) + workgroup_buffers:
        count = len(inputs) + workgroup_buffers
        raise VerifyException(f"'gpu.func' op expected at least {count} arguments to body region")
    for number, (wanted, found) in enumerate(zip(inputs, types, strict=False)):
        if not same_type(wanted, found):
            raise VerifyException(
                f"'gpu.func' op expected body region argument #{number} to be of type {typed(wanted)}, "
                f"got {typed(found)}"
            )


def check_gpu_func(function_type: FunctionType, is_kernel: bool) -> None:
    """Raise a VerifyException for a kernel that returns something."""
    if is_kernel and function_type.outputs.data:
        raise VerifyException("'gpu.func' op expected void return type for kernel function")


def check_attributions(keyword: str, types: Sequence[Attribute]) -> None:
    """Raise a VerifyException for a buffer of `workgroup(...)` or `private(...)` in another address space."""
    for each in types:
        if not isinstance(each, MemRefType):
            raise VerifyException("'gpu.func' op expected memref type in attribution")
        space = cast(AnyMemRef, each).memory_space
        if isinstance(space, AddressSpaceAttr) and space.data.value != keyword:
            raise VerifyException(f"'gpu.func' op expected memory space {keyword} in attribution")


def check_return(results: Sequence[Attribute], returned: Sequence[Attribute]) -> None:
    """Raise a VerifyException unless a gpu.return gives what its gpu.func promises."""
    if len(results) != len(returned):
        raise VerifyException(f"'gpu.return' op expected {len(results)} result operands")
    for index, (expected, found) in enumerate(zip(results, returned, strict=True)):
        if expected != found:
            raise VerifyException(f"'gpu.return' op unexpected type `'{found}'' for operand #{index}")
