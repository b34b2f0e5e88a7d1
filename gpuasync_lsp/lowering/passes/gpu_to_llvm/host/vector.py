"""The patterns of gpu-to-llvm for vector ops, most of which become one llvm op.

Source: mlir/lib/Conversion/VectorToLLVM/ConvertVectorToLLVM.cpp. Ops on vectors of several dimensions that
other passes must unroll first are not lowered.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import flags
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import positions, rank_1, rows_of
from gpuasync_lsp.lowering.passes.gpu_to_llvm.transfers import is_masked, repeated_dimensions
from gpuasync_lsp.syntax.dialects import arith, llvm, vector
from gpuasync_lsp.syntax.dialects.assembly import i32_array, integers
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr, LLVMArrayType, LLVMVectorType
from gpuasync_lsp.syntax.kinds import (
    bits_of,
    element_type,
    is_integer,
    is_integer_attr,
    is_memref,
    is_number,
    is_vector,
    map_of,
    memref_type,
    number_attr,
    number_of,
    text_of,
    vector_type,
)
from gpuasync_lsp.syntax.memref_types import strides_and_offset

DYNAMIC = -(2**63)
"""The marker for a dynamic index in a static position."""

AnyVector = VectorType[Attribute]


class ConvertLoad(ConversionPattern[vector.LoadOp | vector.TransferReadOp]):
    """`vector.load` and in-bounds `vector.transfer_read` become `llvm.load` with the element's alignment."""

    def match_and_rewrite(
        self, op: vector.LoadOp | vector.TransferReadOp, rewriter: ConversionRewriter
    ) -> None:
        type = rank_1(op.results[0].type, rewriter)
        _check_transfer(op, rewriter)
        if isinstance(op, vector.TransferReadOp) and op.mask is not None:
            fill = _repeat(rewriter, op.padding, type)
            address = _address(rewriter, op.base, op.indices)
            operands = [address, rewriter.lowered(op.mask), fill]
            masked = rewriter.create(
                build.table_op("llvm.intr.masked.load"),
                operands,
                type,
                {"alignment": _alignment(op, type, rewriter, 32)},
            )
            rewriter.replace(op, [masked])
            return
        address = _address(rewriter, op.base, op.indices)
        properties: dict[str, Attribute] = {
            "ordering": IntegerAttr(0, i64),
            "alignment": _alignment(op, type, rewriter),
        }
        properties |= _hints(op)
        rewriter.replace(op, [rewriter.create(llvm.LoadOp, [address], type, properties)])


class ConvertStore(ConversionPattern[vector.StoreOp | vector.TransferWriteOp]):
    """`vector.store` and an in-bounds `vector.transfer_write` become `llvm.store`."""

    def match_and_rewrite(
        self, op: vector.StoreOp | vector.TransferWriteOp, rewriter: ConversionRewriter
    ) -> None:
        mask = op.mask if isinstance(op, vector.TransferWriteOp) else None
        _check_transfer(op, rewriter)
        if rewriter.profile.loads_single_elements and mask is None:
            shaped = vector_type(op.value_to_store.type)
            if prod(shaped.get_shape()) == 1 and not any(each.value.data for each in shaped.scalable_dims):
                self._store_element(op, shaped, rewriter)
                return
        type = rank_1(op.value_to_store.type, rewriter)
        address = _address(rewriter, op.base, op.indices)
        if mask is not None:
            mask, value = rewriter.lowered_all((mask, op.value_to_store))
            kind = build.table_op("llvm.intr.masked.store")
            masked: dict[str, Attribute] = {"alignment": _alignment(op, type, rewriter, 32)}
            rewriter.add(kind.create(operands=[value, address, mask], properties=masked))
            rewriter.erase(op)
            return
        properties: dict[str, Attribute] = {
            "ordering": IntegerAttr(0, i64),
            "alignment": _alignment(op, type, rewriter),
        }
        properties |= _hints(op)
        value = rewriter.lowered(op.value_to_store)
        rewriter.add(llvm.StoreOp.create(operands=[value, address], properties=properties))
        rewriter.erase(op)

    @staticmethod
    def _store_element(
        op: vector.StoreOp | vector.TransferWriteOp, type: AnyVector, rewriter: ConversionRewriter
    ) -> None:
        """Store the single element of a vector, like LLVM 19 (`VectorStoreToMemrefStoreLowering`)."""
        value, rank = rewriter.lowered(op.value_to_store), len(type.get_shape())
        value = _take(rewriter, value, [0] * (rank - 1))
        position = 0 if rank else build.index_constant(rewriter, 0)
        element = _element(rewriter, value, position, rewriter.converted(type.element_type))
        address = _address(rewriter, op.base, op.indices)
        build.store(rewriter, element, address)
        rewriter.erase(op)


