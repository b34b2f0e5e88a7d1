"""The patterns for rarely used vector ops, most of which become an intrinsic.

Source: mlir/lib/Conversion/VectorToLLVM/ConvertVectorToLLVM.cpp; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnrealizedConversionCastOp,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import flags
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import rank_1
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, llvm, vector
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.kinds import (
    integer_type,
    is_integer_attr,
    memref_type,
    number_attr,
    vector_type,
)
from gpuasync_lsp.syntax.memref_types import AnyMemRef, dynamic, is_identity_layout, strides_and_offset

AnyVector = VectorType[Attribute]


class ConvertInterleave(ConversionPattern[Operation], ops=(op_class("vector.interleave"),)):
    """`vector.interleave` of rank 1 becomes a shuffle; for a scalable vector, an intrinsic."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.results[0].type, rewriter)
        operands = rewriter.lowered_all(op.operands)
        if is_scalable(type):
            new = rewriter.create(build.table_op("llvm.intr.vector.interleave2"), operands, type)
            rewriter.replace(op, [new])
            return
        half = type.get_shape()[0] // 2
        mask = [number + side * half for number in range(half) for side in (0, 1)]
        rewriter.replace(op, [shuffle(rewriter, operands, mask, type)])


class ConvertDeinterleave(ConversionPattern[Operation], ops=(op_class("vector.deinterleave"),)):
    """`vector.deinterleave` of rank 1 becomes two shuffles; for a scalable vector, an intrinsic."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.results[0].type, rewriter)
        source = rewriter.lowered(op.operands[0])
        if is_scalable(type):
            both = rewriter.create(
                build.table_op("llvm.intr.vector.deinterleave2"), [source], struct((type, type))
            )
            rewriter.replace(op, [build.extract_value(rewriter, both, side) for side in (0, 1)])
            return
        size = vector_type(source.type).get_shape()[0]
        poison = rewriter.create(llvm.PoisonOp, [], source.type)
        halves = [shuffle(rewriter, [source, poison], list(range(side, size, 2)), type) for side in (0, 1)]
        rewriter.replace(op, halves)


class ConvertExpandLoad(ConversionPattern[Operation], ops=(op_class("vector.expandload"),)):
    """`vector.expandload` becomes `llvm.intr.masked.expandload`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        base, *indices, mask, value = op.operands
        type = rank_1(op.results[0].type, rewriter)
        address = descriptors.access_address(rewriter, base, indices, flagged=False)
        operands = [address, *rewriter.lowered_all((mask, value))]
        new = rewriter.create(
            build.table_op("llvm.intr.masked.expandload"), operands, type, _aligned(op, rewriter, 0)
        )
        rewriter.replace(op, [new])


class ConvertCompressStore(ConversionPattern[Operation], ops=(op_class("vector.compressstore"),)):
    """`vector.compressstore` becomes `llvm.intr.masked.compressstore`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        base, *indices, mask, value = op.operands
        rank_1(value.type, rewriter)
        address = descriptors.access_address(rewriter, base, indices, flagged=False)
        mask, value = rewriter.lowered_all((mask, value))
        kind = build.table_op("llvm.intr.masked.compressstore")
        rewriter.add(kind.create(operands=[value, address, mask], properties=_aligned(op, rewriter, 1)))
        rewriter.erase(op)


class ConvertScalableInsert(ConversionPattern[Operation], ops=(op_class("vector.scalable.insert"),)):
    """`vector.scalable.insert` becomes `llvm.intr.vector.insert`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        source, target = rewriter.lowered_all(op.operands)
        new = rewriter.create(
            build.table_op("llvm.intr.vector.insert"), [target, source], target.type, _position(op)
        )
        rewriter.replace(op, [new])


class ConvertScalableExtract(ConversionPattern[Operation], ops=(op_class("vector.scalable.extract"),)):
    """`vector.scalable.extract` becomes `llvm.intr.vector.extract`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.results[0].type)
        new = rewriter.create(
            build.table_op("llvm.intr.vector.extract"), rewriter.lowered_all(op.operands), type, _position(op)
        )
        rewriter.replace(op, [new])


class ConvertMatrix(
    ConversionPattern[Operation], ops=(op_class("vector.matrix_multiply"), op_class("vector.flat_transpose"))
):
    """`vector.matrix_multiply` and `vector.flat_transpose` become the matrix intrinsics."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        name = "multiply" if op.name == "vector.matrix_multiply" else "transpose"
        new = rewriter.create(
            build.table_op(f"llvm.intr.matrix.{name}"),
            rewriter.lowered_all(op.operands),
            rewriter.converted(op.results[0].type),
            {
                key: value
                for key in ("lhs_rows", "lhs_columns", "rhs_columns", "rows", "columns")
                if (value := op.get_attr_or_prop(key)) is not None
            },
        )
        rewriter.replace(op, [new])


