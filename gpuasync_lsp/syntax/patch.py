"""An edit of one statement in a large function: the statement is parsed again, the rest stays.

The item's IR is changed in place and handed on to the new item; the old item must not be used any more.
Whatever could change the meaning of another statement (a name that appears or vanishes, another type, a
label of a block) is refused, and the caller parses the whole item. Where the new statements are the ops that
the old ones were, as when a comment is typed, these ops stay, and so does all that was concluded from them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.default_dialects import default_dialect
from gpuasync_lsp.syntax.lexer import SPACE, same_tokens
from gpuasync_lsp.syntax.ods.operation import OdsOperation
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType, written_name
from gpuasync_lsp.syntax.parser import Problem, TolerantParser, not_closed
from gpuasync_lsp.syntax.parser.problem import NOT_CLOSED
from gpuasync_lsp.syntax.plain import KEPT, may_come_and_go
from gpuasync_lsp.syntax.shared_context import SharedContext
from gpuasync_lsp.syntax.spans import Move, SpanTable
from gpuasync_lsp.syntax.unclosed import closed
from gpuasync_lsp.text import Span


class Respaced(NamedTuple):
    """An edit of white space and comments, or of operands."""

    lines: Span
    """The lines of the old text in which statements were parsed again."""
    delta: int
    """How far what is behind them moves."""
    ops: tuple[Operation, ...]
    """The statements."""
    replaced: Span | None = None
    """What was replaced of the old text."""
    respelled: bool = False
    """Whether other words stand for the same ops: an error that stays one, or what is wrong with a statement
    now, or was before, and makes no other op of it, as a type where a value is taken."""

    def then(self, other: Respaced) -> Respaced:
        """Return what this edit and, in the text that it made, `other` do together."""

        def both(mine: Span, theirs: Span) -> Span:
            first, last = theirs
            end = mine.end + self.delta
            first = first if first <= mine.start else mine.start if first < end else first - self.delta
            last = last if last < mine.start else mine.end if last < end else last - self.delta
            return Span(min(mine.start, first), max(mine.end, last))

        return Respaced(
            both(self.lines, other.lines),
            self.delta + other.delta,
            tuple(dict.fromkeys((*self.ops, *other.ops))),
            both(self.replaced, other.replaced) if self.replaced and other.replaced else None,
            self.respelled or other.respelled,
        )


_ENDS = (MLIRTokenKind.R_BRACE, MLIRTokenKind.CARET_IDENT, MLIRTokenKind.EOF)
_MOST_COMPARED = 100
"""Statements that an edit touches or makes; of more, it is not looked for which of them stay."""


_MOST_SWALLOWED = 2
"""Statements behind an edit that what is typed may take for a part of itself: `%x,` does, and `%x =`."""


class Replaced(NamedTuple):
    """Statements that an edit has replaced, out of which a later edit may make what they were."""

    ops: tuple[Operation, ...]
    """They stand in no block, and have no operands."""
    operands: Sequence[Sequence[SSAValue]]
    names: Sequence[Sequence[str]]
    """Those of the results."""
    by: tuple[Operation, ...]
    """What stands in their place."""
    text: str
    """The whole text in which they stood."""
    place: Span
    """The part of `text` that was parsed again."""
    is_typed: bool = False
    """Whether something is wrong with `by`: it is in the making."""


class Lines(NamedTuple):
    """Statements that came and went and make nothing that another one is about (`may_come_and_go`)."""

    gone: tuple[Operation, ...]
    """They stand in no block, and have no operands."""
    taken: Sequence[Sequence[SSAValue]]
    """The operands that they had."""
    made: tuple[Operation, ...]
    """They stand in a row, where `gone` stood."""
    behind: Operation | None
    """What stands behind them, if it was parsed again, too."""


class Patched(NamedTuple):
    """What the statements that were parsed again are."""

    problems: tuple[Problem, ...]
    same_ops: bool
    """Whether they are the ops that were there before; errors may have other texts."""
    respaced: Respaced | None = None
    """Where only white space and comments are others, and no error is near: what else is where it was."""
    replaced: Replaced | None = None
    """What was there before, where it is something else now; where it is an error now, what was there when it
    was last right."""
    still_replaced: bool = False
    """Whether `replaced` is what was replaced already, while what stands in its place is another error."""
    restored: bool = False
    """Whether the ops are those of `Replaced` again: `respaced` is about the text that they stood in."""
    changed: tuple[tuple[Operation, Sequence[SSAValue]], ...] = ()
    """Where all ops are those that were there before: the ones that take other operands now, with those that
    they took. `respaced` tells where they are."""
    lines: Lines | None = None
    """Where nothing else is another: the ops that went and came. `respaced` tells where they are."""
    since: bool = False
    """Whether `lines` and `respaced` are about the text in which `Replaced` stood, as when a line has been
    typed that was broken before. Then `respaced` is None where that text differs elsewhere."""


def patch_statements(
    ctx: SharedContext,
    op: Operation,
    spans: SpanTable,
    problems: Sequence[Problem],
    text: str,
    aliases: dict[str, Attribute],
    change: tuple[int, int, int],
    replaced: Replaced | None = None,
    unclosed: tuple[int | None, int | None] = (None, None),
) -> Patched | None:
    """Parse the statements of `op` that `change` touches again, in place.

    `spans` is the table of the old text, in which there are `problems`; `text` is the new one, `change` is
    (start, old end, new end). `replaced` is what the last edit has replaced that changed an op: where the new
    statements are these again, their ops come back, and with them what was concluded from them. `unclosed` is
    the brace that nothing closes in the old text, and that in `text`. Returns None, with nothing changed,
    where the whole item has to be parsed.
    """
    start, old_end, new_end = change
    block, touched, first_behind = _touched(op, spans, start, old_end)
    if block is None or any(o.successors or o not in spans.ops for o in touched):
        return None
    if first_behind is None:
        return None
    delta = new_end - old_end
    before = (touched[0] if touched else first_behind).prev_op
    while before is not None and not before.regions and not before.successors and before in spans.ops:
        # What is an error now may be the rest of it then, and the other way round.
        touched.insert(0, before)
        before = before.prev_op if _is_error(before) else None
    if not touched and before is None:
        return None
    if replaced is not None:
        touched = _with_all(replaced.by, touched)
        first_behind = touched[-1].next_op if touched else first_behind
    old_text = spans.text
    begin = spans.op(touched[0]).start if before is None or touched else spans.op(before).end
    move = Move(old_end, delta)
    for _ in range(_MOST_SWALLOWED + 1):
        if first_behind is None or first_behind not in spans.ops:
            return None
        resume = spans.op(first_behind).start
        left = _left_of(problems, Span(begin, resume), start, move)
        if begin > start or left is None:
            return None
        statements = _Statements(ctx, text, aliases, block, spans, move, unclosed[1])
        if not statements.enter(touched):
            return None
        if statements.read(_token(text, begin), resume + delta):
            break
        if statements.pos <= resume + delta or first_behind.regions or first_behind.successors:
            return None
        # What is typed takes the statement behind it for a part of itself.
        statements.give_up()
        touched.append(first_behind)
        first_behind = first_behind.next_op
    else:
        return None
    was, now = unclosed
    is_left = was is not None and not begin <= was < resume
    if is_left != (now is not None and not begin <= now < resume + delta):
        return None
    if is_left and was is not None and move.span(Span(was, was)).start != now:
        return None
    if replaced is not None:
        replaced = _widened(replaced, touched, spans, Span(begin, resume))
    with_regions = [o for o in (*touched, *statements.ops) if o.regions]
    if with_regions and (
        left
        or (with_regions[0] in touched and any(problem.message != NOT_CLOSED for problem in problems))
        or _is_taken_outside(touched)
        or not statements.are_closed(begin)
    ):
        return None
    has_error = bool(statements.problems) or any(map(_is_error, [*touched, *statements.ops]))
    if has_error and before is not None and not _begins_behind(old_text, text, begin):
        return None
    if not statements.are_by_themselves(touched, Span(begin, resume), left):
        return None
    if _is_error(first_behind):
        # What is wrong on a line is said once, maybe of a statement before.
        line = old_text.rfind("\n", 0, resume)
        before_it = [p for p in problems if p.statement is None or p.statement.start < resume]
        if any(line < p.span.end and p.span.start < _line_end(old_text, resume) for p in before_it):
            return None
        if any(problem.span.end > line + delta for problem in statements.problems):
            return None
    was_right = len(left) == len(problems)
    patched = statements.replace(touched, first_behind, replaced, was_right=was_right)
    if patched is None:
        return None
    spans.parts.append(Span(begin, resume + delta))
    patched = patched._replace(problems=tuple(sorted((*left, *patched.problems), key=lambda p: p.place)))
    if patched.replaced is not None and not patched.replaced.text:
        patched = patched._replace(
            replaced=patched.replaced._replace(text=old_text, place=Span(begin, resume))
        )
    new = (begin, resume + delta)
    if patched.restored and replaced is not None:
        then, (at, end) = replaced.text, replaced.place
        elsewhere = at == begin and then[:at] == text[:at] and then[end:] == text[new[1] :]
        respaced = _respaced(then, replaced.place, text, new, replaced.ops) if elsewhere else None
        respaced = respaced and respaced._replace(replaced=_other_part(then, at, end, text[at : new[1]]))
    elif patched.changed:
        lines = Span(old_text.rfind("\n", 0, begin) + 1, _line_end(old_text, resume))
        return patched._replace(respaced=Respaced(lines, delta, tuple(touched), Span(start, old_end)))
    elif patched.since and replaced is not None and patched.lines is not None:
        then, (at, end) = replaced.text, replaced.place
        if at != begin or then[:at] != text[:at] or then[end:] != text[new[1] :]:
            return patched
        lines = Span(then.rfind("\n", 0, at) + 1, _line_end(then, end))
        ops = (*(op for op in replaced.ops if op not in patched.lines.gone), *patched.lines.made)
        part = _other_part(then, at, end, text[at : new[1]])
        return patched._replace(respaced=Respaced(lines, new[1] - end, ops, part))
    elif patched.lines is not None:
        lines = Span(old_text.rfind("\n", 0, begin) + 1, _line_end(old_text, resume))
        gone = patched.lines.gone
        ops = (*(op for op in touched if op not in gone), *patched.lines.made)
        return patched._replace(respaced=Respaced(lines, delta, ops, from_line_start(old_text, text, change)))
    elif patched.same_ops:
        is_right = was_right and len(patched.problems) == len(left)
        respaced = _respaced(old_text, (begin, resume), text, new, touched) if is_right else None
        if respaced is None:
            lines = Span(old_text.rfind("\n", 0, begin) + 1, _line_end(old_text, resume))
            respaced = Respaced(lines, delta, tuple(touched), respelled=True)
        return patched._replace(respaced=respaced._replace(replaced=Span(start, old_end)))
    else:
        return patched
    return patched if len(patched.problems) > len(left) else patched._replace(respaced=respaced)


def from_line_start(old_text: str, text: str, change: tuple[int, int, int]) -> Span:
    """Return what `change` replaced of `old_text`, from the start of a line if it can be seen so.

    A line that is put in before another one may end as that one begins, with blanks and `%`; seen so, it does
    not touch that one."""
    start, old_end, new_end = change
    left = start - old_text.rfind("\n", 0, start) - 1
    if old_text[old_end - left : old_end] == text[new_end - left : new_end]:
        return Span(start - left, old_end - left)
    return Span(start, old_end)


def _other_part(old: str, start: int, end: int, new: str) -> Span:
    """Return what is replaced of `old`, where `new` stands in the place of `start..end` now."""
    before = _common(old[start:end], new)
    behind = _common(old[start + before : end][::-1], new[before:][::-1])
    return Span(start + before, end - behind)


def _common(one: str, other: str) -> int:
    """Return with how many characters both begin."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _respaced(
    old_text: str, old: tuple[int, int], text: str, new: tuple[int, int], ops: Sequence[Operation]
) -> Respaced | None:
    """Return what only white space and comments make of `old_text`, None where `text` differs otherwise.

    `ops` are the statements in the part `old`, which became the part `new`."""
    if any(isinstance(op, OpaqueOp) for op in ops) or not same_tokens(old_text, old, text, new):
        return None
    lines = Span(old_text.rfind("\n", 0, old[0]) + 1, _line_end(old_text, old[1]))
    return Respaced(lines, new[1] - old[1], tuple(ops))


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _with_all(ops: Sequence[Operation], touched: list[Operation]) -> list[Operation]:
    """Return `touched` with the rest of `ops`, which stand in a row, if it has some of them."""
    if not any(op in touched for op in ops) or any(op.parent is None for op in ops):
        return touched
    first = 0 if ops[0] in touched else ops.index(touched[0])
    last = len(ops) if ops[-1] in touched else ops.index(touched[-1]) + 1
    return [*ops[:first], *touched, *ops[last:]]


