"""Checks that MLIR implements in C++, for gpu ops on memory, and for modules and functions."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    MemRefType,
)
from xdsl.ir import Attribute
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.attributes import symbol_count
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View, as_memref
from gpuasync_lsp.syntax.dialects.assembly import is_i32_array, same_type, typed
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr
from gpuasync_lsp.syntax.dialects.gpu.module import KNOWN_SIZES
from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.opaque import OpaqueOp

AnyMemRef = MemRefType[Attribute]
_TERMINATOR = "gpu.terminator"
_DIMENSIONS = 3
_SIZES_ARE_POSITIVE_SINCE = 23
_ALL_POSITIVE = "i32 dense array attribute with 3 elements (if present) and all elements >= 1"


def _alloc(view: View) -> str | None:
    memref = as_memref(view.type("memref"))
    sizes, expected = view.count("dynamicSizes"), memref.get_shape().count(DYNAMIC_INDEX)
    if sizes != expected:
        return f"incorrect number of dynamic sizes, has {sizes}, expected {expected}"
    if symbol_count(memref.layout) not in (None, view.count("symbolOperands")):
        return "symbol operand count does not equal memref symbol count"
    return None


def _launch(view: View) -> VerifierError | None:
    """Check the terminators in a launch: a block without successors must end with gpu.terminator."""
    for block in view.op.regions[0].blocks:
        last = block.last_op
        if last is None or last.successors or isinstance(last, OpaqueOp) or last.name == _TERMINATOR:
            continue
        if last.has_trait(
            IsTerminator, value_if_unregistered=False
        ):  # The verifier reports missing terminators separately.
            words = f"expected '{_TERMINATOR}' or a terminator with successors"
            return VerifierError(words, bare=True, at=last)
    return None


def _memcpy(view: View) -> str | None:
    dst, src = as_memref(view.type("dst")), as_memref(view.type("src"))
    if dst.element_type != src.element_type:
        return "arguments have incompatible element type"
    left, right = dst.get_shape(), src.get_shape()
    alike = len(left) == len(right) and all(
        x == y or DYNAMIC_INDEX in (x, y) for x, y in zip(left, right, strict=True)
    )
    return None if alike else "arguments have incompatible shape"


def _function(view: View) -> str | VerifierError | None:
    """Check a gpu.func. The attribute `gpu.kernel` marks a kernel; since LLVM 23 the property `kernel`
    does, too."""
    properties, type = view.op.properties, view.attribute("function_type")
    if not isinstance(type, FunctionType):
        return None
    if type.outputs.data and "gpu.kernel" in view.op.attributes:
        return "expected void return type for kernel function"
    if (wrong := _body(view, type)) is not None:
        return wrong
    if type.outputs.data and "kernel" in properties:
        return VerifierError("expected void return type for kernel function", since=23)
    for name, since in KNOWN_SIZES.items():
        size = properties.get(name)
        if size is not None and is_i32_array(size) and len(view.integers(name)) != _DIMENSIONS:
            words = "failed to satisfy constraint: i32 dense array attribute with 3 elements (if present)"
            return VerifierError(f"attribute '{name}' {words}", since)
        if size is not None and is_i32_array(size) and any(each < 1 for each in view.integers(name)):
            words = f"attribute '{name}' failed to satisfy constraint: {_ALL_POSITIVE}"
            return VerifierError(words, _SIZES_ARE_POSITIVE_SINCE)
    return None


def _body(view: View, type: FunctionType) -> str | None:
    """Check that the body's arguments are the function's inputs, followed by the memory attributions."""
    if not view.op.regions[0].blocks:
        return "expected body with at least one block"
    inputs, types = type.inputs.data, view.block().arg_types
    given = view.attribute("workgroup_attributions")
    buffers = 0 if given is None else view.integer("workgroup_attributions")
    if len(types) < len(inputs) + buffers:
        return f"expected at least {len(inputs) + buffers} arguments to body region"
    for number, (wanted, found) in enumerate(zip(inputs, types, strict=False)):
        if not same_type(wanted, found):
            return (
                f"expected body region argument #{number} to be of type {typed(wanted)}, got {typed(found)}"
            )
    for number, each in enumerate(types[len(inputs) :]):
        if not is_memref(each):
            return "expected memref type in attribution"
        keyword = "workgroup" if number < buffers else "private"
        space = each.memory_space
        if isinstance(space, AddressSpaceAttr) and space.data != keyword:
            return f"expected memory space {keyword} in attribution"
    return None


def _return(view: View) -> str | None:
    function = view.op.parent_op()
    type = (
        None if function is None or function.name != "gpu.func" else function.properties.get("function_type")
    )
    if not isinstance(type, FunctionType):
        raise NotKnown
    results, returned = type.outputs.data, view.op.operand_types
    if len(results) != len(returned):
        return f"expected {len(results)} result operands"
    for index, (expected, found) in enumerate(zip(results, returned, strict=True)):
        if not same_type(expected, found):
            return f"unexpected type `'{found}'' for operand #{index}"
    return None


HOST = {
    "gpu.alloc": _alloc,
    "gpu.func": _function,
    "gpu.launch": _launch,
    "gpu.memcpy": _memcpy,
    "gpu.return": _return,
}
