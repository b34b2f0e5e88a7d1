"""The vector dialect in kernels, for vectors of rank 1."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering import descriptors
from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.lowering.kernels.names import op_class
from gpuasync_lsp.lowering.types import AnyMemRef
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.assembly import i32_array

AnyVector = VectorType[Attribute]


class ConvertLoad(ConversionPattern[Operation]):
    """`vector.load` and an in-bounds `vector.transfer_read` become an aligned-by-element `llvm.load`."""

    op_types = (op_class("vector.load"), op_class("vector.transfer_read"))

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check_transfer(op, rewriter)
        source, *rest = op.operands
        type = _vector(op.results[0].type, rewriter)
        rank = len(cast(AnyMemRef, source.type).get_shape())
        address = _address(rewriter, source, rest[:rank])
        load = llvm.LoadOp.create(
            operands=[address],
            result_types=[type],
            properties={"ordering": IntegerAttr(0, i64), "alignment": IntegerAttr(_alignment(type), i64)},
        )
        rewriter.replace(op, rewriter.add(load).results)


class ConvertStore(ConversionPattern[Operation]):
    """`vector.store` and an in-bounds `vector.transfer_write` become `llvm.store`."""

    op_types = (op_class("vector.store"), op_class("vector.transfer_write"))

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check_transfer(op, rewriter)
        value, target, *rest = op.operands
        type = _vector(value.type, rewriter)
        rank = len(cast(AnyMemRef, target.type).get_shape())
        address = _address(rewriter, target, rest[:rank])
        rewriter.add(
            llvm.StoreOp.create(
                operands=[rewriter.lowered(value), address],
                properties={"ordering": IntegerAttr(0, i64), "alignment": IntegerAttr(_alignment(type), i64)},
            )
        )
        rewriter.erase(op)


class ConvertBroadcast(ConversionPattern[Operation]):
    """`vector.broadcast` and `vector.splat` of a scalar: insert it, then shuffle it to all lanes."""

    op_types = (op_class("vector.broadcast"), op_class("vector.splat"))

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value = rewriter.lowered(op.operands[0])
        type = _vector(op.results[0].type, rewriter)
        if value.type.name == "vector":
            if value.type != type:
                rewriter.refuse("broadcasts scalars only")
            rewriter.replace(op, [value])
            return
        empty = build.undefined(rewriter, type)
        zero = build.constant(rewriter, IntegerAttr(0, i32), i32)
        insert = llvm.InsertElementOp.create(operands=[empty, value, zero], result_types=[type])
        first = rewriter.add(insert).results[0]
        shuffle = llvm.ShuffleVectorOp.create(
            operands=[first, first],
            result_types=[type],
            properties={"mask": i32_array([0] * type.get_shape()[0])},
        )
        rewriter.replace(op, rewriter.add(shuffle).results)


class ConvertExtract(ConversionPattern[Operation]):
    """`vector.extract` of one element."""

    op_types = (op_class("vector.extract"), op_class("vector.extractelement"))

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        vector = op.operands[0]
        _vector(vector.type, rewriter)
        index = _position(op, op.operands[1:], rewriter)
        type = rewriter.converted(op.results[0].type)
        new = llvm.ExtractElementOp.create(operands=[rewriter.lowered(vector), index], result_types=[type])
        rewriter.replace(op, rewriter.add(new).results)


class ConvertInsert(ConversionPattern[Operation]):
    """`vector.insert` of one element."""

    op_types = (op_class("vector.insert"), op_class("vector.insertelement"))

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value, vector, *rest = op.operands
        type = _vector(vector.type, rewriter)
        index = _position(op, rest, rewriter)
        operands = [rewriter.lowered(vector), rewriter.lowered(value), index]
        new = llvm.InsertElementOp.create(operands=operands, result_types=[type])
        rewriter.replace(op, rewriter.add(new).results)


class ConvertFMA(ConversionPattern[Operation]):
    """`vector.fma` becomes `llvm.intr.fmuladd`, as in mlir-opt."""

    op_types = (op_class("vector.fma"),)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        type = rewriter.converted(op.results[0].type)
        new = op_class("llvm.intr.fmuladd").create(operands=operands, result_types=[type])
        rewriter.replace(op, rewriter.add(new).results)


class ConvertReduction(ConversionPattern[Operation]):
    """`vector.reduction`: element by element, first to last, which every target can select."""

    op_types = (op_class("vector.reduction"),)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        kind = str(op.properties.get("kind", op.attributes.get("kind"))).rstrip(">").split("<")[-1].strip()
        vector = rewriter.lowered(op.operands[0])
        type = _vector(op.operands[0].type, rewriter)
        floating = type.element_type.name not in ("integer_type", "index")
        combine = _COMBINE.get((kind, floating))
        if combine is None:
            rewriter.refuse(f"cannot reduce by {kind}")
        element = rewriter.converted(type.element_type)
        result: SSAValue | None = rewriter.lowered(op.operands[1]) if len(op.operands) > 1 else None
        for lane in range(type.get_shape()[0]):
            index = build.constant(rewriter, IntegerAttr(lane, i64), i64)
            extract = llvm.ExtractElementOp.create(operands=[vector, index], result_types=[element])
            value = rewriter.add(extract).results[0]
            if result is None:
                result = value
            else:
                new = op_class(combine).create(operands=[result, value], result_types=[element])
                result = rewriter.add(new).results[0]
        assert result is not None
        rewriter.replace(op, [result])


PATTERNS = (
    ConvertLoad(),
    ConvertStore(),
    ConvertBroadcast(),
    ConvertExtract(),
    ConvertInsert(),
    ConvertFMA(),
    ConvertReduction(),
)

_COMBINE = {
    ("add", True): "llvm.fadd",
    ("mul", True): "llvm.fmul",
    ("minnumf", True): "llvm.intr.minnum",
    ("maxnumf", True): "llvm.intr.maxnum",
    ("minimumf", True): "llvm.intr.minimum",
    ("maximumf", True): "llvm.intr.maximum",
    ("add", False): "llvm.add",
    ("mul", False): "llvm.mul",
    ("and", False): "llvm.and",
    ("or", False): "llvm.or",
    ("xor", False): "llvm.xor",
    ("minsi", False): "llvm.intr.smin",
    ("maxsi", False): "llvm.intr.smax",
    ("minui", False): "llvm.intr.umin",
    ("maxui", False): "llvm.intr.umax",
}


def _vector(type: Attribute, rewriter: ConversionRewriter) -> AnyVector:
    converted = rewriter.converted(type)
    if not isinstance(converted, VectorType):
        rewriter.refuse("only vectors of rank 1 are lowered")
    return cast(AnyVector, converted)


def _address(rewriter: ConversionRewriter, memref: SSAValue, indices: Any) -> SSAValue:
    if memref.type.name != "memref":
        rewriter.refuse("not a memref")
    type = cast(AnyMemRef, memref.type)
    return descriptors.element_address(
        rewriter, type, rewriter.lowered(memref), rewriter.lowered_all(indices)
    )


def _alignment(type: AnyVector) -> int:
    element = type.element_type
    width = (
        element.bitwidth
        if isinstance(element, IntegerType)
        else {"f16": 16, "bf16": 16, "f64": 64}.get(element.name, 32)
    )
    return max(width // 8, 1)


def _check_transfer(op: Operation, rewriter: ConversionRewriter) -> None:
    if not op.name.startswith("vector.transfer"):
        return
    bounds: Any = op.properties.get("in_bounds")
    inside = bounds is not None and all("true" in str(each) for each in bounds.data)
    if not inside:
        rewriter.refuse("a transfer that may leave its bounds is not lowered: add in_bounds = [true]")
    map: Any = op.properties.get("permutation_map")
    if map is not None and not _takes_last(map.data):
        rewriter.refuse("only transfers along the last dimension are lowered")


def _takes_last(map: Any) -> bool:
    return str(map.results[0]) == f"d{map.num_dims - 1}" and len(map.results) == 1


def _position(op: Operation, dynamic: Any, rewriter: ConversionRewriter) -> SSAValue:
    if dynamic:
        return rewriter.lowered(dynamic[0])
    static: Any = op.properties.get("static_position")
    numbers = [int(n) for n in static.get_values()] if static is not None else [0]
    if len(numbers) > 1:
        rewriter.refuse("only vectors of rank 1 are lowered")
    return build.constant(rewriter, IntegerAttr(numbers[0] if numbers else 0, i64), i64)