def _widened(replaced: Replaced, touched: Sequence[Operation], spans: SpanTable, part: Span) -> Replaced:
    """Return `replaced` by `touched`, which is `part` of the text, if these have other statements around what
    it was replaced by: these were there before, too."""
    by = replaced.by
    if not by or by[0] not in touched or len(by) == len(touched):
        return replaced
    first = touched.index(by[0])
    last = first + len(by)
    if (*touched[first:last],) != by:
        return replaced
    front, back = touched[:first], touched[last:]
    since = len(spans.text) - len(replaced.text)
    return Replaced(
        (*front, *replaced.ops, *back),
        [*(op.operands[:] for op in front), *replaced.operands, *(op.operands[:] for op in back)],
        [*(_names(op, spans) for op in front), *replaced.names, *(_names(op, spans) for op in back)],
        tuple(touched),
        replaced.text,
        Span(min(part.start, replaced.place.start), max(part.end - since, replaced.place.end)),
        replaced.is_typed,
    )


class _Known(NamedTuple):
    """What statements have, or had before they were taken out: operands, and names of results."""

    operands: Sequence[Sequence[SSAValue]]
    names: Sequence[Sequence[str]]


def _is_error(op: Operation) -> bool:
    return isinstance(op, OpaqueOp) and op.is_error


