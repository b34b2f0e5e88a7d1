"""Finds accesses of a kernel that a loop repeats until another thread has written (spin loops).

These are atomic accesses that decide whether a loop exits, and plain loads in loops that only wait: such a
loop has no effects, and its exit depends on loads of the same addresses in each iteration. These plain loads
are races, but the thread must be suspended so that the race is found and the loop exits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LABEL = re.compile(r"(\"[^\"]+\"|[\w.$-]+):")
_TARGET = re.compile(r"label %(\"[^\"]+\"|[\w.$-]+)")
_NAME = re.compile(r"%(?:\"[^\"]+\"|[\w.$-]+)")
_ATOMIC = re.compile(r"\s*(%\S+) = (?:atomicrmw|cmpxchg|load atomic) ")
_COMPARED = re.compile(r"(?: addrspace\([0-9]+\))? [^ ]+ [^ ]+ %")
"""Matches the text after `ptr` in a cmpxchg that compares with a non-constant value."""
_LOAD = re.compile(r"\s*(%\S+) = load (?!atomic )")
_EFFECT = re.compile(
    r"\s*(?:store|fence|(?:%\S+ = )?(?:atomicrmw|cmpxchg|load atomic|alloca|(?:tail )?call)) "
)
_QUIET = re.compile(r" @llvm\.nvvm\.(?:membar|fence|read|nanosleep)")
"""Matches calls that are permitted in a waiting loop."""
_JOIN = re.compile(r"\s*%\S+ = phi [^\[]*\[[^\]]*\],")
"""Matches a phi, whose value may differ in the next iteration."""
_BRANCH = re.compile(r"\s*(?:br i1|switch \S+) (%\S+),")


def spinning(body: Sequence[str]) -> set[str]:
    """Return the results of the accesses that decide whether their loop exits.

    A cmpxchg that compares with a previously read value is not included: `memref.generic_atomic_rmw`
    creates such a loop, in which one thread always succeeds."""
    blocks: dict[str, list[str]] = {}
    current = blocks.setdefault("", [])
    for line in body:
        label = _LABEL.match(line)
        if label is not None:
            current = blocks.setdefault(label[1], [])
        current.append(line)
    candidates = {
        found[1]: label
        for label, lines in blocks.items()
        for line in lines
        if (found := _ATOMIC.match(line)) is not None and not _compares(line)
    }
    loads = {label for label, lines in blocks.items() if _loads_deciding([label], {label: lines})}
    if not candidates and not loads:
        return set()
    names = list(blocks)
    after = {label: {t for line in lines for t in _TARGET.findall(line)} for label, lines in blocks.items()}
    if "" in blocks and not blocks[""] and len(names) > 1:
        after[""] = {names[1]}
    reached = {label: _reached(label, after) for label in blocks}
    uses: dict[str, set[str]] = {}
    for line in body:
        result, equals, rest = line.partition(" = ")
        if equals:
            for name in _NAME.findall(rest):
                uses.setdefault(name, set()).add(result.strip())
    spins: set[str] = set()
    loops = _loops(names[0], after, reached)
    for loop in loops:
        if loop & loads and not any(
            _EFFECT.match(line) and not _QUIET.search(line) for b in loop for line in blocks[b]
        ):
            leaving = [label for label in loop if after[label] - loop]
            spins |= _loads_deciding(leaving, {label: blocks[label] for label in loop})
    for result, label in candidates.items():
        depends = _reached(result, uses) | {result}
        around = {other for other in reached[label] if label in reached[other]}
        for loop in (around, *(each for each in loops if label in each)):
            for other in loop:
                branches = (match[1] for line in blocks[other] if (match := _BRANCH.match(line)) is not None)
                if after[other] - loop and any(name in depends for name in branches):
                    spins.add(result)
    return spins


def _loads_deciding(leaving: Sequence[str], blocks: dict[str, list[str]]) -> set[str]:
    """Return the loads that decide the branches of the blocks in `leaving`, within `blocks`.

    Empty if the branches also depend on a value that may differ in the next iteration."""
    made = {
        line.partition(" = ")[0].strip(): line for lines in blocks.values() for line in lines if " = " in line
    }
    loads: set[str] = set()
    for label in leaving:
        for line in blocks[label]:
            branch = _BRANCH.match(line)
            if branch is None:
                continue
            uses = {name: set(_NAME.findall(made[name].partition(" = ")[2])) for name in made}
            decides = _reached(branch[1], uses) | {branch[1]}
            if any(_JOIN.match(made[name]) for name in decides if name in made):
                return set()
            loads |= {name for name in decides if name in made and _LOAD.match(made[name])}
    return loads


def _loops(entry: str, after: dict[str, set[str]], reached: dict[str, set[str]]) -> list[set[str]]:
    """Return the blocks of each natural loop; loops with the same header are merged."""
    before: dict[str, set[str]] = {}
    for label, targets in after.items():
        for target in targets:
            before.setdefault(target, set()).add(label)
    loops: dict[str, set[str]] = {}
    for head in after:
        ends = {each for each in before.get(head, ()) if each == head or each in reached[head]}
        without = {label: targets - {head} for label, targets in after.items()} if ends else {}
        passing = _reached(entry, without) if ends and head != entry else set[str]()
        for end in ends - passing:
            back = {label: labels for label, labels in before.items() if label != head}
            loops.setdefault(head, {head}).update({end} | _reached(end, back))
    return list(loops.values())


def _reached(start: str, edges: dict[str, set[str]]) -> set[str]:
    """Return the nodes that are reachable from `start` by at least one edge."""
    seen: set[str] = set()
    pending = list(edges.get(start, ()))
    while pending:
        each = pending.pop()
        if each not in seen:
            seen.add(each)
            pending += edges.get(each, ())
    return seen


def _compares(line: str) -> bool:
    """Return whether a cmpxchg compares with a computed value."""
    return _COMPARED.match(line.partition("cmpxchg ")[2].partition("ptr")[2]) is not None
