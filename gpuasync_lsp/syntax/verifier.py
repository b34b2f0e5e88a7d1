"""Verifies an item with the messages of LLVM 22: first its structure, then each op's rules.

Ops that could not be parsed, and users of their results, are not verified: nothing is reported for unknown
parts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Set
from functools import lru_cache

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef, ParsePropInAttrDict
from xdsl.traits import IsTerminator, NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.checks import first_rules, verifier_error
from gpuasync_lsp.syntax.checks.view import VerifierError, View
from gpuasync_lsp.syntax.dialects.assembly import UnprefixedVerifyException
from gpuasync_lsp.syntax.dominance import Dominance
from gpuasync_lsp.syntax.forms import form_of
from gpuasync_lsp.syntax.irdl_rules import irdl_fault, is_from_irdl
from gpuasync_lsp.syntax.ods.generic import structural_faults
from gpuasync_lsp.syntax.ods.rules import by_release, faults, in_all_releases, is_graph
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.older_words import older_words
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType, written_name
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.syntax.parser.problem import DEFECT
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.syntax.symbols import (
    SYMBOL_TABLES,
    Symbol,
    check_use,
    symbol_name,
    symbol_of,
    uses,
    visibility_fault,
)
from gpuasync_lsp.syntax.xdsl_speed import operands_of, successors_of
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.defects import contained, defect
from gpuasync_lsp.text.effort import spend

_OURS = "gpuasync_lsp."
_NO_TERMINATOR = frozenset({"builtin.module", "gpu.module"})
"""Ops whose regions only define symbols: they need no terminator, and order is irrelevant."""


InSomeReleases = list[tuple[Operation, Mapping[Variant, str] | VerifierError]]
"""Ops that only some releases reject, with the errors."""


def verify(op: Operation, spans: SpanTable, in_some: InSomeReleases | None = None) -> list[Problem]:
    """Return the errors of MLIR's verifier for `op` and its nested ops, outermost first.

    Errors that only some releases report are added to `in_some`.
    """
    return list(_Verifier(spans, [] if in_some is None else in_some).op(op))


class _Verifier:
    def __init__(self, spans: SpanTable, in_some: InSomeReleases) -> None:
        self._spans = spans
        self._order: dict[Block, dict[Operation, int]] = {}
        self._in_some = in_some
        self._misplaced: set[Operation] = set()
        """Terminators that are not last in their block, for which no further error is reported."""

    def op(self, op: Operation) -> Iterator[Problem]:
        if not isinstance(op, OpaqueOp | UnregisteredOp) and op not in self._misplaced:
            yield from self._rules(op)
        elif isinstance(op, OpaqueOp) and op.lacking:
            self._in_some.append((op, op.lacking))
        if op.name in SYMBOL_TABLES:
            yield from self._symbols(op)
        for region in op.regions:
            yield from self._region(op, region)

    def _symbols(self, table: Operation) -> Iterator[Problem]:
        """Report redefined symbols of `table`, and nested ops with invalid symbol references."""
        known: dict[str, Symbol] = {}
        inner = [op for region in table.regions for block in region.blocks for op in block.ops]
        for op in inner:
            name = symbol_name(op)
            if name in known:
                yield self._problem(op, f"redefinition of symbol named '{name}'")
            elif name:
                known[name] = symbol_of(op)
        if any(isinstance(op, OpaqueOp) for op in inner):
            return
        for use in (use for op in inner for use in uses(op)):
            try:
                check_use(use, known.get)
            except VerifyException as error:
                yield self._problem(use, str(error))

    def _problem(self, op: Operation, message: str, span: Span | None = None) -> Problem:
        place = self._spans.ops.get(op)
        if span is None:
            span = (
                Span(0, 0) if place is None else place.name if place.name[0] < place.name[1] else place.whole
            )
        return Problem("GA003", span, message)

    def _rules(self, op: Operation) -> Iterator[Problem]:
        form = form_of(op)
        if form is not None and form.is_settled:
            return
        before, view = len(self._in_some), View(op)
        found = contained(
            "the verifier of an op",
            lambda: list(self._errors(op, view)),
            lambda _, error: self._defect(op, error),
        )
        yield from found
        is_silent = not found
        if form is not None and is_silent and len(self._in_some) == before and not view.looked_beyond:
            form.is_settled = _is_form_all(op)

    def _defect(self, op: Operation, error: Exception) -> list[Problem]:
        message = defect(f"the verifier of '{op.name}'", error)
        return [self._problem(op, message)._replace(code=DEFECT)]

    def _errors(self, op: Operation, view: View) -> Iterator[Problem]:
        if parents := _parents(type(op)):
            parent, names = op.parent_op(), parents[-1]
            # An op without a parent is treated as inside a module.
            if not (isinstance(parent, OpaqueOp) and parent.is_error) and all(
                written_name(parent) not in each for each in parents
            ):
                wanted = f"to be one of '{', '.join(names)}'" if len(names) > 1 else f"'{names[0]}'"
                yield self._problem(op, f"'{op.name}' op expects parent op {wanted}")
                return
        if (
            _is_symbol(type(op))
            and isinstance(parent := op.parent_op(), IRDLOperation)
            and not parent.has_trait(SymbolTable)
            and parent.name not in SYMBOL_TABLES
        ):
            words = f"'{op.name}' op symbol's parent must have the SymbolTable trait"
            if op.name != "builtin.module":
                yield self._problem(op, words)
                return
            # LLVM 18 and older accept a named module anywhere (mlir-opt 16 and 18; mlir-opt 19 does not).
            self._in_some.append((op, VerifierError(words, since=19)))
        if _is_symbol(type(op)) and (wrong := visibility_fault(op)) is not None:
            yield self._problem(op, wrong)
            return
        if (wrong := irdl_fault(op)) is not None:
            yield self._problem(op, wrong)
            return
        if self._spans.is_generic(op) and (lacking := structural_faults(op)):
            wrong = in_all_releases(op, lacking)
            if wrong is not None:
                yield self._problem(op, wrong)._replace(other_words=by_release(lacking))
                return
            self._in_some.append((op, lacking))
        for name in _required(type(op)):
            if name not in op.properties:
                yield self._problem(op, f"'{op.name}' op requires attribute '{name}'")
                return
        if (rules := _first_rules(type(op))) is not None:
            is_known = not any(isinstance(v.type, UnknownType) for v in (*op.operands, *op.results))
            if is_known and (yield from self._first(op, rules)):
                return
        if by_definition := faults(op):
            wrong = in_all_releases(op, by_definition)
            if wrong is not None:
                yield self._problem(op, wrong)._replace(other_words=by_release(by_definition))
                return
            self._in_some.append((op, by_definition))
        yield from self._code(op, view)

    def _first(self, op: Operation, rules: Callable[[Operation], None]) -> Generator[Problem, None, bool]:
        """Run the checks that precede the constraints; return whether an error was reported."""
        try:
            rules(op)
        except VerifyException as error:
            message = str(error)
            if isinstance(error, UnprefixedVerifyException) or message.startswith(f"'{op.name}' op "):
                yield self._problem(op, message)._replace(other_words=older_words(op, message))
                return True
        return False

    def _code(self, op: Operation, view: View) -> Iterator[Problem]:
        """Report the error of the verifier that MLIR implements in C++, which follows the constraints."""
        found = verifier_error(op, view)
        if found is None:
            return
        if found.since or found.before:
            self._in_some.append((found.at or op, found))
        else:
            at = found.at or op
            yield self._problem(at, found.words)._replace(other_words=older_words(at, found.words))

    def _region(self, parent: Operation, region: Region) -> Iterator[Problem]:
        known = not isinstance(parent, OpaqueOp | UnregisteredOp)
        blocks = list(region.blocks)
        unordered = _is_unordered(region)
        dominance = Dominance(region) if len(blocks) > 1 else None
        if dominance is not None or any(op.successors for block in blocks for op in _last(block)):
            yield from self._entry(parent, region)
        for block in blocks:
            ops = [*iter(block.ops)]
            for op in ops:
                if successors_of(op) and op is not block.last_op and not isinstance(op, OpaqueOp):
                    self._misplaced.add(op)
                    words = "operation with block successors must terminate its parent block"
                    yield self._problem(op, words)
            needs_end = known and not unordered and not parent.has_trait(NoTerminator)
            if needs_end or (len(blocks) > 1 and not (isinstance(parent, OpaqueOp) and parent.is_error)):
                yield from self._terminator(parent, block, ops)
            passed: set[Operation] | None = set() if dominance is None else None
            for op in ops:
                spend(5)
                if passed is not None:
                    is_plain = self._is_plain(op, block, passed)
                    passed.add(op)
                    if is_plain:
                        continue
                yield from self._dominated(op, block, dominance)
                yield from self.op(op)

    def _is_plain(self, op: Operation, block: Block, passed: Set[Operation]) -> bool:
        """Return whether an op is certainly valid because an earlier op of the same form was.

        This is known only if its operands are arguments of its block or results of earlier ops in the
        block (`passed`)."""
        if op.regions or op in self._misplaced:
            return False
        for value in operands_of(op):
            owner = value.owner
            if owner is not block and owner not in passed:
                return False
        form = form_of(op)
        return form is not None and form.is_settled

    def _entry(self, parent: Operation, region: Region) -> Iterator[Problem]:
        entry = region.blocks.first
        if any(entry in op.successors for block in region.blocks for op in _last(block)):
            yield self._problem(parent, "entry block of region may not have predecessors")

    def _terminator(self, parent: Operation, block: Block, ops: list[Operation]) -> Iterator[Problem]:
        last = block.last_op
        if last is None:
            found = entry(written_name(parent))
            if found is not None and "SingleBlock" in found.variants[-1].traits:
                yield self._problem(parent, f"'{written_name(parent)}' op expects a non-empty block")
                return
            label = self._spans.block_label(block)
            yield self._problem(parent, "empty block: expect at least a terminator", label)
            return
        for op in ops:
            if op is last or not _is_terminator(op) or op in self._misplaced:
                continue
            if op.name == "scf.reduce" and last.name == "scf.yield":
                continue  # Through LLVM 17, an scf.parallel has any number of scf.reduce.
            elsewhere = next(self._rules(op), None)
            if elsewhere is None or " op expects parent op " not in elsewhere.message:
                self._misplaced.add(op)
                yield self._problem(op, f"'{op.name}' op must be the last operation in the parent block")
        if not _is_terminator(last) and not isinstance(last, OpaqueOp | UnregisteredOp):
            yield self._problem(last, f"block with no terminator, has '{last.name}'")

    def _dominated(self, op: Operation, block: Block, dominance: Dominance | None) -> Iterator[Problem]:
        for index, operand in enumerate(op.operands):
            if not self._dominates(operand, op, block, dominance):
                span = self._spans.operand(op, index)
                yield self._problem(op, f"operand #{index} does not dominate this use", span)

    def _dominates(self, value: SSAValue, op: Operation, block: Block, dominance: Dominance | None) -> bool:
        owner = value.owner
        home = owner if isinstance(owner, Block) else owner.parent
        if home is None or home.parent is None:
            return True
        user, user_block = op, block
        region = home.parent
        while user_block.parent is not region:
            parent = user_block.parent.parent_op() if user_block.parent is not None else None
            if parent is None or parent.parent is None:
                return False
            user, user_block = parent, parent.parent
        if home is not user_block:
            table = dominance if user_block is block and dominance is not None else Dominance(region)
            return table.dominates(home, user_block)
        if isinstance(owner, Block):
            return True
        order = self._order.get(home)
        if order is None:
            if _is_unordered(region):
                return True
            order = self._order[home] = {o: n for n, o in enumerate(home.ops)}
        return order[owner] < order[user] or not Dominance(region).is_reachable(home)


def _is_form_all(op: Operation) -> bool:
    """Return whether the result of verifying `op` depends only on its form, except for checks through a
    `View`."""
    if op.regions or op.successors or op.attributes or is_from_irdl(op):
        return False
    kind = type(op)
    looks_beyond = _first_rules(kind) is not None and op.name not in _OF_FORM
    return not looks_beyond and not _parents(kind) and not _is_symbol(kind)


_OF_FORM = frozenset({"arith.constant"})
"""Ops whose checks that precede the constraints depend only on the op's form (see `forms.py`)."""