class ConvertMaskedLoad(ConversionPattern[vector.MaskedLoadOp]):
    """`vector.maskedload` becomes `llvm.intr.masked.load`."""

    def match_and_rewrite(self, op: vector.MaskedLoadOp, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.result.type, rewriter)
        address = _address(rewriter, op.base, op.indices)
        operands = [address, *rewriter.lowered_all((op.mask, op.pass_thru))]
        new = rewriter.create(
            build.table_op("llvm.intr.masked.load"),
            operands,
            type,
            {"alignment": _alignment(op, type, rewriter, 32)},
        )
        rewriter.replace(op, [new])


class ConvertMaskedStore(ConversionPattern[vector.MaskedStoreOp]):
    """`vector.maskedstore` becomes `llvm.intr.masked.store`."""

    def match_and_rewrite(self, op: vector.MaskedStoreOp, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.value_to_store.type, rewriter)
        address = _address(rewriter, op.base, op.indices)
        mask, value = rewriter.lowered_all((op.mask, op.value_to_store))
        kind = build.table_op("llvm.intr.masked.store")
        properties: dict[str, Attribute] = {"alignment": _alignment(op, type, rewriter, 32)}
        rewriter.add(kind.create(operands=[value, address, mask], properties=properties))
        rewriter.erase(op)


class ConvertGather(ConversionPattern[vector.GatherOp]):
    """`vector.gather` from a memref becomes a vector of addresses and `llvm.intr.masked.gather`.

    In old releases each row becomes a separate gather."""

    def match_and_rewrite(self, op: vector.GatherOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.result.type)
        row, shape = rows_of(type)
        if shape and not rewriter.profile.gathers_rows:
            rewriter.match_failure("only vectors of rank 1 are converted")
        _require_adjacent(rewriter, op.base)
        address = _address(rewriter, op.base, op.offsets)
        operands = rewriter.lowered_all((op.indices, op.mask, op.pass_thru))
        if not shape:
            rewriter.replace(op, [self._gather(op, rewriter, address, operands, row)])
            return
        result = build.undefined(rewriter, type)
        for position in positions(shape):
            rows = [build.extract_value(rewriter, operand, *position) for operand in operands]
            gathered = self._gather(op, rewriter, address, rows, row)
            result = build.insert_value(rewriter, gathered, result, *position)
        rewriter.replace(op, [result])

    @staticmethod
    def _gather(
        op: vector.GatherOp,
        rewriter: ConversionRewriter,
        address: SSAValue,
        operands: Sequence[SSAValue],
        type: Attribute,
    ) -> SSAValue:
        indices, mask, pass_thru = operands
        addresses = _addresses(rewriter, op.base, address, indices, vector_type(type))
        return rewriter.create(
            build.table_op("llvm.intr.masked.gather"),
            [addresses, mask, pass_thru],
            type,
            {"alignment": _alignment(op, vector_type(type), rewriter, 32)},
        )


