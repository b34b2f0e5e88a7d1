"""Folding of a function's values before gpu-to-llvm converts it, and the flow of values between them."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.building.merging import Merging
from gpuasync_lsp.analysis.model.passing import CARRYING, branch_pairs, region_arguments, region_values
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.xdsl_speed import successors_of
from gpuasync_lsp.text.effort import spend

_PASSING = CARRYING | {"arith.select"}
"""Ops other than branches that may forward values."""

_LONGEST = 100
"""The maximum length of a chain of folded values; a longer one must be a cycle."""


class Values:
    """The folded tokens of one function.

    A select of two equal values folds in every release. If convert-scf-to-cf runs first (`structured`),
    each result of scf.while folds to the operand of scf.condition. LLVM 21 and later (`greedy`) also
    fold block arguments that always get the same value, including those that convert-scf-to-cf creates
    from region results.
    """

    def __init__(self, ops: Iterable[Operation], merging: Merging, *, greedy: bool, structured: bool) -> None:
        self.incoming: dict[SSAValue, list[SSAValue]] = {}
        """Maps block arguments, region results and selects to the values that flow into them."""
        self._aliases: dict[SSAValue, SSAValue] = {}
        self._merge(merging)
        for op in ops:
            if op.name in _PASSING or successors_of(op):
                self._pass_on(op, structured)
        if greedy:
            self._fold()

    def resolve(self, value: SSAValue) -> SSAValue:
        """Return the value that replaces `value` after folding."""
        seen = 0
        while value in self._aliases and seen < _LONGEST:
            value = self._aliases[value]
            seen += 1
        return value

    def stand_for(self, value: SSAValue, other: SSAValue) -> None:
        """Replace `value` with `other`."""
        self._aliases[value] = other

    def is_folded_use(self, op: Operation, value: SSAValue) -> bool:
        """Return whether folding removes all uses of `value` in which `op` forwards it."""
        if op.successors:
            pairs = [argument for given, argument in branch_pairs(op) if given is value]
            return bool(pairs) and all(argument in self._aliases for argument in pairs)
        if op.name == "scf.yield" and (parent := op.parent_op()) is not None:
            return all(
                result in self._aliases
                for number, result in enumerate(parent.results)
                if number < len(op.operands) and op.operands[number] is value
            )
        return False

    def _merge(self, merging: Merging) -> None:
        for op, leader in merging.leaders.items():
            self._aliases.update(
                (twin, value)
                for twin, value in zip(op.results, leader.results, strict=True)
                if isinstance(value.type, AsyncTokenType)
            )

    def _pass_on(self, op: Operation, structured: bool) -> None:
        incoming = self.incoming
        if op.name == "arith.select":
            if op.operands[1] is op.operands[2]:
                self._aliases[op.results[0]] = op.operands[1]
            incoming[op.results[0]] = list(op.operands[1:])
        elif op.successors:
            for value, argument in branch_pairs(op):
                incoming.setdefault(argument, []).append(value)
        elif structured and op.name in CARRYING:
            for number, result in enumerate(op.results):
                incoming[result] = list(region_values(op, number))
                if op.name == "scf.while" and incoming[result]:
                    self._aliases[result] = incoming[result][0]
            for region in op.regions:
                for argument in region.blocks[0].args if region.blocks else ():
                    incoming[argument] = list(region_arguments(op, region, argument.index))

    def _fold(self) -> None:
        changed = True
        while changed:
            changed = False
            spend(len(self.incoming))
            for target, values in self.incoming.items():
                if target in self._aliases or not isinstance(target.type, AsyncTokenType):
                    continue
                distinct = {self.resolve(v) for v in values}
                if len(distinct) == 1 and target not in distinct:
                    self._aliases[target] = distinct.pop()
                    changed = True
