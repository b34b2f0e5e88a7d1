"""An independent judge: runs the runtime calls of lowered code on every path and says what goes wrong.

It reads what mlir-opt printed after gpu-to-llvm, line by line, and knows nothing of the analysis. Streams and
events are objects; a handle is whatever object the call that made it returned, followed through branches,
selects and async regions. Loops run up to twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

_FUNCTION = re.compile(r"^  (?:llvm\.func|func\.func) @(\w+)\((.*)\).*\{$")
_LABEL = re.compile(r"^\s*\^(\w+)(?:\((.*)\))?:")
_ARGUMENT = re.compile(r"(%\w+)\s*:")
_CALL = re.compile(r"^\s*(?:(%\w+) = )?llvm\.call @(mgpu\w+)\((.*?)\) :")
_LAUNCH = re.compile(r"^\s*gpu\.launch_func\s+<(%\w+) :")
_SELECT = re.compile(r"^\s*(%\w+) = llvm\.select %\w+, (%\w+), (%\w+)")
_CAST = re.compile(r"^\s*(%\w+) = builtin\.unrealized_conversion_cast (%[\w#]+) :")
_JUMP = re.compile(r"\^(\w+)(?:\(([^:()]*):[^()]*\))?")
_EXECUTE = re.compile(r"^\s*%\w+, (%\w+) = async\.execute")
_YIELD = re.compile(r"^\s*async\.yield (%\w+)")
_AWAIT = re.compile(r"^\s*(%\w+) = async\.await (%\w+)")
_STREAM_CALLS = ("mgpuMemset32", "mgpuMemset16", "mgpuMemcpy", "mgpuMemAlloc", "mgpuMemFree")
_VISITS = 3
_PATHS = 4000


@dataclass
class Function:
    """The blocks of one lowered function, each a list of lines."""

    name: str
    blocks: dict[str, list[str]] = field(default_factory=dict)
    arguments: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One path so far."""

    block: str
    values: dict[str, str]
    """What each SSA value is: `S0`, `E1`."""
    dead: frozenset[str]
    made: int
    visits: dict[str, int]
    streams: frozenset[str] = frozenset()
    """Streams created so far."""
    given: tuple[str, ...] = ()


def functions(lowered: str) -> list[Function]:
    """Split printed IR into its functions with a body."""
    found: list[Function] = []
    current: Function | None = None
    block = ""
    for line in lowered.split("\n"):
        head = _FUNCTION.match(line)
        if head:
            current, block = Function(head[1]), "bb0"
            current.blocks[block] = []
            current.arguments[block] = []
            found.append(current)
        elif line == "  }":
            current = None
        elif current is not None:
            label = _LABEL.match(line)
            if label:
                block = label[1]
                current.blocks[block] = []
                current.arguments[block] = _ARGUMENT.findall(label[2] or "")
            else:
                current.blocks[block].append(line)
    return found


def hazards(function: Function) -> set[str]:
    """Return what goes wrong on some path: `double`, `late`, `confused`, `leak`."""
    found: set[str] = set()
    work = [Run("bb0", {}, frozenset(), 0, {})]
    count = 0
    while work and count < _PATHS:
        count += 1
        run = work.pop()
        work += _block(function, run, found)
    return found


def _block(function: Function, run: Run, found: set[str]) -> list[Run]:
    visits = dict(run.visits)
    visits[run.block] = visits.get(run.block, 0) + 1
    if visits[run.block] > _VISITS:
        return []
    values = dict(run.values)
    values.update(zip(function.arguments[run.block], run.given, strict=False))
    dead = set(run.dead)
    made = run.made
    streams = set(run.streams)
    execute: list[str] = []
    for line in function.blocks[run.block]:
        if match := _EXECUTE.match(line):
            execute.append(match[1])
        elif match := _YIELD.match(line):
            values[execute.pop()] = values.get(match[1], "")
        elif match := _AWAIT.match(line):
            values[match[1]] = values.get(match[2], "")
        elif match := _SELECT.match(line):
            # Either may be chosen: the paths part here.
            rest = function.blocks[run.block]
            name = f"{run.block}@{rest.index(line)}"
            function.blocks[name] = rest[rest.index(line) + 1 :]
            function.arguments[name] = [match[1]]
            here = replace(run, block=name, values=values, dead=frozenset(dead), made=made, visits=visits)
            here = replace(here, streams=frozenset(streams))
            return [replace(here, given=(values.get(v, ""),)) for v in (match[2], match[3])]
        elif match := _CAST.match(line):
            values[match[1]] = values.get(match[2], "")
        elif match := _LAUNCH.match(line):
            _use_stream(values.get(match[1], ""), dead, found)
        elif match := _CALL.match(line):
            arguments = [a.strip() for a in match[3].split(",") if a.strip()]
            given = [values.get(a, "") for a in arguments]
            if match[2] in ("mgpuStreamCreate", "mgpuEventCreate"):
                kind = "S" if match[2] == "mgpuStreamCreate" else "E"
                values[match[1]] = f"{kind}{made}"
                streams |= {f"{kind}{made}"} if kind == "S" else set()
                made += 1
            else:
                _call(match[2], given, dead, found)
        elif "llvm.return" in line:
            if streams - dead:
                found.add("leak")
            return []
        elif "llvm.br" in line or "llvm.cond_br" in line or "llvm.switch" in line or "cf." in line:
            following: list[Run] = []
            for target, passed in _JUMP.findall(line):
                given = tuple(values.get(a.strip(), "") for a in passed.split(",")) if passed else ()
                following.append(
                    Run(target, values, frozenset(dead), made, visits, frozenset(streams), given)
                )
            return following
    return []


def _call(name: str, given: list[str], dead: set[str], found: set[str]) -> None:
    if name in _STREAM_CALLS:
        stream = next((v for v in reversed(given) if v), "")
        _use_stream(stream, dead, found)
    elif name in ("mgpuStreamSynchronize", "mgpuStreamDestroy"):
        _confuse(given[0], "S", found)
        if name.endswith("Destroy"):
            _destroy(given[0], dead, found)
    elif name in ("mgpuEventSynchronize", "mgpuEventDestroy"):
        _confuse(given[0], "E", found)
        if name.endswith("Destroy"):
            _destroy(given[0], dead, found)
    elif name == "mgpuEventRecord":
        _confuse(given[1], "S", found)
        if given[1] in dead:
            found.add("late")
    elif name == "mgpuStreamWaitEvent":
        _confuse(given[0], "S", found)
        _confuse(given[1], "E", found)


def _use_stream(value: str, dead: set[str], found: set[str]) -> None:
    _confuse(value, "S", found)
    if value in dead:
        found.add("late")


def _confuse(value: str, wanted: str, found: set[str]) -> None:
    if value and not value.startswith(wanted):
        found.add("confused")


def _destroy(value: str, dead: set[str], found: set[str]) -> None:
    if not value:
        return
    if value in dead:
        found.add("double")
    dead.add(value)
