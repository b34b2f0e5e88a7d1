"""Builds MLIR that exchanges values between the lanes of a warp, and packs registers of fragments."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, VectorType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder
from gpuasync_lsp.syntax import kinds
from gpuasync_lsp.syntax.dialects import arith, gpu, vector
from gpuasync_lsp.syntax.kinds import element_type
from gpuasync_lsp.syntax.ods.enumerations import case

GROUP = 4
"""The number of threads that share a row of a fragment."""

_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
TF32 = -1 << 13
"""The mask of the bits of an f32 that tensor cores use for tf32."""


class Warp(Builder):
    """Builds ops on a warp's lanes and fragments."""

    def number(self, value: int) -> SSAValue:
        """Return an i32 constant."""
        return self.add(arith.ConstantOp(IntegerAttr(value, i32))).results[0]

    def lane(self) -> SSAValue:
        """Return the lane id, as an i32."""
        lane = self.create(gpu.LaneIdOp, [], IndexType())
        return self.cast(lane, i32)

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Cast an index to an integer type, or vice versa."""
        return self.create(arith.IndexCastOp, [value], type)

    def of_lane(self, value: SSAValue, lane: SSAValue) -> SSAValue:
        """Return another lane's `value`, using a shuffle."""
        mode = case(gpu.ShuffleModeAttr, "idx")
        return self.add(
            gpu.ShuffleOp.create(
                operands=[value, lane, self.number(32)],
                result_types=[value.type, i1],
                properties={"mode": mode},
            )
        ).results[0]

    def affine(self, value: SSAValue, factor: int, add: int) -> SSAValue:
        """Return `value * factor + add`."""
        if factor != 1:
            value = self.binary("arith.muli", value, self.number(factor))
        return self.binary("arith.addi", value, self.number(add)) if add else value

    def group_and_thread(self) -> tuple[SSAValue, SSAValue]:
        """Return the number of the lane's group of four threads, and the lane's position in the group."""
        lane = self.lane()
        group = self.binary("arith.shrui", lane, self.number(2))
        return group, self.binary("arith.andi", lane, self.number(GROUP - 1))

    def bitcast(self, value: SSAValue, element: Attribute, count: int) -> SSAValue:
        """Bitcast a vector to `count` elements of a different type."""
        type = VectorType(element, [count])
        return self.create(vector.BitCastOp, [value], type)

    def register(self, fragment: SSAValue, number: int, element: Attribute) -> SSAValue:
        """Return a register of a fragment: elements packed into an i32, or a single 64-bit element."""
        if bits_of(element) == 64:
            return self.take(fragment, (number, 0))
        count = 32 // bits_of(element)
        row = self.create(
            vector.ExtractOp,
            [fragment],
            VectorType(element, [count]),
            {"static_position": DenseArrayBase.from_list(i64, [number])},
        )
        return self.take(self.bitcast(row, i32, 1), (0,))

    def unpacked(self, register: SSAValue, element: Attribute, as_tf32: bool) -> list[SSAValue]:
        """Return the elements packed in a register."""
        if bits_of(element) == 64:
            return [register]
        if as_tf32:
            register = self.binary("arith.andi", register, self.number(TF32))
        count = 32 // bits_of(element)
        whole = self.vector(VectorType(i32, [1]), {(0,): register})
        values = self.bitcast(whole, element, count)
        return [self.take(values, (at,)) for at in range(count)]


def bits_of(type: Attribute) -> int:
    """Return the bit width of an element type."""
    return _BITS.get(type.name) or kinds.bits_of(type)


def element_of(value: SSAValue) -> Attribute:
    """Return the element type of a vector or memref."""
    return element_type(value.type)
