"""Accesses to workgroup memory by the threads of one block, and the barriers that order them.

All threads of a block are run as in `every_thread.py`, to the extent that their addresses and conditions are
known. Findings are certain for a launch that enters the code, under these assumptions: a branch with a
uniform condition may be taken, a loop with uniform bounds may run twice, and a guard such as `id < n` may
hold for a whole block. Accesses by an unknown subset of the threads are ignored. An op that may synchronize
threads counts as a barrier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import gcd, prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import FunctionType, IntegerAttr, SymbolRefAttr
from xdsl.ir import Operation, Region, SSAValue

from gpuasync_lsp.analysis.model.launch_limits import MOST_THREADS, is_workgroup
from gpuasync_lsp.analysis.model.memory.elements import ASKING
from gpuasync_lsp.analysis.model.memory.every_thread import DOING, NotKnown, Run, Size
from gpuasync_lsp.analysis.model.memory.launched import LAUNCHED
from gpuasync_lsp.analysis.model.memory.linear import Integers
from gpuasync_lsp.analysis.model.memory.numbers import PREDICATES, Column
from gpuasync_lsp.analysis.model.memory.programs import Body, Step, Writer, parameter_of
from gpuasync_lsp.analysis.model.memory.thread_groups import (
    OWN,
    Given,
    Group,
    Shown,
    Value,
    parted,
)
from gpuasync_lsp.analysis.model.memory.uniform import Uniformity
from gpuasync_lsp.syntax.dialects.gpu import LaunchOp
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, Mode, effects_of, is_memref, points

BARRIERS = frozenset({"gpu.barrier", "nvvm.barrier0", "rocdl.barrier"})
"""Ops that synchronize all threads of a block; an `nvvm.barrier` without operands does, too."""
_DEVICE_DIALECTS = ("nvvm", "nvgpu", "rocdl", "amdgpu", "xegpu", "xevm", "spirv", "llvm")
_COLLECTIVE = frozenset({"gpu.shuffle", "gpu.rotate", "gpu.all_reduce", "gpu.subgroup_reduce"})
_ALONE = frozenset({"gpu.printf", "gpu.terminator", "gpu.return", "gpu.yield", "gpu.lane_id"}) | ASKING
_MOST_ROUNDS = 40
"""The maximum number of iterations of a loop that is run in full; otherwise, only the first two are run."""
_MOST_WORK = 1_500_000
"""The work budget of one kernel; a step costs a fixed amount, and one unit per number and thread."""
_MOST_CELLS = 1 << 16
"""The maximum number of elements of a buffer that are compared, one by one."""
_MOST_FOUND = 8
"""The maximum number of pairs of ops of one kernel that are reported."""
_SYMBOLS, _ARGUMENTS, _OUTSIDE = 1_000, 100_000, 200_000
"""The first number of each kind of memory: workgroup globals, kernel arguments, and outside buffers."""


class Unordered(NamedTuple):
    """Two conflicting accesses to workgroup memory by different threads, without a barrier between them."""

    earlier: Operation
    later: Operation
    threads: tuple[int, int]
    """The threads of the earlier and the later access, by linear thread id (x fastest)."""
    reads_later: bool
    """Whether the later access reads; otherwise the earlier one does."""


class Divergent(NamedTuple):
    """A barrier that some threads of the block reach more often than others."""

    barrier: Operation
    at: Operation
    """The branch, loop or other op at which the threads diverge."""


class Found(NamedTuple):
    """The findings in one block; all are certain."""

    unordered: tuple[Unordered, ...] = ()
    divergent: Divergent | None = None
    decided: frozenset[Operation] = frozenset()
    """Branches whose condition has been computed for each thread."""


class Kernel:
    """A kernel, or the body of a gpu.launch, with its ops and the program to run."""

    def __init__(self, op: Operation) -> None:
        self.region: Region = op.regions[-1]
        self.writer = _Writer()
        self.program, self.outside = self.writer.program(self.region)
        self.is_launch = isinstance(op, LaunchOp)
        entry = self.region.blocks[0]
        kind = op.properties.get("function_type")
        self.passed = len(kind.inputs) if isinstance(kind, FunctionType) else 0
        if isinstance(op, LaunchOp):
            self.passed = 12 if op.cluster_size is None else 18
        count = op.properties.get("workgroup_attributions") or op.attributes.get("workgroup_attributions")
        shared = count.value.data if isinstance(count, IntegerAttr) else 0
        self.shared = entry.args[self.passed : self.passed + shared]
        self.uniform = Uniformity(entry, self.passed, is_launch=self.is_launch)

    def shares_memory(self) -> bool:
        """Return whether the kernel has workgroup memory, or both reads and writes one of its buffers."""
        if self.shared or any(_is_shared(r) for op in self.region.walk() for r in op.results):
            return True
        touched: dict[SSAValue, set[Mode]] = {}
        for op in self.region.walk():
            for effect in effects_of(op) or ():
                touched.setdefault(_root(op.operands[effect.operand]), set()).add(effect.mode)
        return any(len(modes) > 1 or Mode.BOTH in modes for modes in touched.values())

    def barriers(self) -> list[Operation]:
        """Return the barriers of the kernel in text order."""
        return [op for op in self.region.walk() if is_barrier(op)]

    def inspect(
        self, block: Size, at: Size, grid: Sequence[int | None], arguments: Sequence[int | None]
    ) -> Found:
        """Return the findings in block `at` of the grid, for blocks of size `block`.

        `grid` contains the grid's sizes and `arguments` the kernel's integers; unknown ones are None."""
        run = _Block(self, block, at, grid, self._given(arguments))
        with suppress(NotKnown):  # Findings before the exception remain valid.
            run.start()
        return Found(run.unordered(), run.divergent, frozenset(run.decided))

    def _given(self, arguments: Sequence[int | None]) -> tuple[Given, ...]:
        entry = self.region.blocks[0]
        given: list[Given] = []
        numbers = Integers()
        roots = {argument: root for root, argument in enumerate(self.shared)}
        for at, argument in enumerate(entry.args):
            if self.is_launch and at < len(LAUNCHED):
                given.append(LAUNCHED[at])
            elif argument in roots:
                known = parameter_of(argument)
                given.append(Shown(roots[argument], 0, *known) if known is not None else None)
            elif points(argument.type):
                given.append(_shown(argument, _ARGUMENTS + at if at < self.passed else OWN))
            else:
                given.append(arguments[at] if at < len(arguments) and at < self.passed else None)
        for at, value in enumerate(self.outside):
            if points(value.type):
                given.append(_shown(value, _OUTSIDE + at))
            else:
                known_number = numbers.read(value)
                given.append(None if known_number.terms else known_number.constant)
        return tuple(given)


def _shown(value: SSAValue, root: int) -> Shown:
    known = parameter_of(value)
    return Shown(root, 0, *known) if known is not None else Shown(OWN)


def _root(value: SSAValue) -> SSAValue:
    """Return the memref that `value` is a view of."""
    while isinstance(owner := value.owner, Operation) and owner.name in ALIASES | PARTS and owner.operands:
        value = owner.operands[0]
    return value


def is_barrier(op: Operation) -> bool:
    """Return whether `op` is a barrier for all threads of a block, without a barrier id."""
    if op.name == "nvvm.barrier":
        return not op.operands and not op.results
    return op.name in BARRIERS and not op.operands


def _is_shared(value: SSAValue) -> bool:
    return is_memref(value.type) and is_workgroup(value.type)


class _Writer(Writer):
    """Translates a kernel like `Writer`, and also its barriers and its workgroup memory."""

    def __init__(self) -> None:
        super().__init__()
        self.ops: dict[int, tuple[Step, Operation]] = {}
        self.symbols: dict[str, int] = {}
        self.values: dict[int, SSAValue] = {}

    def register(self, value: SSAValue) -> int:
        found = super().register(value)
        self.values.setdefault(found, value)
        return found

    def steps(self, op: Operation) -> list[Step]:
        found = self._extended(op)
        for step in found:
            self.ops[id(step)] = (step, op)
        return found

    def _extended(self, op: Operation) -> list[Step]:
        if is_barrier(op):
            return [Step("barrier", (), ())]
        if op.name == "memref.get_global" and _is_shared(op.results[0]):
            symbol = op.properties.get("name")
            name = symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else ""
            return [self._shared(op, f"@{name}")]
        if op.name == "gpu.dynamic_shared_memory":
            return [self._shared(op, "dynamic")]
        found = super().steps(op)
        return [Step("meet", (), ()), *found] if _may_meet(op) else found

    def _shared(self, op: Operation, name: str) -> Step:
        # The kernel's arguments are numbered first.
        root = _SYMBOLS + self.symbols.setdefault(name, len(self.symbols))
        return Step("shared", (self.register(op.results[0]),), (), (root, parameter_of(op.results[0])))


def _may_meet(op: Operation) -> bool:
    """Return whether `op`, or its callee, may synchronize threads."""
    if op.name in _ALONE or op.name.startswith("nvvm.read.ptx.sreg."):
        return False
    if op.name in _COLLECTIVE or "subgroup_mma" in op.name:
        return True
    dialect = op.name.partition(".")[0]
    if dialect in _DEVICE_DIALECTS:
        return dialect != "llvm" or op.name in ("llvm.call", "llvm.inline_asm", "llvm.fence")
    return effects_of(op) is None and not op.regions


class _Access(NamedTuple):
    op: Operation
    mode: Mode
    phase: int
    order: int
    within: tuple[int, ...]
    """The branches taken to reach the access, outermost first."""
    threads: list[int]
    starts: list[int | list[int]]
    length: int


class _Block(Run):
    """Runs the threads of one block; barriers divide the run into phases."""

    def __init__(
        self, kernel: Kernel, block: Size, at: Size, grid: Sequence[int | None], given: tuple[Given, ...]
    ) -> None:
        super().__init__(kernel.program, (1, 1, 1), block, given)
        self.divergent: Divergent | None = None
        self.decided: set[Operation] = set()
        self._kernel, self._place, self._sizes = kernel, at, grid
        self._left = _MOST_WORK
        self._phase = self._order = self._choices = 0
        self._met: tuple[Operation, ...] = ()
        """The barriers that the threads have passed."""
        self._within: tuple[int, ...] = ()
        self._muted = 0
        """Greater than 0 while it is unknown which threads run; accesses are then ignored."""
        self._accesses: dict[int, list[_Access]] = {}

    def start(self) -> None:
        """Run the threads of the block."""
        count = prod(self._block)
        if not 1 < count <= MOST_THREADS or min(self._block) < 1:
            raise NotKnown
        numbers: dict[str, Value] = {}
        apart = 1
        for axis, size, here, blocks in zip("xyz", self._block, self._place, self._sizes, strict=True):
            numbers[f"thread {axis}"] = (
                0 if size == 1 else [thread // apart % size for thread in range(count)]
            )
            apart *= size
            numbers[f"block {axis}"] = here
            numbers[f"block size {axis}"] = size
            numbers[f"grid size {axis}"] = blocks
        self._numbers = numbers
        self._at = {name: -1 - at for at, name in enumerate(numbers)}
        group = Group(count, dict(self._program.constants), None, None)
        group.known.update({self._at[name]: value for name, value in numbers.items()})
        group.known[_ME] = list(range(count))
        for register, value in zip(self._program.body[0].arguments, self._given, strict=True):
            group.known[register] = numbers[value] if isinstance(value, str) else value
        self._blocks(self._program.body, group)

    # Steps that exist only when a single block is run

    def barrier(self, step: Step, given: list[Value], group: Group) -> None:
        self._phase += 1
        self._met = (*self._met, self._op(step))

    def meet(self, step: Step, given: list[Value], group: Group) -> None:
        self._phase += 1

    def shared(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        root, parameter = step.detail
        return [Shown(root, 0, *parameter) if parameter is not None else None]

    def access(self, step: Step, given: list[Value], group: Group) -> None:
        reached = self._reached(step, given)
        if reached is None or self._muted:
            return
        root, starts, length = reached
        self._order += 1
        threads = cast("list[int]", group.read(_ME))
        self._work(len(starts) * len(threads))
        self._accesses.setdefault(root, []).append(
            _Access(
                self._op(step),
                step.detail[0],
                self._phase,
                self._order,
                self._within,
                threads,
                starts,
                length,
            )
        )

    def _op(self, step: Step) -> Operation:
        return self._kernel.writer.ops[id(step)][1]

    # Branches and loops

    def branch(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        condition = given[0] if step.name == "scf.if" else self._holds(step.detail[0], given)  # pyright: ignore
        if isinstance(condition, int | list) or id(step) not in self._kernel.writer.ops:
            return super().branch(step, given, group)
        op = self._op(step)
        bodies = (step.bodies[0], step.bodies[1] if len(step.bodies) > 1 else ())
        uniform = self._kernel.uniform
        if step.name == "scf.if" and not uniform.is_uniform(op.operands[0]):
            assumed = self._assumed(op.operands[0], group)
            if assumed is not None:
                return self._inside(bodies[0 if assumed else 1], group.again())
        self._either(bodies, group, is_same=all(map(uniform.is_uniform, op.operands)))
        return [None] * len(step.results)

    def _parts(
        self, step: Step, bodies: Sequence[Body], parts: Sequence[Group | None]
    ) -> list[tuple[Group, list[Value]]]:
        phase, met = self._phase, self._met
        ends: list[tuple[Group, list[Value]]] = []
        after: list[tuple[int, tuple[Operation, ...]]] = []
        for body, part in zip(bodies, parts, strict=True):
            if part is not None:
                self._phase, self._met = phase, met
                ends.append((part, self._inside(body, part)))
                after.append((self._phase, self._met))
        if id(step) in self._kernel.writer.ops:
            self.decided.add(self._op(step))
        self._join(after, lambda: self._op(step))
        return ends

    def _either(self, bodies: Sequence[Body], group: Group, *, is_same: bool) -> None:
        """Run alternative bodies if it is unknown which one the threads execute."""
        phase, met, within = self._phase, self._met, self._within
        after: list[tuple[int, tuple[Operation, ...]]] = []
        self._muted += not is_same
        for body in bodies:
            self._phase, self._met = phase, met
            self._choose(within)
            self._lose(self._inside(body, group.again()))
            after.append((self._phase, self._met))
        self._muted -= not is_same
        self._within = within
        self._phase = max(phase for phase, _ in after)
        self._met = max((met for _, met in after), key=len)

    def _choose(self, within: tuple[int, ...]) -> None:
        self._choices += 1
        self._within = (*within, self._choices)

    def _join(self, after: Sequence[tuple[int, tuple[Operation, ...]]], at: Callable[[], Operation]) -> None:
        """Reconverge threads after a branch; raises NotKnown if some of them have passed fewer barriers."""
        self._phase = max(phase for phase, _ in after)
        least, *_, most = sorted((met for _, met in after), key=len) * 2
        self._met = most
        if len(least) < len(most):
            if not self._muted:
                self.divergent = Divergent(most[len(least)], at())
            raise NotKnown

    def _assumed(self, condition: SSAValue, group: Group) -> bool | None:
        """Return the outcome of a guard under the assumption that the whole block passes it.

        Returns None for a condition that is not a guard."""
        op = condition.owner
        if not isinstance(op, Operation):
            return None
        if op.name == "arith.andi":
            found = [self._assumed_or_known(each, group) for each in op.operands]
            return True if found == [True, True] else False if False in found else None
        predicate = op.properties.get("predicate")
        if op.name not in ("arith.cmpi", "llvm.icmp") or not isinstance(predicate, IntegerAttr):
            return None
        name = PREDICATES[predicate.value.data]
        registers = self._kernel.writer.registers
        one, other = (group.read(registers[each]) if each in registers else None for each in op.operands)
        same = [self._kernel.uniform.is_uniform(each) for each in op.operands]
        if isinstance(one, list) and other is None and same[1]:
            return {"lt": True, "le": True, "gt": False, "ge": False}.get(name[1:])
        if isinstance(other, list) and one is None and same[0]:
            return {"lt": False, "le": False, "gt": True, "ge": True}.get(name[1:])
        return None

    def _assumed_or_known(self, condition: SSAValue, group: Group) -> bool | None:
        register = self._kernel.writer.registers.get(condition)
        known = group.read(register) if register is not None else None
        if isinstance(known, int):
            return bool(known)
        if isinstance(known, list):
            return True if all(known) else None if any(known) else False
        return self._assumed(condition, group)

    def count_up(self, step: Step, given: list[Value], group: Group) -> list[Value]:
        low, high, by, carried = self._counted(step, given)
        if isinstance(low, int) and isinstance(high, int) and isinstance(by, int):
            is_short = by <= 0 or (high - low) <= by * _MOST_ROUNDS
            if is_short or id(step) not in self._kernel.writer.ops:
                return super().count_up(step, given, group)
            self._twice(step, group, [low, low + by], carried)
            if any(is_barrier(op) or _may_meet(op) for op in self._op(step).walk()):
                self._phase += 1  # The other iterations may have barriers.
            return [None] * len(step.results)
        if low is not None and high is not None and by is not None:
            return super().count_up(step, given, group)
        found = self._kernel.writer.ops.get(id(step))
        bounds = () if found is None else found[1].operands
        if step.name == "scf.for":
            bounds = bounds[:3]
        is_same = found is not None and all(map(self._kernel.uniform.is_uniform, bounds))
        further = low + by if isinstance(low, int) and isinstance(by, int) else None
        within = self._within
        self._muted += not is_same
        self._choose(within)
        self._twice(step, group, [low if isinstance(low, int) else None, further], carried)
        self._muted -= not is_same
        self._within = within
        return [None] * len(step.results)

    def _twice(self, step: Step, group: Group, counters: Sequence[Column], carried: list[Value]) -> None:
        for counter in counters:
            carried = self._inside(step.bodies[0], group.again(), [counter, *carried])
        self._lose(carried)

    def _iterations(
        self,
        group: Group,
        state: list[Value],
        enters: Callable[[Group, list[Value]], tuple[Column, list[Value]]],
        body: Callable[[Group, list[Value]], list[Value]],
    ) -> list[Value]:
        left: list[tuple[int, tuple[Operation, ...]]] = []
        before = self._met

        def enters_again(here: Group, values: list[Value]) -> tuple[Column, list[Value]]:
            goes_on, values = enters(here, values)
            if goes_on == 0 or (isinstance(goes_on, list) and not all(goes_on)):
                left.append((self._phase, self._met))
            return goes_on, values

        ends = super()._iterations(group, state, enters_again, body)
        self._join(left, lambda: _around(max((met for _, met in left), key=len)[len(before)]))
        return ends

    def _blocks(self, body: Body, group: Group) -> None:
        ends: list[tuple[int, tuple[Operation, ...]]] = []
        ways: list[tuple[int, Group, int, tuple[Operation, ...]]] = [(0, group, self._phase, self._met)]
        while ways:
            at, group, self._phase, self._met = ways.pop()
            block = body[at]
            self._steps(block, group)
            if not block.ways:
                ends.append((self._phase, self._met))
                continue
            condition: Value = 1
            if len(block.ways) == 2:
                condition = group.read(block.given[0])
                if not isinstance(condition, int | list):
                    assumed = self._assumed(self._kernel.writer.values[block.given[0]], group)
                    condition = None if assumed is None else int(assumed)
            if len(block.ways) > 2 or not isinstance(condition, int | list):
                raise NotKnown
            for (to, given), part in zip(block.ways, parted(group, condition), strict=False):
                if part is not None:
                    ways.append((to, self._passed(body[to], given, part), self._phase, self._met))
        least = min((met for _, met in ends), key=len)
        self._join(ends, lambda: _branch_before(max((m for _, m in ends), key=len)[len(least)]))

    # Findings

    def unordered(self) -> tuple[Unordered, ...]:
        """Return pairs of conflicting accesses that no barrier orders, one pair for each missing barrier."""
        found: list[tuple[int, int, Unordered]] = []
        for root, accesses in self._accesses.items():
            if root not in self._lost:
                found += _races(accesses)
        kept: list[Unordered] = []
        orders: dict[Operation, list[int]] = {}
        for each in (access for accesses in self._accesses.values() for access in accesses):
            orders.setdefault(each.op, []).append(each.order)
        for first, last, race in sorted(found, key=lambda each: each[:2]):
            mended = any(first < order <= last for each in kept for order in orders[each.later])
            if not mended and len(kept) < _MOST_FOUND:
                kept.append(race)
        return tuple(kept)


def _races(accesses: Sequence[_Access]) -> Iterator[tuple[int, int, Unordered]]:
    """Yield the racing pairs of accesses to one memory, each pair of ops once.

    The two numbers are the positions of the accesses in the run."""
    unit = 0
    for access in accesses:
        unit = gcd(unit, access.length)
        for start in access.starts:
            unit = gcd(unit, *(start if isinstance(start, list) else [start]))
    if sum(len(a.threads) * len(a.starts) * (a.length // max(unit, 1)) for a in accesses) > _MOST_CELLS * 8:
        return
    seen: set[tuple[Operation, Operation]] = set()
    phases: dict[int, list[_Access]] = {}
    for access in accesses:
        phases.setdefault(access.phase, []).append(access)
    for inside in phases.values():
        if any(_writes(access) for access in inside) and any(_reads(access) for access in inside):
            if _has_owners(inside, unit):
                continue
            for first, last, race in _races_of_phase(inside, unit):
                if (race.earlier, race.later) not in seen:
                    seen.add((race.earlier, race.later))
                    yield first, last, race


def _has_owners(accesses: Sequence[_Access], unit: int) -> bool:
    """Return whether each element is accessed by only one thread: a fast path, which most kernels take.

    Also returns False for elements of different sizes, for which the check would be slow."""
    touched: set[tuple[int, int]] = set()
    for access in accesses:
        if access.length != unit:
            return False
        for start in access.starts:
            starts = start if isinstance(start, list) else [start] * len(access.threads)
            touched.update(zip(starts, access.threads, strict=True))
    return len({start for start, _ in touched}) == len(touched)


def _reads(access: _Access) -> bool:
    return access.mode in (Mode.READ, Mode.BOTH, Mode.ATOMIC)


def _writes(access: _Access) -> bool:
    return access.mode in (Mode.WRITE, Mode.BOTH, Mode.ATOMIC)


_Touch = tuple[_Access, int]


def _races_of_phase(accesses: Sequence[_Access], unit: int) -> Iterator[tuple[int, int, Unordered]]:
    reads: dict[int, list[_Touch]] = {}
    writes: dict[int, list[_Touch]] = {}
    for access in accesses:
        for thread, cells in _cells(access, unit):
            for cell in cells:
                if _reads(access):
                    own = writes.get(cell, ())
                    if not any(other == thread and not _is_atomic(by) for by, other in own):
                        yield from _pair(own, (access, thread), reads_later=True)
                if _writes(access):
                    yield from _pair(reads.get(cell, ()), (access, thread), reads_later=False)
                if _reads(access):
                    reads.setdefault(cell, []).append((access, thread))
                if _writes(access):
                    writes.setdefault(cell, []).append((access, thread))


def _is_atomic(access: _Access) -> bool:
    return access.mode is Mode.ATOMIC


def _pair(
    earlier: Sequence[_Touch], later: _Touch, *, reads_later: bool
) -> Iterator[tuple[int, int, Unordered]]:
    access, thread = later
    for before, other in earlier[:4]:
        if _is_atomic(before) and _is_atomic(access):
            continue
        if _stores_back((before if reads_later else access).op):
            continue
        if other != thread and before is not access and _may_both(before.within, access.within):
            race = Unordered(before.op, access.op, (other, thread), reads_later)
            yield before.order, access.order, race
            return


def _stores_back(op: Operation) -> bool:
    """Return whether `op` stores a value loaded from the same element, which does not change the memory."""
    loaded = op.operands[0].owner if op.name == "memref.store" else None
    return (
        isinstance(loaded, Operation)
        and loaded.name == "memref.load"
        and tuple(loaded.operands) == tuple(op.operands[1:])
    )


def _may_both(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether one path may contain two accesses, given the branches taken to reach each access."""
    return one[: len(other)] == other[: len(one)]


def _cells(access: _Access, unit: int) -> Iterator[tuple[int, range]]:
    for start in access.starts:
        for number, thread in enumerate(access.threads):
            begin = start[number] if isinstance(start, list) else start
            yield thread, range(begin // unit, (begin + access.length) // unit)


def _around(op: Operation) -> Operation:
    """Return the closest op around `op` that is not an scf.if; `op` if there is none."""
    parent = op.parent_op()
    while parent is not None and parent.name == "scf.if":
        parent = parent.parent_op()
    return parent or op


def _branch_before(op: Operation) -> Operation:
    """Return a conditional branch to the block of `op`; `op` if there is none."""
    block = op.parent_block()
    region = block.parent if block is not None else None
    for each in region.blocks if region is not None else ():
        last = each.last_op
        if last is not None and block in last.successors and len(last.successors) > 1:
            return last
    return op


_ME = -50
"""The register that contains each thread's number in the block."""
_Block.doing = {
    **DOING,
    "access": _Block.access,
    "scf.if": _Block.branch,
    "affine.if": _Block.branch,
    "scf.for": _Block.count_up,
    "affine.for": _Block.count_up,
    "barrier": _Block.barrier,
    "meet": _Block.meet,
    "shared": _Block.shared,
}