def _names(op: Operation, spans: SpanTable) -> list[str]:
    return [spans.value_name(result) for result in op.results]


def _left_of(problems: Sequence[Problem], old: Span, start: int, move: Move) -> list[Problem] | None:
    """Return the problems of other statements than those of the part `old`, where `move` leaves them; None if
    one has to do with several statements, or with what is edited from `start` on."""
    left: list[Problem] = []
    for problem in problems:
        if problem.statement is None:
            return None
        first, looked = problem.statement
        if old.start <= first < old.end:
            continue
        if first < old.start and looked >= start:
            return None
        if any(old.start <= span.end and span.start <= old.end for span, _ in problem.related):
            return None
        left.append(problem.moved(move.span))
    return left


def _take_alike(op: Operation, before: Sequence[SSAValue], after: Sequence[SSAValue]) -> bool:
    """Tell whether `op` takes the same values, or is an error and takes others that are only numbers, or are
    nothing: who takes them tells nothing of streams and memory."""
    if [*before] == [*after]:
        return True
    return _is_error(op) and [v for v in before if not _is_number(v)] == [
        v for v in after if not _is_number(v)
    ]


def _is_number(value: SSAValue) -> bool:
    return _stand_in(value) or isinstance(value.type, IntegerType | IndexType | AnyFloat)