class ConvertScatter(ConversionPattern[vector.ScatterOp]):
    """`vector.scatter` into a memref becomes a vector of addresses and `llvm.intr.masked.scatter`."""

    def match_and_rewrite(self, op: vector.ScatterOp, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.value_to_store.type, rewriter)
        _require_adjacent(rewriter, op.base)
        address = _address(rewriter, op.base, op.offsets)
        addresses = _addresses(rewriter, op.base, address, rewriter.lowered(op.indices), type)
        mask, value = rewriter.lowered_all((op.mask, op.value_to_store))
        kind = build.table_op("llvm.intr.masked.scatter")
        properties: dict[str, Attribute] = {"alignment": _alignment(op, type, rewriter, 32)}
        rewriter.add(kind.create(operands=[value, addresses, mask], properties=properties))
        rewriter.erase(op)


class ConvertBroadcast(ConversionPattern[Operation], ops=(vector.BroadcastOp, vector.SplatOp)):
    """`vector.broadcast` and `vector.splat` of a scalar become an insertion and a shuffle to all lanes."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        (operand,) = op.operands
        if operand.type.name == "vector":
            rewriter.match_failure("only scalars are broadcast")
        known = rewriter.profile.broadcasts_scalars or rewriter.options.whole_kernels
        if isinstance(op, vector.BroadcastOp) and not known:
            rewriter.match_failure("this release does not lower vector.broadcast")
        value = rewriter.lowered(operand)
        type = rewriter.converted(op.results[0].type)
        if isinstance(type, LLVMArrayType):
            self._rows(op, rewriter, value, type)
            return
        of = vector_type(type)
        empty = build.undefined(rewriter, type)
        zero = build.constant(rewriter, IntegerAttr(0, i32), i32)
        first = rewriter.create(llvm.InsertElementOp, [empty, value, zero], type)
        shape = vector_type(op.results[0].type).get_shape()
        alone = (
            rewriter.profile.single_lanes_alone
            and list(shape) == [1]
            and not any(each.value.data for each in of.scalable_dims)
        )
        if not shape or alone:
            rewriter.replace(op, [first])
            return
        rewriter.replace(op, [_shuffle(rewriter, first, empty, [0] * of.get_shape()[0], type)])

    @staticmethod
    def _rows(op: Operation, rewriter: ConversionRewriter, value: SSAValue, type: LLVMArrayType) -> None:
        result = build.undefined(rewriter, type)
        row, shape = rows_of(type)
        empty = build.undefined(rewriter, row)
        zero = build.constant(rewriter, IntegerAttr(0, i32), i32)
        first = rewriter.create(llvm.InsertElementOp, [empty, value, zero], row)
        full = _shuffle(rewriter, first, first, [0] * vector_type(row).get_shape()[0], row)
        for position in positions(shape):
            result = build.insert_value(rewriter, full, result, *position)
        rewriter.replace(op, [result])


class ConvertExtract(ConversionPattern[vector.ExtractOp]):
    """`vector.extract` becomes `llvm.extractvalue` for arrays, and `llvm.extractelement` for an element."""

    def match_and_rewrite(self, op: vector.ExtractOp, rewriter: ConversionRewriter) -> None:
        value = rewriter.lowered(op.source)
        type = rewriter.converted(op.result.type)
        rank = len(vector_type(op.source.type).get_shape())
        position = _position(op, rewriter)
        takes_elements = rewriter.profile.extracts_at_values
        if op.dynamic_position and rank > 1 and not takes_elements:
            rewriter.match_failure("this release extracts elements from arrays only at static positions")
        if not position:
            if rank or op.result.type.name == "vector" or not takes_elements:
                rewriter.replace(op, [value])
                return
            position = [0]
        outer, element = (position[:-1], position[-1]) if len(position) >= max(rank, 1) else (position, None)
        value = _take(rewriter, value, outer)
        if element is not None:
            value = _element(rewriter, value, element, type)
        rewriter.replace(op, [value])


class ConvertInsert(ConversionPattern[vector.InsertOp]):
    """`vector.insert` becomes `llvm.insertvalue` for arrays, and `llvm.insertelement` for an element."""

    def match_and_rewrite(self, op: vector.InsertOp, rewriter: ConversionRewriter) -> None:
        value, whole = rewriter.lowered_all((op.value_to_store, op.dest))
        rank = len(vector_type(op.dest.type).get_shape())
        position = _position(op, rewriter)
        takes_elements = rewriter.profile.extracts_at_values
        if op.dynamic_position and rank > 1 and not takes_elements:
            rewriter.match_failure("this release inserts elements into arrays only at static positions")
        if not position:
            if rank or op.value_to_store.type.name == "vector" or not takes_elements:
                rewriter.replace(op, [value])
                return
            position = [0]
        if len(position) < max(rank, 1):
            rewriter.replace(op, [_put(rewriter, value, whole, position)])
            return
        outer = position[:-1]
        row = _take(rewriter, whole, outer)
        index = _index(rewriter, position[-1])
        row = rewriter.create(llvm.InsertElementOp, [row, value, index], row.type)
        rewriter.replace(op, [_put(rewriter, row, whole, outer) if outer else row])


class ConvertExtractElement(ConversionPattern[vector.ExtractElementOp]):
    """`vector.extractelement` becomes `llvm.extractelement`."""

    def match_and_rewrite(self, op: vector.ExtractElementOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.lowered(op.vector)
        type = rewriter.converted(op.result.type)
        index = build.index_constant(rewriter, 0) if op.position is None else rewriter.lowered(op.position)
        rewriter.replace(op, [rewriter.create(llvm.ExtractElementOp, [source, index], type)])


class ConvertInsertElement(ConversionPattern[vector.InsertElementOp]):
    """`vector.insertelement` becomes `llvm.insertelement`."""

    def match_and_rewrite(self, op: vector.InsertElementOp, rewriter: ConversionRewriter) -> None:
        value, target = rewriter.lowered_all((op.source, op.dest))
        index = build.index_constant(rewriter, 0) if op.position is None else rewriter.lowered(op.position)
        rewriter.replace(op, [rewriter.create(llvm.InsertElementOp, [target, value, index], target.type)])


class ConvertFromElements(ConversionPattern[vector.FromElementsOp]):
    """`vector.from_elements` of rank 1 becomes a chain of insertions."""

    def match_and_rewrite(self, op: vector.FromElementsOp, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.dest.type, rewriter)
        result = build.undefined(rewriter, type)
        for number, value in enumerate(rewriter.lowered_all(op.elements)):
            index = _index(rewriter, number)
            result = rewriter.create(llvm.InsertElementOp, [result, value, index], type)
        rewriter.replace(op, [result])


class ConvertToElements(ConversionPattern[vector.ToElementsOp]):
    """`vector.to_elements` of rank 1 becomes extractions of the used elements."""

    def match_and_rewrite(self, op: vector.ToElementsOp, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.operands[0].type, rewriter)
        source = rewriter.lowered(op.operands[0])
        found: list[SSAValue] = []
        for number, result in enumerate(op.results):
            if result.first_use is None:
                # The result is unused: any value will do, and no op is inserted.
                found.append(rewriter.values.lowered(op.operands[0]))
                continue
            found.append(_element(rewriter, source, number, type.element_type))
        rewriter.replace(op, found)


class ConvertFMA(ConversionPattern[vector.FMAOp]):
    """`vector.fma` of rank 1 becomes `llvm.intr.fmuladd`; through LLVM 19 higher ranks become one per row."""

    def match_and_rewrite(self, op: vector.FMAOp, rewriter: ConversionRewriter) -> None:
        type = vector_type(op.result.type)
        if not rewriter.profile.converts_slices or len(type.get_shape()) < 2:
            row = rank_1(type, rewriter)
            rewriter.replace(op, [self._row(rewriter, rewriter.lowered_all(op.operands), row)])
        elif any(each.value.data for each in type.scalable_dims):
            rewriter.match_failure("scalable vectors cannot be unrolled into rows")
        else:
            rewriter.replace(op, [self._rows(rewriter, rewriter.lowered_all(op.operands), type, ())])

    @staticmethod
    def _row(rewriter: ConversionRewriter, operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
        return rewriter.create(build.table_op("llvm.intr.fmuladd"), operands, type)

    def _rows(
        self, rewriter: ConversionRewriter, operands: Sequence[SSAValue], type: AnyVector, at: tuple[int, ...]
    ) -> SSAValue:
        """Compute a part of the result row by row (`VectorFMAOpNDRewritePattern`).

        The part is at position `at` of the operands and has the type `type`."""
        zero = FloatAttr(0.0, cast(AnyFloat, type.element_type))
        build.constant(rewriter, zero, type.element_type)
        whole = build.constant(rewriter, splat(type, 0.0), rewriter.converted(type))
        size, *rest = type.get_shape()
        inner = VectorType(type.element_type, rest)
        for number in range(size):
            place = (*at, number)
            parts = [build.extract_value(rewriter, operand, *place) for operand in operands]
            plain = len(rest) == 1
            row = self._row(rewriter, parts, inner) if plain else self._rows(rewriter, operands, inner, place)
            whole = build.insert_value(rewriter, row, whole, number)
        return whole


class ConvertShuffle(ConversionPattern[vector.ShuffleOp]):
    """`vector.shuffle` of two vectors of equal type and rank 1 becomes `llvm.shufflevector`.

    The result of any other shuffle is built from elements or rows."""

    def match_and_rewrite(self, op: vector.ShuffleOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.vector.type)
        left, right = rewriter.lowered_all((op.v1, op.v2))
        mask = list(integers(op.mask))
        if op.v1.type == op.v2.type and is_vector(type):
            rewriter.replace(op, [_shuffle(rewriter, left, right, mask, type)])
            return
        if min(mask) < 0:
            rewriter.match_failure("its mask has a poison index")
        first = vector_type(op.v1.type).get_shape()[0]
        result = build.undefined(rewriter, type)
        for position, number in enumerate(mask):
            source, number = (left, number) if number < first else (right, number - first)
            result = self._put_one(rewriter, source, number, result, position, type)
        rewriter.replace(op, [result])

    @staticmethod
    def _put_one(
        rewriter: ConversionRewriter,
        source: SSAValue,
        number: int,
        result: SSAValue,
        position: int,
        type: Attribute,
    ) -> SSAValue:
        if not is_vector(type):
            row = build.extract_value(rewriter, source, number)
            return build.insert_value(rewriter, row, result, position)
        element = type.element_type
        value = _element(rewriter, source, build.index_constant(rewriter, number), element)
        at = build.index_constant(rewriter, position)
        return rewriter.create(llvm.InsertElementOp, [result, value, at], result.type)


class ConvertBitCast(ConversionPattern[vector.BitCastOp]):
    """`vector.bitcast` of rank 1 becomes `llvm.bitcast`."""

    def match_and_rewrite(self, op: vector.BitCastOp, rewriter: ConversionRewriter) -> None:
        type = rank_1(op.result.type, rewriter)
        rewriter.replace(op, [build.cast(rewriter, llvm.BitcastOp, rewriter.lowered(op.source), type)])


class ConvertScale(ConversionPattern[vector.VectorScaleOp]):
    """`vector.vscale` becomes `llvm.intr.vscale`, cast to the width of an index."""

    def match_and_rewrite(self, op: vector.VectorScaleOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.res.type)
        rewriter.replace(op, [rewriter.create(build.table_op("llvm.intr.vscale"), [], type)])


class ConvertStep(ConversionPattern[vector.StepOp]):
    """`vector.step` of static length becomes a constant or an intrinsic."""

    def match_and_rewrite(self, op: vector.StepOp, rewriter: ConversionRewriter) -> None:
        given = op.result.type
        how = rewriter.profile.vector_step
        is_scalable = any(each.value.data for each in given.scalable_dims)
        if how == "stays" and not is_scalable:
            rewriter.match_failure("this release does not lower vector.step")
        type = rewriter.converted(given)
        if how == "intrinsic" or is_scalable:
            new = rewriter.create(build.table_op(rewriter.profile.step_intrinsic), [], type)
            rewriter.replace(op, [new])
            return
        numbers = DenseIntOrFPElementsAttr.from_list(given, list(range(given.get_shape()[0])))
        rewriter.replace(op, [build.constant(rewriter, numbers, type)])


class ConvertReduction(ConversionPattern[vector.ReductionOp]):
    """`vector.reduction` becomes an intrinsic; an accumulator is combined with its result."""

    def match_and_rewrite(self, op: vector.ReductionOp, rewriter: ConversionRewriter) -> None:
        kind = str(op.kind.data)
        operand = rewriter.lowered(op.vector)
        start = None if op.acc is None else rewriter.lowered(op.acc)
        type = rewriter.converted(op.dest.type)
        if not isinstance(type, AnyFloat):
            result = self._integers(rewriter, kind, operand, start, type)
        elif kind in ("add", "mul"):
            neutral = number_attr(0.0 if kind == "add" else 1.0, type)
            start = build.constant(rewriter, neutral, type) if start is None else start
            result = rewriter.create(
                build.table_op(f"llvm.intr.vector.reduce.f{kind}"),
                [start, operand],
                type,
                # The generic form prints even the default.
                _reassociated(_WITHOUT_FLAGS | flags(op), rewriter),
            )
        else:
            if kind not in _FLOATS:
                rewriter.match_failure(f"cannot reduce floats by {kind}")
            reduce, combine = _FLOATS[kind]
            properties = flags(op)
            result = rewriter.create(
                build.table_op(f"llvm.intr.vector.reduce.{reduce}"), [operand], type, properties
            )
            if start is not None:
                result = rewriter.create(build.table_op(f"llvm.intr.{combine}"), [result, start], type)
        rewriter.replace(op, [result])

    @staticmethod
    def _integers(
        rewriter: ConversionRewriter, kind: str, operand: SSAValue, start: SSAValue | None, type: Attribute
    ) -> SSAValue:
        if kind not in _INTEGERS:
            rewriter.match_failure(f"cannot reduce integers by {kind}")
        mnemonic, combine = _INTEGERS[kind]
        result = rewriter.create(build.table_op(f"llvm.intr.vector.reduce.{mnemonic}"), [operand], type)
        if start is None:
            return result
        if not isinstance(combine, int):
            return rewriter.create(combine, [start, result], type)
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(combine, i64)}
        condition = rewriter.create(llvm.ICmpOp, [start, result], i1, properties)
        return rewriter.create(llvm.SelectOp, [condition, start, result], type)


_FLOATS = {
    "minnumf": ("fmin", "minnum"),
    "maxnumf": ("fmax", "maxnum"),
    "minimumf": ("fminimum", "minimum"),
    "maximumf": ("fmaximum", "maximum"),
    "minf": ("fmin", "minnum"),
    "maxf": ("fmax", "maxnum"),
}
"""Maps each float reduction to its intrinsic, and to the one that combines the result with an accumulator."""


_WITHOUT_FLAGS: dict[str, Attribute] = {"fastmathFlags": FastmathFlagsAttr("none")}


def _reassociated(properties: dict[str, Attribute], rewriter: ConversionRewriter) -> dict[str, Attribute]:
    """Set the flag that permits reassociating a sum or product, if the option of the pass is set."""
    anyhow = rewriter.options.reassociate_fp_reductions
    if rewriter.profile.reassociates_by_flag:
        return {"reassoc": BoolAttr.from_bool(anyhow)}
    if not anyhow:
        return properties
    given = properties.get("fastmathFlags")
    names: list[str] = [] if given is None else [each.strip() for each in text_of(given).split(",")]
    if "fast" in names or "reassoc" in names:
        return properties
    known = ", ".join(name for name in (*names, "reassoc") if name != "none")
    return {**properties, "fastmathFlags": FastmathFlagsAttr(known)}


_SLE, _SGE, _ULE, _UGE = 3, 5, 7, 9
_INTEGERS: dict[str, tuple[str, type[Operation] | int]] = {
    "add": ("add", llvm.AddOp),
    "mul": ("mul", llvm.MulOp),
    "and": ("and", llvm.AndOp),
    "or": ("or", llvm.OrOp),
    "xor": ("xor", llvm.XOrOp),
    "minsi": ("smin", _SLE),
    "maxsi": ("smax", _SGE),
    "minui": ("umin", _ULE),
    "maxui": ("umax", _UGE),
}
"""Maps each integer reduction to its intrinsic, and to the op or predicate that adds the accumulator."""


def _address(rewriter: ConversionRewriter, base: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    if not is_memref(base.type):
        rewriter.match_failure("not a memref")
    return descriptors.access_address(rewriter, base, indices, flagged=False)


def _require_adjacent(rewriter: ConversionRewriter, base: SSAValue) -> None:
    """Reject a memref that is not contiguous along its last dimension."""
    layout = strides_and_offset(memref_type(base.type)) if is_memref(base.type) else None
    if layout is None or (layout[0] and layout[0][-1] != 1):
        rewriter.match_failure("the last dimension is not contiguous")


def _addresses(
    rewriter: ConversionRewriter,
    base: SSAValue,
    address: SSAValue,
    offsets: SSAValue,
    type: AnyVector,
) -> SSAValue:
    """Emit the addresses of elements of `base`, at the lowered `offsets` from `address`."""
    element = rewriter.converted(memref_type(base.type).element_type)
    count = type.get_shape()[0]
    scales = rewriter.profile.knows_scalable_sizes and any(each.value.data for each in type.scalable_dims)
    pointers: Attribute = (
        VectorType(address.type, [count], type.scalable_dims)
        if rewriter.profile.builtin_vectors_of_pointers
        else LLVMVectorType(scales, count, address.type)
    )
    return build.element_pointer(rewriter, address, element, [offsets], type=pointers)


def _hints(op: Operation) -> dict[str, Attribute]:
    """Return the properties for the cache hints of `op`."""
    hint = op.get_attr_or_prop("nontemporal")
    return {"nontemporal": UnitAttr()} if hint is not None and number_of(hint) else {}


def _alignment(op: Operation, type: AnyVector, rewriter: ConversionRewriter, width: int = 64) -> Attribute:
    """Return the alignment of `op` if it is kept, or else the natural one of the element or the vector."""
    given = op.get_attr_or_prop("alignment") if rewriter.profile.accesses_keep_alignment else None
    if is_integer_attr(given):
        return IntegerAttr(given.value.data, width)
    base: SSAValue = getattr(op, "base")  # noqa: B009
    whole = rewriter.options.use_vector_alignment or is_vector(element_type(base.type))
    element = type.element_type
    bits = bits_of(element) if is_integer(element) or isinstance(element, AnyFloat) else 64
    size = max(bits * (prod(type.get_shape()) if whole else 1) // 8, 1)
    return IntegerAttr(1 << (size - 1).bit_length(), width)


def _check_transfer(op: Operation, rewriter: ConversionRewriter) -> None:
    """Reject a transfer that is not an in-bounds load or store of consecutive elements."""
    if not isinstance(op, vector.TransferReadOp | vector.TransferWriteOp):
        return
    if rewriter.profile.greedy_prepass and not rewriter.options.whole_kernels:
        rewriter.match_failure(
            "this conversion does not lower transfers: run convert-vector-to-llvm on the gpu.module first"
        )
    if is_masked(op) and rewriter.profile.masked_transfers_stay:
        rewriter.match_failure("a transfer under a mask is not lowered: --lower-vector-mask lowers it")
    if not all(bounds_of(op)):
        rewriter.match_failure(
            "this conversion does not lower a transfer that may leave its bounds: add in_bounds = [true], or "
            "run convert-vector-to-llvm first"
        )
    if len(map_of(op.permutation_map).results) > 1 or repeated_dimensions(op) != []:
        rewriter.match_failure("only transfers of consecutive elements along the last dimension are lowered")


def _repeat(rewriter: ConversionRewriter, padding: SSAValue, type: AnyVector) -> SSAValue:
    """Emit a splat of `padding`; it is a constant if `padding` is one."""
    source = padding.owner
    value = source.value if isinstance(source, arith.ConstantOp) else None
    if is_number(value):
        return build.constant(rewriter, splat(type, value.value.data), type)
    empty = build.undefined(rewriter, type)
    zero = build.constant(rewriter, IntegerAttr(0, i32), i32)
    operands = [empty, rewriter.lowered(padding), zero]
    first = rewriter.create(llvm.InsertElementOp, operands, type)
    return _shuffle(rewriter, first, empty, [0] * type.get_shape()[0], type)


def _position(op: vector.ExtractOp | vector.InsertOp, rewriter: ConversionRewriter) -> list[int | SSAValue]:
    dynamic = iter(rewriter.lowered_all(op.dynamic_position))
    return [next(dynamic) if n == DYNAMIC else n for n in integers(op.static_position)]


def _take(rewriter: ConversionRewriter, value: SSAValue, position: Sequence[int | SSAValue]) -> SSAValue:
    if not position:
        return value
    return build.extract_value(rewriter, value, *_static(rewriter, position))


def _put(
    rewriter: ConversionRewriter, value: SSAValue, whole: SSAValue, position: Sequence[int | SSAValue]
) -> SSAValue:
    return build.insert_value(rewriter, value, whole, *_static(rewriter, position))


def _static(rewriter: ConversionRewriter, position: Sequence[int | SSAValue]) -> list[int]:
    numbers = [n for n in position if isinstance(n, int)]
    if len(numbers) != len(position):
        rewriter.match_failure("arrays have no dynamic positions")
    return numbers


def _element(rewriter: ConversionRewriter, value: SSAValue, at: int | SSAValue, type: Attribute) -> SSAValue:
    return rewriter.create(llvm.ExtractElementOp, [value, _index(rewriter, at)], type)


def _index(rewriter: ConversionRewriter, at: int | SSAValue) -> SSAValue:
    return at if isinstance(at, SSAValue) else build.constant(rewriter, IntegerAttr(at, i64), i64)


def _shuffle(
    rewriter: ConversionRewriter, left: SSAValue, right: SSAValue, mask: Sequence[int], type: Attribute
) -> SSAValue:
    return rewriter.create(llvm.ShuffleVectorOp, [left, right], type, {"mask": i32_array(mask)})


PATTERNS: Sequence[AnyPattern] = (
    ConvertLoad(),
    ConvertStore(),
    ConvertMaskedLoad(),
    ConvertMaskedStore(),
    ConvertGather(),
    ConvertScatter(),
    ConvertBroadcast(),
    ConvertExtract(),
    ConvertInsert(),
    ConvertExtractElement(),
    ConvertInsertElement(),
    ConvertFromElements(),
    ConvertToElements(),
    ConvertFMA(),
    ConvertShuffle(),
    ConvertBitCast(),
    ConvertScale(),
    ConvertStep(),
    ConvertReduction(),
)
