"""Inserts calls to OpenCL functions with mangled names, for the kernel passes of Intel GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.syntax.dialects.llvm_attributes import CConvAttr, LLVMFunctionType, LLVMVoidType
from gpuasync_lsp.syntax.kinds import is_vector

FUNCTION = CConvAttr("spir_funccc")

_FLOATS = {"f16": "Dh", "f32": "f", "f64": "d"}
_INTEGERS = {8: "ch", 16: "st", 32: "ij", 64: "lm"}


def mangled(type: Attribute, *, unsigned: bool = False) -> str | None:
    """Return the C++ mangling of a type; None for a type that OpenCL lacks."""
    if is_vector(type):
        element = mangled(type.element_type, unsigned=unsigned)
        return None if element is None else f"Dv{prod(type.get_shape())}_{element}"
    if isinstance(type, IntegerType):
        pair = _INTEGERS.get(type.bitwidth)
        return None if pair is None else pair[unsigned]
    return _FLOATS.get(type.name)


def call(
    rewriter: ConversionRewriter,
    op: Operation,
    name: str,
    types: str,
    arguments: Sequence[SSAValue],
    result: Attribute | None,
    *,
    memory: str | None = None,
    convergent: bool = False,
    returns: bool = True,
    marks: Sequence[DictionaryAttr] = (),
) -> tuple[Operation, Operation]:
    """Insert a call to the OpenCL function `name`, declared if necessary; return the call and declaration.

    `types` are the mangled argument types. `memory` is the memory that the function accesses: `none`,
    `read` for memory at its arguments, or None if unknown. `marks` are the attributes of the arguments.
    """
    full = f"_Z{len(name)}{name}{types}"
    properties: dict[str, Attribute] = {"CConv": FUNCTION, "no_unwind": UnitAttr()}
    if returns:
        properties["will_return"] = UnitAttr()
    if convergent:
        properties["convergent"] = UnitAttr()
    if memory is not None:
        properties["memory_effects"] = build.memory_effects(rewriter.profile, memory)
    type = LLVMFunctionType([each.type for each in arguments], result or LLVMVoidType())
    if marks:
        properties["arg_attrs"] = ArrayAttr(marks)
    declared = symbols.declare(op, full, type, properties=properties)
    new = build.call(rewriter, full, arguments, [] if result is None else [result])
    new.properties |= properties
    return new, declared
