"""Converts `nvgpu.ldmatrix`, `mma.sync`, `mma.sp.sync` and `rcp`, with warp registers as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from xdsl.dialects.builtin import IntegerAttr, StringAttr, VectorType, f32, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import convert_rows
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.dialects import llvm, nvgpu
from gpuasync_lsp.syntax.dialects.assembly import UNIT, i64_attr
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMStructType
from gpuasync_lsp.syntax.kinds import vector_type
from gpuasync_lsp.syntax.ods.by_table import TableOp

AnyVector = VectorType[Attribute]
_TYPES = {"i8": "s8", "i4": "s4", "f16": "f16", "bf16": "bf16", "f32": "tf32", "f64": "f64"}
"""Maps element types to their names in PTX; f32 is valid only for MMAs of tf32."""
_SUM_TYPES = {"i32": "s32", "f16": "f16", "f32": "f32", "f64": "f64"}
"""Maps element types of accumulators to their names in PTX."""
_APART = ("i32", "f64", "f32")
"""Element types that occupy one register each."""


class ConvertLoadMatrix(ConversionPattern[TableOp], ops=(nvgpu.LdMatrixOp,)):
    """`nvgpu.ldmatrix` becomes `nvvm.ldmatrix`, and casts of its registers to vectors."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.res.type)
        if not isinstance(type, LLVMArrayType):
            rewriter.match_failure("its result is not an array of vectors")
        address = descriptors.access_address(rewriter, op.src_memref, op.indices, flagged=False)
        count = op.num_tiles.value.data
        properties: dict[str, str | Attribute] = {
            "layout": f"#nvvm.mma_layout<{'col' if op.transpose.value.data else 'row'}>",
            "num": IntegerAttr(count, i32),
        }
        if rewriter.profile.nvvm_barriers_by_pointer:
            properties["shape"] = "#nvvm.ld_st_matrix_shape<m = 8, n = 8>"
            properties["eltType"] = "#nvvm.ld_st_matrix_elt_type<b16>"
        loaded = insert(
            rewriter,
            "ldmatrix",
            [address],
            [i32 if count == 1 else struct([i32] * count)],
            properties,
        ).results[0]
        result = build.undefined(rewriter, type)
        for number in range(count):
            word = loaded if count == 1 else build.extract_value(rewriter, loaded, number)
            row = build.cast(rewriter, llvm.BitcastOp, word, type.type)
            result = build.insert_value(rewriter, row, result, number)
        rewriter.replace(op, [result])


class ConvertMultiply(ConversionPattern[TableOp], ops=(nvgpu.MmaSyncOp,)):
    """`nvgpu.mma.sync` becomes `nvvm.mma.sync`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        types, groups, result_type = _taken_apart(op, rewriter)
        m, n, k = (int(each.value.data) for each in op.mma_shape.data)
        properties: dict[str, str | Attribute] = {
            "shape": f"#nvvm.shape<m = {m}, n = {n}, k = {k}>",
            "layoutA": "#nvvm.mma_layout<row>",
            "layoutB": "#nvvm.mma_layout<col>",
            "multiplicandAPtxType": f"#nvvm.mma_type<{types[0]}>",
            "multiplicandBPtxType": f"#nvvm.mma_type<{types[1]}>",
        }
        if types[0] in ("s8", "s4"):
            properties["intOverflowBehavior"] = "#nvvm.mma_int_overflow<satfinite>"
        product = insert(
            rewriter,
            "mma.sync",
            [value for group in groups for value in group],
            [_product_type(result_type)],
            properties,
            [len(group) for group in groups],
        ).results[0]
        rewriter.replace(op, [_gathered(rewriter, product, result_type)])


class ConvertSparseMultiply(ConversionPattern[TableOp], ops=(nvgpu.MmaSparseSyncOp,)):
    """`nvgpu.mma.sp.sync` becomes the PTX instruction in `llvm.inline_asm`.

    Source: `NVGPUMmaSparseSyncLowering` in mlir/lib/Conversion/NVGPUToNVVM/NVGPUToNVVM.cpp."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        types, groups, result_type = _taken_apart(op, rewriter)
        sums = _SUM_TYPES.get(_element(op.matrix_c.type))
        if sums is None:
            rewriter.match_failure("failed to deduce operand PTX types")
        if op.sparse_metadata.type != VectorType(i16, [2]):
            rewriter.match_failure("Expected metadata type to be LLVM.vector<2xi16>")
        metadata = build.cast(rewriter, llvm.BitcastOp, rewriter.lowered(op.sparse_metadata), i32)
        m, n, k = (int(each.value.data) for each in op.mma_shape.data)
        # The default of an omitted selector.
        selector = op.sparsity_selector.value.data if op.sparsity_selector is not None else 0
        overflow = "satfinite." if types[0] in ("s8", "s4") else ""
        number = count()
        sizes = (len(groups[2]), *(len(group) for group in groups))
        listed = ",".join("{" + ",".join(f"${next(number)}" for _ in range(size)) + "}" for size in sizes)
        text = (
            f"mma.sp.sync.aligned.m{m}n{n}k{k}.row.col.{overflow}{sums}.{types[0]}.{types[1]}.{sums} "
            f"{listed},${next(number)},0x{selector:x};"
        )
        operands = [value for group in groups for value in group]
        product = rewriter.create(
            llvm.InlineAsmOp,
            [*operands, metadata],
            _product_type(result_type),
            {
                "asm_string": StringAttr(text),
                "constraints": StringAttr(",".join(["=r"] * sizes[0] + ["r"] * (len(operands) + 1))),
                "has_side_effects": UNIT,
                "asm_dialect": i64_attr(0),
            },
        )
        rewriter.replace(op, [_gathered(rewriter, product, result_type)])


