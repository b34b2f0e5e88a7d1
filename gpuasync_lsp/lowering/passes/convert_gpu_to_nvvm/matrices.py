"""Converts `gpu.subgroup_mma_*`, whose matrices are distributed over a warp, to `nvvm.wmma`.

Sources: `populateGpuWMMAToNVVMConversionPatterns`, and the matrices listed in the PTX manual (wmma.load).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    Signedness,
    VectorType,
    f16,
    f32,
    f64,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter, struct
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.kinds import is_vector, number_attr
from gpuasync_lsp.syntax.ods.by_table import TableOp

Shape = tuple[int, int, int]
"""The dimensions m, n and k of an MMA."""

_WIDE = ((16, 16, 16), (32, 8, 16), (8, 32, 16))
SHAPES: dict[str, Sequence[Shape]] = {
    "f16": _WIDE,
    "f32": _WIDE,
    "tf32": ((16, 16, 8),),
    "s8": _WIDE,
    "u8": _WIDE,
    "s32": _WIDE,
    "f64": ((8, 8, 4),),
}
"""Maps each element type to the supported WMMA shapes (m, n, k). The accumulator of m16n16k8 (tf32) is loaded
like that of m16n16k16: both are 16x16."""


@dataclass
class KernelTypes(TypeConverter):
    """Converts the types of matrices and named barriers (to a number and a thread count) in kernels."""

    whole_kernels: bool = False
    """Whether to convert tokens of copies, and to unwrap structs with a single member, as LLVM requires.

    mlir-opt unwraps only structs of an f64."""

    def _convert(self, type: Attribute) -> Attribute | None:
        if self.whole_kernels and type.name == "nvgpu.device.async.token":
            return i32
        if isinstance(type, gpu.NamedBarrierType):
            return struct([i32, i32])
        if not isinstance(type, gpu.MMAMatrixType):
            return super()._convert(type)
        converted = _fragment_type(type)
        if self.whole_kernels and isinstance(converted, LLVMStructType) and len(converted.types.data) == 1:
            return converted.types.data[0]
        return converted


def _fragment_type(type: gpu.MMAMatrixType) -> Attribute | None:
    """Return the type of a thread's fragment of a matrix; None if the hardware does not support it."""
    element, frag = _element(type), _frag(type)
    rows, columns = type.rows.data, type.columns.data
    match element:
        case "f16":
            return struct([VectorType(f16, (2,))] * (4 if frag == "c" else 8))
        case "f32":
            return struct([f32] * 8)
        case "tf32":
            return struct([i32] * 4)
        case "f64":
            return struct([f64] * 2) if frag == "c" else f64
        case "s8" | "u8":
            extent = rows if frag == "a" else columns
            return struct([i32] * (extent // 8)) if extent in (8, 16, 32) and frag != "c" else None
        case "s32":
            return struct([i32] * 8)
        case _:
            return None


def _element(type: gpu.MMAMatrixType) -> str | None:
    element = type.element_type
    if element == f32:
        return "f32" if _frag(type) == "c" else "tf32"
    return _ELEMENTS.get(element)


_ELEMENTS: dict[Attribute, str] = {
    f16: "f16",
    f64: "f64",
    IntegerType(8, Signedness.SIGNED): "s8",
    IntegerType(8, Signedness.UNSIGNED): "u8",
    i32: "s32",
}


def _frag(type: gpu.MMAMatrixType) -> str:
    """Return the role of a matrix in an MMA: `a`, `b` or `c`."""
    return type.operand.data[0].lower()


def _shape(rewriter: ConversionRewriter, type: gpu.MMAMatrixType) -> tuple[Shape, str]:
    """Return the first MMA shape that supports a matrix, and its element type; fail if none does."""
    element, frag = _element(type), _frag(type)
    extents = type.rows.data, type.columns.data
    shapes = [
        (m, n, k)
        for m, n, k in (SHAPES[element] if element is not None else ())
        if extents == {"a": (m, k), "b": (k, n), "c": (m, n)}[frag]
    ]
    if element is None or not shapes:
        rewriter.match_failure(f"no hardware supports the matrix {type}")
    return shapes[0], element


def _layout(transposed: Attribute | None) -> str:
    return f"#nvvm.mma_layout<{'row' if transposed is None else 'col'}>"


def _extents(shape: Shape) -> dict[str, Attribute]:
    return {name: IntegerAttr(extent, i32) for name, extent in zip("mnk", shape, strict=True)}


def _matrix(value: SSAValue) -> gpu.MMAMatrixType:
    type = value.type
    assert isinstance(type, gpu.MMAMatrixType), "ensured by the verifier"
    return type


def _registers(rewriter: ConversionRewriter, value: SSAValue) -> list[SSAValue]:
    type = value.type
    if not isinstance(type, LLVMStructType):
        return [value]
    return [build.extract_value(rewriter, value, i) for i in range(len(type.types.data))]


class ConvertLoadMatrix(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaLoadMatrixOp,)):
    """`gpu.subgroup_mma_load_matrix` becomes `nvvm.wmma.load`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        matrix = _matrix(op.res)
        shape, element = _shape(rewriter, matrix)
        address = descriptors.access_address(rewriter, op.src_memref, op.indices, flagged=False)
        stride = build.constant(rewriter, op.lead_dimension, i32)
        load = insert(
            rewriter,
            "wmma.load",
            [address, stride],
            [rewriter.converted(matrix)],
            {
                **_extents(shape),
                "layout": _layout(op.transpose),
                "eltype": f"#nvvm.mma_type<{element}>",
                "frag": f"#nvvm.mma_frag<{_frag(matrix)}>",
            },
        )
        rewriter.replace(op, load.results)


class ConvertStoreMatrix(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaStoreMatrixOp,)):
    """`gpu.subgroup_mma_store_matrix` becomes `nvvm.wmma.store`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        shape, element = _shape(rewriter, _matrix(op.src))
        registers = _registers(rewriter, rewriter.lowered(op.src))
        address = descriptors.access_address(rewriter, op.dst_memref, op.indices, flagged=False)
        stride = build.constant(rewriter, op.lead_dimension, i32)
        properties = {
            **_extents(shape),
            "layout": _layout(op.transpose),
            "eltype": f"#nvvm.mma_type<{element}>",
        }
        insert(rewriter, "wmma.store", [address, *registers, stride], properties=properties)
        rewriter.erase(op)


class ConvertComputeMatrix(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaComputeOp,)):
    """`gpu.subgroup_mma_compute` becomes `nvvm.wmma.mma`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        a, c = _matrix(op.op_a), _matrix(op.op_c)
        shape = c.rows.data, c.columns.data, a.columns.data
        source, target = _element(a), _element(c)
        if source is None or target is None or shape not in SHAPES[source]:
            rewriter.match_failure(f"no hardware multiplies {a} and {_matrix(op.op_b)}")
        registers = [each for value in op.operands for each in _registers(rewriter, rewriter.lowered(value))]
        product = insert(
            rewriter,
            "wmma.mma",
            registers,
            [rewriter.converted(c)],
            {
                **_extents(shape),
                "layoutA": _layout(op.a_transpose),
                "layoutB": _layout(op.b_transpose),
                "eltypeA": f"#nvvm.mma_type<{source}>",
                "eltypeB": f"#nvvm.mma_type<{target}>",
            },
        )
        rewriter.replace(op, product.results)


class ConvertConstantMatrix(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaConstantMatrixOp,)):
    """`gpu.subgroup_mma_constant_matrix` becomes a fragment with the value in every register."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.res.type)
        value = rewriter.lowered(op.value)
        register = type.types.data[0] if isinstance(type, LLVMStructType) else type
        if is_vector(register):
            value = _splat(rewriter, value, register)
        elif register != value.type:
            value = _bytes(rewriter, value)
        if isinstance(type, LLVMStructType):
            value = _fragment(rewriter, type, [value] * len(type.types.data))
        rewriter.replace(op, [value])


