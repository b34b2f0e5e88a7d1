"""Computes the bytes that a launch touches by evaluating the addresses of every thread.

The evaluation requires a constant number of threads that is not too large. Values that cannot be computed are
unknown: both successors of a branch on such a value are run. A memref accessed at an unknown index may be
touched anywhere, so its footprint is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from math import prod
from typing import Any, ClassVar, cast

from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.ir.affine.affine_set import AffineConstraintKind

from gpuasync_lsp.analysis.model.memory.footprints import Footprint, Interval, joined
from gpuasync_lsp.analysis.model.memory.numbers import Column, computed, converted, evaluated
from gpuasync_lsp.analysis.model.memory.programs import Body, Program, Step, Straight
from gpuasync_lsp.analysis.model.memory.thread_groups import (
    OWN,
    Given,
    Group,
    Shown,
    Value,
    is_many,
    only,
    parted,
)
from gpuasync_lsp.analysis.model.memory.views import further, kept_strides, numbers, runs_of
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text.effort import spend

_MOST_THREADS = 1 << 16
"""The maximum number of threads of a launch that are run: a column has one number per thread."""
_MOST_WORK = 600_000
"""The work budget of one launch; a step costs a fixed amount, and one unit per number and thread."""
_STEP_COST = 16
_PER_STEP = 256
"""The number of units of `_MOST_WORK` that cost one unit of `spend`."""

Size = tuple[int, int, int]


class NotKnown(Exception):
    """Raised if the accessed elements are unknown, or would take too long to compute."""


class Run:
    """The execution of a kernel by all threads of one launch, step by step.

    `given` contains a value for each argument of the kernel: a number, a memref or pointer, or the name of a
    launch parameter.
    """

    doing: ClassVar[Mapping[str, Doing]]

    def __init__(self, program: Program, grid: Size, block: Size, given: tuple[Given, ...]) -> None:
        self._program, self._grid, self._block, self._given = program, grid, block, given
        self._touched: dict[tuple[int, Mode, int], set[int]] = {}
        self._lost: set[int] = set()
        self._left = _MOST_WORK
        self._spent = 0
        self._numbers: dict[str, Value] = {}
        self._at: dict[str, int] = {}

    def start(self) -> None:
        """Run the program for all threads of the launch."""
        ranges: list[tuple[str, int]] = []
        for kind, sizes in (("block", self._grid), ("thread", self._block)):
            for axis, size in zip("xyz", sizes, strict=True):
                self._numbers[f"{kind} {axis}"] = 0
                if kind == "block":
                    self._numbers[f"grid size {axis}"] = size
                else:
                    self._numbers[f"block size {axis}"] = size
                if size > 1 and (self._program.uses(f"{kind} {axis}") or f"{kind} {axis}" in self._given):
                    ranges.append((f"{kind} {axis}", size))
        count = prod(size for _, size in ranges)
        if count > _MOST_THREADS or min(*self._grid, *self._block) < 1:
            raise NotKnown
        inner = count
        for name, size in ranges:
            inner //= size
            self._numbers[name] = [n for n in range(size) for _ in range(inner)] * (count // (size * inner))
        group = Group(count, dict(self._program.constants), None, None)
        # Launch parameters get registers like all other values, so that groups of threads can be split.
        self._at = {name: -1 - at for at, name in enumerate(self._numbers)}
        group.known.update({self._at[name]: value for name, value in self._numbers.items()})
        arguments = self._program.body[0].arguments
        for register, value in zip(arguments, self._given, strict=False):
            group.known[register] = self._numbers[value] if isinstance(value, str) else value
        for register in arguments[len(self._given) :]:
            group.known[register] = Shown(OWN)
        self._blocks(self._program.body, group)

    def found(self) -> dict[int, Footprint | None]:
        """Return the touched bytes per argument of the launch; None if they are unknown."""
        found: dict[int, dict[Mode, list[Interval]]] = {}
        for (root, mode, width), starts in self._touched.items():
            runs = [(start, start + width) for start in starts]
            kinds = (Mode.READ, Mode.WRITE) if mode is Mode.BOTH else (mode,)
            for kind in kinds:
                found.setdefault(root, {}).setdefault(kind, []).extend(runs)
        prints: dict[int, Footprint | None] = {
            root: Footprint(*(joined(kinds.get(kind, ())) for kind in (Mode.READ, Mode.WRITE, Mode.ATOMIC)))
            for root, kinds in found.items()
        }
        return prints | dict.fromkeys(self._lost)

    def _work(self, numbers: int = 0) -> None:
        cost = _STEP_COST + numbers
        self._left -= cost
        if self._left < 0:
            raise NotKnown
        self._spent += cost
        if self._spent >= _PER_STEP:
            spend(self._spent // _PER_STEP)
            self._spent %= _PER_STEP

    # Control flow

    def _blocks(self, body: Body, group: Group) -> None:
        """Run all paths through a body of several blocks."""
        ways: list[tuple[int, Group, frozenset[int]]] = [(0, group, frozenset())]
        while ways:
            at, group, unsure = ways.pop()
            block = body[at]
            self._steps(block, group)
            if len(block.ways) < 2:
                for to, given in block.ways:
                    ways.append((to, self._passed(body[to], given, group), unsure))
                continue
            condition = group.read(block.given[0])
            if len(block.ways) > 2 or not isinstance(condition, int | list):
                if at in unsure:
                    raise NotKnown
                for to, given in block.ways:
                    ways.append((to, self._passed(body[to], given, group.again()), unsure | {at}))
                continue
            for (to, given), part in zip(block.ways, parted(group, condition), strict=True):
                if part is not None:
                    ways.append((to, self._passed(body[to], given, part), unsure))

    def _passed(self, block: Straight, given: Sequence[int], group: Group) -> Group:
        values = [group.read(register) for register in given]
        group = group.again()
        group.known.update(zip(block.arguments, values, strict=True))
        return group

    def _inside(self, body: Body, group: Group, given: Sequence[Value] = ()) -> list[Value]:
        """Run the body of a structured op for all threads of the group; return its terminator's operands."""
        if not body:
            return []
        (block,) = body if len(body) == 1 else (None,)
        if block is None:
            raise NotKnown
        group.known.update(zip(block.arguments, given, strict=False))
        self._steps(block, group)
        return [group.read(register) for register in block.given]

    def _steps(self, block: Straight, group: Group) -> None:
        self._work()
        for step in block.steps:
            given = [group.read(register) for register in step.given]
            self._work(group.count if any(map(is_many, given)) else 0)
            known = self.doing[step.name](self, step, given, group)
            if known is not None:
                group.known.update(zip(step.results, known, strict=False))

    # Steps

    def compute(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        name, bits = step.detail
        return [computed(name, self._columns(given), bits)]

    def _columns(self, given: Iterable[Value]) -> list[Column]:
        """Return `given` as numbers.

        An address becomes an unknown number, and its memory counts as touched anywhere."""
        columns: list[Column] = []
        for value in given:
            if isinstance(value, Shown):
                self._lost.add(value.root)
                columns.append(None)
            else:
                columns.append(value)
        return columns

    def convert(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        if isinstance(given[0], Shown):
            return [given[0]]
        bits, to, signed = step.detail
        return [converted(given[0], bits, to, signed=signed)]

    def select(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        condition, one, other = given
        if isinstance(condition, int):
            return [one if condition else other]
        if not isinstance(condition, list):
            self._lose(() if one == other else (one, other))
            return [one if one == other else None]
        masks = [bool(n) for n in condition], [not n for n in condition]
        return [self._merged([(masks[0], only(one, masks[0])), (masks[1], only(other, masks[1]))])]

    def _lose(self, values: Iterable[Value]) -> None:
        self._lost.update(value.root for value in values if isinstance(value, Shown))

    def _merged(self, parts: Sequence[tuple[list[bool], Value]]) -> Value:
        """Merge the values of disjoint sets of threads into one value."""
        parts = [part for part in parts if any(part[0])]
        values = [value for _, value in parts]
        if all(not isinstance(value, list) and value == values[0] for value in values):
            return values[0]
        if all(isinstance(value, Shown) for value in values):
            memories = [value for value in values if isinstance(value, Shown)]
            if len({memory._replace(at=0) for memory in memories}) == 1:
                at = self._merged(
                    [(mask, memory.at) for (mask, _), memory in zip(parts, memories, strict=True)]
                )
                return memories[0]._replace(at=cast("Column", at))
        if any(value is None or isinstance(value, Shown) for value in values):
            self._lose(values)
            return None
        count = len(parts[0][0])
        found = [0] * count
        for mask, value in parts:
            places = compress(range(count), mask)
            if isinstance(value, list):
                for place, number in zip(places, value, strict=True):
                    found[place] = number
            else:
                for place in places:
                    found[place] = cast("int", value)
        return found

    def launched(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        return [group.read(self._at[step.detail[0]])]

    def global_id(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        block, size, thread = (cast("Column", group.read(self._at[name])) for name in step.detail)
        return [computed("add", [computed("mul", [block, size], 64), thread], 64)]

    def affine(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        return [self._mapped(step.detail[0], given, least=step.name != "affine.max")]

    def _mapped(self, kept: AffineMap, given: Sequence[Value], *, least: bool) -> Column:
        """Return the minimum or maximum of the results of an affine map."""
        columns = self._columns(given)
        found, *others = (evaluated(each, columns, kept.num_dims) for each in kept.results)
        for other in others:
            found = computed("mins" if least else "maxs", [found, other], 64)
        return found

    def delinearize(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        (rest,) = self._columns(given[:1])
        basis = list(step.detail)
        if len(basis) == len(step.results):
            basis = basis[1:]
        found: list[Value] = []
        for size in reversed(basis):
            found.append(computed("remu", [rest, size], 64))
            rest = computed("divu", [rest, size], 64)
        return [rest, *reversed(found)]

    def linearize(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        columns = self._columns(given)
        basis = list(step.detail)[-(len(columns) - 1) :] if len(columns) > 1 else []
        found = columns[0]
        for column, size in zip(columns[1:], basis, strict=True):
            found = computed("add", [computed("mul", [found, size], 64), column], 64)
        return [found]

    def own(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        return [Shown(OWN)]

    def same(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        return [given[0]]

    def moved(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        *times, more = step.detail
        memory, columns = given[0], self._columns(given[1:])
        if not isinstance(memory, Shown):
            return [None]
        return [memory._replace(at=further(memory.at, zip(columns, times, strict=True), more))]

    def view(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        memory, columns = given[0], self._columns(given[1:])
        if not isinstance(memory, Shown):
            return [None]
        at = further(memory.at, [(columns[0], 1)])
        return [
            Shown(
                memory.root,
                at,
                step.detail,
                at if isinstance(at, int) else None,
            )
        ]

    def reshaped(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        memory = given[0]
        return [memory._replace(strides=step.detail) if isinstance(memory, Shown) else None]

    def reinterpret(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        memory, others = given[0], iter(self._columns(given[1:]))
        if not isinstance(memory, Shown):
            return [None]
        width = step.detail[0]
        (offset,), _, strides = (numbers(static, others) for static in step.detail[1:])
        known = tuple(stride * width if isinstance(stride, int) else None for stride in strides)
        at = further(memory.base, [(offset, width)])
        return [memory._replace(at=at, strides=known)]

    def subview(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        memory, others = given[0], iter(self._columns(given[1:]))
        if not isinstance(memory, Shown):
            return [None]
        shape = step.detail[0]
        offsets, sizes, steps = (numbers(static, others) for static in step.detail[1:])
        if len(memory.strides) != len(offsets):
            return [None]
        at = further(memory.at, zip(offsets, memory.strides, strict=True))
        strides = [
            stride * times if stride is not None and isinstance(times, int) else None
            for stride, times in zip(memory.strides, steps, strict=True)
        ]
        kept = kept_strides(sizes, strides, shape)
        return [memory._replace(at=at, strides=kept) if kept is not None else None]

    def access(self, step: Step, given: list[Value], group: Group) -> None:
        reached = self._reached(step, given)
        if reached is None:
            return
        root, starts, length = reached
        touched = self._touched.setdefault((root, step.detail[0], length), set())
        for places in starts:
            touched.update(places if isinstance(places, list) else [places])

    def _reached(self, step: Step, given: list[Value]) -> tuple[int, list[int | list[int]], int] | None:
        """Return the memory that an access touches, the starts of its contiguous runs, and their length.

        Returns None for memory that belongs to a single thread, or if the location is unknown."""
        memory, columns = given[0], self._columns(given[1:])
        if not isinstance(memory, Shown):
            raise NotKnown
        if memory.root == OWN:
            return None
        _, width, shape, *kept = step.detail
        if kept:
            mapped = cast("AffineMap", kept[0])
            columns = [evaluated(each, columns, mapped.num_dims) for each in mapped.results]
        at = further(memory.at, zip(columns, memory.strides, strict=False)) if columns else memory.at
        runs = runs_of(cast("tuple[int, ...]", shape), memory.strides, cast("int | None", width))
        if at is None or runs is None or (columns and len(columns) != len(memory.strides)):
            self._lost.add(memory.root)
            return None
        starts, length = runs
        self._work(len(starts) * (len(at) if isinstance(at, list) else 1))
        if isinstance(at, list):
            return memory.root, [[place + start for place in at] if start else at for start in starts], length
        return memory.root, [at + start for start in starts], length

    def losing(self, step: Step, given: list[Value], group: Group) -> None:
        self._lose(given)

    def give_up(self, step: Step, given: list[Value], group: Group) -> None:
        raise NotKnown

    def branch(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        condition = given[0] if step.name == "scf.if" else self._holds(step.detail[0], given)
        bodies = (step.bodies[0], step.bodies[1] if len(step.bodies) > 1 else ())
        if not isinstance(condition, int | list):
            ends = [self._inside(body, group.again()) for body in bodies]
            for values in ends:
                self._lose(values)
            return [None] * len(step.results)
        ends = self._parts(step, bodies, parted(group, condition))
        if len(ends) == 1:
            return ends[0][1]
        masks = [part.kept or [] for part, _ in ends]
        return [
            self._merged([(mask, values[number]) for mask, (_, values) in zip(masks, ends, strict=True)])
            for number in range(len(step.results))
        ]

    def _parts(
        self, step: Step, bodies: Sequence[Body], parts: Sequence[Group | None]
    ) -> list[tuple[Group, list[Value]]]:
        """Run each body for its part of the threads; return each part with the operands of the terminator."""
        return [
            (part, self._inside(body, part))
            for body, part in zip(bodies, parts, strict=True)
            if part is not None
        ]

    def _holds(self, condition: AffineSet, given: Sequence[Value]) -> Column:
        columns = self._columns(given)
        found: Column = 1
        for each in condition.constraints:
            sides = [evaluated(side, columns, condition.num_dims) for side in (each.lhs, each.rhs)]
            kind = {AffineConstraintKind.eq: "eq", AffineConstraintKind.ge: "sge"}.get(each.kind, "sle")
            found = computed("and", [found, computed(kind, sides, 64)], 1)
        return found

    def _counted(self, step: Step, given: list[Value]) -> tuple[Column, Column, Column, list[Value]]:
        """Return the lower bound, upper bound and step of a loop, and its initial iteration arguments."""
        if step.name == "scf.for":
            low, high, by = self._columns(given[:3])
            return low, high, by, given[3:]
        lows, highs, by, *counts = step.detail
        begin, end = counts
        low = self._mapped(lows, given[:begin], least=False)
        high = self._mapped(highs, given[begin : begin + end], least=True)
        return low, high, by, given[begin + end :]

    def count_up(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        low, high, by, carried = self._counted(step, given)
        if low is None or high is None or by is None:
            self._lose(carried)
            self._lose(self._inside(step.bodies[0], group.again(), [None] * (1 + len(carried))))
            return [None] * len(step.results)

        def enters(group: Group, state: list[Value]) -> tuple[Column, list[Value]]:
            return computed("slt", self._columns(state[:2]), 64), state

        def body(group: Group, state: list[Value]) -> list[Value]:
            counter, limit, more, *carried = state
            ends = self._inside(step.bodies[0], group, [counter, *carried])
            return [computed("add", self._columns([counter, more]), 64), limit, more, *ends]

        return self._iterations(group, [low, high, by, *carried], enters, body)[3:]

    def repeat(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        def enters(group: Group, state: list[Value]) -> tuple[Column, list[Value]]:
            condition, *values = self._inside(step.bodies[0], group, state)
            return self._columns([condition])[0], values

        def body(group: Group, state: list[Value]) -> list[Value]:
            return self._inside(step.bodies[1], group, state)

        return self._iterations(group, given, enters, body)

    def _iterations(
        self,
        group: Group,
        state: list[Value],
        enters: Callable[[Group, list[Value]], tuple[Column, list[Value]]],
        body: Callable[[Group, list[Value]], list[Value]],
    ) -> list[Value]:
        """Run a loop until all threads have left it, and return its results."""
        left: list[tuple[list[int], list[Value]]] = []
        members = list(range(group.count))
        while True:
            self._work(group.count)
            here = group.again()
            goes_on, values = enters(here, state)
            if goes_on is None:
                raise NotKnown
            if isinstance(goes_on, list):
                kept = [bool(n) for n in goes_on]
                others = [not n for n in kept]
                if any(others):
                    left.append((list(compress(members, others)), [only(value, others) for value in values]))
                    if not any(kept):
                        break
                    members = list(compress(members, kept))
                    values = [only(value, kept) for value in values]
                    group = group.some(kept)
            elif not goes_on:
                left.append((members, values))
                break
            state = body(group.again(), values)
        if len(left) == 1:
            return left[0][1]
        count = sum(len(members) for members, _ in left)
        masks: list[list[bool]] = []
        for members, _ in left:
            mask = [False] * count
            for member in members:
                mask[member] = True
            masks.append(mask)
        self._left -= count * len(left)
        return [
            self._merged([(mask, values[number]) for mask, (_, values) in zip(masks, left, strict=True)])
            for number in range(len(left[0][1]))
        ]

    def execute(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        return self._inside(step.bodies[0], group)


Doing = Callable[[Any, Step, list[Value], Group], list[Value] | None]
DOING: dict[str, Doing] = {
    "compute": Run.compute,
    "convert": Run.convert,
    "select": Run.select,
    "launch": Run.launched,
    "global id": Run.global_id,
    "affine.apply": Run.affine,
    "affine.min": Run.affine,
    "affine.max": Run.affine,
    "affine.delinearize_index": Run.delinearize,
    "affine.linearize_index": Run.linearize,
    "own": Run.own,
    "same": Run.same,
    "moved": Run.moved,
    "view": Run.view,
    "reshaped": Run.reshaped,
    "reinterpret": Run.reinterpret,
    "subview": Run.subview,
    "access": Run.access,
    "lose": Run.losing,
    "give up": Run.give_up,
    "scf.if": Run.branch,
    "affine.if": Run.branch,
    "scf.for": Run.count_up,
    "affine.for": Run.count_up,
    "scf.while": Run.repeat,
    "scf.execute_region": Run.execute,
}
"""The method that executes each kind of step."""
Run.doing = DOING
