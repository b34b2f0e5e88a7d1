"""Branch conditions that hold when a thread of a kernel reaches an op."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from gpuasync_lsp.analysis.model.passing import branch_pairs
from gpuasync_lsp.syntax.dominance import Dominance

Condition = tuple[SSAValue, bool]
"""An i1 value, and the outcome that it has."""


class BranchConditions:
    """The branch conditions in the body of a kernel or of a gpu.launch, from scf.if and cf.cond_br."""

    def __init__(self, body: Block) -> None:
        self._body = body
        self._dominance: dict[Region, Dominance] = {}
        self._edges: dict[Region, dict[Block, list[tuple[Operation, int]]]] = {}

    def before(self, op: Operation) -> Iterator[Condition]:
        """Yield the conditions that held when a thread last reached `op`, innermost first."""
        block = op.parent
        while block is not None and block is not self._body:
            yield from self._of_branches(block)
            around = block.parent_op()
            if around is None or block.parent is self._body.parent:
                return
            if around.name == "scf.if":
                yield around.operands[0], block.parent is around.regions[0]
            block = around.parent

    def straight(self, block: Block) -> list[Condition] | None:
        """Return the conditions under which a thread that enters the region reaches `block` exactly once.

        Returns None if several branches lead to the block.
        """
        found: list[Condition] = []
        while block.parent is not None and block is not block.parent.blocks[0]:
            edge = self._only_edge(block)
            if edge is None or edge[0].parent is None or edge[0].name not in ("cf.br", "cf.cond_br"):
                return None
            found += _condition(*edge)
            block = edge[0].parent
        return found

    def given(self, argument: BlockArgument) -> list[SSAValue]:
        """Return the operands that branches pass to `argument`; empty if one of them is unknown."""
        found: list[SSAValue] = []
        for branch, number in self._edges_to(argument.owner):
            brought = [v for v, a in branch_pairs(branch, number) if a is argument]
            if len(brought) != 1:
                return []
            found += brought
        return found

    def _of_branches(self, block: Block) -> Iterator[Condition]:
        """Yield the conditions of the CFG edges that dominate `block`."""
        region = block.parent
        if region is None or block is region.blocks[0]:
            return
        if region not in self._dominance:
            self._dominance[region] = Dominance(region)
        above: Block | None = block
        while above is not None:
            if (edge := self._only_edge(above)) is not None:
                yield from _condition(*edge)
            above = self._dominance[region].immediate(above)

    def _only_edge(self, block: Block) -> tuple[Operation, int] | None:
        """Return the only edge to `block`, as a branch and a successor number; None if there are several."""
        known = self._edges_to(block)
        return known[0] if len(known) == 1 else None

    def _edges_to(self, block: Block) -> Sequence[tuple[Operation, int]]:
        region = block.parent
        if region is None:
            return ()
        if region not in self._edges:
            edges: dict[Block, list[tuple[Operation, int]]] = {}
            for last in (each.last_op for each in region.blocks):
                if last is not None:
                    for number, successor in enumerate(last.successors):
                        edges.setdefault(successor, []).append((last, number))
            self._edges[region] = edges
        return self._edges[region].get(block, ())


def _condition(branch: Operation, number: int) -> Iterator[Condition]:
    if branch.name == "cf.cond_br":
        yield branch.operands[0], number == 0
