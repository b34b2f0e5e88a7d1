"""Which bytes the threads of a launch touch, by computing the addresses of all of them.

This is done where the launch tells how many threads there are, and there are not too many. What cannot be
computed is taken for anything: both ways of a branch are gone, and memory at an unknown place is touched as a
whole, of which nothing is said then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import compress, product
from math import prod
from typing import NamedTuple, cast

from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.ir.affine.affine_set import AffineConstraintKind

from gpuasync_lsp.analysis.model.memory.numbers import Column, computed, converted, evaluated, total
from gpuasync_lsp.analysis.model.memory.programs import Body, Program, Step, Straight
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.text.effort import spend

MOST_THREADS = 1 << 16
_MOST_WORK = 600_000
"""What may be done for one launch: a number of one thread is 1, and each step costs some more besides."""
_STEP_COST = 16
_PER_STEP = 256
"""How much of it is a step of `spend`."""
_FEW = 256
"""Runs of bytes that one access of one thread may have."""
_DEEP = 24

Size = tuple[int, int, int]
Interval = tuple[int, int]
Bytes = tuple[Interval, ...]
"""Where each run begins and has ended, in order, none touching the next."""


class Shown(NamedTuple):
    """The memory that a memref, or a pointer, in a kernel shows."""

    root: int
    """Which argument of the launch it leads to; `_OWN` for memory that no other launch has."""
    at: Column = 0
    """Where its first element is, in bytes from that of the argument."""
    strides: tuple[int | None, ...] = ()
    base: int | None = 0
    """Where the pointer of its descriptor is, from which views count their offsets."""


LAUNCHED = tuple(
    f"{kind} {axis}" for kind in ("block", "thread", "grid size", "block size") for axis in "xyz"
)
"""The numbers of a launch, in the order of the first arguments of the body of a gpu.launch."""
_OWN = -1
Value = Column | Shown
Given = int | str | Shown | None


class Footprint(NamedTuple):
    """The bytes that may be touched, counted from the first element of an argument."""

    read: Bytes = ()
    written: Bytes = ()
    updated: Bytes = ()
    """By atomic ops."""

    @property
    def bounds(self) -> Interval | None:
        """From where to where there is something; None where nothing is touched."""
        runs = [run for kind in self for run in (kind[:1] + kind[-1:])]
        return (min(low for low, _ in runs), max(high for _, high in runs)) if runs else None

    def moved(self, by: int) -> Footprint:
        """Return it so many bytes further on."""
        if not by:
            return self
        return Footprint(*(tuple((low + by, high + by) for low, high in kind) for kind in self))

    def meets(self, other: Footprint, *, atomics_agree: bool) -> bool:
        """Tell whether some byte is in both, and written by one."""
        pairs = [
            (self.written, (*other.read, *other.written, *other.updated)),
            (other.written, (*self.read, *self.updated)),
            (self.updated, other.read if atomics_agree else (*other.read, *other.updated)),
            (other.updated, self.read),
        ]
        return any(_meet(ones, joined(others)) for ones, others in pairs if ones and others)


def _meet(ones: Bytes, others: Bytes) -> bool:
    i = j = 0
    while i < len(ones) and j < len(others):
        if ones[i][1] <= others[j][0]:
            i += 1
        elif others[j][1] <= ones[i][0]:
            j += 1
        else:
            return True
    return False


class Running(NamedTuple):
    """A kernel with what a launch says: compared by value, so that the same launch is run once."""

    program: Program
    grid: Size
    block: Size
    given: tuple[Given, ...]
    """Per argument of the kernel: the number or memory that it is, or the name of a number of the launch.

    None where that is not known."""

    def footprint(self, root: int) -> Footprint | None:
        """Return what is touched of argument `root` of the launch; None where that is not known."""
        found = _run(self)
        return found.get(root, Footprint()) if found is not None else None


class Touching(NamedTuple):
    """What a launch does to one of its arguments."""

    running: Running
    root: int
    begins: int = 0
    """Where the region of the access begins, in bytes from the first element of the argument."""

    @property
    def footprint(self) -> Footprint | None:
        """The bytes, counted from the first element; None where they are not known."""
        return self.running.footprint(self.root)


def launched(
    program: Program, grid: Sequence[int | None], block: Sequence[int | None], numbers: Sequence[int | None]
) -> Running | None:
    """Return a kernel with what it is launched with; None where a size is not known.

    Its arguments are those of the launch.
    """
    sizes = [tuple(size for size in each if size is not None) for each in (grid, block)]
    if [len(each) for each in sizes] != [3, 3] or len(numbers) > len(program.parameters):
        return None
    given: list[Given] = [
        number if parameter is None else Shown(at, 0, *parameter)
        for at, (number, parameter) in enumerate(zip(numbers, program.parameters, strict=False))
    ]
    return Running(program, cast("Size", sizes[0]), cast("Size", sizes[1]), tuple(given))


@lru_cache(maxsize=256)
def _run(launch: Running) -> dict[int, Footprint | None] | None:
    run = _Run(launch)
    try:
        run.start()
    except _NotKnown:
        return None
    return run.found()


class _NotKnown(Exception):
    """It cannot be told what is touched, or takes too long."""


class _Group:
    """Threads that have come the same way, and what they know."""

    def __init__(
        self, count: int, known: dict[int, Value], around: _Group | None, kept: list[bool] | None
    ) -> None:
        self.count, self.known, self.around, self.kept = count, known, around, kept
        self.depth: int = around.depth + 1 if around is not None else 0

    def read(self, register: int) -> Value:
        """Return what a register is for these threads."""
        if register in self.known or self.around is None:
            return self.known.get(register)
        found = self.known[register] = _only(self.around.read(register), self.kept)
        return found

    def some(self, kept: list[bool]) -> _Group:
        """Return those of the threads that `kept` says."""
        return self._with(sum(kept), kept)

    def again(self) -> _Group:
        """Return the same threads, which may learn other things."""
        return self._with(self.count, None)

    def _with(self, count: int, kept: list[bool] | None) -> _Group:
        if self.depth > _DEEP:
            self._have_all()
        return _Group(count, {}, self, kept)

    def _have_all(self) -> None:
        group, registers = self.around, set(self.known)
        while group is not None:
            registers.update(group.known)
            group = group.around
        for register in registers:
            self.read(register)
        self.around, self.depth = None, 0


def _is_many(value: Value) -> bool:
    """Tell whether each thread has a number of its own."""
    return isinstance(value, list) or (isinstance(value, Shown) and isinstance(value.at, list))


def _only(value: Value, kept: list[bool] | None) -> Value:
    if kept is None:
        return value
    if isinstance(value, list):
        return list(compress(value, kept))
    if isinstance(value, Shown) and isinstance(value.at, list):
        return value._replace(at=list(compress(value.at, kept)))
    return value


class _Run:
    def __init__(self, launch: Running) -> None:
        self._launch = launch
        self._touched: dict[tuple[int, Mode, int], set[int]] = {}
        self._lost: set[int] = set()
        self._left = _MOST_WORK
        self._spent = 0
        self._numbers: dict[str, Value] = {}
        self._at: dict[str, int] = {}

    def start(self) -> None:
        """Run all threads."""
        program, launch = self._launch.program, self._launch
        ranges: list[tuple[str, int]] = []
        for kind, sizes in (("block", launch.grid), ("thread", launch.block)):
            for axis, size in zip("xyz", sizes, strict=True):
                self._numbers[f"{kind} {axis}"] = 0
                if kind == "block":
                    self._numbers[f"grid size {axis}"] = size
                else:
                    self._numbers[f"block size {axis}"] = size
                if size > 1 and (program.uses(f"{kind} {axis}") or f"{kind} {axis}" in launch.given):
                    ranges.append((f"{kind} {axis}", size))
        count = prod(size for _, size in ranges)
        if count > MOST_THREADS or min(*launch.grid, *launch.block) < 1:
            raise _NotKnown
        inner = count
        for name, size in ranges:
            inner //= size
            self._numbers[name] = [n for n in range(size) for _ in range(inner)] * (count // (size * inner))
        group = _Group(count, dict(program.constants), None, None)
        # Registers of these numbers are read as any other, so that groups may be parted.
        self._at = {name: -1 - at for at, name in enumerate(self._numbers)}
        group.known.update({self._at[name]: value for name, value in self._numbers.items()})
        arguments = program.body[0].arguments
        for register, value in zip(arguments, launch.given, strict=False):
            group.known[register] = self._numbers[value] if isinstance(value, str) else value
        for register in arguments[len(launch.given) :]:
            group.known[register] = Shown(_OWN)
        self._blocks(program.body, group)

    def found(self) -> dict[int, Footprint | None]:
        """Return what is touched, per argument of the launch."""
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
            raise _NotKnown
        self._spent += cost
        if self._spent >= _PER_STEP:
            spend(self._spent // _PER_STEP)
            self._spent %= _PER_STEP

    # Ways through a body.

    def _blocks(self, body: Body, group: _Group) -> None:
        """Run a body of blocks to the end of all ways."""
        ways: list[tuple[int, _Group, frozenset[int]]] = [(0, group, frozenset())]
        while ways:
            at, group, unsure = ways.pop()
            block = body[at]
            self._steps(block, group)
            if len(block.ways) < 2:
                for to, given in block.ways:
                    ways.append((to, self._passed(body[to], given, group), unsure))
                continue
            asked = group.read(block.given[0])
            if len(block.ways) > 2 or not isinstance(asked, int | list):
                if at in unsure:
                    raise _NotKnown
                for to, given in block.ways:
                    ways.append((to, self._passed(body[to], given, group.again()), unsure | {at}))
                continue
            for (to, given), part in zip(block.ways, _parted(group, asked), strict=True):
                if part is not None:
                    ways.append((to, self._passed(body[to], given, part), unsure))

    def _passed(self, block: Straight, given: Sequence[int], group: _Group) -> _Group:
        values = [group.read(register) for register in given]
        group = group.again()
        group.known.update(zip(block.arguments, values, strict=True))
        return group

    def _inside(self, body: Body, group: _Group, given: Sequence[Value] = ()) -> list[Value]:
        """Run the body of a structured op, which the group goes through as one; return what it ends with."""
        if not body:
            return []
        (block,) = body if len(body) == 1 else (None,)
        if block is None:
            raise _NotKnown
        group.known.update(zip(block.arguments, given, strict=False))
        self._steps(block, group)
        return [group.read(register) for register in block.given]

    def _steps(self, block: Straight, group: _Group) -> None:
        self._work()
        for step in block.steps:
            given = [group.read(register) for register in step.given]
            self._work(group.count if any(map(_is_many, given)) else 0)
            known = _DOING[step.name](self, step, given, group)
            if known is not None:
                group.known.update(zip(step.results, known, strict=False))

    # What each step does.

    def compute(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        name, bits = cast("tuple[str, int]", step.detail)
        return [computed(name, self._columns(given), bits)]

    def _columns(self, given: Iterable[Value]) -> list[Column]:
        """Return numbers; memory whose address is computed with may be touched anywhere."""
        columns: list[Column] = []
        for value in given:
            if isinstance(value, Shown):
                self._lost.add(value.root)
                columns.append(None)
            else:
                columns.append(value)
        return columns

    def convert(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        if isinstance(given[0], Shown):
            return [given[0]]
        bits, to, signed = cast("tuple[int, int, bool]", step.detail)
        return [converted(given[0], bits, to, signed=signed)]

    def select(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        asked, one, other = given
        if isinstance(asked, int):
            return [one if asked else other]
        if not isinstance(asked, list):
            self._lose(() if one == other else (one, other))
            return [one if one == other else None]
        masks = [bool(n) for n in asked], [not n for n in asked]
        return [self._merged([(masks[0], _only(one, masks[0])), (masks[1], _only(other, masks[1]))])]

    def _lose(self, values: Iterable[Value]) -> None:
        self._lost.update(value.root for value in values if isinstance(value, Shown))

    def _merged(self, parts: Sequence[tuple[list[bool], Value]]) -> Value:
        """Return what a value is for all threads, of which each part has another."""
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

    def launched(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        return [group.read(self._at[cast("str", step.detail[0])])]

    def global_id(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        block, size, thread = (
            cast("Column", group.read(self._at[cast("str", name)])) for name in step.detail
        )
        return [computed("add", [computed("mul", [block, size], 64), thread], 64)]

    def affine(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        return [self._mapped(cast("AffineMap", step.detail[0]), given, least=step.name != "affine.max")]

    def _mapped(self, kept: AffineMap, given: Sequence[Value], *, least: bool) -> Column:
        """Return the least, or greatest, result of a map."""
        columns = self._columns(given)
        found, *others = (evaluated(each, columns, kept.num_dims) for each in kept.results)
        for other in others:
            found = computed("mins" if least else "maxs", [found, other], 64)
        return found

    def delinearize(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        (rest,) = self._columns(given[:1])
        basis = list(cast("tuple[int, ...]", step.detail))
        if len(basis) == len(step.results):
            basis = basis[1:]
        found: list[Value] = []
        for size in reversed(basis):
            found.append(computed("remu", [rest, size], 64))
            rest = computed("divu", [rest, size], 64)
        return [rest, *reversed(found)]

    def linearize(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        columns = self._columns(given)
        basis = list(cast("tuple[int, ...]", step.detail))[-(len(columns) - 1) :] if len(columns) > 1 else []
        found = columns[0]
        for column, size in zip(columns[1:], basis, strict=True):
            found = computed("add", [computed("mul", [found, size], 64), column], 64)
        return [found]

    def own(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        return [Shown(_OWN)]

    def same(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        return [given[0]]

    def moved(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        *times, more = cast("tuple[int, ...]", step.detail)
        memory, columns = given[0], self._columns(given[1:])
        if not isinstance(memory, Shown):
            return [None]
        return [memory._replace(at=_further(memory.at, zip(columns, times, strict=True), more))]

    def view(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        memory, columns = given[0], self._columns(given[1:])
        if not isinstance(memory, Shown):
            return [None]
        at = _further(memory.at, [(columns[0], 1)])
        return [
            Shown(
                memory.root,
                at,
                cast("tuple[int | None, ...]", step.detail),
                at if isinstance(at, int) else None,
            )
        ]

    def reshaped(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        memory = given[0]
        return [
            memory._replace(strides=cast("tuple[int | None, ...]", step.detail))
            if isinstance(memory, Shown)
            else None
        ]

    def reinterpret(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        memory, others = given[0], iter(self._columns(given[1:]))
        if not isinstance(memory, Shown):
            return [None]
        width = cast("int", step.detail[0])
        (offset,), _, strides = (_numbers(said, others) for said in step.detail[1:])
        known = tuple(stride * width if isinstance(stride, int) else None for stride in strides)
        at = _further(memory.base, [(offset, width)])
        return [memory._replace(at=at, strides=known)]

    def subview(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        memory, others = given[0], iter(self._columns(given[1:]))
        if not isinstance(memory, Shown):
            return [None]
        shape = cast("tuple[int, ...]", step.detail[0])
        offsets, sizes, steps = (_numbers(said, others) for said in step.detail[1:])
        if len(memory.strides) != len(offsets):
            return [None]
        at = _further(memory.at, zip(offsets, memory.strides, strict=True))
        strides = [
            stride * times if stride is not None and isinstance(times, int) else None
            for stride, times in zip(memory.strides, steps, strict=True)
        ]
        kept = _kept(sizes, strides, shape)
        return [memory._replace(at=at, strides=kept) if kept is not None else None]

    def access(self, step: Step, given: list[Value], group: _Group) -> None:
        memory, columns = given[0], self._columns(given[1:])
        if not isinstance(memory, Shown):
            raise _NotKnown
        if memory.root == _OWN:
            return
        mode, width, shape, *kept = step.detail
        if kept:
            mapped = cast("AffineMap", kept[0])
            columns = [evaluated(each, columns, mapped.num_dims) for each in mapped.results]
        at = _further(memory.at, zip(columns, memory.strides, strict=False)) if columns else memory.at
        runs = _runs(cast("tuple[int, ...]", shape), memory.strides, cast("int | None", width))
        if at is None or runs is None or (columns and len(columns) != len(memory.strides)):
            self._lost.add(memory.root)
            return
        starts, length = runs
        touched = self._touched.setdefault((memory.root, cast("Mode", mode), length), set())
        places = at if isinstance(at, list) else [at]
        for start in starts:
            self._work(len(places))
            touched.update(places if not start else [place + start for place in places])

    def losing(self, step: Step, given: list[Value], group: _Group) -> None:
        self._lose(given)

    def give_up(self, step: Step, given: list[Value], group: _Group) -> None:
        raise _NotKnown

    def branch(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        asked = given[0] if step.name == "scf.if" else self._holds(cast("AffineSet", step.detail[0]), given)
        bodies = (step.bodies[0], step.bodies[1] if len(step.bodies) > 1 else ())
        if not isinstance(asked, int | list):
            ends = [self._inside(body, group.again()) for body in bodies]
            for values in ends:
                self._lose(values)
            return [None] * len(step.results)
        parts = _parted(group, asked)
        ends = [
            (part, self._inside(body, part))
            for body, part in zip(bodies, parts, strict=True)
            if part is not None
        ]
        if len(ends) == 1:
            return ends[0][1]
        masks = [part.kept or [] for part, _ in ends]
        return [
            self._merged([(mask, values[number]) for mask, (_, values) in zip(masks, ends, strict=True)])
            for number in range(len(step.results))
        ]

    def _holds(self, asked: AffineSet, given: Sequence[Value]) -> Column:
        columns = self._columns(given)
        found: Column = 1
        for each in asked.constraints:
            sides = [evaluated(side, columns, asked.num_dims) for side in (each.lhs, each.rhs)]
            kind = {AffineConstraintKind.eq: "eq", AffineConstraintKind.ge: "sge"}.get(each.kind, "sle")
            found = computed("and", [found, computed(kind, sides, 64)], 1)
        return found

    def count_up(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        if step.name == "scf.for":
            low, high, by = self._columns(given[:3])
            carried = given[3:]
        else:
            lows, highs, by, *counts = cast("tuple[AffineMap, AffineMap, int, int, int]", step.detail)
            begin, end = counts
            low = self._mapped(lows, given[:begin], least=False)
            high = self._mapped(highs, given[begin : begin + end], least=True)
            carried = given[begin + end :]
        if low is None or high is None or by is None:
            self._lose(carried)
            self._lose(self._inside(step.bodies[0], group.again(), [None] * (1 + len(carried))))
            return [None] * len(step.results)

        def asked(group: _Group, state: list[Value]) -> tuple[Column, list[Value]]:
            return computed("slt", self._columns(state[:2]), 64), state

        def body(group: _Group, state: list[Value]) -> list[Value]:
            counter, limit, more, *carried = state
            ends = self._inside(step.bodies[0], group, [counter, *carried])
            return [computed("add", self._columns([counter, more]), 64), limit, more, *ends]

        return self._rounds(group, [low, high, by, *carried], asked, body)[3:]

    def repeat(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        def asked(group: _Group, state: list[Value]) -> tuple[Column, list[Value]]:
            condition, *values = self._inside(step.bodies[0], group, state)
            return self._columns([condition])[0], values

        def body(group: _Group, state: list[Value]) -> list[Value]:
            return self._inside(step.bodies[1], group, state)

        return self._rounds(group, given, asked, body)

    def _rounds(
        self,
        group: _Group,
        state: list[Value],
        asked: Callable[[_Group, list[Value]], tuple[Column, list[Value]]],
        body: Callable[[_Group, list[Value]], list[Value]],
    ) -> list[Value]:
        """Run the rounds of a loop, until all threads have left it; return what they leave it with."""
        left: list[tuple[list[int], list[Value]]] = []
        members = list(range(group.count))
        while True:
            self._work(group.count)
            here = group.again()
            goes_on, values = asked(here, state)
            if goes_on is None:
                raise _NotKnown
            if isinstance(goes_on, list):
                kept = [bool(n) for n in goes_on]
                others = [not n for n in kept]
                if any(others):
                    left.append((list(compress(members, others)), [_only(value, others) for value in values]))
                    if not any(kept):
                        break
                    members = list(compress(members, kept))
                    values = [_only(value, kept) for value in values]
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

    def execute(self, step: Step, given: list[Value], group: _Group) -> list[Value]:
        return self._inside(step.bodies[0], group)


def _parted(group: _Group, asked: int | list[int]) -> tuple[_Group | None, _Group | None]:
    """Return the threads for which a condition holds, and the others."""
    if isinstance(asked, int):
        return (group.again(), None) if asked else (None, group.again())
    kept = [bool(n) for n in asked]
    if all(kept):
        return group.again(), None
    if not any(kept):
        return None, group.again()
    return group.some(kept), group.some([not n for n in kept])


def _further(at: Column, moves: Iterable[tuple[Column, int | None]], more: int = 0) -> Column:
    return total([*moves, (more, 1)], at)


def _numbers(said: object, others: Iterable[Column]) -> list[Column]:
    given = iter(others)
    return [next(given) if number is None else number for number in cast("tuple[int | None, ...]", said)]


def _kept(
    sizes: Sequence[Column], strides: Sequence[int | None], shape: Sequence[int]
) -> tuple[int | None, ...] | None:
    """Return the strides of the dimensions that a view has kept, of which the sizes are `shape`.

    Dimensions that are left out have one element; None where it is not sure which those are.
    """
    kept: list[int | None] = []
    leaving = len(sizes) - len(shape)
    for size, stride in zip(sizes, strides, strict=True):
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        is_same = wanted is not None and (size == wanted or (wanted < 0 and not isinstance(size, int)))
        if is_same and (size != 1 or not leaving):
            kept.append(stride)
        elif size == 1 and leaving:
            leaving -= 1
            # Of ones beside each other, any may be left out, with no difference but in what is never counted.
        elif is_same or (wanted is not None and wanted < 0):
            kept.append(stride)
        else:
            return None
    return tuple(kept) if len(kept) == len(shape) else None


def _runs(
    shape: tuple[int, ...], strides: tuple[int | None, ...], width: int | None
) -> tuple[list[int], int] | None:
    """Return where the runs of bytes of one access begin, and how long each is."""
    if width is None:
        return None
    inner = strides[len(strides) - len(shape) :] if shape else ()
    if None in inner or len(inner) < len(shape):
        return None
    length = width
    sizes = list(zip(shape, cast("tuple[int, ...]", inner), strict=True))
    if sizes and sizes[-1][1] == width:
        length = sizes.pop()[0] * width
    if prod(size for size, _ in sizes) > _FEW:
        return None
    starts = [sum(place) for place in product(*(range(0, n * by, by) if by else [0] for n, by in sizes))]
    return starts, length


def joined(found: Iterable[Interval]) -> Bytes:
    """Return runs of bytes in their order, joined where they touch."""
    runs: list[Interval] = []
    for low, high in sorted(found):
        if runs and low <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(high, runs[-1][1]))
        else:
            runs.append((low, high))
    return tuple(runs)


_DOING: dict[str, Callable[[_Run, Step, list[Value], _Group], list[Value] | None]] = {
    "compute": _Run.compute,
    "convert": _Run.convert,
    "select": _Run.select,
    "launch": _Run.launched,
    "global id": _Run.global_id,
    "affine.apply": _Run.affine,
    "affine.min": _Run.affine,
    "affine.max": _Run.affine,
    "affine.delinearize_index": _Run.delinearize,
    "affine.linearize_index": _Run.linearize,
    "own": _Run.own,
    "same": _Run.same,
    "moved": _Run.moved,
    "view": _Run.view,
    "reshaped": _Run.reshaped,
    "reinterpret": _Run.reinterpret,
    "subview": _Run.subview,
    "access": _Run.access,
    "lose": _Run.losing,
    "give up": _Run.give_up,
    "scf.if": _Run.branch,
    "affine.if": _Run.branch,
    "scf.for": _Run.count_up,
    "affine.for": _Run.count_up,
    "scf.while": _Run.repeat,
    "scf.execute_region": _Run.execute,
}
