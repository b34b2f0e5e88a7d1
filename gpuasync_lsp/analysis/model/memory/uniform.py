"""Uniformity: values that all threads of a block share, and values that differ between threads."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.memory.numbers import INTEGERS
from gpuasync_lsp.syntax.effects import points

_BLOCK_IDS = frozenset(
    {"gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.cluster_id", "gpu.cluster_dim"}
    | {"gpu.cluster_block_id", "gpu.cluster_dim_blocks", "gpu.subgroup_size", "gpu.num_subgroups"}
)
_THREAD_IDS = frozenset({"gpu.thread_id", "gpu.global_id"})
_COMPUTING = (
    frozenset(INTEGERS)
    | {"arith.cmpi", "llvm.icmp", "index.cmp", "arith.select", "llvm.select", "memref.dim"}
    | {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"}
    | {"llvm.sext", "llvm.zext", "llvm.trunc", "index.casts", "index.castu"}
    | {"affine.apply", "affine.min", "affine.max", "affine.delinearize_index", "affine.linearize_index"}
)
_REGISTERS = "nvvm.read.ptx.sreg."
_DEPTH = 40


class Uniformity:
    """Finds the values that all threads of a block share, in a kernel or in the body of a gpu.launch.

    `passed` is the number of leading arguments that the launch passes."""

    def __init__(self, entry: Block, passed: int, *, is_launch: bool) -> None:
        self._entry, self._passed, self._is_launch = entry, passed, is_launch
        self._known: dict[SSAValue, str] = {}

    def is_uniform(self, value: SSAValue) -> bool:
        """Return whether `value` is equal in all threads of a block."""
        return self._kind(value, 0) == "same"

    def is_by_thread(self, value: SSAValue) -> bool:
        """Return whether `value` is computed from the thread's id and from uniform values only."""
        return self._kind(value, 0) == "thread"

    def _kind(self, value: SSAValue, depth: int) -> str:
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._find(value, depth) if depth < _DEPTH else ""
        return found

    def _find(self, value: SSAValue, depth: int) -> str:
        owner = value.owner
        if constant(value) is not None:
            return "same"
        if isinstance(owner, Block):
            return self._argument(value, owner, depth)
        name = owner.name
        if name in _BLOCK_IDS:
            return "same"
        if name in _THREAD_IDS:
            return "thread"
        if name.startswith(_REGISTERS):
            kind = name.removeprefix(_REGISTERS).partition(".")[0]
            return {"tid": "thread", "ctaid": "same", "ntid": "same", "nctaid": "same"}.get(kind, "")
        if owner.parent_region() is not self._entry.parent and not self._is_inside(owner):
            return "same"  # The value is defined outside the gpu.launch.
        if points(value.type):
            return ""
        if name not in _COMPUTING:
            return ""
        kinds = {
            "same" if name == "memref.dim" and not at else self._kind(operand, depth + 1)
            for at, operand in enumerate(owner.operands)
        }
        return "" if "" in kinds else "thread" if "thread" in kinds else "same"

    def _argument(self, value: SSAValue, block: Block, depth: int) -> str:
        number = block.args.index(value)  # pyright: ignore[reportArgumentType]
        if block is self._entry:
            if self._is_launch and number < self._passed:
                return "thread" if 3 <= number < 6 else "same"
            return "same" if number < self._passed and not points(value.type) else ""
        parent = block.parent_op()
        if parent is None or (self._is_launch and not self._is_inside(parent)):
            return "same"
        if parent.name == "scf.for" and not number:
            kinds = [self._kind(bound, depth + 1) for bound in parent.operands[:3]]
        elif parent.name == "affine.for" and not number:
            kinds = [self._kind(bound, depth + 1) for bound in parent.operands]
        else:
            return ""
        return "" if "" in kinds else "thread" if "thread" in kinds else "same"

    def _is_inside(self, op: Operation) -> bool:
        region = self._entry.parent
        parent: Operation | None = op
        while parent is not None:
            if parent.parent_region() is region:
                return True
            parent = parent.parent_op()
        return False
