r"""The probes of facts: a small text, the mlir-opt arguments to run it with, and patterns for the output.

They are in `probes/*.mlir`, separated by `// -----`. Each begins with

    // FACT greedy_prepass: --gpu-to-llvm
    // FALSE: gpu\.alloc

and one or more readings, `// VALUE: PATTERN`, tried in this order. The value of the fact is that of the first
pattern found in the answer: a line `exit 0`, `exit 1` or `crash`, followed by the output. With TRUE or FALSE
alone, the fact has the other value if the pattern is not found; any other value is a Python literal.

A fact that is a set of names is probed per name: `// HAS NAME NAME: PATTERN` and a text for each, in which
`NAME` is replaced, as in the pattern; the set contains the names for which the pattern is found.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

from tools.release.asking import Command, run

FOLDER = Path(__file__).with_name("probes")
_FACT = re.compile(r"// FACT (\w+):(.*)")
_READING = re.compile(r"// (\S.*?|''): (\S.*)")
_HAS = re.compile(r"// HAS (\S.*?): (\S.*)")
_NO_PASS = re.compile(r"does not refer to a registered pass|[Uu]nknown command line argument")
_WORDS = {"TRUE": True, "FALSE": False}
_LACKS_PASS = "this build lacks the pass"


class Probe(NamedTuple):
    """A text and the patterns by which an mlir-opt shows the value of a fact."""

    fact: str
    arguments: Sequence[str]
    readings: Sequence[tuple[Any, re.Pattern[str]]]
    text: str
    members: Sequence[tuple[str, re.Pattern[str], str]] = ()
    """For a fact that is a set: each possible name, with the pattern that confirms it and the text to run."""

    def values(self) -> set[Any]:
        """Return the values that the probe can measure; for a set, its possible names."""
        values = {name for name, _, _ in self.members} or {value for value, _ in self.readings}
        return {True, False} if values in ({True}, {False}) else values

    def measure(self, command: Command) -> tuple[Any, str]:
        """Return the measured value and an empty text, or None and the reason why it could not be
        determined."""
        if self.members:
            return self._measure_members(command)
        answer = self._ask(command, self.text)
        if answer is None:
            return None, _LACKS_PASS
        for value, pattern in self.readings:
            if pattern.search(answer):
                return value, ""
        if len(self.readings) == 1 and isinstance(self.readings[0][0], bool):
            return not self.readings[0][0], ""
        return None, f"no reading fits: {answer[:200]}"

    def _measure_members(self, command: Command) -> tuple[Any, str]:
        found: set[str] = set()
        for name, pattern, text in self.members:
            answer = self._ask(command, text)
            if answer is None:
                return None, _LACKS_PASS
            if pattern.search(answer):
                found.add(name)
        return frozenset(found), ""

    def _ask(self, command: Command, text: str) -> str | None:
        """Return how an mlir-opt ended on `text`, followed by its output; None if it lacks the pass."""
        done = run(command, text, *self.arguments)
        if _NO_PASS.search(done.stderr):
            return None
        is_crash = done.returncode < 0 or done.returncode >= 128
        return f"{'crash' if is_crash else f'exit {done.returncode}'}\n{done.stdout}\n{done.stderr}"


def probes() -> Mapping[str, Probe]:
    """Return the probes by fact. Raises ValueError for an invalid probe, or a second one for a fact."""
    found: dict[str, Probe] = {}
    for path in sorted(FOLDER.glob("*.mlir")):
        for part in path.read_text("utf-8").split("// -----\n"):
            probe = _probe(part.strip("\n"), path)
            if probe.fact in found:
                raise ValueError(f"{path}: a second probe of {probe.fact}")
            found[probe.fact] = probe
    return found


def _probe(text: str, path: Path) -> Probe:
    head, *lines = text.splitlines()
    fact = _FACT.fullmatch(head)
    if fact is None:
        raise ValueError(f"{path}: a probe begins with `// FACT NAME: ARGUMENTS`, not with {head!r}")
    if lines and _HAS.fullmatch(lines[0]):
        return Probe(fact[1], shlex.split(fact[2]), (), "", [*_members(lines)])
    readings: list[tuple[Any, re.Pattern[str]]] = []
    while lines and (reading := _READING.fullmatch(lines[0])) is not None:
        value = _WORDS[reading[1]] if reading[1] in _WORDS else _literal(reading[1])
        readings.append((value, re.compile(reading[2])))
        del lines[0]
    if not readings:
        raise ValueError(f"{path}: the probe of {fact[1]} has no value with an expected reading")
    return Probe(fact[1], shlex.split(fact[2]), readings, "\n".join(lines) + "\n")


def _members(lines: Sequence[str]) -> Iterator[tuple[str, re.Pattern[str], str]]:
    begins = [number for number, line in enumerate(lines) if _HAS.fullmatch(line)]
    for begin, end in pairwise([*begins, len(lines)]):
        names, pattern = cast("re.Match[str]", _HAS.fullmatch(lines[begin])).groups()
        text = "\n".join(lines[begin + 1 : end]) + "\n"
        for name in names.split():
            yield name, re.compile(pattern.replace("NAME", re.escape(name))), text.replace("NAME", name)


def _literal(text: str) -> Any:
    value = ast.literal_eval(text)
    return frozenset(value) if isinstance(value, set) else value
