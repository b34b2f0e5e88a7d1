"""Maps original values to lowered ones, and inserts the casts between them.

Releases differ in when they insert a cast, and in which uses of a value share a cast
(`Profile.lazy_casts`); both are visible in the output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import MatchFailure
from gpuasync_lsp.lowering.conversion.insertion import Insertion
from gpuasync_lsp.lowering.conversion.types import TypeConverter


class Values:
    """The mapping from original values to lowered ones, with the necessary casts."""

    def __init__(
        self,
        types: TypeConverter,
        insertion: Insertion,
        *,
        lazy_casts: bool,
        casts_in_order: bool = False,
        casts_at_old: bool = True,
        casts_twice: bool = False,
    ) -> None:
        self._types = types
        self._insertion = insertion
        self._lazy_casts = lazy_casts
        self._casts_in_order = casts_in_order
        self._casts_at_old = casts_at_old and not lazy_casts
        self._casts_twice = casts_twice
        self._last_at: dict[Block | Operation, Operation] = {}
        self._new: dict[SSAValue, SSAValue] = {}
        self._folded: dict[SSAValue, SSAValue] = {}
        self._takers: set[Operation] = set()
        self._old_arguments: dict[BlockArgument, None] = {}
        self._deferred: dict[SSAValue, Callable[[], SSAValue]] = {}
        self._early: dict[SSAValue, SSAValue] = {}
        self._back: dict[tuple[SSAValue, Attribute], SSAValue] = {}
        self._last_cast: dict[Operation, Operation] = {}
        self._requested: list[SSAValue] = []
        self._casts: list[Operation] = []
        self._requested_casts: list[Operation] = []

    def __contains__(self, value: SSAValue) -> bool:
        """Return whether `value` is mapped to a lowered value."""
        return self._unfolded(value) in self._new

    def lowered(self, value: SSAValue) -> SSAValue:
        """Return the lowered value of `value`; if its op is not converted, cast it to the converted type.

        Raises MatchFailure if its type cannot be converted."""
        value = self._unfolded(value)
        new = self._new.get(value)
        if new is not None:
            return new
        if value in self._deferred:
            return self._request(value)
        type = self._types.convert(value.type)
        if type is None:
            raise MatchFailure(f"unable to convert type for operand, type was {value.type}")
        if type == value.type:
            return value
        cast = self._cast_after_definition(value, type)
        self._new[value] = cast
        self._requested.append(value)
        return cast

    def become(self, old: SSAValue, new: SSAValue) -> None:
        """Map `old`, a result of a converted op, to `new`."""
        self._new[old] = new

    def supersede(self, old: SSAValue, new: SSAValue, takers: Iterable[Operation]) -> None:
        """Map `old` to `new` from now on, except for the ops in `takers`, which continue to use `old`."""
        self._takers.update(takers)
        self._new[old] = new

    def takes_old(self, op: Operation) -> bool:
        """Return whether `op` continues to use values that `supersede` has replaced."""
        return op in self._takers

    def fold(self, old: SSAValue, value: SSAValue) -> None:
        """Map `old`, a result of a folded op, to the original value `value`.

        Users of `old` are not changed, because their folding depends on the original ops. `value` is
        lowered only when it is requested, because that affects the order of casts."""
        self._folded[old] = value

    def _unfolded(self, value: SSAValue) -> SSAValue:
        while value in self._folded:
            value = self._folded[value]
        return value

    def is_old_argument(self, argument: BlockArgument) -> bool:
        """Return whether a block argument has been replaced."""
        return argument in self._old_arguments

    def replace_argument(self, argument: BlockArgument, value: SSAValue) -> None:
        """Map a block argument to `value`."""
        self._new[argument] = value
        self._old_arguments[argument] = None
        if not self._lazy_casts:
            maker = value.owner
            if isinstance(maker, Operation) and maker.parent is argument.block:
                place = self._insertion.directly_after(maker)
            else:
                place = self._insertion.at_start(argument.block)
            with place:
                self._early[argument] = self._cast(value, argument.type)
            if argument.block not in self._last_at:
                self._note_last(argument.block, self._early[argument])

    def defer_argument(self, argument: BlockArgument, build: Callable[[], SSAValue]) -> None:
        """Map a block argument to the result of `build`, which inserts at the start of the argument's block.

        `build` is called at once, or when the value is first needed; releases differ."""
        self._deferred[argument] = build
        self._old_arguments[argument] = None
        if not self._lazy_casts and argument.first_use is not None:
            self._request(argument)

    def begin(self) -> None:
        """Start to record the requested values, so that `withdraw` can remove their mappings."""
        self._requested = []

    def withdraw(self) -> None:
        """Remove the mappings of values requested since `begin`."""
        for value in self._requested:
            del self._new[value]

    def cast_back(self, is_gone: Callable[[Operation], bool]) -> None:
        """Cast lowered values back to the original types, for the ops that remain."""
        for old in self._folded:
            for use in [use for use in old.uses if not is_gone(use.operation)]:
                use.operation.operands[use.index] = self._unfolded(old)
        for argument in self._old_arguments:
            if any(not is_gone(use.operation) for use in argument.uses):
                self._insertion.op = _maker(argument) or self._insertion.op
                self._cast_back(argument, self.lowered(argument), is_gone)
        for old, new in list(self._new.items()):
            self._insertion.op = _maker(old) or self._insertion.op
            self._cast_back(old, new, is_gone)

    def erase_old(self) -> None:
        """Erase unused casts, then the replaced block arguments."""
        if self._lazy_casts:
            self._reconcile()
        for value in self._early.values():
            _erase_unused(value)
        for cast in reversed(self._requested_casts):
            if cast.parent is not None and _is_unused(cast):
                cast.detach()
                cast.erase()
        for argument in reversed(self._old_arguments):
            argument.block.erase_arg(argument, safe_erase=False)

    def materialize(self, build: Callable[[Insertion, SSAValue, Attribute], SSAValue | None]) -> None:
        """Replace each remaining cast with the result of `build(value, type)`, unless that is None."""
        for cast in self._casts:
            if cast.parent is None:
                continue
            with self._insertion.instead_of(cast):
                value = build(self._insertion, cast.operands[0], cast.results[0].type)
            if value is not None:
                cast.results[0].replace_all_uses_with(value)
                cast.detach()
                cast.erase()

    def _request(self, argument: SSAValue) -> SSAValue:
        """Build and return the lowered value of a deferred argument."""
        assert isinstance(argument.owner, Block)
        with self._after_casts(argument.owner):
            new = last = self._deferred[argument]()
            if not self._lazy_casts:
                # Older drivers cast to the original type; LLVM 19 then casts back again.
                last = self._early[argument] = self._cast(new, argument.type)
                if self._casts_twice:
                    new = last = self._cast(last, new.type)
        self._note_last(argument.owner, last)
        self._new[argument] = new
        self._requested.append(argument)
        return new

    def _cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        cast = UnrealizedConversionCastOp.create(operands=[value], result_types=[type])
        self._casts.append(cast)
        return self._insertion.add(cast).results[0]

    def _reconcile(self) -> None:
        """Skip pairs of casts that cancel out, and erase casts that become unused.

        Casts of the source program are not erased."""
        made = set(self._casts)
        for cast in self._casts:
            before = cast.operands[0].owner if cast.operands else None
            if (
                isinstance(before, UnrealizedConversionCastOp)
                and len(before.operands) == len(before.results) == 1
                and before.operands[0].type == cast.results[0].type
                and cast.results[0].first_use
            ):
                cast.results[0].replace_all_uses_with(before.operands[0])
                unused = [cast, before] if before in made else [cast]
                for op in unused:
                    if op.parent is not None and _is_unused(op):
                        op.detach()
                        op.erase()

    def _cast_after_definition(self, value: SSAValue, type: Attribute) -> SSAValue:
        with self._after_casts(value.owner):
            cast = self._cast(value, type)
        self._note_last(value.owner, cast)
        assert isinstance(cast.owner, Operation)
        self._requested_casts.append(cast.owner)
        return cast

    def _after_casts(self, owner: Block | Operation) -> AbstractContextManager[None]:
        """Set the insertion point to the start of a block, or directly after an op.

        In releases that order casts by request, set it after the casts that are already there."""
        last = self._last_at.get(owner)
        if last is not None and last.parent is not None:
            return self._insertion.directly_after(last)
        if isinstance(owner, Block):
            return self._insertion.at_start(owner)
        return self._insertion.directly_after(owner)

    def _note_last(self, owner: Block | Operation, value: SSAValue) -> None:
        if self._casts_in_order and isinstance(value.owner, Operation):
            self._last_at[owner] = value.owner

    def _cast_back(self, old: SSAValue, new: SSAValue, is_gone: Callable[[Operation], bool]) -> None:
        """Replace the uses of `old` in remaining ops with `new`, cast to the type of `old`."""
        if isinstance(new.owner, UnrealizedConversionCastOp) and new.owner.operands[0] is old:
            return
        uses = [use for use in old.uses if not is_gone(use.operation) and use.operation not in self._takers]
        if not uses:
            return
        value = new if new.type == old.type else self._back_to(old, new)
        for use in uses:
            use.operation.operands[use.index] = value

    def _back_to(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """Return `new` cast to the type of `old`."""
        if old in self._early:
            return self._early[old]
        if self._casts_at_old and isinstance(old.owner, Operation):
            with self._insertion.directly_after(self._last_cast.get(old.owner, old.owner)):
                value = self._cast(new, old.type)
            assert isinstance(value.owner, Operation)
            self._last_cast[old.owner] = value.owner
            return value
        # All original values of the same type that are mapped to `new` share one cast.
        known = self._back.get((new, old.type))
        if known is None:
            known = self._back[new, old.type] = self._cast_after_definition(new, old.type)
        return known


def _erase_unused(value: SSAValue) -> None:
    """Erase the op that defines `value` if its users are unused casts, with these and newly dead ops."""
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


def _maker(value: SSAValue) -> Operation | None:
    """Return the op that defines `value`, or the parent op of its block; None for a detached block."""
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def _is_unused(op: Operation) -> bool:
    return not any(result.first_use for result in op.results)
