"""`convert-parallel-loops-to-gpu`: each nest of scf.parallel that is mapped to a GPU becomes a gpu.launch.

Source: the output of mlir-opt of each release except LLVM 20. A nest that cannot be converted is
silently left unchanged: loops without a mapping, two dimensions on one processor, bounds that change
inside the launch, effects that threads could observe in a different order (`effects.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, IndexType, IntegerAttr, Signedness, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind, AffineConstantExpr, AffineExpr, AffineMap

from gpuasync_lsp.lowering.conversion.affine_maps import replaced
from gpuasync_lsp.lowering.conversion.edits import block_of
from gpuasync_lsp.lowering.conversion.errors import OwnLimit, PassError
from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.passes.convert_parallel_loops_to_gpu.effects import Effects
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.affine_folds import fold
from gpuasync_lsp.syntax.captures import captured
from gpuasync_lsp.syntax.dialects import affine, arith, gpu, scf
from gpuasync_lsp.syntax.dialects.assembly import UNIT
from gpuasync_lsp.syntax.dialects.gpu.attributes import ParallelLoopDimMappingAttr
from gpuasync_lsp.syntax.kinds import is_array, is_integer
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.text.effort import spend

MAPPING = "mapping"
VISITED = "SCFToGPU_visited"
"""The attribute with which mlir-opt marks loops that it has tried, and thus each launch it creates."""
NO_MAPPING = "'scf.parallel' op expected mapping attribute for lowering to GPU"
_PROCESSORS = ("block_x", "block_y", "block_z", "thread_x", "thread_y", "thread_z")
"""The names of processors, in the order of gpu.launch's arguments and sizes."""
_SLT = 2
_DEEPEST_BOUND = 100
_MOST_VALUES = 10_000
"""The maximum number of values that are examined to bound the sizes of a nest."""

_D, _S0, _S1 = AffineExpr.dimension(0), AffineExpr.symbol(0), AffineExpr.symbol(1)
_INDEX_OF = fold(AffineBinaryOpKind.Mul, _D, _S0) + _S1
_COUNT_OF = fold(AffineBinaryOpKind.CeilDiv, _D - _S0, _S1)


class _Stays(Exception):
    """The nest cannot be converted; the message is mlir-opt's error, or empty if it reports none."""


def convert_parallel_loops_to_gpu(root: Operation, profile: Profile) -> list[str]:
    """Convert the nests inside `root` in place, like `profile`'s release; return the errors it reports.

    Raises PassError if this tool does not know the memory effects of a nest."""
    errors: list[str] = []
    pending = [root]
    while pending:
        op = pending.pop()
        spend()
        if isinstance(op, scf.ParallelOp) and op is not root:
            if MAPPING in op.attributes:
                nest = _Nest(op, profile)
                try:
                    nest.convert()
                except _Stays as reason:
                    nest.abandon()
                    errors += [str(reason)] if str(reason) else []
            # As in mlir-opt, do not try the loops inside a nest that cannot be converted.
            continue
        inner = [each for region in op.regions for block in region.blocks for each in block.ops]
        pending += reversed(inner)
    return errors


