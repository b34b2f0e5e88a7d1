"""A small dialect conversion: patterns that replace ops and change the types of values on the way.

MLIR's conversion driver keeps the original ops until the end, so that a pattern sees an op as it was written
and, beside it, what its operands have become. So does this one:

- the ops are visited once, in the order in which MLIR visits them;
- a pattern inserts new ops before the old one and says what its results become (`replace`); nothing is
  erased yet, `ConversionRewriter.lowered` maps old values to new ones;
- an op that no pattern takes stays. At the end it gets casts (`builtin.unrealized_conversion_cast`) back to
  its original operand types; values that it defines were cast where lowered ops needed them.

Every op that a pattern inserts carries the location of the op that it is made from: that is the provenance
on which the line map stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.folders import fold
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.llvm import ConstantOp

OpT = TypeVar("OpT", bound=Operation)
NewOpT = TypeVar("NewOpT", bound=Operation)


class Refused(Exception):
    """A pattern does not take this op; the text is its reason."""


class LegalizationError(Exception):
    """An op had to be converted and no pattern took it: the run ends."""

    def __init__(self, op: Operation, reason: str) -> None:
        super().__init__(f"failed to legalize operation '{op.name}' that was explicitly marked illegal")
        self.op = op
        self.reason = reason
        self.diagnostics: list[str] = []
        """Errors that were printed before."""


class PassError(Exception):
    """A pattern ended the run with a message of its own, at `op`."""

    def __init__(self, op: Operation, message: str) -> None:
        super().__init__(message)
        self.op = op
        self.diagnostics: list[str] = []
        """Errors that were printed before."""


class ConversionPattern(ABC, Generic[OpT]):
    """How the ops of some classes are converted."""

    op_types: tuple[type[Operation], ...]
    """The classes that this pattern takes."""

    @abstractmethod
    def match_and_rewrite(self, op: OpT, rewriter: ConversionRewriter) -> None:
        """Insert what `op` becomes and call `rewriter.replace` or `erase`, or call `rewriter.refuse`."""


@dataclass(frozen=True)
class Leftover:
    """An op that a pattern was there for and that stayed, with the reason of the last pattern."""

    op: Operation
    reason: str


Legality = Mapping[type[Operation], Callable[[Operation], bool]]


class Patterns:
    """Patterns by the op classes that they take, first come, first tried.

    Those of some dialects are imported when an op of the dialect is first met: most programs have none."""

    def __init__(
        self,
        patterns: Iterable[ConversionPattern[Operation]],
        later: Mapping[str, Callable[[], Iterable[ConversionPattern[Operation]]]] | None = None,
    ) -> None:
        """Take `patterns`, and by dialect what gives those of `later`."""
        self._table = _by_class(patterns)
        self._later = dict(later or {})

    def of(self, op_type: type[Operation]) -> Sequence[ConversionPattern[Operation]]:
        """Return the patterns that take an op of `op_type`."""
        if self._later:
            dialect = op_type.name.partition(".")[0]
            load = self._later.get(dialect)
            if load is not None:
                # In this order, another thread that comes in between does the same.
                self._table = self._table | _by_class(load())
                self._later.pop(dialect, None)
        return self._table.get(op_type, ())


def _by_class(
    patterns: Iterable[ConversionPattern[Operation]],
) -> dict[type[Operation], list[ConversionPattern[Operation]]]:
    table: dict[type[Operation], list[ConversionPattern[Operation]]] = {}
    for pattern in patterns:
        for op_type in pattern.op_types:
            table.setdefault(op_type, []).append(pattern)
    return table


class ConversionRewriter:
    """What patterns build with: insertion, the mapping from old to new values, facts and options."""

    def __init__(self, types: TypeConverter, profile: Profile, options: LoweringOptions) -> None:
        self.types = types
        self.profile = profile
        self.options = options
        self.op: Operation = ModuleOp([])
        """The op that is being converted; new ops take its location and, by default, stand before it."""
        self.declared: list[Operation] = []
        """The functions and globals that patterns have added to modules, in order."""
        self._symbols: dict[ModuleOp, set[str]] = {}
        self._before: Operation | None = None
        self._block: Block | None = None
        self._new: dict[SSAValue, SSAValue] = {}
        self._replaced: dict[Operation, None] = {}
        self._old_arguments: dict[BlockArgument, None] = {}
        self._deferred: dict[SSAValue, Callable[[], SSAValue]] = {}
        self._early: dict[SSAValue, SSAValue] = {}
        self._back: dict[tuple[SSAValue, Attribute], SSAValue] = {}
        self._last_cast: dict[Operation, Operation] = {}
        self._inserted: list[Operation] = []
        self._requested: list[SSAValue] = []

    # Building.

    def add(self, op: NewOpT) -> NewOpT:
        """Insert `op` at the insertion point, as made from the op under conversion."""
        op.location = self.op.location
        if self._before is not None:
            self._block_of(self._before).insert_op_before(op, self._before)
        else:
            assert self._block is not None
            self._block.add_op(op)
        self._inserted.append(op)
        return op

    @contextmanager
    def directly_after(self, op: Operation) -> Generator[None]:
        """Insert directly after `op`, or where insertion is now if `op` stands for what nothing defines."""
        block, before = (self._block, self._before) if op.parent is None else (op.parent, op.next_op)
        with self._at(block, before):
            yield

    @contextmanager
    def at_start(self, block: Block) -> Generator[None]:
        """Insert at the start of `block`."""
        with self._at(block, block.first_op):
            yield

    @contextmanager
    def at_end(self, block: Block) -> Generator[None]:
        """Insert at the end of `block`."""
        with self._at(block, None):
            yield

    def take_symbols(self, module: ModuleOp, names: Iterable[str]) -> None:
        """Say which symbols of `module` are taken by ops that are not in it now."""
        self._symbols[module] = set(names)

    def claim_symbol(self, module: ModuleOp, name: str) -> bool:
        """Tell whether the symbol `name` is free in `module`, and take it."""
        taken = self._symbols.get(module)
        if taken is None:
            names = (op.get_attr_or_prop("sym_name") for op in module.ops)
            taken = self._symbols[module] = {name.data for name in names if isinstance(name, StringAttr)}
        if name in taken:
            return False
        taken.add(name)
        return True

    # Old values and new ones.

    def lowered(self, value: SSAValue) -> SSAValue:
        """Return what `value` has become, cast to its converted type if its own op stayed.

        Raises Refused if its type cannot be converted."""
        new = self._new.get(value)
        if new is not None:
            return new
        if value in self._deferred:
            return self._request(value)
        type = self.types.convert(value.type)
        if type is None:
            raise Refused(f"unable to convert type for operand, type was {value.type}")
        if type == value.type:
            return value
        cast = self._cast_after_definition(value, type)
        self._new[value] = cast
        self._requested.append(value)
        return cast

    def lowered_all(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        """Return what each of `values` has become."""
        return [self.lowered(value) for value in values]

    def converted(self, type: Attribute) -> Attribute:
        """Return what `type` becomes. Raises Refused if it cannot be converted."""
        result = self.types.convert(type)
        if result is None:
            raise Refused(f"cannot convert {type}")
        return result

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Say that `op` is converted and that its results have become `values`."""
        for result, value in zip(op.results, values, strict=True):
            self._new[result] = value
        self._replaced[op] = None

    def erase(self, op: Operation) -> None:
        """Say that `op` (which has no used results) is gone, with all it contains."""
        self._replaced[op] = None

    def is_replaced(self, op: Operation) -> bool:
        """Tell whether `op` is converted already or inside an op that a pattern took whole."""
        return op in self._replaced

    def refuse(self, reason: str) -> NoReturn:
        """Leave the op under conversion to the next pattern."""
        raise Refused(reason)

    # Blocks.

    def convert_arguments(self, block: Block) -> None:
        """Give the arguments of `block` their converted types. Raises Refused if one has none."""
        old = [argument for argument in block.args if argument not in self._old_arguments]
        types = self.types.convert_all(argument.type for argument in old)
        if types is None:
            raise Refused("cannot convert the block arguments")
        for argument, type in zip(old, types, strict=True):
            if argument.type != type:
                self.replace_argument(argument, self.insert_argument(block, argument, type))

    def insert_argument(self, block: Block, before: BlockArgument, type: Attribute) -> BlockArgument:
        """Insert an argument of `type` into `block`, before the argument `before`."""
        return block.insert_arg(type, before.index, before.location)

    def replace_argument(self, argument: BlockArgument, value: SSAValue) -> None:
        """Say that the block argument `argument` has become `value`."""
        self._new[argument] = value
        self._old_arguments[argument] = None
        if not self.profile.lazy_casts:
            with self.at_start(argument.block):
                self._early[argument] = self._cast(value, argument.type)

    def defer_argument(self, argument: BlockArgument, build: Callable[[], SSAValue]) -> None:
        """Say that the block argument `argument` becomes what `build` inserts at the start of its block.

        Releases differ in whether that happens now or when the value is first needed."""
        self._deferred[argument] = build
        self._old_arguments[argument] = None
        if not self.profile.lazy_casts and argument.first_use is not None:
            self._request(argument)

    # The driver.

    def convert(self, ops: Iterable[Operation], patterns: Patterns, legality: Legality) -> list[Leftover]:
        """Convert `ops` and all that is in them; return what stayed although a pattern was there for it.

        Raises LegalizationError for the first op that is not legal and that no pattern takes."""
        left: list[Leftover] = []
        blocks = _last_successor_first if self.profile.last_successor_first else _depth_first
        for op in [inner for top in ops for inner in _preorder(top, blocks)]:
            if op in self._replaced or self._inside_replaced(op):
                continue
            is_legal = legality.get(type(op))
            if is_legal is not None and is_legal(op):
                continue
            if self._fold(op):
                continue
            candidates = patterns.of(type(op))
            if not candidates and is_legal is None:
                continue
            reason = self._try(op, candidates)
            if reason is None:
                continue
            if is_legal is not None:
                raise LegalizationError(op, reason)
            left.append(Leftover(op, reason))
        return left

    def finish(self) -> None:
        """Cast for the ops that stayed, then erase what was replaced."""
        for argument in self._old_arguments:
            if any(not self._is_gone(use.operation) for use in argument.uses):
                self.op = _maker(argument) or self.op
                self._cast_back(argument, self.lowered(argument))
        for old, new in list(self._new.items()):
            self.op = _maker(old) or self.op
            self._cast_back(old, new)
        for op in reversed(self._replaced):
            op.detach()
            op.erase(safe_erase=False)
        for value in self._early.values():
            self._erase_unused(value)
        for argument in reversed(self._old_arguments):
            argument.block.erase_arg(argument, safe_erase=False)

    def _try(self, op: Operation, candidates: Sequence[ConversionPattern[Operation]]) -> str | None:
        """Try the patterns for `op` in turn; return None once one took it, else the last one's reason."""
        reason = "nothing converts it"
        for pattern in candidates:
            self.op = op
            self._inserted = []
            self._requested = []
            with self._at(self._block_of(op), op):
                try:
                    self.lowered_all(op.operands)
                    pattern.match_and_rewrite(op, self)
                except Refused as refused:
                    reason = str(refused)
                    self._undo()
                else:
                    return None
        return reason

    def _fold(self, op: Operation) -> bool:
        """Replace `op` by what it folds to, as MLIR's driver does before it tries any pattern."""
        folded = fold(op, self.profile)
        if folded is None:
            return False
        self.op = op
        values: list[SSAValue] = []
        with self._at(self._block_of(op), op):
            for result, value in zip(op.results, folded, strict=True):
                if isinstance(value, SSAValue):
                    stays = value not in self._new and self.types.convert(value.type) is None
                    if stays:
                        # It has no type in LLVM, as a tensor has none: it is used as it is.
                        result.replace_all_uses_with(value)
                    values.append(value if stays else self.lowered(value))
                else:
                    type = self.converted(value.result.type)
                    constant = ConstantOp.create(result_types=[type], properties={"value": value.value})
                    values.append(self.add(constant).res)
        self.replace(op, values)
        return True

    def _undo(self) -> None:
        for value in self._requested:
            del self._new[value]
        for op in reversed(self._inserted):
            op.detach()
            op.erase(safe_erase=False)

    def _request(self, argument: SSAValue) -> SSAValue:
        """Build what a deferred argument becomes."""
        assert isinstance(argument.owner, Block)
        with self.at_start(argument.owner):
            new = self._deferred[argument]()
            if not self.profile.lazy_casts:
                # The older driver goes to the original type and back.
                back = self._early[argument] = self._cast(new, argument.type)
                new = self._cast(back, new.type)
        self._new[argument] = new
        self._requested.append(argument)
        return new

    def _cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        return self.add(UnrealizedConversionCastOp.create(operands=[value], result_types=[type])).results[0]

    def _cast_after_definition(self, value: SSAValue, type: Attribute) -> SSAValue:
        owner = value.owner
        here = self.at_start(owner) if isinstance(owner, Block) else self.directly_after(owner)
        with here:
            return self._cast(value, type)

    def _cast_back(self, old: SSAValue, new: SSAValue) -> None:
        """Replace the uses of `old` in ops that stayed by its new value, cast to the old type."""
        if isinstance(new.owner, UnrealizedConversionCastOp) and new.owner.operands[0] is old:
            return
        uses = [use for use in old.uses if not self._is_gone(use.operation)]
        if not uses:
            return
        value = new if new.type == old.type else self._back_to(old, new)
        for use in uses:
            use.operation.operands[use.index] = value

    def _erase_unused(self, value: SSAValue) -> None:
        """Erase a cast that was made early, the cast back from it and what it was made of, if unused."""
        casts = [use.operation for use in value.uses]
        if not all(_is_unused(op) and isinstance(op, UnrealizedConversionCastOp) for op in casts):
            return
        unused: list[Operation | Block] = [*casts, value.owner]
        while unused:
            op = unused.pop(0)
            if isinstance(op, Operation) and op.parent is not None and _is_unused(op):
                unused += [operand.owner for operand in op.operands]
                op.detach()
                op.erase()

    def _back_to(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """Return `new` cast to the type of `old`."""
        if old in self._early:
            return self._early[old]
        if not self.profile.lazy_casts and isinstance(old.owner, Operation):
            with self.directly_after(self._last_cast.get(old.owner, old.owner)):
                value = self._cast(new, old.type)
            assert isinstance(value.owner, Operation)
            self._last_cast[old.owner] = value.owner
            return value
        # One cast serves all old values of a type that have become this value.
        known = self._back.get((new, old.type))
        if known is None:
            known = self._back[new, old.type] = self._cast_after_definition(new, old.type)
        return known

    def _is_gone(self, op: Operation) -> bool:
        return op in self._replaced or self._inside_replaced(op)

    def _inside_replaced(self, op: Operation) -> bool:
        parent = op.parent_op()
        while parent is not None:
            if parent in self._replaced:
                return True
            parent = parent.parent_op()
        return False

    @contextmanager
    def _at(self, block: Block | None, before: Operation | None) -> Generator[None]:
        saved = self._block, self._before
        self._block, self._before = block, before
        try:
            yield
        finally:
            self._block, self._before = saved

    @staticmethod
    def _block_of(op: Operation) -> Block:
        block = op.parent
        assert block is not None, "a converted op stands in a block"
        return block


def _maker(value: SSAValue) -> Operation | None:
    """Return the op that defines `value`, or whose argument it is; None in a block that is nowhere."""
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def _is_unused(op: Operation) -> bool:
    return not any(result.first_use for result in op.results)


def _preorder(op: Operation, order: Callable[[Region], Iterable[Block]]) -> Iterator[Operation]:
    """Yield `op` and what is in it, a block before the blocks that it leads to, as MLIR's driver does."""
    yield op
    for region in op.regions:
        for block in order(region):
            for inner in block.ops:
                yield from _preorder(inner, order)


def _last_successor_first(region: Region) -> Iterable[Block]:
    """Visit blocks as 16 does: a block is taken once it is seen, the last one seen first."""
    if region.first_block is None:
        return
    seen = {region.first_block}
    pending = [region.first_block]
    while pending:
        block = pending.pop()
        yield block
        for successor in block.last_op.successors if block.last_op is not None else ():
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)


def _depth_first(region: Region) -> Iterable[Block]:
    if region.first_block is None or region.first_block is region.last_block:
        return region.blocks
    order: dict[Block, None] = {}
    pending = [region.first_block]
    while pending:
        block = pending.pop()
        if block in order:
            continue
        order[block] = None
        if block.last_op is not None:
            pending.extend(reversed(block.last_op.successors))
    return order