def _begins_behind(old: str, new: str, position: int) -> bool:
    """Tell whether in both texts what follows an op with regions, up to `position`, is the name of a result:
    that is never a part of the op."""
    return all(text.startswith("%", _token(text, position)) for text in (old, new))


_PART_OF_NAME = r"(?![\w$.-])"


def _is_mentioned(name: str, text: str, besides: Span) -> bool:
    """Tell whether `%name` stands in `text` but for the part `besides`."""
    mention = re.compile(f"%{re.escape(name)}{_PART_OF_NAME}")
    return mention.search(text, 0, besides.start) is not None or mention.search(text, besides.end) is not None


def _is_taken_outside(statements: Sequence[Operation]) -> bool:
    """Tell whether other ops take what is defined in the regions of `statements`, which MLIR refuses."""
    inner = [op for statement in statements if statement.regions for op in statement.walk()]
    inside, around = set(inner), set(statements)
    return any(
        use.operation not in inside
        for op in inner
        for value in (*(() if op in around else op.results), *_arguments(op))
        for use in value.uses
    )


def _arguments(op: Operation) -> Iterator[SSAValue]:
    return (argument for region in op.regions for block in region.blocks for argument in block.args)


def _stand_in(value: SSAValue) -> bool:
    """Tell whether `value` stands for a name that nothing defines."""
    owner = value.owner
    return isinstance(owner, OpaqueOp) and owner.parent is None and owner.is_error