class ConvertReciprocal(ConversionPattern[nvgpu.RcpOp]):
    """`nvgpu.rcp` becomes `nvvm.rcp.approx.ftz.f` of each element."""

    def match_and_rewrite(self, op: nvgpu.RcpOp, rewriter: ConversionRewriter) -> None:
        def row(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
            (vector,) = operands
            result = build.undefined(rewriter, type)
            for number in range(vector_type(type).get_shape()[0]):
                at = build.integer_constant(rewriter, number, i64)
                value = _take(rewriter, vector, at)
                inverse = insert(rewriter, "rcp.approx.ftz.f", [value], [f32]).results[0]
                result = _put(rewriter, inverse, result, at)
            return result

        convert_rows(op, rewriter, row)


def _taken_apart(
    op: TableOp, rewriter: ConversionRewriter
) -> tuple[list[str], list[list[SSAValue]], LLVMArrayType]:
    """Return the PTX element types of both factors, the registers of the operands, and the result type."""
    names = [_element(value.type) for value in (op.matrix_a, op.matrix_b)]
    known = {*_TYPES} - ({"bf16"} if not rewriter.profile.multiplies_bf16 else set[str]())
    if any(name not in known or (name == "f32" and op.tf32_enabled is None) for name in names):
        rewriter.match_failure("failed to deduce operand PTX types")
    types = [_TYPES[name] for name in names]
    result_type = rewriter.converted(op.res.type)
    if not isinstance(result_type, LLVMArrayType):
        rewriter.match_failure("the result is not an array of vectors")
    matrices = rewriter.lowered_all((op.matrix_a, op.matrix_b, op.matrix_c))
    groups = [
        _registers(rewriter, matrix, tf32=name == "tf32")
        for matrix, name in zip(matrices, (*types, ""), strict=True)
    ]
    return types, groups, result_type


def _element(type: Attribute) -> str:
    return str(vector_type(type).element_type)


def _registers(rewriter: ConversionRewriter, matrix: SSAValue, *, tf32: bool) -> list[SSAValue]:
    """Split a matrix into operands of the nvvm op: i32 words, vectors, or single elements."""
    array = matrix.type
    if not isinstance(array, LLVMArrayType):
        rewriter.match_failure("an operand is not an array of vectors")
    of = vector_type(array.type)
    element, width = str(of.element_type), of.get_shape()[0]
    registers: list[SSAValue] = []
    for number in range(array.size.data):
        row = build.extract_value(rewriter, matrix, number)
        if (element, width) in (("i8", 4), ("i4", 8), ("bf16", 2)) or (tf32 and width == 1):
            registers.append(build.cast(rewriter, llvm.BitcastOp, row, i32))
        elif element in _APART:
            for lane in range(width):
                registers.append(_take(rewriter, row, build.integer_constant(rewriter, lane, i64)))
        else:
            registers.append(row)
    return registers


def _product_type(type: LLVMArrayType) -> LLVMStructType:
    of, rows = vector_type(type.type), type.size.data
    if str(of.element_type) in _APART:
        return struct([of.element_type] * (rows * of.get_shape()[0]))
    return struct([of] * rows)


def _gathered(rewriter: ConversionRewriter, product: SSAValue, type: LLVMArrayType) -> SSAValue:
    """Combine the registers of an MMA into rows, and the rows into an array."""
    of, count = vector_type(type.type), type.size.data
    rows: list[SSAValue] = []
    if str(of.element_type) not in _APART:
        rows = [build.extract_value(rewriter, product, number) for number in range(count)]
    else:
        width = of.get_shape()[0]
        for number in range(count):
            row = build.undefined(rewriter, of)
            lanes = [build.extract_value(rewriter, product, number * width + lane) for lane in range(width)]
            for lane, value in enumerate(lanes):
                row = _put(rewriter, value, row, build.integer_constant(rewriter, lane, i32))
            rows.append(row)
    result = build.undefined(rewriter, type)
    for number, row in enumerate(rows):
        result = build.insert_value(rewriter, row, result, number)
    return result


def _take(rewriter: ConversionRewriter, vector: SSAValue, at: SSAValue) -> SSAValue:
    element = vector_type(vector.type).element_type
    return rewriter.create(llvm.ExtractElementOp, [vector, at], element)


def _put(rewriter: ConversionRewriter, value: SSAValue, vector: SSAValue, at: SSAValue) -> SSAValue:
    return rewriter.create(llvm.InsertElementOp, [vector, value, at], vector.type)


PATTERNS: Sequence[AnyPattern] = (
    ConvertLoadMatrix(),
    ConvertMultiply(),
    ConvertSparseMultiply(),
    ConvertReciprocal(),
)