class ConvertTypeCast(ConversionPattern[Operation], ops=(op_class("vector.type_cast"),)):
    """`vector.type_cast` of a contiguous memref becomes a descriptor with the same pointers."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        given, wanted = memref_type(op.operands[0].type), memref_type(op.results[0].type)
        if any(dynamic(n) for n in (*given.get_shape(), *wanted.get_shape())):
            rewriter.match_failure("only memrefs of static shapes are converted")
        source = rewriter.lowered(op.operands[0])
        type = rewriter.converted(wanted)
        strides = _contiguous(wanted)
        if _contiguous(given) is None or strides is None:
            rewriter.match_failure("only contiguous memrefs are converted")
        result = build.undefined(rewriter, type)
        for field in (0, 1):
            pointer = build.extract_value(rewriter, source, field)
            result = build.insert_value(rewriter, pointer, result, field)
        result = build.insert_value(rewriter, _number(rewriter, 0), result, 2)
        for number, (size, stride) in enumerate(zip(wanted.get_shape(), strides, strict=True)):
            result = build.insert_value(rewriter, _number(rewriter, size), result, 3, number)
            result = build.insert_value(rewriter, _number(rewriter, stride), result, 4, number)
        rewriter.replace(op, [result])


class ConvertMaskedReduction(ConversionPattern[Operation], ops=(op_class("vector.mask"),)):
    """`vector.mask` of a `vector.reduction` becomes a vector-predicated reduction (LLVM 17 and later)."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        reduction = op.regions[0].block.first_op
        if not isinstance(reduction, vector.ReductionOp) or not rewriter.profile.predicates_reductions:
            rewriter.match_failure("only reductions are converted under a mask")
        kind = str(reduction.kind.data)
        type = rewriter.converted(reduction.dest.type)
        given = vector_type(reduction.vector.type)
        mask = rewriter.lowered(op.operands[0])
        if kind in _EXTREMA and isinstance(type, AnyFloat):
            self._extremum(op, reduction, rewriter, mask)
            return
        name, neutral = _predicated(kind, type, rewriter)
        value = rewriter.lowered(reduction.vector)
        if reduction.acc is not None:
            start = rewriter.lowered(reduction.acc)
        else:
            start = build.constant(rewriter, neutral, type)
        length: SSAValue = build.constant(rewriter, IntegerAttr(given.get_shape()[0], i32), i32)
        if is_scalable(given) and rewriter.profile.knows_scalable_sizes:
            length = _scaled(rewriter, length)
        new = rewriter.create(
            build.table_op(f"llvm.intr.vp.reduce.{name}"), [start, value, mask, length], type
        )
        rewriter.replace(op, [new])

    @staticmethod
    def _extremum(
        op: Operation, reduction: vector.ReductionOp, rewriter: ConversionRewriter, mask: SSAValue
    ) -> None:
        """Replace masked-out elements with the neutral element, and reduce all elements."""
        name, combine, negative = _EXTREMA[str(reduction.kind.data)]
        value = rewriter.lowered(reduction.vector)
        type = rewriter.converted(reduction.dest.type)
        # As in MLIR, the neutral element of a maximum is the negative number nearest to zero.
        number = -_smallest(type) if negative else _largest(type)
        neutral = build.constant(rewriter, splat(value.type, number), value.type)
        lanes = rewriter.create(llvm.SelectOp, [mask, value, neutral], value.type)
        reduce = build.table_op(f"llvm.intr.vector.reduce.{name}")
        result = rewriter.create(reduce, [lanes], type, flags(reduction))
        if reduction.acc is not None:
            both = [result, rewriter.lowered(reduction.acc)]
            result = rewriter.create(build.table_op(f"llvm.intr.{combine}"), both, type)
        rewriter.replace(op, [result])


_EXTREMA = {"minimumf": ("fminimum", "minimum", False), "maximumf": ("fmaximum", "maximum", True)}
_FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
"""Maps each float type to its numbers of exponent and fraction bits."""


def _largest(type: Attribute) -> float:
    exponent, fraction = _FORMATS[type.name]
    return (2 - 2.0**-fraction) * 2.0 ** (2 ** (exponent - 1) - 1)


def _smallest(type: Attribute) -> float:
    exponent, fraction = _FORMATS[type.name]
    return 2.0 ** (2 - 2 ** (exponent - 1) - fraction)


