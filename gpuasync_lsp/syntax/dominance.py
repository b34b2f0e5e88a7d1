"""The dominator tree of a region, computed with the textbook iteration over the reverse postorder."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region


class Dominance:
    """The dominators of the blocks of one region.

    Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001). Unreachable blocks have no
    dominators; as in MLIR, every block is said to dominate them.
    """

    def __init__(self, region: Region) -> None:
        blocks = list(region.blocks)
        successors = {block: _successors(block) for block in blocks}
        order = _postorder(blocks[0], successors) if blocks else []
        self._number = {block: number for number, block in enumerate(order)}
        predecessors: dict[Block, list[Block]] = {block: [] for block in blocks}
        for block in order:
            for successor in successors[block]:
                predecessors[successor].append(block)
        self._idom: dict[Block, Block] = {}
        if not order:
            return
        entry = order[-1]
        self._idom[entry] = entry
        changed = True
        while changed:
            changed = False
            for block in reversed(order[:-1]):
                known = [p for p in predecessors[block] if p in self._idom]
                new = known[0]
                for other in known[1:]:
                    new = self._common(new, other)
                if self._idom.get(block) is not new:
                    self._idom[block] = new
                    changed = True

    def is_reachable(self, block: Block) -> bool:
        """Return whether `block` is reachable."""
        return block in self._idom

    def dominates(self, above: Block, below: Block) -> bool:
        """Return whether `above` dominates `below`; true if `below` is unreachable."""
        if below not in self._idom:
            return True
        block = below
        while block is not above:
            parent = self._idom[block]
            if parent is block:
                return False
            block = parent
        return True

    def immediate(self, block: Block) -> Block | None:
        """Return the immediate dominator of `block`; None if there is none."""
        parent = self._idom.get(block)
        return parent if parent is not block else None

    def _common(self, a: Block, b: Block) -> Block:
        while a is not b:
            if self._number[a] < self._number[b]:
                a = self._idom[a]
            else:
                b = self._idom[b]
        return a


def _successors(block: Block) -> list[Block]:
    last: Operation | None = block.last_op
    return [] if last is None else [s for s in last.successors if s.parent is block.parent]


def _postorder(entry: Block, successors: dict[Block, list[Block]]) -> list[Block]:
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(successors[entry]))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successors[successor])))
                break
        else:
            order.append(block)
            stack.pop()
    return order
