"""Calls of OpenCL's functions, by the names that C++ gives them, which Intel's passes for kernels make."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerType,
    UnitAttr,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.llvm_attributes import CConvAttr, LLVMFunctionType, LLVMVoidType

FUNCTION = CConvAttr("spir_funccc")

_FLOATS = {"f16": "Dh", "f32": "f", "f64": "d"}
_INTEGERS = {8: "ch", 16: "st", 32: "ij", 64: "lm"}


def mangled(type: Attribute, *, unsigned: bool = False) -> str | None:
    """Return how C++ mangles a type of OpenCL; None for one that it has not."""
    if isinstance(type, VectorType):
        element = mangled(type.element_type, unsigned=unsigned)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        count = 1
        for size in type.get_shape():  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            count *= size
        return None if element is None else f"Dv{count}_{element}"
    if isinstance(type, IntegerType):
        pair = _INTEGERS.get(type.bitwidth)
        return None if pair is None else pair[unsigned]
    return _FLOATS.get(type.name)


def effects(profile: Profile, arguments: str = "none") -> Attribute:
    """Return `#llvm.memory_effects` of a function that touches only its arguments: `none` or `read`."""
    _, locations = profile.memory_effects
    body = f"other = none, argMem = {arguments}, inaccessibleMem = none{locations}"
    kind = UnregisteredAttr.with_name_and_type("llvm.memory_effects", False)
    return kind("llvm.memory_effects", False, False, body)


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
    """Call OpenCL's function `name` for arguments of `types`, which are mangled, and declare it first.

    `memory` is what it does to memory that its arguments point to, if that is all; `marks` are the attributes
    of its arguments. Returns the call and the declaration.
    """
    full = f"_Z{len(name)}{name}{types}"
    said: dict[str, Attribute] = {"CConv": FUNCTION, "no_unwind": UnitAttr()}
    if returns:
        said["will_return"] = UnitAttr()
    if convergent:
        said["convergent"] = UnitAttr()
    if memory is not None:
        said["memory_effects"] = effects(rewriter.profile, memory)
    type = LLVMFunctionType([each.type for each in arguments], result or LLVMVoidType())
    if marks:
        said["arg_attrs"] = ArrayAttr(marks)
    declared = symbols.declare(op, full, type, properties=said)
    new = build.call(rewriter, full, arguments, [] if result is None else [result])
    new.properties |= said
    return new, declared
