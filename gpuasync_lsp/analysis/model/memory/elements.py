"""The elements of a memref that a kernel's threads access, in terms of the launch's sizes and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.memory.branch_conditions import BranchConditions, Condition
from gpuasync_lsp.analysis.model.memory.linear import Arithmetic
from gpuasync_lsp.analysis.model.memory.nests import counters_of
from gpuasync_lsp.analysis.model.memory.places import DYNAMIC, is_ranked
from gpuasync_lsp.analysis.model.memory.sums import UNKNOWN, Counter, Polynomial, Sum, Symbol, number, of
from gpuasync_lsp.syntax.dialects.gpu.device import DimensionOp
from gpuasync_lsp.syntax.effects import Effect, Mode, effects_of, with_all_elements

_Known = TypeVar("_Known", Sum, Sum | None)
_DEPTH = 24
_MOST = 24
"""The maximum number of accesses to one memref that are distinguished."""
_GUARDS = 8
_Begins = tuple[Sum, ...]
"""The index, in each dimension, of a view's first element in its source; empty for the memref itself."""
_NESTS = ("scf.parallel", "scf.forall")
"""Loops with several induction variables."""
_COUNTING = ("scf.for", "affine.for", *_NESTS)

ASKING = frozenset(
    {"memref.dim", "memref.rank", "memref.prefetch", "memref.assume_alignment", "affine.prefetch"}
)
"""Ops that use a memref without accessing its memory."""


class Index(NamedTuple):
    """The values of an index: `first` plus a multiple of each counter in `steps`; counters start at 0."""

    first: Polynomial
    steps: tuple[tuple[Polynomial, Polynomial], ...] = ()
    """Per counter, the number of its values, and its stride."""


class Element(NamedTuple):
    """One access to a memref, made by all threads that reach it."""

    mode: Mode
    indices: tuple[tuple[Index, ...], ...]
    """Per dimension, alternative descriptions of the index values; each describes a superset of them."""
    is_exact: bool = False
    """Whether every element in the intersection of the alternatives in `indices` is accessed."""
    comes_first: bool = False
    """Whether no thread has written to the memref before it makes this access."""