def _fits_uses(spans: SpanTable, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> bool:
    """Tell whether the statements that use `old` are as right or wrong with `new`, maybe of an error."""
    return len(old) == len(new) and all(
        isinstance(after.type, UnknownType)
        or after.type == spans.used_as.get(before, before.type)
        or not before.uses
        for before, after in zip(old, new, strict=True)
    )


def _token(text: str, position: int) -> int:
    space = SPACE.match(text, position)
    return space.end() if space else position


def _touched(
    op: Operation, spans: SpanTable, start: int, end: int
) -> tuple[Block | None, list[Operation], Operation | None]:
    """Find the innermost block with the statements that touch `start..end`, and the first one behind."""
    for region in op.regions:
        for block in region.blocks:
            ops = spans.statements(block)
            if not ops or ops[0] not in spans.ops or ops[-1] not in spans.ops:
                continue
            low = bisect_right(ops, start, key=lambda o: spans.op(o).end)
            low -= low > 0 and spans.op(ops[low - 1]).end == start
            high = bisect_right(ops, end, key=lambda o: spans.op(o).start)
            touched = list(ops[low:high])
            behind = ops[high] if high < len(ops) else None
            if len(touched) == 1 and touched[0].regions:
                inner = _touched(touched[0], spans, start, end)
                if inner[0] is not None:
                    return inner
            # A terminator that the text leaves out may be there only because of what is edited.
            if (low > 0 or touched) and behind is not None and spans.op(behind).start < spans.op(behind).end:
                return block, touched, behind
    return None, [], None


class _Statements(TolerantParser):
    """Parses some statements of a block whose surroundings are known."""

    def __init__(
        self,
        ctx: SharedContext,
        text: str,
        aliases: dict[str, Attribute],
        block: Block,
        table: SpanTable,
        move: Move,
        unclosed: int | None,
    ) -> None:
        """`table` is the one of the block, in the places of the old text; `move` makes new ones of them."""
        super().__init__(ctx, closed(text, unclosed), aliases)
        self._own_text = text
        self._unclosed = unclosed
        self._block = block
        self._table, self._move = table, move
        self._new = Block()
        self._old_names: dict[str, tuple[SSAValue, ...]] = {}
        """The names that the statements defined."""
        self._others: dict[str, tuple[SSAValue, ...]] = {}
        """All other names that are visible in the block."""

    def enter(self, touched: list[Operation]) -> bool:
        """Take over the names that are visible in the block; False if one is doubtful."""
        spans = self._table
        known: dict[str, tuple[SSAValue, ...]] = {}
        region: Region | None = self._block.parent
        dialects: list[str] = []
        defaults: list[str | None] = []
        while region is not None:
            for block in region.blocks:
                names = spans.names(block)
                if names is None:
                    return False
                if not known:
                    known = names.copy()
                    continue
                for name, values in names.items():
                    known[name] = (*known.get(name, ()), *values)
            parent = region.parent_op()
            if parent is None:
                return False
            # One that could not be read is of the dialect that its text says.
            dialect, dot, _ = written_name(parent).partition(".")
            dialects.append(dialect if dot else parent.dialect_name())
            if not self.text.startswith('"', spans.ops[parent].name.start):
                defaults.append(default_dialect(written_name(parent)))
            if parent.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                break
            block = parent.parent_block()
            region = block.parent if block is not None else None
        for value in (result for op in touched for result in op.results):
            place = spans.values.get(value)
            if place is None:
                continue
            name = place.name[1:].partition("#")[0]
            self._old_names[name] = (*self._old_names.get(name, ()), value)
            if others := tuple(other for other in known.pop(name) if other is not value):
                known[name] = others
        self._others = known
        self.ssa_values = known.copy()
        self._parser_state.dialect_stack += reversed(dialects)
        self._defaults = [defaults[0] if defaults else None]
        self._depth = 1
        return True

    @property
    def ops(self) -> list[Operation]:
        """The new statements."""
        return list(self._new.ops)

    def read(self, begin: int, end: int) -> bool:
        """Parse the statements from `begin`; tell whether exactly the text up to `end` was read."""
        self._seek(begin)
        while self.pos < end:
            before = self.pos
            kind = self._kind()
            if kind in self.statement_tokens:
                self._new.add_op(self._parse_op_or_opaque())
            elif kind in _ENDS:
                return False
            else:
                self._unexpected_token()
            if self.pos <= before:
                return False
        if self.pos != end or self.spans.block_mentions:
            return False
        if self._unclosed is not None and begin <= self._unclosed < end:
            op = self.spans.innermost(self.ops, self._unclosed)
            self.problems.append(not_closed(self._own_text, self._unclosed, self.spans, op))
        return True

    def give_up(self) -> None:
        """Let the new statements take nothing any more."""
        for op in reversed(self.ops):
            op.detach()
            op.drop_all_references()

    def are_closed(self, begin: int) -> bool:
        """Tell whether nothing is wrong with the new statements, but for a brace that is not closed, and what
        stands in their regions takes, of the values around them, only what is defined in front of `begin`."""
        inner = [op for statement in self.ops if statement.regions for op in statement.walk()]
        own = {value for op in inner for value in (*op.results, *_arguments(op))}
        taken = {value for op in inner for value in op.operands} - own
        places = [self._table.result(value) for value in taken if value not in self.spans.values]
        return not (
            any(problem.message != NOT_CLOSED for problem in self.problems)
            or self.forward_ssa_references
            or any(isinstance(op, OpaqueOp) or op.has_trait(IsolatedFromAbove) for op in inner)
            or any(place is None or place.start >= begin for place in places)
        )

    def are_by_themselves(self, touched: Sequence[Operation], old: Span, left: Sequence[Problem]) -> bool:
        """Tell whether what is wrong with the new statements, and was with those that they replace in the
        part `old` of the old text, says nothing of others, and what is `left` says nothing of them."""
        others = self._table.text
        for value in (value for op in touched for value in op.operands if _stand_in(value)):
            if any(use.operation not in touched for use in value.uses):
                return False
        # What took a reference that is not used could not be read as an op.
        undeclared = [
            name
            for name, references in self.forward_ssa_references.items()
            if any(reference.uses for reference in references.values())
        ]
        if any(problem.code == "GA002" for problem in left):
            undeclared += [
                name for op in self.ops for name in self._defines(op) if name not in self._old_names
            ]
        if len(undeclared) > _MOST_COMPARED or any(_is_mentioned(n, others, old) for n in undeclared):
            return False
        self._close_values()
        return all(
            problem.statement is not None and all(span.end < old.start for span, _ in problem.related)
            for problem in self.problems
        )

    def _defines(self, op: Operation) -> list[str]:
        """Return the names that a new statement defines."""
        return [n[1:].partition("#")[0] for n in _names(op, self.spans) if n[0] == "%"]

    def _place_of(self, value: SSAValue) -> Span | None:
        own = super()._place_of(value)
        place = self._table.result(value) if own is None else None
        return own if place is None else self._move.span(place)

    def replace(
        self,
        touched: list[Operation],
        behind: Operation | None,
        replaced: Replaced | None,
        *,
        was_right: bool,
    ) -> Patched | None:
        """Put the new statements in the place of `touched`; None where something else is concerned.

        If they are what was `replaced` by `touched`, its ops come back. `was_right` says that nothing was
        wrong with `touched`: else of what was concluded there may be little."""
        new_ops, spans, move = self.ops, self._table, self._move
        if behind is None:
            return None
        defined: dict[str, tuple[SSAValue, ...]] = {}
        for op in new_ops:
            for result in op.results:
                place = self.spans.values.get(result)
                if place is None:
                    continue
                name = place.name[1:].partition("#")[0]
                defined[name] = (*defined.get(name, ()), result)
        for name, values in defined.items():
            old = self._old_names.get(name)
            if old is None:
                if name in self._others:
                    return None
            elif not _fits_uses(spans, old, values):
                return None
        for name, old in self._old_names.items():
            inside = all(use.operation in touched for value in old for use in value.uses)
            if name not in defined and not inside:
                return None
        problems = tuple(sorted(self.problems, key=lambda problem: problem.place))
        here = _Known([op.operands[:] for op in touched], [_names(op, spans) for op in touched])
        taken = self._taken(touched, here, new_ops)
        if taken is not None and all(map(_take_alike, touched, here.operands, taken)):
            self._keep(spans, touched, new_ops, move)
            for op, values in zip(touched, taken, strict=True):
                if [*op.operands] != values:
                    self._take(op, values)
            return Patched(problems, same_ops=True)
        restored = replaced is not None and self._come_back(replaced, touched, defined)
        new_ops = self.ops
        if not restored and not problems and (operands := self._others_taken(touched, here, new_ops)):
            self._keep(spans, touched, new_ops, move)
            for op, taken in operands.items():
                op.operands = taken
            took = dict(zip(touched, here.operands, strict=True))
            return Patched(problems, same_ops=False, changed=tuple((op, took[op]) for op in operands))
        lines: Lines | None = None
        since: Lines | None = None
        is_right = not restored and not problems
        if is_right and not was_right and replaced is not None:
            since = self._lines_since(replaced, touched, defined)
        if is_right and since is None:
            lines = self._lines(touched, here, self.ops)
        if is_right and was_right and lines is None and replaced is not None:
            since = self._lines_since(replaced, touched, defined)
        new_ops = self.ops
        if lines is not None:
            left = [op for op in touched if op not in lines.gone]
            left_new = [op for op in new_ops if op not in lines.made]
            results = self._stand_in(left, left_new)
            defined = {name: tuple(results.get(v, v) for v in values) for name, values in defined.items()}
            self._keep(spans, left, left_new, move)
            behind = lines.behind or behind
            touched, new_ops = [*lines.gone], [*lines.made]
        number = spans.number(self._block, behind)
        for name, old in self._old_names.items():
            for before, after in zip(old, defined.get(name, ()), strict=False):
                if before is after:
                    continue
                before.replace_all_uses_with(after)
                used_as = spans.used_as.pop(before, before.type)
                if isinstance(after.type, UnknownType):
                    spans.used_as[after] = used_as
        stay = {*touched} & {*new_ops}
        for op in touched:
            if op in stay:
                continue
            self._drop_stand_ins(op)
            op.detach()
            op.operands = ()
            op.drop_all_references()
            spans.forget(op)
        if lines is None:
            spans.moves.append(move)
        for op in new_ops:
            op.detach()
            self._block.insert_op_before(op, behind)
            spans.take(op, self.spans)
            for value in filter(_stand_in, op.operands):
                self._hand_on(value, value)
        spans.replaced(self._block, len(touched), new_ops, number)
        table = spans.names(self._block)
        assert table is not None
        for name in self._old_names.keys() | defined.keys():
            old = self._old_names.get(name, ())
            others = tuple(value for value in table.pop(name, ()) if value not in old)
            if values := (*others, *defined.get(name, ())):
                table[name] = values
        spans.text = self._own_text
        if lines is not None or since is not None:
            return Patched(problems, same_ops=False, lines=lines or since, since=since is not None)
        is_wrong = bool(problems) or any(map(_is_error, new_ops))
        in_between = replaced is not None and replaced.is_typed and (*touched,) == replaced.by and is_wrong
        if replaced is not None and in_between and not any(map(_is_error, replaced.ops)):
            # While a line is being typed, what was right is remembered.
            replaced = replaced._replace(by=tuple(new_ops))
            return Patched(problems, same_ops=False, replaced=replaced, still_replaced=True)
        gone = Replaced(
            tuple(touched), here.operands, here.names, tuple(new_ops), "", Span(0, 0), is_typed=is_wrong
        )
        return Patched(problems, same_ops=False, replaced=gone, restored=restored)

    def _come_back(
        self, replaced: Replaced, touched: Sequence[Operation], defined: dict[str, tuple[SSAValue, ...]]
    ) -> bool:
        """Take the ops of `replaced` for the new statements, if they are the same and `touched` is what
        replaced them; `defined` has the results afterwards. Tell whether it is so."""
        new_ops = self.ops
        then = _Known(replaced.operands, replaced.names)
        if (*touched,) != replaced.by or not self._are_same(replaced.ops, then, new_ops):
            return False
        self._bring_back(replaced, dict(zip(new_ops, replaced.ops, strict=True)), defined)
        return True

    def _lines_since(
        self, replaced: Replaced, touched: Sequence[Operation], defined: dict[str, tuple[SSAValue, ...]]
    ) -> Lines | None:
        """Do what `_lines` does, with what was `replaced` by `touched`; what of it is the same comes back."""
        if (*touched,) != replaced.by:
            return None
        new_ops = self.ops
        lines = self._lines(replaced.ops, _Known(replaced.operands, replaced.names), new_ops)
        if lines is not None:
            left = [op for op in replaced.ops if op not in lines.gone]
            left_new = [op for op in new_ops if op not in lines.made]
            self._bring_back(replaced, dict(zip(left_new, left, strict=True)), defined)
        return lines

    def _bring_back(
        self,
        replaced: Replaced,
        back: Mapping[Operation, Operation],
        defined: dict[str, tuple[SSAValue, ...]],
    ) -> None:
        """Put ops of `replaced` in the place of the new ones that they are the same as."""
        operands = dict(zip(replaced.ops, replaced.operands, strict=True))
        results: dict[SSAValue, SSAValue] = {}
        new_ops = self.ops
        for new in new_ops:
            new.detach()
        for new in new_ops:
            old = back.get(new)
            if old is None:
                self._new.add_op(new)
                continue
            old.attributes = new.attributes
            old.location = new.location
            old.operands = operands[old]
            if old.parent is not None:
                old.detach()
            self._new.add_op(old)
            self.spans.ops[old] = self.spans.ops[new]
            for before, after in zip(old.results, new.results, strict=True):
                if (place := self.spans.values.get(after)) is not None:
                    self.spans.values[before] = place
                after.replace_all_uses_with(before)
                results[after] = before
        for new in reversed(new_ops):
            if new in back:
                new.drop_all_references()
        for name, values in defined.items():
            defined[name] = tuple(results.get(value, value) for value in values)

    def _are_same(self, old_ops: Sequence[Operation], known: _Known, new_ops: Sequence[Operation]) -> bool:
        """Tell whether the new statements are the old ones, of which `known` is known, but for the texts of
        errors."""
        taken = self._taken(old_ops, known, new_ops)
        return taken is not None and all(
            [*before] == after and written_name(old) == written_name(new)
            for before, after, old, new in zip(known.operands, taken, old_ops, new_ops, strict=True)
        )

    def _lines(
        self, old_ops: Sequence[Operation], known: _Known, new_ops: Sequence[Operation]
    ) -> Lines | None:
        """Return the statements between those that are the same at both ends, if they are `Lines`."""
        most = min(len(old_ops), len(new_ops))
        if max(len(old_ops), len(new_ops)) > _MOST_COMPARED:
            return None

        def are_same(first: int, last: int) -> bool:
            """Tell whether so many of both are the same."""
            some = [*range(first), *range(-last, 0)]
            part = _Known([known.operands[n] for n in some], [known.names[n] for n in some])
            return self._are_same([old_ops[n] for n in some], part, [new_ops[n] for n in some])

        first = next(n for n in range(most, -1, -1) if are_same(n, 0))
        last = next(n for n in range(most - first, -1, -1) if are_same(first, n))
        gone, made = old_ops[first : len(old_ops) - last], new_ops[first : len(new_ops) - last]
        if not (may_come_and_go(gone) and may_come_and_go(made)):
            return None
        taken = known.operands[first : len(old_ops) - last]
        return Lines(tuple(gone), taken, tuple(made), old_ops[-last] if last else None)

    @staticmethod
    def _stand_in(old_ops: Sequence[Operation], new_ops: Sequence[Operation]) -> dict[SSAValue, SSAValue]:
        """Let what takes results of the new ops take those of the old ones; return which is which."""
        results: dict[SSAValue, SSAValue] = {}
        for old, new in zip(old_ops, new_ops, strict=True):
            for before, after in zip(old.results, new.results, strict=True):
                after.replace_all_uses_with(before)
                results[after] = before
        return results

    def _others_taken(
        self, old_ops: Sequence[Operation], known: _Known, new_ops: Sequence[Operation]
    ) -> dict[Operation, list[SSAValue]]:
        """Return the old statements that take other values now, with these, where nothing else is another,
        and they are `KEPT`; else nothing."""
        taken = self._taken(old_ops, known, new_ops)
        if taken is None or any(isinstance(op, OpaqueOp) for op in old_ops):
            return {}
        found: dict[Operation, list[SSAValue]] = {}
        for op, before, after in zip(old_ops, known.operands, taken, strict=True):
            if [*before] != after:
                if op.name not in KEPT or [v.type for v in before] != [v.type for v in after]:
                    return {}
                found[op] = after
        return found

    def _taken(
        self, old_ops: Sequence[Operation], known: _Known, new_ops: Sequence[Operation]
    ) -> list[list[SSAValue]] | None:
        """Return the operands of the new statements, as the old ones would have them, if these are the same
        but for operands and the texts of errors; else None."""
        if len(old_ops) != len(new_ops):
            return None
        stands_for: dict[SSAValue, SSAValue] = {}
        for old, names, new in zip(old_ops, known.names, new_ops, strict=True):
            if type(old) is not type(new) or old.name != new.name or old.properties != new.properties:
                return None
            if len(old.results) != len(new.results) or old.regions or new.regions:
                return None
            if isinstance(old, OdsOperation) and old.spelled_in != getattr(new, "spelled_in", None):
                return None
            if names != _names(new, self.spans):
                return None
            for before, after in zip(old.results, new.results, strict=True):
                if before.type != after.type:
                    return None
                stands_for[after] = before
            if isinstance(old, OpaqueOp) and isinstance(new, OpaqueOp):
                if old.is_error != new.is_error or not (old.is_error or old.op_name == new.op_name):
                    return None
            elif old.attributes != new.attributes:
                return None
        # One may stand before what it takes, which is wrong, and parsed all the same.
        return [[stands_for.get(operand, operand) for operand in new.operands] for new in new_ops]

    def _keep(
        self, spans: SpanTable, old_ops: Sequence[Operation], new_ops: Sequence[Operation], move: Move
    ) -> None:
        """Give the old ops the places and texts of the new ones."""
        spans.moves.append(move)
        for old, new in zip(old_ops, new_ops, strict=True):
            old.attributes = new.attributes
            old.location = new.location
            spans.ops[old] = self.spans.ops[new]
            for before, after in zip(old.results, new.results, strict=True):
                self._hand_on(before, after)
        for new in reversed(new_ops):
            new.detach()
            new.drop_all_references()
        spans.text = self._own_text

    def _take(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Let an error take other values."""
        self._drop_stand_ins(op)
        op.operands = values
        for value in filter(_stand_in, values):
            self._hand_on(value, value)

    def _hand_on(self, value: SSAValue, new: SSAValue) -> None:
        """Let `value` be in the table of the block where `new` is, if that has a name."""
        place = self.spans.values.get(new)
        if place is not None:
            self._table.values[value] = place

    def _drop_stand_ins(self, op: Operation) -> None:
        """Forget what stands for names that nothing defines, where `op` alone takes them."""
        for value in op.operands:
            if _stand_in(value) and value in self._table.values and value.has_one_use():
                del self._table.values[value]