class _Nest:
    """The conversion of one nest; the new ops are inserted only after it has succeeded."""

    def __init__(self, outermost: scf.ParallelOp, profile: Profile) -> None:
        self._outermost = outermost
        self._most_results = int(profile.nests_may_reduce)
        self._effects = Effects(profile)
        self._before: list[Operation] = []
        """The ops to insert before the launch."""
        self._own: set[Operation] = set()
        self._outside: set[Region] = set()
        """The regions whose values are visible inside the launch."""
        region = outermost.parent_region()
        while region is not None:
            self._outside.add(region)
            region = region.parent.parent_region() if region.parent is not None else None
        self._body = Block(arg_types=[IndexType()] * 12)
        self._blocks = [self._body]
        """The open blocks, each nested in the previous one; ops are appended to the last one."""
        self._has_left = False
        """Whether a block has been closed."""
        self._work: list[Operation | None] = []
        """The stack of ops to visit; None closes a block."""
        self._values: dict[SSAValue, SSAValue] = {}
        self._sizes: dict[str, SSAValue] = {}
        self._attributes: dict[str, Attribute] = {VISITED: UNIT}
        self._bound_calls = 0
        """The number of calls of `_most`."""

    def convert(self) -> None:
        """Replace the nest with a launch. Raises _Stays, with nothing changed, if that is impossible."""
        one = self._put(integer(1, IndexType()), None).results[0]
        self._enter(self._outermost)
        while self._work:
            op = self._work.pop()
            spend()
            if op is None:
                block = self._blocks.pop()
                self._put(scf.YieldOp(), block)
                self._has_left = True
                self._effects.forget()
            elif isinstance(op, scf.ParallelOp):
                if not self._effects.allow(op):
                    raise _Stays
                self._enter(op)
            elif isinstance(op, scf.ReduceOp):
                self._reduce(op)
            else:
                self._copy(op)
        self._put(gpu.TerminatorOp(), self._body)
        self._replace_by_launch(one)

    def abandon(self) -> None:
        """Drop the operands of the new ops, so that no dangling uses remain."""
        for op in (*self._before, *self._body.ops):
            op.drop_all_references()

    def _replace_by_launch(self, one: SSAValue) -> None:
        outermost = self._outermost
        if any(result.first_use is not None for result in outermost.res):
            types = ", ".join(f"'{result.type}'" for result in outermost.res)
            reason = f"failed to legalize unresolved materialization from () to ({types})"
            raise PassError(outermost, f"{reason} that remained live after conversion")
        sizes = [self._sizes.get(name, one) for name in _PROCESSORS]
        launch = gpu.LaunchOp(
            operands=[[], *sizes, [], [], [], [], []],
            result_types=[[]],
            regions=[Region(self._body)],
            attributes=self._attributes,
        )
        block = block_of(outermost)
        for op in (*self._before, launch):
            block.insert_op_before(op, outermost)
            for inner in op.walk():
                if source_span(inner) is None:
                    inner.location = outermost.location
        outermost.detach()
        outermost.erase(safe_erase=False)

    # Loops

    def _enter(self, loop: scf.ParallelOp) -> None:
        """Compute the induction variables of `loop`, and push the ops of its body."""
        mapping = loop.attributes.get(MAPPING)
        if not is_array(mapping) or len(loop.res) > self._most_results:
            raise _Stays
        bounds = zip(loop.lower_bound, loop.upper_bound, loop.step, strict=True)
        dimensions = zip(mapping, loop.body.blocks[0].args, bounds, strict=False)
        for each, variable, (lower, upper, step) in dimensions:
            if not isinstance(each, ParallelLoopDimMappingAttr):
                raise _Stays(NO_MAPPING)
            if each.processor.data in _PROCESSORS:
                self._values[variable] = self._mapped(loop, each, lower, upper, step)
            else:
                self._values[variable] = self._sequential(lower, upper, step)
        for name, attribute in loop.attributes.items():
            if name != MAPPING:
                self._attributes[name] = attribute
        ops = [op for op in loop.body.blocks[0].ops if not isinstance(op, scf.ReduceOp | scf.YieldOp)]
        last = loop.body.blocks[0].last_op
        if isinstance(last, scf.ReduceOp) and len(last.operands) == 1:
            ops.append(last)
        self._work += reversed(ops)

    def _sequential(self, lower: SSAValue, upper: SSAValue, step: SSAValue) -> SSAValue:
        bounds = [self._now(value) for value in (lower, upper, step)]
        inner = Block(arg_types=[IndexType()])
        self._put(scf.ForOp.create(operands=bounds, regions=[Region(inner)]), self._blocks[-1])
        self._open(inner)
        return inner.args[0]

    def _mapped(
        self,
        loop: scf.ParallelOp,
        mapping: ParallelLoopDimMappingAttr,
        lower: SSAValue,
        upper: SSAValue,
        step: SSAValue,
    ) -> SSAValue:
        """Return the index computed from a thread or block id; set the launch size in that dimension."""
        processor = mapping.processor.data
        block = self._blocks[-1]
        id = self._body.args[_PROCESSORS.index(processor)]
        index = self._apply(loop, mapping.map, _INDEX_OF, (id, step, lower), block)
        if not all(self._is_outside(value) or _is_constant(value) for value in (lower, step)):
            raise _Stays
        is_precise = self._is_outside(upper) or _is_constant(upper)
        most = upper if is_precise else self._most(upper)
        count = self._apply(loop, mapping.bound, _COUNT_OF, (most, lower, step), None)
        if processor in self._sizes:
            raise _Stays
        self._sizes[processor] = count
        if not is_precise:
            operands = [index, self._now(upper)]
            properties: dict[str, Attribute] = {"predicate": IntegerAttr(_SLT, 64)}
            less = arith.CmpiOp.create(operands=operands, result_types=[i1], properties=properties)
            self._put(less, block)
            inner = Block()
            condition = scf.IfOp.create(operands=less.results, regions=[Region(inner), Region()])
            self._put(condition, block)
            self._open(inner)
        return index

    def _open(self, block: Block) -> None:
        self._blocks.append(block)
        self._work.append(None)

    def _apply(
        self,
        loop: scf.ParallelOp,
        attribute: AffineMapAttr,
        inner: AffineExpr,
        values: Sequence[SSAValue],
        block: Block | None,
    ) -> SSAValue:
        """Insert an affine.apply of the composition of `attribute` with `inner`; return its result.

        `values` are d0, s0 and s1 of `inner`. The op is appended to `block`, or inserted before the
        launch if that is None."""
        outer = attribute.data
        if (outer.num_dims, outer.num_symbols, len(outer.results)) != (1, 0, 1):
            raise OwnLimit(loop, f"this tool cannot convert a loop with the map {attribute}")
        map = AffineMap(1, 2, (replaced(outer.results[0], {_D: inner}),))
        operands = [self._for_launch(value, block) for value in values]
        properties: dict[str, Attribute] = {"map": AffineMapAttr(map)}
        apply = affine.ApplyOp.create(operands=operands, result_types=[IndexType()], properties=properties)
        return self._put(apply, block).results[0]

    def _for_launch(self, value: SSAValue, block: Block | None) -> SSAValue:
        now = self._now(value)
        if self._is_outside(now) or now in self._body.args:
            return now
        if _is_constant(now):
            return self._put(cast(Operation, now.owner).clone(), block).results[0]
        raise _Stays

    def _most(self, value: SSAValue, depth: int = 0) -> SSAValue:
        """Return a constant upper bound of `value`, defined before the launch; raises _Stays if unknown."""
        spend()
        # A chain of squarings doubles the work at each step: mlir-opt creates a constant for each path.
        self._bound_calls += 1
        if depth == _DEEPEST_BOUND or self._bound_calls > _MOST_VALUES:
            raise OwnLimit(self._outermost, "this tool does not analyze such complex bounds")
        op = value.owner
        if _is_constant(value):
            return value
        if isinstance(op, affine.MinOp):
            numbers = [each.value for each in op.map.data.results if isinstance(each, AffineConstantExpr)]
            if numbers:
                return self._put(integer(numbers[0], IndexType()), None).results[0]
        elif isinstance(op, arith.MinSIOp):
            for operand in op.operands:
                with suppress(_Stays):
                    return self._most(operand, depth + 1)
        elif isinstance(op, arith.MuliOp):
            product = 1
            for operand in op.operands:
                product *= _number(self._most(operand, depth + 1))
            if -(2**63) <= product < 2**63:
                return self._put(integer(product, IndexType()), None).results[0]
        raise _Stays

    # Bodies

    def _copy(self, op: Operation) -> None:
        for inner in op.walk():
            spend()
            if isinstance(inner, scf.ParallelOp) and MAPPING in inner.attributes:
                raise _Stays
        self._put(op.clone(self._values), self._blocks[-1])
        if not self._effects.see(op) or (self._effects.seen and self._has_left):
            raise _Stays

    def _reduce(self, reduce: scf.ReduceOp) -> None:
        """Insert a gpu.all_reduce over all threads; as in mlir-opt, the initial value is ignored."""
        loop = reduce.parent_op()
        assert isinstance(loop, scf.ParallelOp), "the verifier allows scf.reduce nowhere else"
        value = self._values.get(reduce.args[0])
        type = reduce.args[0].type
        is_signless = is_integer(type) and type.signedness.data is Signedness.SIGNLESS
        is_plain = is_signless or isinstance(type, AnyFloat)
        block = reduce.reductions[0].blocks[0]
        if value is None or not is_plain or captured(block.ops, reduce):
            raise _Stays
        region = reduce.reductions[0].clone()
        last = region.blocks[0].last_op
        if last is None:
            raise _Stays
        end = gpu.YieldOp.create(operands=last.operands)
        end.location = last.location
        region.blocks[0].erase_op(last)
        region.blocks[0].add_op(end)
        all_reduce = gpu.AllReduceOp.create(operands=[value], result_types=[value.type], regions=[region])
        self._put(all_reduce, self._blocks[-1])
        self._values[loop.res[0]] = all_reduce.results[0]

    # Values

    def _now(self, value: SSAValue) -> SSAValue:
        return self._values.get(value, value)

    def _is_outside(self, value: SSAValue) -> bool:
        owner = value.owner
        if isinstance(owner, Operation) and owner in self._own:
            return True
        region = owner.parent_region() if isinstance(owner, Operation) else owner.parent
        return region in self._outside

    def _put(self, op: Operation, block: Block | None) -> Operation:
        """Append `op` to `block`, or to the ops before the launch if that is None."""
        op.location = op.location or self._outermost.location
        if block is not None:
            block.add_op(op)
        else:
            self._before.append(op)
            self._own.add(op)
        return op


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp)


def _number(value: SSAValue) -> int:
    attribute = cast(Operation, value.owner).properties.get("value")
    if not isinstance(attribute, IntegerAttr):
        raise _Stays
    return attribute.value.data
