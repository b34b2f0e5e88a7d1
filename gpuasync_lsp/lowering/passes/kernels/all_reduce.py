"""Expands gpu.all_reduce into shuffles and shared memory, as mlir-opt does before it converts kernels.

Source: mlir/lib/Dialect/GPU/Transforms/AllReduceLowering.cpp of LLVM 19. Only reductions that all threads
reach (`uniform`) are expanded; a kernel with any other reduction is left unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import NewOpT, block_of, erase, region_of, replace
from gpuasync_lsp.lowering.conversion.insertion import Inserter
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.lowering.passes.kernels.reduce import operation_of
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, cf, gpu, memref
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.ods.enumerations import case

SUBGROUP = 32
"""The number of threads per subgroup, for any target."""

STEPS = (1, 2, 4, 8, 16)
"""The distances of the xor shuffles of a subgroup reduction."""

INDEX = IndexType()
_WORKGROUP = case(gpu.AddressSpaceAttr, "workgroup")
Values = Callable[[], Sequence[SSAValue]]


def expand_all_reductions(module: gpu.GPUModuleOp, profile: Profile) -> None:
    """Expand the gpu.all_reduce ops of every gpu.func of `module`, in place."""
    # In releases whose barriers name address spaces, a reduction's barriers name workgroup memory.
    fenced = {"address_spaces": ArrayAttr([_WORKGROUP])} if profile.fences_barriers else {}
    for function in module.body_region.ops:
        if isinstance(function, gpu.GPUFuncOp):
            found = [op for op in function.walk() if isinstance(op, gpu.AllReduceOp)]
            if all(op.uniform is not None for op in found):
                for op in found:
                    _Expansion(function, op, fenced).run()


class _Expansion(Inserter):
    """The expansion of one reduction: ops are inserted before `op`, whose block is split at branches."""

    def __init__(self, function: gpu.GPUFuncOp, op: TableOp, fenced: Mapping[str, Attribute]) -> None:
        block = block_of(op)
        self.function, self.op = function, op
        self.fenced = fenced
        self.block: Block = block
        self.before: Operation | None = op

    def run(self) -> None:
        """Reduce each subgroup; then the first threads of the block reduce the subgroups' results."""
        block_size = [self.dimension(gpu.BlockDimOp, n) for n in range(3)]
        thread = [self.dimension(gpu.ThreadIdOp, n) for n in range(3)]
        row = self.binary(arith.AddiOp, self.binary(arith.MuliOp, thread[2], block_size[1]), thread[1])
        start = self.binary(arith.MuliOp, row, block_size[0])
        plane = self.binary(arith.MuliOp, block_size[0], block_size[1])
        invocation = self.binary(arith.AddiOp, start, thread[0])
        total = self.binary(arith.MuliOp, plane, block_size[2])
        mask = self.number(SUBGROUP - 1)
        lane = self.binary(arith.AndIOp, invocation, mask)
        is_first = self.compare("eq", lane, self.number(0))
        width = self.binary(arith.SubiOp, total, self.binary(arith.SubiOp, invocation, lane))
        reduced = self.reduce_subgroup(width, self.op.value)
        buffer = self.buffer()

        def store() -> Sequence[SSAValue]:
            index = self.index(self.divide(invocation))
            self.add(memref.StoreOp.create(operands=[reduced, buffer, index]))
            return ()

        self.branch(is_first, store, lambda: ())
        self.add(gpu.BarrierOp.create(properties=self.fenced))
        subgroups = self.divide(self.binary(arith.AddiOp, total, mask))
        is_valid = self.compare("slt", invocation, subgroups)
        zero = self.constant(0, INDEX)

        def combine() -> Sequence[SSAValue]:
            value = self.load(buffer, self.index(invocation))
            result = self.reduce_subgroup(subgroups, value)
            self.add(memref.StoreOp.create(operands=[result, buffer, zero]))
            return ()

        self.branch(is_valid, combine, lambda: ())
        self.add(gpu.BarrierOp.create(properties=self.fenced))
        replace(self.op, [self.load(buffer, zero)])

    def reduce_subgroup(self, width: SSAValue, value: SSAValue) -> SSAValue:
        """Reduce `value` over the `width` threads of a subgroup; the first thread gets the result."""
        size = self.number(SUBGROUP)
        is_partial = self.compare("slt", width, size)

        def partial() -> Sequence[SSAValue]:
            current = value
            for step in STEPS:
                current = self.step(current, step, width)
            return [current]

        def whole() -> Sequence[SSAValue]:
            current = value
            for step in STEPS:
                current = self.accumulate(current, self.shuffle(current, step, size)[0])
            return [current]

        return self.branch(is_partial, partial, whole)[0]

    def step(self, value: SSAValue, step: int, width: SSAValue) -> SSAValue:
        """Combine `value` with that of the thread at distance `step`, if that thread exists."""
        shuffled, is_there = self.shuffle(value, step, width)
        return self.branch(is_there, lambda: [self.accumulate(value, shuffled)], lambda: [value])[0]

    def shuffle(self, value: SSAValue, step: int, width: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return the value of the thread at distance `step`, and whether that thread exists."""
        op = gpu.ShuffleOp.create(
            operands=[value, self.number(step), width],
            result_types=[value.type, i1],
            properties={"mode": case(gpu.ShuffleModeAttr, "xor")},
        )
        shuffled, is_there = self.add(op).results
        return shuffled, is_there

    def accumulate(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """Combine two values with the reduction's named operation or its region."""
        if self.op.op is not None:
            name = operation_of(self.op.op.data.value, left.type)
            assert name is not None, "ensured by the verifier"
            return self.create(op_class(name), [left, right], left.type)
        rest = self.split()
        copy = self.op.body.clone()
        entry = copy.blocks[0]
        for argument, value in zip(list(entry.args), (left, right), strict=True):
            argument.replace_all_uses_with(value)
            entry.erase_arg(argument)
        self.add(cf.BranchOp(entry))
        result = rest.insert_arg(left.type, len(rest.args))
        region = region_of(rest)
        for block in list(copy.blocks):
            copy.detach_block(block)
            region.insert_block_before(block, rest)
            end = block.last_op
            if isinstance(end, gpu.YieldOp):
                branch = cf.BranchOp(rest, *end.values)
                branch.location = self.op.location
                erase(end)
                block.add_op(branch)
        self.block = rest
        return result

    def branch(self, condition: SSAValue, then: Values, otherwise: Values) -> Sequence[SSAValue]:
        """Insert a branch on `condition`; return the values from the branch taken."""
        current, before = self.block, self.before
        rest = self.split()
        region = region_of(rest)
        blocks = Block(), Block()
        for block in blocks:
            region.insert_block_before(block, rest)
        self.block, self.before = current, None
        self.add(cf.ConditionalBranchOp(condition, blocks[0], [], blocks[1], []))
        results: Sequence[SSAValue] = ()
        for block, make in zip(blocks, (then, otherwise), strict=True):
            self.block, self.before = block, None
            made = make()
            self.add(cf.BranchOp(rest, *made))
            if block is blocks[0]:
                results = [rest.insert_arg(value.type, number) for number, value in enumerate(made)]
        self.block, self.before = rest, before
        return results

    def split(self) -> Block:
        """Split the block at the insertion point; return the new block with the remaining ops."""
        if self.before is not None:
            rest = self.block.split_before(self.before)
        else:
            rest = Block()
            region = region_of(self.block)
            region.insert_block_after(rest, self.block)
        return rest

    def add(self, op: NewOpT) -> NewOpT:
        op.location = self.op.location
        if self.before is not None and self.before.parent is self.block:
            self.block.insert_op_before(op, self.before)
        else:
            self.block.add_op(op)
        return op

    def constant(self, value: int, type: IntegerType | IndexType) -> SSAValue:
        return self.create(arith.ConstantOp, [], type, {"value": IntegerAttr(value, type)})

    def number(self, value: int) -> SSAValue:
        """Insert an i32 constant."""
        return self.constant(value, i32)

    def binary(self, kind: type[Operation], left: SSAValue, right: SSAValue) -> SSAValue:
        return self.create(kind, [left, right], left.type)

    def compare(self, predicate: str, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.add(arith.CmpiOp(left, right, predicate)).results[0]

    def divide(self, value: SSAValue) -> SSAValue:
        """Divide `value` by the size of a subgroup."""
        return self.binary(arith.DivSIOp, value, self.number(SUBGROUP))

    def index(self, value: SSAValue) -> SSAValue:
        """Cast `value` to index."""
        return self.create(arith.IndexCastOp, [value], INDEX)

    def dimension(self, kind: type[Operation], number: int) -> SSAValue:
        """Emit an id or size as an i32."""
        dimension = case(gpu.DimensionAttr, "xyz"[number])
        op = self.add(kind.create(result_types=[INDEX], properties={"dimension": dimension}))
        return self.create(arith.IndexCastOp, [op.results[0]], i32)

    def load(self, buffer: SSAValue, index: SSAValue) -> SSAValue:
        return self.create(memref.LoadOp, [buffer, index], self.op.value.type)

    def buffer(self) -> SSAValue:
        """Add a workgroup buffer to the kernel, with one element per subgroup."""
        space = case(gpu.AddressSpaceAttr, "workgroup")
        type = MemRefType(self.op.value.type, [SUBGROUP], NoneAttr(), space)
        place = len(self.function.function_type.inputs.data) + self.function.workgroup_count
        count = self.function.workgroup_count + 1
        self.function.properties["workgroup_attributions"] = IntegerAttr(count, i64)
        return self.function.body.blocks[0].insert_arg(type, place)
