"""Runs lowered code on every path and reports what it does wrong with streams and events.

Its only input is the output of gpu-to-llvm: the `mgpu*` calls, launches, and the ops that pass a handle
between them. It is independent of the analysis. A stream or event is identified by the call that
created it; a value refers to an object on the current path. Every condition may go both ways, but on
one path a condition goes the same way in each test; blocks run up to three times.

The source line of a call is its location, `loc("LINE")`, which the test adds.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

VISITS = 3
FREE = 4
STATES = 6000
"""Maximum number of states of a function; one with more is skipped, and counted."""


class Fault(NamedTuple):
    """A fault that occurs on some path."""

    kind: str
    """`double`: destroyed again. `late`: used after its destruction. `event`: a stream where an event is
    expected. `stream`: an event where a stream is expected. `null`: null where an event is expected.
    `leak`: a stream alive at a return. `yield`: a stream that async.yield returns unchanged."""
    line: int
    """The line of the op at fault; for a leak, the line that creates the stream."""
    made: int
    """The line at which the stream or event was created; 0 if unknown."""


class Thing(NamedTuple):
    """An object, or a fact about a condition, by `kind`.

    Objects: a stream (`S`), an event (`E`), null (`N`), or a token of an unlowered op (`L`). Facts: the
    condition equals the number `line` (`=`), is none of the numbers in `place` (`X`), or has the truth
    value of the value `place` (`?`)."""

    kind: str
    line: int
    place: str = ""
    """The op and loop iteration that created an object."""


NULL = Thing("N", 0)


@dataclass(frozen=True)
class Op:
    """What matters about handles in one printed op."""

    name: str
    results: tuple[str, ...]
    operands: tuple[str, ...]
    line: int
    targets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    cases: tuple[int, ...] = ()
    """For a switch: the value that selects each target except the default."""


@dataclass
class Function:
    """The blocks of a function; a region of async.execute is inlined, and ends with `async.yield`."""

    name: str
    blocks: dict[str, list[Op]] = field(default_factory=dict[str, list[Op]])
    arguments: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    left: list[Op] = field(default_factory=list[Op])
    """Unlowered gpu ops."""
    lines: set[int] = field(default_factory=set[int])
    """All source lines from which its ops originate."""


@dataclass(frozen=True)
class Verdict:
    """The faults of a function."""

    faults: frozenset[Fault]
    confused: frozenset[int]
    """Lines at which objects were created that were used as the other kind: later faults are not
    comparable."""
    yielded: frozenset[Fault]
    """Streams that async.yield returns unchanged, with the line of the yield."""
    complete: bool
    ran: frozenset[int] = frozenset()
    """The source lines of ops that run on some path."""
    doubtful: frozenset[Fault] = frozenset()
    """Faults of objects that were used as the other kind: a rule may report them or not."""


_ALIAS = re.compile(r'^(#loc\d*) = loc\("([^"]*)"', re.M)
_LOC = re.compile(r' ?loc\((?:"([^"]*)"[^()]*|(#loc\d*)|unknown|fused.*|callsite.*)\)')
_VALUE = re.compile(r"%[\w#]+")
_FUNCTION = re.compile(r"^\s*(?:llvm|func)\.func @(\w+)\(.*\{$")
_LABEL = re.compile(r"^\s*\^(\w+)(?:\((.*)\))?:")
_JUMP = re.compile(r"\^(\w+)(?:\(([^:()]*) :)?")
_SWITCH = re.compile(r"llvm\.switch [^\[]*\[[^\]]*\]")
_CASE = re.compile(r"(-?\d+): \^")
_NUMBERS = ("llvm.mlir.zero", "llvm.mlir.null", "llvm.mlir.constant", "llvm.trunc", "llvm.add", "slt")
_CALL = re.compile(r"llvm\.call @(\w+)\(([^)]*)\)")


def functions(text: str) -> Iterator[Function]:
    """Yield the functions with a body in a printed module."""
    aliases = dict(_ALIAS.findall(text))
    function: Function | None = None
    block = ""
    for raw in _SWITCH.sub(lambda match: re.sub(r"\s*\n\s*", " ", match[0]), text).splitlines():
        line, at = _located(raw, aliases)
        head = _FUNCTION.match(line.rstrip())
        if head:
            function, block = Function(head[1]), "entry"
            function.blocks[block], function.arguments[block] = [], ()
        elif function is None:
            continue
        elif line.rstrip() == "  }":
            yield function
            function = None
        elif label := _LABEL.match(line):
            block = label[1]
            function.blocks[block] = []
            function.arguments[block] = tuple(_VALUE.findall(label[2] or ""))
        elif line.strip():
            op = _op(line.strip(), at)
            function.blocks[block].append(op)
            function.lines.add(at)
            if op.name.startswith("gpu.") and op.name != "gpu.launch_func":
                function.left.append(op)


def _located(raw: str, aliases: dict[str, str]) -> tuple[str, int]:
    """Remove the locations from a line; return the line and the number in the last location."""
    found = 0
    for text, alias in _LOC.findall(raw):
        name = text or aliases.get(alias, "")
        found = int(name) if name.isdigit() else 0
    return _LOC.sub("", raw), found


def _op(line: str, at: int) -> Op:
    results: tuple[str, ...] = ()
    head, equals, rest = line.partition(" = ")
    if equals and head.startswith("%"):
        results = tuple(name.split(":")[0] for name in head.split(", "))
        line = rest
    call = _CALL.match(line)
    if call:
        return Op(call[1], results, tuple(a.strip() for a in call[2].split(",") if a.strip()), at)
    name = re.match(r'[\w."]+|\}', line)
    word = name[0] if name else ""
    if word == "gpu.launch_func":
        stream = re.match(r"gpu\.launch_func\s+<(%\w+) :", line)
        return Op(word, results, (stream[1],) if stream else (), at)
    if word in ("llvm.br", "llvm.cond_br", "llvm.switch"):
        targets = tuple(
            (target, tuple(v.strip() for v in passed.split(",") if v.strip()))
            for target, passed in _JUMP.findall(line)
        )
        condition = _VALUE.match(line[len(word) + 1 :])
        cases = tuple(int(number) for number in _CASE.findall(line)) if word == "llvm.switch" else ()
        return Op(word, (), (condition[0],) if condition and word != "llvm.br" else (), at, targets, cases)
    if word == "llvm.mlir.constant":
        number = re.match(r"llvm\.mlir\.constant\((-?\d+|true|false)", line)
        return Op(word, results, (number[1] if number else "",), at)
    if word == "llvm.icmp":
        return Op(line.split('"')[1], results, tuple(_VALUE.findall(line)), at)
    if word == "async.execute" and (bound := re.search(r"\((%\w+) as (%\w+):", line)):
        return Op(word, results, (bound[1], bound[2]), at)
    return Op(word, results, tuple(_VALUE.findall(line)), at)


@dataclass(frozen=True)
class _Path:
    block: str
    at: int
    values: dict[str, Thing | int]
    dead: frozenset[Thing]
    alive: frozenset[Thing]
    visits: tuple[tuple[str, int], ...]
    free: int = 1
    """The weight of the last jump in the limit of iterations.

    High if it might have gone elsewhere, low if it followed from assumed conditions, so that such
    iterations end."""

    @property
    def key(self) -> object:
        """A key for all that determines how the path continues; visit counts only end it."""
        return self.block, self.at, frozenset(self.values.items()), self.dead, self.alive


def judge(function: Function) -> Verdict:
    """Run `function` on all its paths; return its faults."""
    return _Judge(function).run()


class _Judge:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.faults: set[Fault] = set()
        self.confused: set[int] = set()
        self.yielded: set[Fault] = set()
        self.ran: set[int] = set()
        self.live = {name: frozenset(reads) for name, reads in _live(function).items()}

    def run(self) -> Verdict:
        work = deque([_Path("entry", 0, {}, frozenset(), frozenset(), ())])
        seen: set[object] = set()
        while work and len(seen) < STATES:
            path = work.popleft()
            if path.key not in seen:
                seen.add(path.key)
                work += self.block(path)
        faults = frozenset(
            f for f in self.faults if f.kind in ("event", "stream") or f.made not in self.confused
        )
        return Verdict(
            faults,
            frozenset(self.confused),
            frozenset(self.yielded),
            not work,
            frozenset(self.ran),
            frozenset(self.faults - faults),
        )

    def block(self, path: _Path) -> list[_Path]:
        """Run a path to the end of its block; return the paths that continue it."""
        values, dead, alive = dict(path.values), set(path.dead), set(path.alive)
        visits = dict(path.visits)
        if path.at == 0:
            visits[path.block] = visits.get(path.block, 0) + 1
            choice = f"{path.block}?"
            visits[choice] = visits.get(choice, 0) + path.free
            if visits[choice] > FREE * VISITS:
                return []
        ops = self.function.blocks[path.block]
        executes: list[Op] = []
        for op in ops[: path.at]:
            if op.name == "async.execute":
                executes.append(op)
            elif op.name == "async.yield":
                executes.pop()
        for number, op in enumerate(ops[path.at :], path.at):
            self.ran.add(op.line)
            here = replace(
                path,
                values=values,
                dead=frozenset(dead),
                alive=frozenset(alive),
                visits=tuple(sorted(visits.items())),
            )
            given = [values.get(v) for v in op.operands]
            match op.name:
                case name if name in _NUMBERS:
                    self.number(op, given, values)
                case "mgpuStreamCreate" | "mgpuEventCreate":
                    kind = "S" if op.name == "mgpuStreamCreate" else "E"
                    made = Thing(kind, op.line, f"{path.block} {number} {visits[path.block]}")
                    values[op.results[0]] = made
                    alive.add(made)
                case "async.execute":
                    executes.append(op)
                    if op.operands:
                        values[op.operands[1]] = given[0] if given[0] is not None else NULL
                case "async.yield":
                    execute = executes.pop()
                    for thing in given:
                        if isinstance(thing, Thing) and thing.kind == "S":
                            self.yielded.add(Fault("yield", op.line, thing.line))
                    for result, thing in zip(execute.results[1:], given, strict=False):
                        self.hold(values, result, thing)
                case "async.await" | "builtin.unrealized_conversion_cast" | "llvm.bitcast":
                    for result, thing in zip(op.results, given, strict=False):
                        self.hold(values, result, thing)
                case "llvm.select":
                    # Continue one path for each operand that may be selected.
                    chosen = given[1:3]
                    parted: list[_Path] = []
                    for thing in chosen:
                        own = dict(values)
                        self.hold(own, op.results[0], thing)
                        parted.append(replace(here, at=number + 1, values=own))
                    return parted
                case "llvm.return":
                    for thing in alive:
                        if thing.kind == "S":
                            self.faults.add(Fault("leak", thing.line, thing.line))
                    return []
                case "llvm.br" | "llvm.cond_br" | "llvm.switch":
                    return list(self.jumps(op, here))
                case _ if op.name.startswith("gpu.") and op.name != "gpu.launch_func":
                    for result in op.results:
                        values[result] = Thing("L", op.line)
                case _:
                    self.call(op, given, values, dead, alive)
        return []

    def number(self, op: Op, given: list[Thing | int | None], values: dict[str, Thing | int]) -> None:
        """Record what an op of `_NUMBERS` implies about its result."""
        result, numbers = op.results[0], [each for each in given if isinstance(each, int)]
        match op.name:
            case "llvm.mlir.zero" | "llvm.mlir.null":
                values[result] = NULL
            case "llvm.mlir.constant":
                if op.operands[0].lstrip("-").isdigit():
                    values[result] = int(op.operands[0])
            case "llvm.trunc":
                values[result] = Thing("?", 0, op.operands[0])
            case "llvm.add":
                if len(numbers) == 2:
                    values[result] = sum(numbers)
            case _:  # slt
                values.pop(result, None)
                if len(numbers) == 2:
                    values[result] = int(numbers[0] < numbers[1])
                elif given[0] == 0:
                    values[result] = Thing("?", 0, f"0<{op.operands[1]}")

    def hold(self, values: dict[str, Thing | int], name: str, thing: Thing | int | None) -> None:
        values.pop(name, None)
        if thing is not None:
            values[name] = thing

    def jumps(self, op: Op, path: _Path) -> Iterator[_Path]:
        chosen = [self.chosen(op, number, path.values) for number in range(len(op.targets))]
        decided = len(op.targets) == 1 or isinstance(path.values.get(op.operands[0]), int)
        free = 0 if decided else FREE if len(chosen) - chosen.count(None) > 1 else 1
        for (target, passed), values in zip(op.targets, chosen, strict=True):
            if values is None:
                continue
            for name, value in zip(self.function.arguments[target], passed, strict=True):
                self.hold(values, name, path.values.get(value))
            kept = {n: thing for n, thing in values.items() if n.rpartition("<")[2] in self.live[target]}
            held = frozenset(thing for thing in kept.values() if isinstance(thing, Thing))
            # An object to which no value refers can only leak, in any iteration.
            lost = frozenset(t._replace(place="") for t in path.alive - held if t.kind == "S")
            yield replace(
                path,
                free=free,
                block=target,
                at=0,
                values=kept,
                dead=path.dead & held,
                alive=path.alive & held | lost,
            )

    def chosen(self, op: Op, number: int, values: dict[str, Thing | int]) -> dict[str, Thing | int] | None:
        """Return the facts that hold if control goes to target `number`; None if it cannot."""
        if len(op.targets) == 1:
            return dict(values)
        name = op.operands[0]
        known = values.get(name)
        if isinstance(known, Thing) and known.kind == "?":
            name, known = known.place, values.get(known.place)
        if isinstance(known, Thing) and known.kind == "=":
            known = known.line
        cases = op.cases if op.name == "llvm.switch" else (0,)
        if isinstance(known, int):
            goes = known == cases[number - 1] if number else known not in cases
            return dict(values) if goes else None
        never = set(known.place.split()) if known is not None else set[str]()
        if number:
            found = Thing("=", cases[number - 1])
            return None if str(found.line) in never else {**values, name: found}
        if op.name == "llvm.cond_br":
            return {**values, name: Thing("=", 1)}
        return {**values, name: Thing("X", 0, " ".join(sorted({*never, *map(str, cases)})))}

    def call(
        self,
        op: Op,
        given: list[Thing | int | None],
        values: dict[str, Thing | int],
        dead: set[Thing],
        alive: set[Thing],
    ) -> None:
        things = [thing if isinstance(thing, Thing) else None for thing in given]
        for result in op.results:
            values.pop(result, None)
        match op.name:
            case "mgpuStreamSynchronize" | "mgpuStreamDestroy":
                self.wants("S", things[0], op)
                if op.name.endswith("Destroy"):
                    self.destroy(things[0], op, dead, alive)
            case "mgpuEventSynchronize" | "mgpuEventDestroy":
                self.wants("E", things[0], op)
                if op.name.endswith("Destroy"):
                    self.destroy(things[0], op, dead, alive)
            case "mgpuEventRecord":
                self.enqueue(things[1], op, dead)
            case "mgpuStreamWaitEvent":
                self.enqueue(things[0], op, dead)
                self.wants("E", things[1], op)
            case "mgpuMemcpy" | "mgpuMemset32" | "mgpuMemset16" | "mgpuMemFree":
                self.enqueue(things[-1], op, dead)
            case "mgpuMemAlloc":
                self.enqueue(things[1], op, dead)
            case "mgpuLaunchKernel":
                self.enqueue(things[8], op, dead)
            case "gpu.launch_func":
                if things:
                    self.enqueue(things[0], op, dead)
            case _:
                pass

    def enqueue(self, thing: Thing | None, op: Op, dead: set[Thing]) -> None:
        self.wants("S", thing, op)
        if thing is not None and thing in dead:
            self.faults.add(Fault("late", op.line, thing.line))

    def destroy(self, thing: Thing | None, op: Op, dead: set[Thing], alive: set[Thing]) -> None:
        if thing is None or thing.kind not in "SE":
            return
        if thing in dead:
            self.faults.add(Fault("double", op.line, thing.line))
        dead.add(thing)
        alive.discard(thing)

    def wants(self, kind: str, thing: Thing | None, op: Op) -> None:
        if thing is None or thing.kind in (kind, "L"):
            return
        if thing.kind == "N":
            if kind == "E":
                self.faults.add(Fault("null", op.line, 0))
            return
        self.faults.add(Fault("event" if kind == "E" else "stream", op.line, thing.line))
        self.confused.add(thing.line)


def _live(function: Function) -> dict[str, set[str]]:
    """Return for each block the values that it or a later block reads; paths need not differ in others."""
    reads: dict[str, set[str]] = {}
    follows: dict[str, list[str]] = {}
    for name, ops in function.blocks.items():
        reads[name] = {v for op in ops for v in (*op.operands, *(a for _, p in op.targets for a in p))}
        follows[name] = [target for op in ops for target, _ in op.targets]
    changed = True
    while changed:
        changed = False
        for name, targets in follows.items():
            more = set[str]().union(*(reads[t] for t in targets)) - reads[name] if targets else set[str]()
            if more:
                reads[name] |= more
                changed = True
    return reads