def _last(block: Block) -> tuple[Operation, ...]:
    return () if block.last_op is None else (block.last_op,)


def _is_unordered(region: Region) -> bool:
    """Return whether the order of ops in `region` is irrelevant: it has one block, and its op is unknown or
    has graph regions.

    A region with several blocks is always a control flow graph.
    """
    parent = region.parent
    if parent is None or len(region.blocks) > 1:
        return False
    return isinstance(parent, OpaqueOp | UnregisteredOp) or parent.name in _NO_TERMINATOR or is_graph(parent)


@lru_cache(maxsize=1_024)
def _parents(op_type: type[Operation]) -> Sequence[Sequence[str]]:
    """Return the allowed parents of a class of this package, per release that restricts them, newest last."""
    is_ours = issubclass(op_type, IRDLOperation) and op_type.__module__.startswith(_OURS)
    found = entry(op_type.name) if is_ours else None
    return [names for each in found.variants for names in each.rule("parent")] if found is not None else []


@lru_cache(maxsize=1_024)
def _is_symbol(op_type: type[Operation]) -> bool:
    return op_type.has_trait(SymbolOpInterface)


@lru_cache(maxsize=1_024)
def _required(op_type: type[Operation]) -> tuple[str, ...]:
    """Return the required attributes of `op_type` that custom assembly prints only in the dictionary."""
    if not op_type.__module__.startswith(_OURS) or not issubclass(op_type, IRDLOperation):
        return ()
    definition = op_type.get_irdl_definition()
    if not any(isinstance(option, ParsePropInAttrDict) for option in definition.options):
        return ()
    return tuple(
        name
        for name, each in definition.properties.items()
        if not isinstance(each, OptPropertyDef) and not name.endswith("SegmentSizes")
    )


@lru_cache(maxsize=1_024)
def _first_rules(op_type: type[Operation]) -> Callable[[Operation], None] | None:
    is_ours = issubclass(op_type, IRDLOperation) and op_type.__module__.startswith(_OURS)
    return first_rules(op_type.name) if is_ours else None


def _is_terminator(op: Operation) -> bool:
    return _ends_blocks(type(op)) or (bool(successors_of(op)) and not isinstance(op, UnregisteredOp))


@lru_cache(maxsize=1_024)
def _ends_blocks(op_type: type[Operation]) -> bool:
    return not issubclass(op_type, UnregisteredOp) and op_type.has_trait(IsTerminator)
