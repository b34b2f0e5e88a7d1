"""Expands, for CPU execution, warp ops that other passes lower: MMAs, fragment loads, lane-0 regions.

`nvgpu.mma.sync` distributes matrices over the lanes as the PTX ISA specifies for mma: a lane is 4 *
group + thread of the group, a register has 32 bits. Lanes exchange values through shuffles, which works
on any target. `gpu.warp_execute_on_lane_0` without arguments and results is lowered as LLVM 22 does
with `-test-vector-warp-distribute=rewrite-warp-ops-to-scf-if`, and so is its predecessor in the vector
dialect of LLVM 16 to 19. `nvvm.elect.sync` without a mask elects the first lane, as the hardware does.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, f32, i1, i64
from xdsl.ir import Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import erase, replace
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder, Results
from gpuasync_lsp.lowering.passes.expand_vectors.named import named
from gpuasync_lsp.lowering.passes.kernels.reduce import operation_of
from gpuasync_lsp.lowering.passes.kernels.sparse_products import sparse_product
from gpuasync_lsp.lowering.passes.kernels.warp import GROUP, Warp, bits_of, element_of
from gpuasync_lsp.lowering.passes.kernels.warp_loads import load_matrix
from gpuasync_lsp.syntax.dialects import arith, gpu, nvgpu, scf
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.opaque import written_name


def expand_warp_ops(module: Operation, options: LoweringOptions) -> None:
    """Expand the supported warp ops inside `module`, in place; those of nvvm only for a CPU."""
    for op in list(module.walk()):
        results: Results = None
        if isinstance(op, nvgpu.MmaSyncOp):
            results = _product(op, Warp(op))
        elif op.name == "nvgpu.mma.sp.sync":
            results = sparse_product(named(op), Warp(op))
        elif op.name == "nvgpu.ldmatrix" or (op.name == "nvvm.ldmatrix" and options.emulates_nvvm):
            results = load_matrix(op)
        elif isinstance(op, gpu.WarpExecuteOnLane0Op) and not op.args and not op.results:
            results = _first_lane(op.laneid, op.warp_region, Builder(op))
        elif _is_older_work_of_lane_0(op):
            results = _first_lane(op.operands[0], op.regions[0], Builder(op))
        elif op.name == "nvvm.elect.sync" and options.emulates_nvvm and not op.operands:
            results = [_is_first_lane(_lane_id(op), Builder(op))]
        if results is None:
            continue
        replace(op, results)


def _product(op: TableOp, build: Warp) -> Results:
    sizes: list[int] = [each.value.data for each in op.mma_shape]
    m, n, k = sizes
    element, sum_type = element_of(op.matrix_a), element_of(op.matrix_c)
    if bits_of(element) not in (4, 8, 16, 32, 64) or element_of(op.matrix_b) != element:
        return None
    per = max(32 // bits_of(element), 1)
    as_tf32 = op.tf32_enabled is not None
    halves, steps = m // 8, k // (GROUP * per)
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
        for owner in range(GROUP):
            lane = build.affine(group, GROUP, owner)
            lefts = [factors(rows[step * halves + half], lane) for half in range(halves)]
            for column in range(2):
                # This column of B is in the lanes of group `2 * thread + column`.
                lane = build.affine(thread, 2 * GROUP, GROUP * column + owner)
                rights = factors(columns[step], lane)
                for half, left in enumerate(lefts):
                    for one, other in zip(left, rights, strict=True):
                        added = build.binary(multiply, one, other)
                        sums[half, column] = build.binary(plus, sums[half, column], added)
    if wide != sum_type:
        for index, value in sums.items():
            sums[index] = build.create(arith.TruncFOp, [value], sum_type)
    return [build.vector(op.res.type, sums)]


def _lane_id(op: Operation) -> SSAValue:
    return Builder(op).create(gpu.LaneIdOp, [], IndexType())


def _is_first_lane(lane: SSAValue, build: Builder) -> SSAValue:
    properties = {"predicate": IntegerAttr(0, i64)}
    operands = [lane, build.index(0)]
    return build.create(arith.CmpiOp, operands, i1, properties)


def _is_older_work_of_lane_0(op: Operation) -> bool:
    """Return whether `op` is LLVM 16 to 19's vector.warp_execute_on_lane_0."""
    shape = (len(op.operands), len(op.results), len(op.regions))
    return written_name(op) == "vector.warp_execute_on_lane_0" and shape == (1, 0, 1)


def _first_lane(lane: SSAValue, region: Region, build: Builder) -> Results:
    condition = _is_first_lane(lane, build)
    body = region.blocks[0]
    last = body.last_op
    if last is not None and written_name(last) in ("gpu.yield", "vector.yield"):
        erase(last)
    body.add_op(scf.YieldOp.create())
    region.detach_block(body)
    build.add(scf.IfOp.create(operands=[condition], regions=[Region(body), Region()]))
    return []
