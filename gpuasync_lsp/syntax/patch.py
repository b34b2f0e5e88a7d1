"""An edit of one statement in a large function: the statement is parsed again, the rest stays.

The item's IR is changed in place and handed on to the new item; the old item must not be used any more.
Whatever could change the meaning of another statement (a name that appears or vanishes, another type, a
block, an error) is refused, and the caller parses the whole item.
"""

from __future__ import annotations

from bisect import bisect_right

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from gpuasync_lsp.syntax.lexer import SPACE
from gpuasync_lsp.syntax.parser import Problem, TolerantParser
from gpuasync_lsp.syntax.shared_context import SharedContext
from gpuasync_lsp.syntax.spans import Move, SpanTable


def patch_statements(
    ctx: SharedContext,
    op: Operation,
    spans: SpanTable,
    text: str,
    aliases: dict[str, Attribute],
    change: tuple[int, int, int],
) -> list[Problem] | None:
    """Parse the statements of `op` that `change` touches again, in place.

    `spans` is the table of the old text, `text` the new one, `change` is (start, old end, new end). Returns
    the problems of the new statements, or None, with nothing changed, where the whole item has to be parsed.
    """
    start, old_end, new_end = change
    block, touched, first_behind = _touched(op, spans, start, old_end)
    if block is None or any(o.regions or o.successors or o not in spans.ops for o in touched):
        return None
    if first_behind is not None and spans.op(first_behind).start == spans.op(first_behind).end:
        # A terminator that the text leaves out may be there only because of what is edited.
        return None
    delta = new_end - old_end
    begin = min([spans.op(touched[0]).start] if touched else [start], default=start)
    end = spans.op(touched[-1]).end if touched else old_end
    if begin > start or end < old_end:
        return None
    resume = _token(spans.text, end)
    statements = _Statements(ctx, text, aliases, block)
    names = statements.enter(spans, touched)
    if names is None or not statements.read(_token(text, begin), resume + delta):
        return None
    if not statements.replace(spans, touched, first_behind, Move(old_end, delta), names):
        return None
    return statements.problems


def _token(text: str, position: int) -> int:
    space = SPACE.match(text, position)
    return space.end() if space else position


def _touched(
    op: Operation, spans: SpanTable, start: int, end: int
) -> tuple[Block | None, list[Operation], Operation | None]:
    """Find the innermost block with the statements that touch `start..end`, and the first one behind."""
    for region in op.regions:
        for block in region.blocks:
            ops = list(block.ops)
            if not ops or ops[0] not in spans.ops or ops[-1] not in spans.ops:
                continue
            low = bisect_right(ops, start, key=lambda o: spans.op(o).end)
            low -= low > 0 and spans.op(ops[low - 1]).end == start
            high = bisect_right(ops, end, key=lambda o: spans.op(o).start)
            touched = ops[low:high]
            behind = ops[high] if high < len(ops) else None
            if len(touched) == 1 and touched[0].regions:
                inner = _touched(touched[0], spans, start, end)
                if inner[0] is not None:
                    return inner
            if (low > 0 or touched) and behind is not None:
                return block, touched, behind
    return None, [], None


class _Statements(TolerantParser):
    """Parses some statements of a block whose surroundings are known."""

    def __init__(self, ctx: SharedContext, text: str, aliases: dict[str, Attribute], block: Block) -> None:
        super().__init__(ctx, text, aliases)
        self._block = block
        self._new = Block()
        self._old_names: dict[str, tuple[SSAValue, ...]] = {}

    def enter(self, spans: SpanTable, touched: list[Operation]) -> set[str] | None:
        """Take over the names that are visible in the block; return all names, or None if one is doubtful."""
        gone = {result for op in touched for result in op.results}
        names: set[str] = set()
        region: Region | None = self._block.parent
        dialects: list[str] = []
        while region is not None:
            for block in region.blocks:
                for value in [*block.args, *(r for op in block.ops for r in op.results)]:
                    place = spans.values.get(value)
                    if place is None:
                        return None
                    name = place.name[1:].partition("#")[0]
                    names.add(name)
                    table = self._old_names if value in gone else self.ssa_values
                    table[name] = (*table.get(name, ()), value)
            parent = region.parent_op()
            if parent is None:
                return None
            dialects.append(parent.dialect_name())
            if parent.has_trait(IsolatedFromAbove):
                break
            block = parent.parent_block()
            region = block.parent if block is not None else None
        self._parser_state.dialect_stack += reversed(dialects)
        self._depth = 1
        return names

    def read(self, begin: int, end: int) -> bool:
        """Parse the statements from `begin`; tell whether exactly the text up to `end` was read."""
        self._seek(begin)
        while self.pos < end:
            before = self.pos
            if self._kind() not in self.statement_tokens:
                return False
            self._new.add_op(self._parse_op_or_opaque())
            if self.pos <= before:
                return False
        clean = not self.problems and not self.forward_ssa_references and not self.spans.block_mentions
        return self.pos == end and clean

    def replace(
        self,
        spans: SpanTable,
        touched: list[Operation],
        behind: Operation | None,
        move: Move,
        names: set[str],
    ) -> bool:
        """Put the new statements in the place of `touched`; tell whether nothing else is concerned."""
        new_ops = list(self._new.ops)
        if behind is None or any(op.regions for op in new_ops):
            return False
        defined: dict[str, tuple[SSAValue, ...]] = {}
        for op in new_ops:
            for result in op.results:
                place = self.spans.values.get(result)
                if place is None:
                    return False
                name = place.name[1:].partition("#")[0]
                defined[name] = (*defined.get(name, ()), result)
        for name, values in defined.items():
            old = self._old_names.get(name)
            if old is None:
                if name in names:
                    return False
            elif [v.type for v in old] != [v.type for v in values]:
                return False
        for name, old in self._old_names.items():
            inside = all(use.operation in touched for value in old for use in value.uses)
            if name not in defined and not inside:
                return False
        for name, old in self._old_names.items():
            for before, after in zip(old, defined.get(name, ()), strict=False):
                before.replace_all_uses_with(after)
        for op in touched:
            op.detach()
            op.drop_all_references()
            del spans.ops[op]
            for result in op.results:
                del spans.values[result]
        spans.moves.append(move)
        for op in new_ops:
            op.detach()
            self._block.insert_op_before(op, behind)
            spans.ops[op] = self.spans.ops[op]
            for result in op.results:
                spans.values[result] = self.spans.values[result]
        spans.text = self.text
        return True
