"""Ops of a warp that other passes lower, expanded for a run: products and loads of fragments, work of lane 0.

`nvgpu.mma.sync` and `nvgpu.ldmatrix` spread matrices over the lanes as the PTX ISA says of mma and ldmatrix:
a lane is 4 * group + thread of the group, a register has 32 bits. Lanes get what others have by shuffles, so
this runs everywhere. `gpu.warp_execute_on_lane_0` becomes what `-test-vector-warp-distribute=
rewrite-warp-ops-to-scf-if` of LLVM 22 makes of it where nothing is passed in or out. `nvvm.elect.sync`
without a mask elects the first lane, as hardware does.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, VectorType, f32, i1, i32, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue

from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder, Index, Results
from gpuasync_lsp.lowering.passes.kernels.reduce import operation_of
from gpuasync_lsp.syntax.dialects import arith, gpu, memref, nvgpu, scf, vector
from gpuasync_lsp.syntax.ods.enumerations import case

_GROUP = 4
"""Threads that share a row."""

_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_TF32 = -1 << 13
"""The bits of an f32 that tensor cores look at."""


def expand_warp_ops(module: Operation) -> None:
    """Expand what can be inside `module`, in place."""
    for op in list(module.walk()):
        results: Results = None
        if isinstance(op, nvgpu.MmaSyncOp):
            results = _product(op, _Warp(op))
        elif isinstance(op, nvgpu.LdMatrixOp):
            results = _load(op, _Warp(op))
        elif isinstance(op, gpu.WarpExecuteOnLane0Op) and not op.args and not op.res:
            results = _first_lane(op, Builder(op))
        elif op.name == "nvvm.elect.sync" and not op.operands:
            results = [_is_first_lane(_lane_id(op), Builder(op))]
        if results is None:
            continue
        for old, new in zip(op.results, results, strict=True):
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()


class _Warp(Builder):
    """Builds what lanes give each other."""

    def number(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i32))).results[0]

    def lane(self) -> SSAValue:
        lane = self.add(gpu.LaneIdOp.create(result_types=[IndexType()])).results[0]
        return self.cast(lane, i32)

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        return self.add(arith.IndexCastOp.create(operands=[value], result_types=[type])).results[0]

    def of_lane(self, value: SSAValue, lane: SSAValue) -> SSAValue:
        """Return the value that another lane has."""
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
        lane = self.lane()
        group = self.binary("arith.shrui", lane, self.number(2))
        return group, self.binary("arith.andi", lane, self.number(_GROUP - 1))

    def bitcast(self, value: SSAValue, element: Attribute, count: int) -> SSAValue:
        type: Attribute = VectorType(cast(Any, element), [count])
        return self.add(vector.BitCastOp.create(operands=[value], result_types=[type])).results[0]

    def register(self, fragment: SSAValue, number: int, element: Attribute) -> SSAValue:
        """Return a register of a fragment: its elements as one number, or the one element of 64 bits."""
        if _bits(element) == 64:
            return self.take(fragment, (number, 0))
        count = 32 // _bits(element)
        row = vector.ExtractOp.create(
            operands=[fragment],
            result_types=[VectorType(cast(Any, element), [count])],
            properties={"static_position": DenseArrayBase.from_list(i64, [number])},
        )
        return self.take(self.bitcast(self.add(row).results[0], i32, 1), (0,))

    def unpacked(self, register: SSAValue, element: Attribute, as_tf32: bool) -> list[SSAValue]:
        if _bits(element) == 64:
            return [register]
        if as_tf32:
            register = self.binary("arith.andi", register, self.number(_TF32))
        count = 32 // _bits(element)
        whole = self.vector(VectorType(i32, [1]), {(0,): register})
        values = self.bitcast(whole, element, count)
        return [self.take(values, (at,)) for at in range(count)]


def _bits(type: Attribute) -> int:
    return _BITS.get(type.name) or cast(Any, type).bitwidth


def _element(value: SSAValue) -> Attribute:
    return cast(Any, value.type).element_type


def _product(op: Any, build: _Warp) -> Results:
    sizes: list[int] = [each.value.data for each in op.mma_shape]
    m, n, k = sizes
    element, sum_type = _element(op.matrix_a), _element(op.matrix_c)
    if _bits(element) not in (4, 8, 16, 32, 64) or _element(op.matrix_b) != element:
        return None
    per = max(32 // _bits(element), 1)
    as_tf32 = op.tf32_enabled is not None
    halves, steps = m // 8, k // (_GROUP * per)
    shapes = [tuple(value.type.get_shape()) for value in (op.matrix_a, op.matrix_b, op.matrix_c)]
    if n != 8 or not steps or shapes != [(halves * steps, per), (steps, per), (halves, 2)]:
        return None
    wide = f32 if sum_type.name == "f16" else sum_type
    multiply, plus = str(operation_of("mul", wide)), str(operation_of("add", wide))
    group, thread = build.group_and_thread()
    rows = [build.register(op.matrix_a, number, element) for number in range(halves * steps)]
    columns = [build.register(op.matrix_b, number, element) for number in range(steps)]
    sums = {index: build.widen(value, wide) for index, value in build.elements(op.matrix_c).items()}

    def factors(register: SSAValue, lane: SSAValue) -> list[SSAValue]:
        given = build.of_lane(register, lane)
        parts = build.unpacked(given, element, as_tf32)
        return [build.widen(part, wide) for part in parts]

    for step in range(steps):
        for owner in range(_GROUP):
            lane = build.affine(group, _GROUP, owner)
            lefts = [factors(rows[step * halves + half], lane) for half in range(halves)]
            for column in range(2):
                # Column 2 * thread + column of B is with the lanes of that group.
                lane = build.affine(thread, 2 * _GROUP, _GROUP * column + owner)
                rights = factors(columns[step], lane)
                for half, left in enumerate(lefts):
                    for one, other in zip(left, rights, strict=True):
                        added = build.binary(multiply, one, other)
                        sums[half, column] = build.binary(plus, sums[half, column], added)
    if wide != sum_type:
        for index, value in sums.items():
            narrow = arith.TruncFOp.create(operands=[value], result_types=[sum_type])
            sums[index] = build.add(narrow).results[0]
    return [build.vector(op.res.type, sums)]


def _load(op: Any, build: _Warp) -> Results:
    element = _element(op.src_memref)
    shape: tuple[int, int] = op.res.type.get_shape()
    tiles, per = shape
    if _bits(element) * per != 32 or _element(op.res) != element:
        return None
    transposed = bool(op.transpose.value.data)
    group, thread = build.group_and_thread()
    places = [build.cast(index, i32) for index in op.indices]

    def loaded(lane: SSAValue, offset: SSAValue) -> SSAValue:
        """Return the element `offset` behind the row that a lane names."""
        named = [build.of_lane(place, lane) for place in places]
        named[-1] = build.binary("arith.addi", named[-1], offset)
        indices = [build.cast(place, IndexType()) for place in named]
        load = memref.LoadOp.create(operands=[op.src_memref, *indices], result_types=[element])
        return build.add(load).results[0]

    elements: dict[Index, SSAValue] = {}
    for tile in range(tiles):
        for at in range(per):
            if transposed:
                elements[tile, at] = loaded(build.affine(thread, per, tile * 8 + at), group)
            else:
                elements[tile, at] = loaded(build.affine(group, 1, tile * 8), build.affine(thread, per, at))
    return [build.vector(op.res.type, elements)]


def _lane_id(op: Operation) -> SSAValue:
    return Builder(op).add(gpu.LaneIdOp.create(result_types=[IndexType()])).results[0]


def _is_first_lane(lane: SSAValue, build: Builder) -> SSAValue:
    properties = {"predicate": IntegerAttr(0, i64)}
    operands = [lane, build.index(0)]
    return build.add(
        arith.CmpiOp.create(operands=operands, result_types=[i1], properties=properties)
    ).results[0]


def _first_lane(op: gpu.WarpExecuteOnLane0Op, build: Builder) -> Results:
    condition = _is_first_lane(op.laneid, build)
    body = op.warp_region.blocks[0]
    if body.last_op is not None:
        last = body.last_op
        last.detach()
        last.erase()
    body.add_op(scf.YieldOp.create())
    op.warp_region.detach_block(body)
    build.add(scf.IfOp.create(operands=[condition], regions=[Region(body), Region()]))
    return []
