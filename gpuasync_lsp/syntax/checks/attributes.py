"""Verifies attributes of one dialect on ops of another: function parameters, kernel markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    StridedLayoutAttr,
    StringAttr,
    UnitAttr,
    UnregisteredAttr,
    i1,
)
from xdsl.ir import Attribute, Operation, TypeAttribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.data_layout import data_layout_error
from gpuasync_lsp.syntax.checks.view import VerifierError
from gpuasync_lsp.syntax.dialects.assembly import integers, is_i32_array
from gpuasync_lsp.syntax.kinds import is_array, is_integer_attr
from gpuasync_lsp.syntax.ods.predicates import holds

_UNIT_OF_POINTER = frozenset(
    {"noalias", "readonly", "readnone", "writeonly", "nest", "nocapture", "nofree", "nonnull"}
)
_TYPE_OF_POINTER = frozenset({"sret", "byval", "byref", "inalloca", "preallocated", "elementtype"})
_INTEGER_OF_POINTER = frozenset({"align", "dereferenceable", "dereferenceable_or_null"})
_UNIT_OF_INTEGER = frozenset({"signext", "zeroext"})
_UNIT = frozenset({"noundef", "inreg", "returned"})
_INTEGER = frozenset({"alignstack"})
_NOT_OF_RESULTS = frozenset(
    {"allocalign", "allocptr", "byval", "byref", "inalloca", "nest", "nocapture", "nofree", "preallocated",
     "readnone", "readonly", "returned", "alignstack", "sret", "writeonly"}
)  # fmt: skip


def attribute_error(op: Operation) -> VerifierError | None:
    """Return the error for an attribute on `op` that belongs to a different dialect."""
    for name in op.attributes:
        check = _ON_OPS.get(name)
        if check is not None and (found := check(op, name, op.attributes[name])) is not None:
            return found
        if name.startswith("bufferization.") and (found := _of_buffers(name)) is not None:
            return found
    if "function_type" in op.properties:
        return _parameters(op)
    return None


def _of_buffers(name: str) -> VerifierError | None:
    if name == "bufferization.manual_deallocation":
        return None
    words = f"attribute '\"{name}\"' not supported as an op attribute by the bufferization dialect"
    return VerifierError(words, 18 if name == "bufferization.escape" else 0, bare=True)


def _parameters(op: Operation) -> VerifierError | None:
    arguments, results = op.properties.get("arg_attrs"), op.properties.get("res_attrs")
    if arguments is None and results is None:
        return None
    function = op.properties["function_type"]
    inputs: object = getattr(getattr(function, "inputs", None), "data", None)
    outputs: object = getattr(getattr(function, "outputs", getattr(function, "output", None)), "data", None)
    if outputs is None and (returned := getattr(function, "output", None)) is not None:
        outputs = [returned]
    if (found := _grid_constants(op, arguments)) is not None:
        return found
    for kind, attributes, types in (("argument", arguments, inputs), ("result", results, outputs)):
        if not is_array(attributes) or not isinstance(types, tuple | list):
            continue
        listed = attributes.data
        of_types = cast("Sequence[Attribute]", types)
        for each, type in zip(listed, of_types, strict=False):
            if not isinstance(each, DictionaryAttr):
                continue
            for name, value in each.data.items():
                if name.startswith("llvm.") and (words := _parameter(kind, name, value, type)) is not None:
                    return VerifierError(words, 17, bare=True)
    return _buffers(op, arguments)


def _buffers(op: Operation, arguments: Attribute | None) -> VerifierError | None:
    """Check the bufferization attributes of function arguments."""
    listed = arguments.data if is_array(arguments) else ()
    for each in listed:
        for name, value in each.data.items() if isinstance(each, DictionaryAttr) else ():
            if name.startswith("bufferization.") and (error := _buffer(op, name, value)) is not None:
                return error._replace(bare=True)
    return None


def _buffer(op: Operation, name: str, value: Attribute) -> VerifierError | None:
    if name == "bufferization.writable":
        if not is_integer_attr(value) or value.type != i1:
            return VerifierError(f"'{name}' is expected to be a boolean attribute")
        if not any(region.blocks for region in op.regions):
            return VerifierError(f"'{name}' is invalid on external functions")
        return None
    if name == "bufferization.access":
        if not isinstance(value, StringAttr):
            return VerifierError(f"'{name}' is expected to be a string attribute")
        return None if value.data in _ACCESSES else VerifierError(f"invalid value for '{name}'")
    if name == "bufferization.buffer_layout":
        words = f"'{name}' is expected to be a memref layout attribute"
        if isinstance(value, (AffineMapAttr, UnregisteredAttr)):
            return None
        earlier = f"'{name}' is expected to be a affine map attribute"
        is_layout = isinstance(value, StridedLayoutAttr)
        return VerifierError("" if is_layout else words, _LAYOUTS_SINCE, earlier=earlier)
    words = "not supported as a region arg attribute by the bufferization dialect"
    # MLIR's message names this attribute even if the unknown one is different.
    return VerifierError(f"attribute 'bufferization.buffer_layout' {words}")


def _grid_constants(op: Operation, arguments: Attribute | None) -> VerifierError | None:
    name = "nvvm.grid_constant"
    listed = arguments.data if is_array(arguments) else ()
    for each in listed:
        value = each.data.get(name) if isinstance(each, DictionaryAttr) else None
        if value is None or not isinstance(each, DictionaryAttr):
            continue
        words = None
        if "nvvm.kernel" not in op.attributes:
            words = "attribute must be present only on kernel arguments"
        elif not isinstance(value, UnitAttr):
            words = "must be a unit attribute"
        elif "llvm.byval" not in each.data:
            words = "attribute requires the argument to also have attribute 'llvm.byval'"
        if words is not None:
            return VerifierError(f"'\"{name}\"' {words}", 18, bare=True)
    return None


def _parameter(kind: str, name: str, value: Attribute, type: Attribute) -> str | None:
    short = name[5:]
    if kind == "result" and short in _NOT_OF_RESULTS:
        return f'"{name}" is not a valid result attribute'
    # A type that is not yet converted to an LLVM type cannot be checked.
    judged = holds(["llvm-type"], type) is True
    if short in _UNIT_OF_POINTER | _UNIT_OF_INTEGER | _UNIT and not isinstance(value, UnitAttr):
        return f'"{name}" should be a unit attribute'
    if short in _TYPE_OF_POINTER and not isinstance(value, TypeAttribute):
        return f'"{name}" should be a type attribute' if not value.name.startswith("gpuasync.") else None
    if short in _INTEGER_OF_POINTER | _INTEGER and not isinstance(value, IntegerAttr):
        return f'"{name}" should be an integer attribute'
    if not judged:
        return None
    if short in _UNIT_OF_POINTER | _TYPE_OF_POINTER | _INTEGER_OF_POINTER and type.name != "llvm.ptr":
        return f'"{name}" attribute attached to non-pointer LLVM type'
    if short in _UNIT_OF_INTEGER and not isinstance(type, IntegerType):
        return f'"{name}" attribute attached to non-integer LLVM type'
    return None


def _sizes(op: Operation, name: str, value: Attribute) -> VerifierError | None:
    """Check launch sizes: an i32 array since LLVM 19; earlier, an array of up to three integer attributes."""
    words = f"'\"{name}\"' attribute must be integer array with maximum 3 index"
    if name in _SINCE:
        return None if _is_sizes(value) else VerifierError(words, _SINCE[name], bare=True)
    if _is_sizes(value):
        return VerifierError(words, bare=True, before=_SIZES_SINCE)
    if is_array(value):
        listed = value.data
        if len(listed) <= 3 and all(isinstance(number, IntegerAttr) for number in listed):
            return VerifierError(words, _SIZES_SINCE, bare=True)
    return VerifierError(words, bare=True)


def _is_sizes(value: Attribute) -> bool:
    return is_i32_array(value) and len(integers(value)) <= 3


def _number(op: Operation, name: str, value: Attribute) -> VerifierError | None:
    if isinstance(value, IntegerAttr):
        return None
    return VerifierError(f"'\"{name}\"' attribute must be integer constant", _SINCE.get(name, 0), bare=True)


def _kernel(op: Operation, name: str, value: Attribute) -> VerifierError | None:
    if op.name == "llvm.func":
        return None
    quoted = f'"{name}"' if name == "rocdl.kernel" else name
    return VerifierError(f"'{quoted}' attribute attached to unexpected op", bare=True)


def _known_size(op: Operation, name: str, value: Attribute) -> VerifierError | None:
    since = 0 if op.name == "gpu.func" else _SIZES_ON_ANY_OP
    if not is_i32_array(value):
        return VerifierError(f"{name} must be a dense i32 array", since)
    if len(integers(value)) != 3:
        return VerifierError(f"{name} must contain exactly 3 elements", since)
    return None


_SIZES_ON_ANY_OP = Profile.sizes_are_checked_on_all_ops.since
_ACCESSES = ("none", "read", "write", "read-write")
_LAYOUTS_SINCE = Profile.memrefs_allow_any_layout.since

_ON_OPS: dict[str, Callable[[Operation, str, Attribute], VerifierError | None]] = {
    "nvvm.maxntid": _sizes,
    "nvvm.reqntid": _sizes,
    "nvvm.cluster_dim": _sizes,
    "nvvm.minctasm": _number,
    "nvvm.maxnreg": _number,
    "nvvm.cluster_max_blocks": _number,
    "dlti.dl_spec": data_layout_error,
    "rocdl.kernel": _kernel,
    "nvvm.kernel": _kernel,
    "gpu.known_block_size": _known_size,
    "gpu.known_grid_size": _known_size,
}
_SIZES_SINCE = Profile.sizes_are_checked_on_all_ops.since
_SINCE = {"nvvm.cluster_dim": 22, "nvvm.cluster_max_blocks": 22}
