"""Expands gpu.subgroup_reduce and gpu.all_reduce for CPU execution: shuffles, shared memory, barriers.

`all_reduce.py` contains mlir-opt's expansion. A subgroup reduction is the butterfly of
`gpu-lower-to-nvvm`. A reduction over the block uses a shared buffer, whose elements are combined in
thread order; this works for any block size and operation, even if not all threads reach the reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, NoneAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, gpu, memref, scf
from gpuasync_lsp.syntax.kinds import number_attr
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.ods.enumerations import case

MAX_THREADS = 1024

_OPERATIONS: dict[tuple[str, bool], str] = {
    ("add", True): "arith.addf",
    ("mul", True): "arith.mulf",
    ("minimumf", True): "arith.minimumf",
    ("maximumf", True): "arith.maximumf",
    ("minnumf", True): "arith.minnumf",
    ("maxnumf", True): "arith.maxnumf",
    ("add", False): "arith.addi",
    ("mul", False): "arith.muli",
    ("minui", False): "arith.minui",
    ("minsi", False): "arith.minsi",
    ("maxui", False): "arith.maxui",
    ("maxsi", False): "arith.maxsi",
    ("and", False): "arith.andi",
    ("or", False): "arith.ori",
    ("xor", False): "arith.xori",
}

Combine = Callable[["_Builder", SSAValue, SSAValue], SSAValue]


def expand_reductions(module: gpu.GPUModuleOp) -> None:
    """Expand the reductions inside `module` in place; unsupported ones remain."""
    for op in list(module.walk()):
        if isinstance(op, gpu.SubgroupReduceOp):
            _expand_subgroup(op)
        elif isinstance(op, gpu.AllReduceOp):
            _expand_all(op)


def _expand_subgroup(op: TableOp) -> None:
    combine = _combiner(op.op.data.value, op.value.type)
    if combine is None:
        return
    build = _Builder(op)
    size = 32 if op.cluster_size is None else op.cluster_size.value.data
    stride = op.cluster_stride.value.data
    value: SSAValue = op.value
    width = build.constant(32, i32)
    step = 1
    while step < size:
        offset = build.constant(step * stride, i32)
        shuffle = gpu.ShuffleOp.create(
            operands=[value, offset, width],
            result_types=[value.type, IntegerAttr(1, 1).type],
            properties={"mode": case(gpu.ShuffleModeAttr, "xor")},
        )
        value = combine(build, value, build.value(shuffle))
        step *= 2
    replace(op, [value])


def _expand_all(op: TableOp) -> None:
    combine = _body_combiner(op) if op.op is None else _combiner(op.op.data.value, op.value.type)
    function = op.parent_op()
    while function is not None and not isinstance(function, gpu.GPUFuncOp):
        function = function.parent_op()
    if combine is None or function is None:
        return
    buffer = _workgroup_buffer(function, op.value.type)
    build = _Builder(op)
    thread, count = build.linear_id(), build.thread_count()
    build.add(memref.StoreOp.create(operands=[op.value, buffer, thread]))
    build.add(gpu.BarrierOp.create())
    zero, one = build.constant(0, _INDEX), build.constant(1, _INDEX)
    first = build.create(memref.LoadOp, [buffer, zero], op.value.type)
    body = Block(arg_types=[_INDEX, op.value.type])
    inside = _Builder(op, body)
    loaded = inside.create(memref.LoadOp, [buffer, body.args[0]], op.value.type)
    inside.add(scf.YieldOp.create(operands=[combine(inside, body.args[1], loaded)]))
    result = build.create(scf.ForOp, [one, count, one, first], op.value.type, regions=[Region(body)])
    build.add(gpu.BarrierOp.create())
    replace(op, [result])


_INDEX = IndexType()


class _Builder(Builder):
    """Inserts ops before the reduction, or at the end of a block."""

    def constant(self, value: int, type: Attribute) -> SSAValue:
        return self.create(arith.ConstantOp, [], type, {"value": number_attr(value, type)})

    def linear_id(self) -> SSAValue:
        x, y, z = (self._dimension(gpu.ThreadIdOp, number) for number in range(3))
        width, height = (self._dimension(gpu.BlockDimOp, number) for number in range(2))
        return self._add(self._multiply(self._add(self._multiply(z, height), y), width), x)

    def thread_count(self) -> SSAValue:
        sizes = [self._dimension(gpu.BlockDimOp, number) for number in range(3)]
        return self._multiply(self._multiply(sizes[0], sizes[1]), sizes[2])

    def _dimension(self, kind: type[Operation], number: int) -> SSAValue:
        dimension = case(gpu.DimensionAttr, "xyz"[number])
        return self.create(kind, [], _INDEX, {"dimension": dimension})

    def _add(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.create(arith.AddiOp, [left, right], left.type)

    def _multiply(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.create(arith.MuliOp, [left, right], left.type)


def operation_of(kind: str, type: Attribute) -> str | None:
    """Return the arith op that performs a reduction; None if `type` does not support it."""
    return _OPERATIONS.get((kind, not type.name.startswith(("integer_type", "index"))))


def _combiner(kind: str, type: Attribute) -> Combine | None:
    name = operation_of(kind, type)
    if name is None:
        return None
    op = op_class(name)

    def combine(build: _Builder, left: SSAValue, right: SSAValue) -> SSAValue:
        return build.create(op, [left, right], left.type)

    return combine


def _body_combiner(op: TableOp) -> Combine | None:
    if len(op.body.blocks) != 1:
        return None
    body = op.body.blocks[0]

    def combine(build: _Builder, left: SSAValue, right: SSAValue) -> SSAValue:
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, (left, right), strict=True))
        for inner in body.ops:
            if isinstance(inner, gpu.YieldOp):
                returned: SSAValue = inner.values[0]
                return values.get(returned, returned)
            clone = inner.clone(values)
            build.add(clone)
            values |= dict(zip(inner.results, clone.results, strict=True))
        return left

    return combine


def _workgroup_buffer(function: gpu.GPUFuncOp, element: Attribute) -> SSAValue:
    space = case(gpu.AddressSpaceAttr, "workgroup")
    type = MemRefType(element, [MAX_THREADS], NoneAttr(), space)
    entry = function.body.blocks[0]
    place = len(function.function_type.inputs.data) + function.workgroup_count
    function.properties["workgroup_attributions"] = IntegerAttr(function.workgroup_count + 1, i64)
    return entry.insert_arg(type, place)


__all__: Sequence[str] = ["expand_reductions", "operation_of"]