class Threads:
    """Converts the integers in the body of a kernel or of a gpu.launch to sums, and finds the accessed
    elements."""

    def __init__(self, body: Block, passed: int, *, is_launch: bool) -> None:
        """Analyze `body`; the launch passes its first `passed` arguments."""
        self._body, self._passed = body, passed
        self._is_launch = is_launch
        self._conditions = BranchConditions(body)
        self._known: dict[SSAValue, Sum | None] = {}

    def touched(self, memref: SSAValue, inside: AbstractSet[Operation] | None) -> tuple[Element, ...] | None:
        """Return the accesses to `memref` in the ops `inside`, or everywhere if `inside` is None.

        Returns None if the elements of an access are unknown."""
        accesses: list[tuple[Operation, Effect, _Begins]] = []
        views: list[tuple[SSAValue, _Begins]] = [(memref, ())]
        for seen, begins in views:
            for use in seen.uses:
                op = use.operation
                if (inside is not None and op not in inside) or op.name in ASKING:
                    continue
                if op.name == "memref.subview" and not use.index:
                    moved = self._begins(op, begins)
                    if moved is None or len(views) > _MOST:
                        return None
                    views.append((op.results[0], moved))
                    continue
                found_effects = (e for e in effects_of(op) or () if e.operand == use.index)
                effects = [with_all_elements(effect, seen) for effect in found_effects]
                if not effects or any(effect.indices is None or effect.scattered for effect in effects):
                    return None
                accesses += [(op, effect, begins) for effect in effects]
        if len(accesses) > _MOST:
            return None
        writing = [op for op, effect, _ in accesses if effect.mode is not Mode.READ]
        found: dict[Element, None] = {}
        for op, effect, begins in accesses:
            element = self._element(op, effect, begins, writing)
            if element is None:
                return None
            found[element] = None
        return tuple(found)

    def _begins(self, view: Operation, source: _Begins) -> _Begins | None:
        """Return the first index per dimension of a subview with unit strides; None for any other view."""
        offsets = _offsets_of_window(view)
        sums = [Sum(number(v)) if isinstance(v, int) else self.read(v) for v in offsets or ()]
        known = [total for total in sums if total is not None]
        if offsets is None or len(known) < len(sums):
            return None
        return tuple(_moved(known, source))

    def _element(
        self, op: Operation, effect: Effect, begins: _Begins, writing: Sequence[Operation]
    ) -> Element | None:
        first, end = effect.indices or (0, 0)
        if op.name.startswith("affine."):
            kept = op.properties.get("map")
            if not isinstance(kept, AffineMapAttr):
                return None
            sums = self._mapped(kept, list(op.operands)[effect.operand + 1 :], 0)
        else:
            sums = [self.read(value) for value in list(op.operands)[first:end]]
        if not sums:
            sums = [Sum(number(0)) for _ in effect.shape]  # The whole memref.
        if begins and len(begins) != len(sums):
            return None
        sums = _moved(sums, begins)
        bounds = list(self._bounds(op))
        indices: list[tuple[Index, ...]] = []
        for place, total in enumerate(sums):
            if total is None:
                return None
            behind = len(sums) - len(effect.shape)
            if place >= behind and (width := effect.shape[place - behind]) > 1:
                total = total.plus(Sum(Polynomial(), {Counter((op, place), number(width)): number(1)}))
            indices.append(tuple(self._indices(total, bounds)))
        known = [total for total in sums if total is not None]
        always = self._is_always_reached(op, known, bounds)
        first = always and not any(self._is_before(other, op) for other in writing)
        return Element(effect.mode, tuple(indices), always and self._are_all_taken(known), first)

    def _is_always_reached(
        self, op: Operation, sums: Sequence[Sum], bounds: Sequence[tuple[Sum, Polynomial]]
    ) -> bool:
        """Return whether every thread that satisfies `bounds` reaches `op`.

        Loops with induction variables are assumed to run at least once.
        """
        conditions: list[Condition] = []
        block = op.parent
        while block is not None and block is not self._body:
            ways = self._conditions.straight(block)
            around = block.parent_op()
            if around is None or ways is None:
                return False
            conditions += [each for way in ways for each in _all_conditions(*way)]
            if block.parent is self._body.parent:
                break
            if around.name == "scf.if":
                conditions += _all_conditions(around.operands[0], block.parent is around.regions[0])
            elif around.name not in _COUNTING:
                return False
            block = around.parent
        return len(conditions) == len(bounds) and all(
            any(total.counted and not total.minus(below).counted for total in sums) for below, _ in bounds
        )

    def _is_outside_loops(self, block: Block | None) -> bool:
        """Return whether `block` is outside all loops, so that a thread reaches it at most once."""
        while block is not None and self._conditions.straight(block) is not None:
            if block.parent is self._body.parent:
                return True
            around = block.parent_op()
            if around is None or around.name != "scf.if":
                return False
            block = around.parent
        return False

    def _is_before(self, first: Operation, second: Operation) -> bool:
        around = dict[Block, Operation]()
        above: Operation | None = first
        while above is not None and above.parent is not None:
            around[above.parent] = above
            above = above.parent_op()
        above = second
        while above is not None and above.parent is not None:
            if above.parent in around:
                other = around[above.parent]
                if other is above or not above.is_before_in_block(other):
                    return True
                # If each iteration reads an element before it writes it, no earlier iteration has written
                # that element.
                in_place = above is second and _is_same_element(first, second)
                return not in_place and not self._is_outside_loops(above.parent)
            above = above.parent_op()
        return True

    def _indices(self, total: Sum, bounds: Sequence[tuple[Sum, Polynomial]]) -> Iterator[Index]:
        yield Index(total.first, tuple((counter.rounds, n) for counter, n in total.counted.items()))
        for below, end in bounds:
            least, behind = below.least, total.minus(below)
            if least is not None and len(behind.counted) + len(below.counted) == len(total.counted):
                others = tuple((counter.rounds, n) for counter, n in behind.counted.items())
                yield Index(behind.first.plus(least), (*others, (end.minus(least), number(1))))

    # Conditions that hold at an op

    def _bounds(self, op: Operation) -> Iterator[tuple[Sum, Polynomial]]:
        """Yield pairs (a, b) such that a < b holds when a thread reaches `op`."""
        found = 0
        for condition, held in self._conditions.before(op):
            for below in self._orderings(condition, held, 0):
                found += 1
                yield below
            if found >= _GUARDS:
                return

    def _orderings(self, condition: SSAValue, held: bool, depth: int) -> Iterator[tuple[Sum, Polynomial]]:
        owner = condition.owner
        if not isinstance(owner, Operation) or depth > _GUARDS:
            return
        if owner.name == _JOINING[held]:
            for operand in owner.operands:
                yield from self._orderings(operand, held, depth + 1)
        elif owner.name == "arith.xori" and constant(owner.operands[1]) in (1, -1):
            yield from self._orderings(owner.operands[0], not held, depth + 1)
        elif owner.name == "arith.cmpi":
            kept = owner.properties.get("predicate")
            predicate = kept.value.data if isinstance(kept, IntegerAttr) else -1
            relation = _RELATIONS.get(predicate if held else _opposite(predicate))
            if relation is None:
                return
            small, large = (self.read(owner.operands[at]) for at in relation.order)
            if small is not None and large is not None and not large.counted:
                yield small, large.first.plus(number(1)) if relation.may_be_equal else large.first

    # Integers

    def read(self, value: SSAValue, depth: int = 0) -> Sum | None:
        """Return the integer `value` as a sum; None if that is impossible."""
        if value not in self._known:
            self._known[value] = None  # A value that depends on itself has no sum.
            self._known[value] = self._find(value, depth) if depth < _DEPTH else None
        return self._known[value]

    def _find(self, value: SSAValue, depth: int) -> Sum | None:
        if (known := constant(value)) is not None:
            return Sum(number(known))
        if isinstance(value, BlockArgument):
            return self._argument(value, depth)
        op = value.owner
        assert isinstance(op, Operation)
        if self._is_launch and not self._is_inside(op):
            return Sum(of(value))
        if isinstance(op, DimensionOp):
            return _dimension(op)
        given = list(op.operands)
        match op.name:
            case "arith.addi" | "index.add":
                return self._both(given, depth, Sum.plus)
            case "arith.subi" | "index.sub":
                return self._both(given, depth, Sum.minus)
            case "arith.muli" | "index.mul":
                return self._both(given, depth, Sum.times)
            case "arith.index_cast" | "arith.index_castui" | "arith.extui" | "arith.extsi" | "index.casts":
                return self.read(given[0], depth + 1)
            case "arith.shli" | "index.shl":
                shift = constant(given[1])
                left = self.read(given[0], depth + 1)
                if shift is None or left is None or not 0 <= shift < 32:
                    return None
                return left.times(Sum(number(1 << shift)))
            case "arith.remui" | "arith.remsi" | "index.remu" | "index.rems":
                divisor = constant(given[1])
                if divisor is None or divisor <= 0:
                    return None
                left = self.read(given[0], depth + 1)
                if op.name.endswith("s") and (left is None or left.least is None or not left.least.is_count):
                    return None
                return Sum(Polynomial(), {Counter(op, number(divisor)): number(1)})
            case "arith.minui" | "arith.minsi" | "index.minu" | "index.mins":
                return self._smaller(given, depth)
            case "affine.apply":
                kept = op.properties.get("map")
                found = self._mapped(kept, given, depth + 1) if isinstance(kept, AffineMapAttr) else []
                return found[0] if len(found) == 1 else None
            case _:
                return None

    def _both(
        self, given: Sequence[SSAValue], depth: int, joined: Callable[[Sum, Sum], Sum | None]
    ) -> Sum | None:
        one, other = (self.read(value, depth + 1) for value in given)
        return joined(one, other) if one is not None and other is not None else None

    def _smaller(self, given: Sequence[SSAValue], depth: int) -> Sum | None:
        """Return the minimum of two non-negative numbers as a sum, if one of them is constant."""
        for value, limit in (given, reversed(given)):
            most, other = constant(limit), self.read(value, depth + 1)
            least = other.least if other is not None else None
            if most is not None and most >= 0 and least is not None and least.is_count:
                return Sum(Polynomial(), {Counter(value, number(most + 1)): number(1)})
        return None

    def _argument(self, value: BlockArgument, depth: int) -> Sum | None:
        block = value.owner
        if block is self._body:
            if self._is_launch:
                kind, axis = divmod(value.index, 3)
                return _LAUNCHED[kind](axis) if kind < len(_LAUNCHED) else None
            return Sum(of(Symbol("argument", value.index))) if value.index < self._passed else None
        if block.parent is self._body.parent:
            return self._counted_by_branches(value, depth)
        loop = block.parent_op()
        if loop is None or (self._is_launch and not self._is_inside(loop)):
            return Sum(of(value)) if self._is_launch else None
        if loop.name not in _COUNTING or (value.index and loop.name not in _NESTS):
            return None
        begin, end, step = self._loop(loop, value.index, depth + 1)
        if begin is None or end is None or end.counted or step is None or not step.is_count:
            return None
        least = begin.least
        if least is None:
            return None
        length = end.first.minus(least)
        if begin.counted or length.constant is None or not step.constant:
            return Sum(least, {Counter(value, length): number(1)})
        rounds = max(0, -(-length.constant // step.constant))
        return Sum(least, {Counter(value, number(rounds)): step})

    def _counted_by_branches(self, value: BlockArgument, depth: int) -> Sum | None:
        """Return the sum for a block argument that a back edge increases in each iteration."""
        given = self._conditions.given(value)
        begins = [each for each in given if not self._is_more(each, value, depth)]
        least = begin.least if len(begins) == 1 and (begin := self.read(begins[0], depth + 1)) else None
        return Sum(least, {Counter(value, of(UNKNOWN)): number(1)}) if least is not None else None

    def _is_more(self, value: SSAValue, than: SSAValue, depth: int) -> bool:
        op = value.owner
        if not isinstance(op, Operation) or op.name not in ("arith.addi", "index.add"):
            return False
        steps = [operand for operand in op.operands if operand is not than]
        step = self.read(steps[0], depth + 1) if len(steps) == 1 else None
        return step is not None and step.least is not None and step.least.is_count

    def _loop(
        self, loop: Operation, counter: int, depth: int
    ) -> tuple[Sum | None, Sum | None, Polynomial | None]:
        """Return the bounds and the step of the induction variable number `counter` of `loop`."""
        given = list(loop.operands)
        if loop.name != "affine.for":
            bounds: Sequence[SSAValue | int] = given[:3]
            if loop.name in _NESTS:
                counters = counters_of(loop) or ()
                if counter >= len(counters):
                    return None, None, None
                bounds = counters[counter]
            begin, end, step = (Sum(number(b)) if isinstance(b, int) else self.read(b, depth) for b in bounds)
            return begin, end, step.first if step is not None and not step.counted else None
        maps = [loop.properties.get(name) for name in ("lowerBoundMap", "upperBoundMap")]
        step = loop.properties.get("step")
        if not isinstance(maps[0], AffineMapAttr) or not isinstance(maps[1], AffineMapAttr):
            return None, None, None
        count = maps[0].data.num_dims + maps[0].data.num_symbols
        more = count + maps[1].data.num_dims + maps[1].data.num_symbols
        low = self._mapped(maps[0], given[:count], depth)
        high = self._mapped(maps[1], given[count:more], depth)
        if len(low) != 1 or len(high) != 1 or not isinstance(step, IntegerAttr):
            return None, None, None
        return low[0], high[0], number(step.value.data)

    def _mapped(self, kept: AffineMapAttr, given: Sequence[SSAValue], depth: int) -> list[Sum | None]:
        sums = [self.read(value, depth) for value in given]
        return [_SUMS.evaluate(expression, sums, kept.data.num_dims) for expression in kept.data.results]

    def _are_all_taken(self, sums: Sequence[Sum]) -> bool:
        """Return whether the counters of an access take all combinations of their values.

        They do not if one is a remainder, or if a counter occurs in two dimensions, which selects a diagonal.
        """
        counters = [counter for total in sums for counter in total.counted]
        return len(counters) == len(set(counters)) and all(map(self._takes_all_values, counters))

    def _takes_all_values(self, counter: Counter) -> bool:
        name = cast("BlockArgument[Attribute] | object", counter.name)
        if not isinstance(name, BlockArgument):
            return isinstance(name, tuple)
        if (loop := name.owner.parent_op()) is None:
            return False
        begin, _, step = self._loop(loop, name.index, 1)
        if begin is None or begin.counted or step is None:
            return False
        return step.constant == 1 or counter.rounds.constant is not None

    def _is_inside(self, op: Operation) -> bool:
        around: Operation | None = op
        while around is not None:
            if around.parent_region() is self._body.parent:
                return True
            around = around.parent_op()
        return False


def _moved(indices: Sequence[_Known], begins: _Begins) -> list[_Known]:
    """Convert indices into a view to indices into its source; `begins` is empty for the source itself."""
    if not begins:
        return list(indices)
    return [i.plus(begin) if i is not None else i for i, begin in zip(indices, begins, strict=True)]


def _is_same_element(first: Operation, second: Operation) -> bool:
    """Return whether two accesses to one memref in the same iteration touch the same element."""
    given: list[tuple[SSAValue, ...]] = []
    for op in (first, second):
        places = {(effect.operand, effect.indices) for effect in effects_of(op) or () if not effect.shape}
        if len(places) != 1:
            return False
        memref, place = places.pop()
        if place is None:
            return False
        given.append((op.operands[memref], *tuple(op.operands)[slice(*place)]))
    return given[0] == given[1] and first.properties.get("map") == second.properties.get("map")


def _all_conditions(condition: SSAValue, held: bool) -> Iterator[Condition]:
    """Yield the operands of nested `and`s (`or`s if not `held`): all equal `held` if `condition` does."""
    owner = condition.owner
    if isinstance(owner, Operation) and owner.name == _JOINING[held]:
        for operand in owner.operands:
            yield from _all_conditions(operand, held)
    else:
        yield condition, held


class _Relation(NamedTuple):
    order: tuple[int, int]
    """The operand numbers of the smaller and of the larger value."""
    may_be_equal: bool


_RELATIONS = {
    number: _Relation((0, 1) if number in (2, 3, 6, 7) else (1, 0), number in (3, 5, 7, 9))
    for number in range(2, 10)
}
"""The relation of each predicate, indexed by predicate number: slt, sle, sgt, sge, ult, ule, ugt, uge."""

_JOINING = {True: "arith.andi", False: "arith.ori"}
"""Maps an outcome to the op that has it only if both operands have it."""


def _opposite(predicate: int) -> int:
    """Return the predicate number of the negated ordering comparison."""
    return 7 - predicate if predicate < 6 else 15 - predicate


def _dimension(op: DimensionOp) -> Sum | None:
    axis = "xyz".find(str(op.dimension.data.value))
    match op.name:
        case "gpu.thread_id":
            return _thread(axis)
        case "gpu.block_id":
            return _block(axis)
        case "gpu.global_id":
            before = _block(axis).times(_size("block")(axis))
            return before.plus(_thread(axis)) if before is not None else None
        case "gpu.block_dim":
            return _size("block")(axis)
        case "gpu.grid_dim":
            return _size("grid")(axis)
        case _:
            return None


def _thread(axis: int) -> Sum:
    return Sum(Polynomial(), {Counter(("thread", axis), of(Symbol("block", axis))): number(1)})


def _block(axis: int) -> Sum:
    return Sum(Polynomial(), {Counter(("block", axis), of(Symbol("grid", axis))): number(1)})


def _size(kind: str) -> Callable[[int], Sum]:
    return lambda axis: Sum(of(Symbol(kind, axis)))


_LAUNCHED = (_block, _thread, _size("grid"), _size("block"))
"""The sums that represent the first arguments of a gpu.launch body, as functions of the axis."""


def _constant(value: int) -> Sum:
    return Sum(number(value))


_SUMS = Arithmetic(_constant, Sum.plus, Sum.times)


def _offsets_of_window(view: Operation) -> list[int | SSAValue] | None:
    """Return the offset of a memref.subview in each dimension; None if it drops dimensions or has strides."""
    offsets, strides = (
        [int(number) for number in getattr(view.properties.get(name), "get_values", tuple[int, ...])()]
        for name in ("static_offsets", "static_strides")
    )
    types = (view.operands[0].type, view.results[0].type)
    ranks = {len(type.get_shape()) if is_ranked(type) else -1 for type in types}
    if ranks != {len(offsets)} or any(stride != 1 for stride in strides):
        return None
    given = iter(view.operands[1:])
    return [offset if offset != DYNAMIC else next(given) for offset in offsets]
