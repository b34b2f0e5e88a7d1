"""Random programs whose helpers conditionally free and use buffers, and whether they are wrong for any
input.

All conditions depend on arguments, so running a program for each combination of their values shows
exactly whether a buffer is used, or freed again, after it was freed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

KIND = "memref<64xf32>"
INPUTS = 3
BUFFERS = 2


@dataclass(frozen=True)
class Condition:
    """An i1: an argument or a constant, negated or not."""

    argument: int | None
    value: bool
    """Whether the argument is not negated; without an argument, the value of the constant."""

    def holds(self, given: Sequence[bool]) -> bool:
        """Return the value of the condition for the arguments `given`."""
        return self.value if self.argument is None else given[self.argument] is self.value


@dataclass(frozen=True)
class Use:
    """A write to a buffer."""

    buffer: int


@dataclass(frozen=True)
class Free:
    """A free of one of two buffers, depending on a condition; the two may be the same."""

    when: Condition
    buffers: tuple[int, int]


@dataclass(frozen=True)
class If:
    """A branch on a condition."""

    when: Condition
    then: list[Statement]
    otherwise: list[Statement]


@dataclass(frozen=True)
class Call:
    """A call of a helper."""

    helper: Helper
    conditions: list[Condition]
    buffers: list[int]


Statement = Use | Free | If | Call


@dataclass
class Helper:
    """A function with conditions and buffers as arguments, which may return early."""

    name: str
    conditions: int
    buffers: int
    returns_early: bool
    body: list[Statement] = field(default_factory=list["Statement"])


class Program:
    """One program: helpers, and a function that calls them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0
        self.helpers: list[Helper] = []
        for number in range(self._random.randint(1, 3)):
            sizes = self._random.randint(1, 2), self._random.randint(1, BUFFERS)
            helper = Helper(f"h{number}", *sizes, self._random.random() < 0.3)
            helper.body = self._body(*sizes, size=2)
            self.helpers.append(helper)
        self.main = self._body(INPUTS, BUFFERS, size=4)

    def faults(self, body: list[Statement], conditions: int, buffers: int) -> bool:
        """Return whether a buffer is used or freed after it was freed, for some arguments."""
        inputs = product((False, True), repeat=conditions)
        return any(_run(body, given, range(buffers), set()) for given in inputs)

    @property
    def is_wrong(self) -> bool:
        """Whether the calling function is wrong for some arguments, although each helper is correct."""
        return self.faults(self.main, INPUTS, BUFFERS) and not any(
            self.faults(helper.body, helper.conditions, helper.buffers) for helper in self.helpers
        )

    @property
    def text(self) -> str:
        """The text of the program; the last function is the one that calls the helpers."""
        lines: list[str] = []
        for helper in self.helpers:
            lines.append(
                f"func.func private @{helper.name}({_parameters(helper.conditions, helper.buffers)}) {{"
            )
            if helper.returns_early:
                lines += ["  cf.cond_br %c0, ^go, ^end", "^go:"]
            self._write(helper.body, "  ", lines)
            lines += ["  return", *(["^end:", "  return"] if helper.returns_early else []), "}"]
        lines.append(f"func.func @main({_parameters(INPUTS, BUFFERS)}) {{")
        self._write(self.main, "  ", lines)
        return "\n".join((*lines, "  return", "}", ""))

    def _condition(self, arguments: int) -> Condition:
        value = self._random.random() < 0.65
        return Condition(None if self._random.random() < 0.1 else self._random.randrange(arguments), value)

    def _body(self, conditions: int, buffers: int, size: int, depth: int = 0) -> list[Statement]:
        found: list[Statement] = []
        known = [helper for helper in self.helpers if helper.buffers <= buffers]
        for _ in range(self._random.randint(1, size)):
            kind = self._random.random()
            if kind < 0.25:
                found.append(Use(self._random.randrange(buffers)))
            elif kind < 0.45:
                both = self._random.randrange(buffers), self._random.randrange(buffers)
                found.append(Free(self._condition(conditions), both))
            elif kind < 0.75 and known:
                helper = self._random.choice(known)
                flags = [self._condition(conditions) for _ in range(helper.conditions)]
                found.append(Call(helper, flags, self._random.sample(range(buffers), helper.buffers)))
            elif depth < 2:
                inner = [self._body(conditions, buffers, 2, depth + 1) for _ in range(2)]
                found.append(If(self._condition(conditions), *inner))
        return found

    def _write(self, body: list[Statement], indent: str, lines: list[str]) -> None:
        for each in body:
            match each:
                case Use(buffer):
                    lines.append(f"{indent}gpu.memset %p{buffer}, %f : {KIND}, f32")
                case Free(when, (one, other)):
                    name = f"%p{one}"
                    if one != other:
                        flag, name = self._flag(when, indent, lines), self._name()
                        lines.append(f"{indent}{name} = arith.select {flag}, %p{one}, %p{other} : {KIND}")
                    lines.append(f"{indent}gpu.dealloc {name} : {KIND}")
                case If(when, then, otherwise):
                    lines.append(f"{indent}scf.if {self._flag(when, indent, lines)} {{")
                    self._write(then, indent + "  ", lines)
                    lines.append(f"{indent}}} else {{")
                    self._write(otherwise, indent + "  ", lines)
                    lines.append(f"{indent}}}")
                case Call(helper, conditions, buffers):
                    flags = [self._flag(when, indent, lines) for when in conditions]
                    given = ", ".join((*flags, *(f"%p{buffer}" for buffer in buffers), "%f"))
                    kinds = ", ".join(("i1",) * len(flags) + (KIND,) * len(buffers) + ("f32",))
                    lines.append(f"{indent}func.call @{helper.name}({given}) : ({kinds}) -> ()")

    def _flag(self, when: Condition, indent: str, lines: list[str]) -> str:
        if when.argument is not None and when.value:
            return f"%c{when.argument}"
        name = self._name()
        is_constant = when.argument is None
        lines.append(f"{indent}{name} = arith.constant {str(when.value or not is_constant).lower()}")
        if is_constant:
            return name
        lines.append(f"{indent}{name}n = arith.xori %c{when.argument}, {name} : i1")
        return f"{name}n"

    def _name(self) -> str:
        self._names += 1
        return f"%v{self._names}"


def _parameters(conditions: int, buffers: int) -> str:
    flags = [f"%c{number}: i1" for number in range(conditions)]
    return ", ".join((*flags, *(f"%p{number}: {KIND}" for number in range(buffers)), "%f: f32"))


def _run(body: list[Statement], given: Sequence[bool], buffers: Sequence[int], freed: set[int]) -> bool:
    """Apply the effect of `body` to `freed`; return whether a freed buffer was used or freed again."""
    wrong = False
    for each in body:
        match each:
            case Use(buffer):
                wrong |= buffers[buffer] in freed
            case Free(when, (one, other)):
                buffer = buffers[one if when.holds(given) else other]
                wrong |= buffer in freed
                freed.add(buffer)
            case If(when, then, otherwise):
                wrong |= _run(then if when.holds(given) else otherwise, given, buffers, freed)
            case Call(helper, conditions, chosen):
                flags = [when.holds(given) for when in conditions]
                if not helper.returns_early or flags[0]:
                    wrong |= _run(helper.body, flags, [buffers[number] for number in chosen], freed)
    return wrong
