r"""The probes next to the facts: a small text, what mlir-opt is asked of it, and how the answer is read.

They are in `probes/*.mlir`, separated by `// -----`. Each begins with

    // FACT greedy_prepass: --gpu-to-llvm
    // FALSE: gpu\.alloc

and one or more readings, `// VALUE: PATTERN`, tried in this order. The value is that of the first pattern
that is found in the answer: a line `exit 0`, `exit 1` or `crash`, then what was printed. With TRUE or FALSE
alone the value is the other one where the pattern is not found; any other value is a Python literal.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.release.asking import Command, run

FOLDER = Path(__file__).with_name("probes")
_FACT = re.compile(r"// FACT (\w+):(.*)")
_READING = re.compile(r"// (\S.*?|''): (\S.*)")
_NO_PASS = re.compile(r"does not refer to a registered pass|[Uu]nknown command line argument")
_WORDS = {"TRUE": True, "FALSE": False}


class Probe(NamedTuple):
    """How an mlir-opt is asked for the value of a fact."""

    fact: str
    arguments: Sequence[str]
    readings: Sequence[tuple[Any, re.Pattern[str]]]
    text: str

    def measure(self, command: Command) -> tuple[Any, str]:
        """Return the value that an mlir-opt shows, and why there is none: an empty text if there is one."""
        done = run(command, self.text, *self.arguments)
        if _NO_PASS.search(done.stderr):
            return None, "this build lacks the pass"
        is_crash = done.returncode < 0 or done.returncode >= 128
        answer = f"{'crash' if is_crash else f'exit {done.returncode}'}\n{done.stdout}\n{done.stderr}"
        for value, pattern in self.readings:
            if pattern.search(answer):
                return value, ""
        if len(self.readings) == 1 and isinstance(self.readings[0][0], bool):
            return not self.readings[0][0], ""
        return None, f"no reading fits: {answer[:200]}"


def probes() -> Mapping[str, Probe]:
    """Return the probes by fact. Raises ValueError for a text that is none, or a second one of a fact."""
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
    readings: list[tuple[Any, re.Pattern[str]]] = []
    while lines and (reading := _READING.fullmatch(lines[0])) is not None:
        value = _WORDS[reading[1]] if reading[1] in _WORDS else _literal(reading[1])
        readings.append((value, re.compile(reading[2])))
        del lines[0]
    if not readings:
        raise ValueError(f"{path}: the probe of {fact[1]} has no value with an expected reading")
    return Probe(fact[1], shlex.split(fact[2]), readings, "\n".join(lines) + "\n")


def _literal(text: str) -> Any:
    if text.startswith("{"):
        return frozenset(ast.literal_eval(text))
    return ast.literal_eval(text)
