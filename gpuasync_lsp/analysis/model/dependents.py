"""Programmatic dependent launch: how much of a kernel may overlap with the previous kernel on its stream.

A launch with `use_pdl` starts when each block of the previous kernel has executed
`griddepcontrol.launch_dependents` or has ended. The writes of the previous kernel are visible only after
`griddepcontrol.wait`, which does not wait for earlier kernels. Sources: PTX ISA, "griddepcontrol";
CUDA programming guide, "Programmatic Dependent Launch and Synchronization".
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.memory.one_block import is_barrier
from gpuasync_lsp.analysis.model.memory.uniform import Uniformity
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.printer import attribute_text


class Does(Enum):
    """The role of an op of a kernel in programmatic dependent launches."""

    WAIT = "waits for the kernel before"
    TRIGGER = "lets the next kernel start"
    UNKNOWN = "calls what may wait"


def is_dependent(launch: Operation) -> bool:
    """Return whether a launch has the attribute `use_pdl`, which CuTe DSL and FlyDSL write."""
    attribute = launch.attributes.get("use_pdl") or launch.properties.get("use_pdl")
    if isinstance(attribute, UnitAttr):
        return True
    return isinstance(attribute, IntegerAttr) and bool(attribute.value.data)


class Dependents:
    """Determines the roles of a gpu.module's ops in programmatic dependent launches."""

    def __init__(self, module: Operation) -> None:
        self._functions: dict[str, Operation] = {}
        for region in module.regions:
            for block in region.blocks:
                for op in block.ops:
                    name = op.properties.get("sym_name") or op.attributes.get("sym_name")
                    if isinstance(name, StringAttr):
                        self._functions[name.data] = op
        self._known: dict[str, frozenset[Does]] = {}

    def of(self, op: Operation) -> frozenset[Does]:
        """Return the roles of `op`; a call has the roles of its callee."""
        callee = callee_of(op)
        if callee is not None:
            return self._of_function(callee)
        if "griddepcontrol" in op.name:
            text = op.name + " ".join(map(attribute_text, op.properties.values()))
            return frozenset({Does.WAIT if "wait" in text else Does.TRIGGER})
        if op.name in ("llvm.inline_asm", "nvvm.inline_ptx", "llvm.call_intrinsic"):
            texts = [a.data for a in op.properties.values() if isinstance(a, StringAttr)]
            found = {Does.WAIT for text in texts if "griddepcontrol.wait" in text}
            return frozenset(found | {Does.TRIGGER for text in texts if "griddepcontrol.launch" in text})
        return frozenset()

    def anywhere_in(self, function: Operation) -> frozenset[Does]:
        """Return the roles of all ops of a function."""
        return frozenset[Does]().union(*(self.of(op) for op in function.walk() if op is not function))

    def _of_function(self, name: str) -> frozenset[Does]:
        if name not in self._known:
            self._known[name] = frozenset()  # Ends the recursion for a function that calls itself.
            function = self._functions.get(name)
            is_seen = function is not None and any(region.blocks for region in function.regions)
            self._known[name] = (
                self.anywhere_in(function)
                if function is not None and is_seen
                else frozenset()
                if name.startswith(("printf", "vprintf", "__nv_"))
                else frozenset({Does.UNKNOWN})
            )
        return self._known[name]

    def before_wait(self, kernel: Operation) -> Operation | None:
        """Return a copy of `kernel` that ends before its first wait in the text; None if it never waits.

        Returns `kernel` itself if only some threads of a block execute its waits. A call of a function
        outside the file counts as a wait. In a kernel without barriers, a wait in a branch that only
        some threads take does not count.
        """
        waits = [op for op in kernel.walk() if op is not kernel and self._may_end(op)]
        if not waits:
            return None
        if not any(map(is_barrier, kernel.walk())):
            uniform = Uniformity(kernel.regions[0].blocks[0], 0, is_launch=False)
            waits = [op for op in waits if not self._is_for_some(op, uniform)]
        if not waits:
            return kernel
        ends = waits[0]
        path = list(_path(ends, kernel))
        copy = kernel.clone()
        inner = copy
        for region, block, position in path:
            blocks = list(inner.regions[region].blocks)
            ops = list(blocks[block].ops)
            later = [*ops[position + 1 :], *(op for each in blocks[block + 1 :] for op in each.ops)]
            inner = ops[position]
            for op in reversed(later):
                _erase(op)
        _erase(inner)
        return copy

    def _may_end(self, op: Operation) -> bool:
        return bool(self.of(op) & {Does.WAIT, Does.UNKNOWN})

    def _is_for_some(self, op: Operation, uniform: Uniformity) -> bool:
        """Return whether the wait `op` is in a branch that only some threads of a block take, while the
        other branch does not wait."""
        parent = op.parent_op()
        while parent is not None:
            if (
                parent.name == "scf.if"
                and uniform.is_by_thread(parent.operands[0])
                and not self._waits(parent)
            ):
                return True
            parent = parent.parent_op()
        return False

    def _waits(self, op: Operation) -> bool:
        """Return whether `op` waits: itself, or in both branches of an scf.if."""
        if op.name != "scf.if":
            return self._may_end(op)
        return all(
            any(self._waits(each) for block in region.blocks for each in block.ops) for region in op.regions
        )


def _path(op: Operation, root: Operation) -> Iterator[tuple[int, int, int]]:
    """Yield the position of `op` in `root`, from the outside in, as (region, block, op) numbers."""
    steps: list[tuple[int, int, int]] = []
    while op is not root:
        block, parent = op.parent, op.parent_op()
        assert block is not None
        assert parent is not None
        region = next(n for n, each in enumerate(parent.regions) if each is block.parent)
        blocks = list(parent.regions[region].blocks)
        steps.append((region, blocks.index(block), list(block.ops).index(op)))
        op = parent
    yield from reversed(steps)


def _erase(op: Operation) -> None:
    op.detach()
    op.erase(safe_erase=False)