def _splat(rewriter: ConversionRewriter, value: SSAValue, type: VectorType[Attribute]) -> SSAValue:
    vector = build.undefined(rewriter, type)
    for number in range(type.get_shape()[0]):
        index = build.constant(rewriter, IntegerAttr(number, i32), i32)
        vector = rewriter.create(llvm.InsertElementOp, [vector, value, index], type)
    return vector


def _bytes(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """Emit an i32 that contains a byte four times, or the bits of a float."""
    if value.type == f32:
        return build.cast(rewriter, llvm.BitcastOp, value, i32)
    word = build.cast(rewriter, llvm.ZExtOp, value, i32)
    places = build.constant(rewriter, IntegerAttr(0x01010101, i32), i32)
    return build.multiply(rewriter, word, places)


def _fragment(rewriter: ConversionRewriter, type: Attribute, registers: Sequence[SSAValue]) -> SSAValue:
    whole = build.undefined(rewriter, type)
    for number, register in enumerate(registers):
        whole = build.insert_value(rewriter, register, whole, number)
    return whole


Combine = Callable[..., SSAValue]
"""Emits the result register, given the rewriter and one register of each operand matrix."""


def _arithmetic(op: type[Operation]) -> Combine:
    def combine(rewriter: ConversionRewriter, *values: SSAValue) -> SSAValue:
        return rewriter.create(op, values, values[0].type)

    return combine


def _extreme(predicate: str) -> Combine:
    """Return a function that emits the minimum or maximum of two numbers, or NaN if one of them is NaN."""

    def combine(rewriter: ConversionRewriter, a: SSAValue, b: SSAValue) -> SSAValue:
        type = a.type
        compared = rewriter.add(llvm.FCmpOp(predicate, a, b)).results[0]
        chosen = _select(rewriter, compared, a, b)
        unordered = rewriter.add(llvm.FCmpOp("uno", a, b)).results[0]
        element = type.element_type if is_vector(type) else type
        nan = build.constant(rewriter, number_attr(float("nan"), element), type)
        return _select(rewriter, unordered, nan, chosen)

    return combine


def _select(rewriter: ConversionRewriter, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    return rewriter.create(llvm.SelectOp, [condition, a, b], a.type)


_KNOWN: dict[str, Combine] = {
    "addf": _arithmetic(llvm.FAddOp),
    "mulf": _arithmetic(llvm.FMulOp),
    "divf": _arithmetic(llvm.FDivOp),
    "maxf": _extreme("ogt"),
    "minf": _extreme("olt"),
}
_MORE: dict[str, Combine] = {
    "subf": _arithmetic(llvm.FSubOp),
    "negatef": _arithmetic(llvm.FNegOp),
    "addi": _arithmetic(llvm.AddOp),
    "subi": _arithmetic(llvm.SubOp),
    "muli": _arithmetic(llvm.MulOp),
    "divs": _arithmetic(llvm.SDivOp),
    "divu": _arithmetic(llvm.UDivOp),
}
"""Maps elementwise operations that mlir-opt rejects to functions that apply them to a register."""


class ConvertElementwise(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaElementwiseOp,)):
    """`gpu.subgroup_mma_elementwise` becomes the operation on each register."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        known = _KNOWN | _MORE if rewriter.options.whole_kernels else _KNOWN
        name = op.op_type.data.value
        type = rewriter.converted(op.res.type)
        same = all(rewriter.converted(value.type) == type for value in op.args)
        if name not in known or not isinstance(type, LLVMStructType) or not same:
            rewriter.match_failure(f"{name} is not lowered for {op.res.type}")
        if type.types.data[0] == i32 and _element(_matrix(op.res)) != "s32":
            rewriter.match_failure(f"the registers of {op.res.type} are not numbers")
        whole = build.undefined(rewriter, type)
        for number in range(len(type.types.data)):
            registers = [build.extract_value(rewriter, rewriter.lowered(v), number) for v in op.args]
            whole = build.insert_value(rewriter, known[name](rewriter, *registers), whole, number)
        rewriter.replace(op, [whole])


class ConvertExtractThreadLocal(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaExtractThreadLocalOp,)):
    """`gpu.subgroup_mma_extract_thread_local` becomes an element of the thread's fragment.

    mlir-opt rejects this op."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        elements = _in_memory(rewriter, rewriter.lowered(op.matrix))
        address = _element_address(rewriter, elements, op.indices, op.res.type)
        rewriter.replace(op, [build.load(rewriter, address, rewriter.converted(op.res.type))])


class ConvertInsertThreadLocal(ConversionPattern[TableOp], ops=(gpu.SubgroupMmaInsertThreadLocalOp,)):
    """`gpu.subgroup_mma_insert_thread_local` replaces an element of the thread's fragment.

    mlir-opt rejects this op."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        fragment = rewriter.lowered(op.matrix)
        elements = _in_memory(rewriter, fragment)
        address = _element_address(rewriter, elements, op.indices, op.value.type)
        build.store(rewriter, rewriter.lowered(op.value), address)
        rewriter.replace(op, [build.load(rewriter, elements, fragment.type)])


def _in_memory(rewriter: ConversionRewriter, fragment: SSAValue) -> SSAValue:
    """Store a fragment to a new stack slot; return the slot's address."""
    slot = build.alloca(rewriter, build.index_constant(rewriter, 1), fragment.type)
    build.store(rewriter, fragment, slot)
    return slot


def _element_address(
    rewriter: ConversionRewriter, slot: SSAValue, indices: Sequence[SSAValue], element: Attribute
) -> SSAValue:
    (index,) = rewriter.lowered_all(indices[:1])
    return build.element_pointer(rewriter, slot, rewriter.converted(element), [index])


PATTERNS: Sequence[AnyPattern] = (
    ConvertLoadMatrix(),
    ConvertStoreMatrix(),
    ConvertComputeMatrix(),
    ConvertConstantMatrix(),
    ConvertElementwise(),
)
MORE_PATTERNS: Sequence[AnyPattern] = (ConvertExtractThreadLocal(), ConvertInsertThreadLocal())