def _scaled(rewriter: ConversionRewriter, length: SSAValue) -> SSAValue:
    """Emit the product of `length` and vscale."""
    scale = rewriter.create(build.table_op("llvm.intr.vscale"), [], i64)
    if rewriter.arith_converts:
        scale = build.cast(rewriter, llvm.TruncOp, scale, i32)
        return rewriter.create(llvm.MulOp, [length, scale], i32)
    index = rewriter.add(UnrealizedConversionCastOp.create(operands=[scale], result_types=[IndexType()]))
    narrow = rewriter.add(arith.IndexCastOp.create(operands=[index.results[0]], result_types=[i32]))
    both = [length, narrow.results[0]]
    return rewriter.create(arith.MuliOp, both, i32)


_NAN = float("nan")
_OF_FLOATS = {
    "add": ("fadd", 0.0),
    "mul": ("fmul", 1.0),
    **dict.fromkeys(("minf", "minnumf"), ("fmin", copysign(_NAN, -1))),
    **dict.fromkeys(("maxf", "maxnumf"), ("fmax", _NAN)),
}
"""Maps each kind to the float reduction and its neutral element."""


def _predicated(kind: str, type: Attribute, rewriter: ConversionRewriter) -> tuple[str, Attribute]:
    """Return the vector-predicated reduction for a kind and type, and its neutral element."""
    if isinstance(type, AnyFloat):
        if kind not in _OF_FLOATS:
            rewriter.match_failure(f"a masked reduction by {kind} is not converted")
        name, number = _OF_FLOATS[kind]
        return name, number_attr(number, type)
    width = integer_type(type).width.data
    integers = {
        "add": ("add", 0),
        "mul": ("mul", 1),
        "and": ("and", -1),
        "or": ("or", 0),
        "xor": ("xor", 0),
        "minui": ("umin", -1),
        "maxui": ("umax", 0),
        "minsi": ("smin", 2 ** (width - 1) - 1),
        "maxsi": ("smax", -(2 ** (width - 1))),
    }
    if kind not in integers:
        rewriter.match_failure(f"integers are not reduced by {kind}")
    name, start = integers[kind]
    return name, IntegerAttr(start, cast(IntegerType, type))


def _aligned(op: Operation, rewriter: ConversionRewriter, pointer: int) -> dict[str, Attribute]:
    """Return properties that set the alignment of the pointer argument, if `op` has an alignment."""
    given = op.get_attr_or_prop("alignment")
    if not is_integer_attr(given) or not rewriter.profile.accesses_keep_alignment:
        return {}
    aligned = DictionaryAttr({"llvm.align": IntegerAttr(given.value.data, i64)})
    nothing = DictionaryAttr({})
    return {"arg_attrs": ArrayAttr([aligned if n == pointer else nothing for n in range(3)])}


def _number(rewriter: ConversionRewriter, number: int) -> SSAValue:
    return build.constant(rewriter, IntegerAttr(number, IndexType()), i64)


def _contiguous(type: AnyMemRef) -> Sequence[int] | None:
    """Return the static strides of a memref whose elements are contiguous; reject any other."""
    layout = strides_and_offset(type)
    if layout is None or (layout[0] and layout[0][-1] != 1):
        return None
    strides, shape = list(layout[0]), list(type.get_shape())
    if any(dynamic(n) for n in strides):
        return None
    steps = zip(strides, strides[1:], shape[1:], strict=False)
    if not is_identity_layout(type) and any(a != b * size for a, b, size in steps):
        return None
    return strides


def is_scalable(type: AnyVector) -> bool:
    """Return whether a dimension of `type` is scalable."""
    return any(each.value.data for each in type.scalable_dims)


def _position(op: Operation) -> dict[str, Attribute]:
    value = op.get_attr_or_prop("pos")
    return {} if value is None else {"pos": value}


def shuffle(
    rewriter: ConversionRewriter, operands: Sequence[SSAValue], mask: Sequence[int], type: Attribute
) -> SSAValue:
    """Insert `llvm.shufflevector` of two vectors with the indices in `mask`."""
    return rewriter.create(llvm.ShuffleVectorOp, operands, type, {"mask": i32_array(mask)})


PATTERNS: Sequence[AnyPattern] = (
    ConvertInterleave(),
    ConvertDeinterleave(),
    ConvertExpandLoad(),
    ConvertCompressStore(),
    ConvertScalableInsert(),
    ConvertScalableExtract(),
    ConvertMatrix(),
    ConvertTypeCast(),
    ConvertMaskedReduction(),
)
