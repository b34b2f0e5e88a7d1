"""Determines whether a regular expression can backtrack for longer than linear time.

A pattern becomes an automaton of positions by Glushkov's construction: one position for each character
class it can consume. Python's matcher tries the paths through it one after the other, so its worst case
is the number of paths for one text. It is exponential if a position can return to itself in two ways
over the same text, and polynomial if one text leads from a position to itself, from it to another one,
and from that to itself (A. Weber and H. Seidl, On the degree of ambiguity of finite automata, 1991). A
search tries each offset of the text, which is modeled by one more position at the start that consumes
every character. A lookahead is matched again each time it is reached: its positions form a branch that
accepts nothing.

A path counts only if the rest can fail: a matcher that always reaches a match never backtracks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from re import _constants as names  # pyright: ignore
from re import _parser as parser  # pyright: ignore
from typing import Any, NamedTuple

BEGIN, END = "begin", "end"
_SAMPLES = [chr(code) for code in range(128)] + list("\x85\xa0\xe9\u0660\u2028\ufeff\U0001f600")
_EVERYTHING = frozenset([*_SAMPLES, BEGIN, END])
_WORD = frozenset(c for c in _SAMPLES if re.fullmatch(r"\w", c))
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset(c for c in _SAMPLES if re.fullmatch(r"\d", c)),
    "CATEGORY_SPACE": frozenset(c for c in _SAMPLES if re.fullmatch(r"\s", c)),
    "CATEGORY_WORD": _WORD,
}
_COPIES = 8
"""A repetition with a higher bound counts as unbounded."""


class Unsupported(ValueError):
    """Raised for a pattern with a feature that no pattern of the package may use."""


class _Step(NamedTuple):
    """A step that consumes no character, with the characters that may precede and follow it."""

    target: int
    behind: frozenset[str] = _EVERYTHING
    ahead: frozenset[str] = _EVERYTHING
    is_certain: bool = True
    """False for a lookahead of several characters, which may reject."""


class _Builder:
    """Builds nodes and the steps between them from a parsed pattern."""

    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.steps: list[list[_Step]] = []
        self.classes: dict[int, tuple[frozenset[str], int]] = {}
        """For each node that consumes a character: the possible characters, and the next node."""

    def node(self) -> int:
        self.steps.append([])
        return len(self.steps) - 1

    def step(self, start: int, end: int, **guards: frozenset[str] | bool) -> None:
        self.steps[start].append(_Step(end, **guards))  # pyright: ignore

    def sequence(self, pattern: Iterable[tuple[object, object]], start: int) -> int:
        for op, argument in pattern:
            start = self.one(str(op), argument, start)
        return start

    def one(self, op: str, argument: object, start: int) -> int:
        chars = self.char_class(op, argument)
        if chars is not None:
            end = self.node()
            consuming = self.node()
            self.step(start, consuming)
            self.classes[consuming] = (chars, end)
            return end
        match op, argument:
            case "BRANCH", (_, branches):
                end = self.node()
                for branch in branches:
                    self.step(self.sequence(branch, self.node_behind(start)), end)
                return end
            case "SUBPATTERN", (_, _, _, inner):
                return self.sequence(inner, start)
            case "MAX_REPEAT" | "MIN_REPEAT", (low, high, inner):
                return self.repeat(low, high, inner, start)
            case "AT", place:
                return self.at(str(place), start)
            case "ASSERT" | "ASSERT_NOT", (direction, inner):
                return self.look(op == "ASSERT", direction, inner, start)
            case _:
                raise Unsupported(op)

    def node_behind(self, start: int) -> int:
        node = self.node()
        self.step(start, node)
        return node

    def repeat(self, low: int, high: int | object, inner: Iterable[tuple[object, object]], start: int) -> int:
        bound = high if isinstance(high, int) and high is not names.MAXREPEAT and high <= _COPIES else None
        for _ in range(min(low, _COPIES) - (bound is None and low > 0)):
            start = self.sequence(inner, start)
        if bound is None:
            loop = self.node_behind(start)
            end = self.sequence(inner, self.node_behind(loop))
            self.step(end, loop)
            after = self.node()
            self.step(end if low else loop, after)
            return after
        end = self.node()
        self.step(start, end)
        for _ in range(bound - low):
            start = self.sequence(inner, start)
            self.step(start, end)
        return end

    def at(self, place: str, start: int) -> int:
        end = self.node()
        line = bool(self.flags & re.MULTILINE)
        match place:
            case "AT_BEGINNING" | "AT_BEGINNING_STRING":
                self.step(
                    start,
                    end,
                    behind=frozenset([BEGIN, "\n"] if line and place == "AT_BEGINNING" else [BEGIN]),
                )
            case "AT_END":
                self.step(start, end, ahead=frozenset([END, "\n"]), is_certain=line)
            case "AT_END_STRING":
                self.step(start, end, ahead=frozenset([END]))
            case "AT_BOUNDARY":
                self.step(start, end, behind=_WORD, ahead=_EVERYTHING - _WORD)
                self.step(start, end, behind=_EVERYTHING - _WORD, ahead=_WORD)
            case _:
                raise Unsupported(place)
        return end

    def look(self, wanted: bool, direction: int, inner: Iterable[tuple[object, object]], start: int) -> int:
        end = self.node()
        one = self.one_character(list(inner))
        if one is not None:
            allowed = one if wanted else _EVERYTHING - one
            self.step(start, end, **{"ahead" if direction > 0 else "behind": allowed})
        elif direction < 0:
            self.step(start, end, is_certain=False)  # It has a fixed width, so nothing in it repeats.
        else:
            self.sequence(inner, self.node_behind(start))
            self.step(start, end, is_certain=False)
        return end

    def one_character(self, pattern: list[tuple[object, object]]) -> frozenset[str] | None:
        """Return the characters that a lookahead of one character allows; None if it is longer."""
        if len(pattern) != 1:
            return None
        op, argument = str(pattern[0][0]), pattern[0][1]
        match op, argument:
            case "SUBPATTERN", (_, _, _, inner):
                return self.one_character(list(inner))
            case "BRANCH", (_, branches):
                found = [self.one_character(list(branch)) for branch in branches]
                known = [one for one in found if one is not None]
                return frozenset[str]().union(*known) if len(known) == len(found) else None
            case "AT", place if str(place) == "AT_END_STRING":
                return frozenset([END])
            case _:
                return self.char_class(op, argument)

    def char_class(self, op: str, argument: object) -> frozenset[str] | None:
        match op, argument:
            case "LITERAL", int(code):
                return frozenset(self.cases(chr(code)))
            case "NOT_LITERAL", int(code):
                return frozenset(_SAMPLES) - frozenset(self.cases(chr(code)))
            case "ANY", _:
                return frozenset(_SAMPLES) - (frozenset() if self.flags & re.DOTALL else frozenset("\n"))
            case "IN", list(parts):
                found: frozenset[str] = frozenset()
                negated = False
                for kind, value in parts:
                    match str(kind), value:
                        case "NEGATE", _:
                            negated = True
                        case "LITERAL", code:
                            found |= frozenset(self.cases(chr(code)))
                        case "RANGE", (low, high):
                            found |= {
                                c for c in _SAMPLES if any(low <= ord(d) <= high for d in self.cases(c))
                            }
                        case "CATEGORY", category:
                            name = str(category).replace("_NOT_", "_")
                            known = _CATEGORIES[name]
                            found |= known if name == str(category) else frozenset(_SAMPLES) - known
                        case _:
                            raise Unsupported(str(kind))
                return frozenset(_SAMPLES) - found if negated else found
            case _:
                return None

    def cases(self, character: str) -> set[str]:
        return {character.lower(), character.upper()} if self.flags & re.IGNORECASE else {character}


class _Follow(NamedTuple):
    """A way from one position to the next, or to the end of the pattern (`target` is None)."""

    target: int | None
    behind: frozenset[str]
    ahead: frozenset[str]
    is_certain: bool


State = tuple[int, int]
"""A position, and the index of the class of the character that it has just consumed."""


class Automaton:
    """The automaton of one pattern; states are positions with the class of the character they consumed."""

    def __init__(self, pattern: str, flags: int, *, is_searched: bool) -> None:
        tree = parser.parse(pattern, flags & ~re.DEBUG)
        builder = _Builder(tree.state.flags | flags)
        first = builder.node()
        self._accept = builder.sequence(tree, first)
        self._builder = builder
        self._classes = {node: chars for node, (chars, _) in builder.classes.items()}
        follows = {node: list(self._follow(out)) for node, (_, out) in builder.classes.items()}
        start = builder.node()
        firsts = list(self._follow(first))
        if is_searched:
            self._classes[start] = frozenset(_SAMPLES)
            follows[start] = [*firsts, _Follow(start, _EVERYTHING, _EVERYTHING, True)]
        self._atoms = self._make_atoms(follows, firsts)
        self.next: dict[State, dict[int, list[int]]] = {}
        """The positions that can consume a class next; a position occurs twice if two ways lead to it."""
        self._certain: dict[State, dict[int, set[int]]] = {}
        self._ends: dict[State, set[int]] = {}
        self._failing: dict[frozenset[State], bool] = {}
        for node, follow in follows.items():
            for atom, character in enumerate(self._atoms):
                if character in self._classes[node]:
                    self._add_state(node, atom, character, follow)

    def _follow(self, out: int) -> Iterator[_Follow]:
        """Yield each way from the node `out` to a consuming node, without passing a node twice."""
        open_ways = [(out, _EVERYTHING, _EVERYTHING, True, frozenset([out]))]
        while open_ways:
            node, behind, ahead, certain, passed = open_ways.pop()
            if node == self._accept:
                yield _Follow(None, behind, ahead, certain)
            if node in self._builder.classes:
                yield _Follow(node, behind, ahead, certain)
            for step in self._builder.steps[node]:
                if step.target not in passed and (behind & step.behind) and (ahead & step.ahead):
                    open_ways.append(
                        (
                            step.target,
                            behind & step.behind,
                            ahead & step.ahead,
                            certain and step.is_certain,
                            passed | {step.target},
                        )
                    )

    def _make_atoms(self, follows: dict[int, list[_Follow]], firsts: list[_Follow]) -> list[str]:
        """Return one character of each class that the pattern cannot distinguish, and the end."""
        sets = {*self._classes.values()}
        for follow in [*follows.values(), firsts]:
            sets |= {part for way in follow for part in (way.behind, way.ahead)}
        told_apart: dict[tuple[bool, ...], str] = {}
        for character in _SAMPLES:
            told_apart.setdefault(tuple(character in one for one in sets), character)
        return [*told_apart.values(), END]

    def _add_state(self, node: int, atom: int, character: str, follow: list[_Follow]) -> None:
        following: dict[int, list[int]] = {}
        certain: dict[int, set[int]] = {}
        ends: set[int] = set()
        for way in follow:
            if character not in way.behind:
                continue
            for other, next_character in enumerate(self._atoms):
                if next_character not in way.ahead:
                    continue
                if way.target is None:
                    if way.is_certain:
                        ends.add(other)
                elif next_character in self._classes[way.target]:
                    following.setdefault(other, []).append(way.target)
                    if way.is_certain:
                        certain.setdefault(other, set()).add(way.target)
        self.next[node, atom] = following
        self._certain[node, atom] = certain
        self._ends[node, atom] = ends

    def can_fail(self, state: State, atom: int) -> bool:
        """Return whether a text that continues with a character of `atom` can lead from `state` to no
        match."""
        # A lookahead after `state` that may reject was passed, or the matcher would not continue.
        first = frozenset((target, atom) for target in self.next[state].get(atom, ()))
        if first not in self._failing:
            self._failing[first] = self._can_fail(first)
        return self._failing[first]

    def _can_fail(self, first: frozenset[State]) -> bool:
        seen: set[frozenset[State]] = set()
        todo = [first]
        while todo:
            states = todo.pop()
            if states in seen:
                continue
            seen.add(states)
            for atom, character in enumerate(self._atoms):
                if any(atom in self._ends[one] for one in states):
                    continue
                following = frozenset(
                    (target, atom) for one in states for target in self._certain[one].get(atom, ())
                )
                if character == END or not following:
                    return True
                todo.append(following)
        return False

    def components(self, among: Callable[[State, int], bool] = lambda *_: True) -> list[set[State]]:
        """Return the strongly connected sets of states with a cycle, following the steps in `among`."""
        edges = {
            state: [
                (target, atom) for atom, targets in steps.items() if among(state, atom) for target in targets
            ]
            for state, steps in self.next.items()
        }
        return [one for one in _components(edges) if len(one) > 1 or any(s in edges[s] for s in one)]

    def exponential(self, component: set[State]) -> bool:
        """Return whether a state of `component` can return to itself in two ways over one text."""
        edges: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
        todo = [(node, node, atom) for node, atom in component]
        while todo:
            pair = todo.pop()
            if pair in edges:
                continue
            one, other, atom = pair
            edges[pair] = []
            for following, targets in self.next[one, atom].items():
                inside = [target for target in targets if (target, following) in component]
                if one == other and len(inside) != len(set(inside)):
                    return True
                for left in inside:
                    for right in self.next[other, atom].get(following, ()):
                        if (right, following) in component:
                            edges[pair].append((left, right, following))
            todo.extend(edges[pair])
        return any(
            any(one == other for one, other, _ in circle) and any(one != other for one, other, _ in circle)
            for circle in _components(edges)
        )

    def polynomial(self, first: set[State], second: set[State]) -> State | None:
        """Return a state of `second` that makes the pattern polynomial together with a state of `first`,
        or None.

        A single text must lead from the state of `first` to the one returned, and each of them to
        itself."""
        for q, atom in second:
            for p, other in first:
                if other == atom and self._is_pumped(p, q, atom, first, second):
                    return q, atom
        return None

    def _is_pumped(self, p: int, q: int, atom: int, first: set[State], second: set[State]) -> bool:
        wanted = (p, q, q, atom)
        todo = [(p, p, q, atom)]
        seen = set(todo)
        while todo:
            x, y, z, a = todo.pop()
            for b, targets in self.next[x, a].items():
                for left in set(targets):
                    if (left, b) not in first:
                        continue
                    for right in set(self.next[z, a].get(b, ())):
                        if (right, b) not in second:
                            continue
                        for middle in set(self.next[y, a].get(b, ())):
                            found = (left, middle, right, b)
                            if found == wanted:
                                return True
                            if found not in seen:
                                seen.add(found)
                                todo.append(found)
        return False

    def spelt(self, component: set[State]) -> str:
        """Return the characters of a cycle, for messages."""
        return "".join(sorted({self._atoms[atom] for _, atom in component}))


def complaint(pattern: str, flags: int, *, is_searched: bool) -> str | None:
    """Return why a pattern may take more than linear time; None if it does not.

    `is_searched` means that it is used with `search` or a similar method instead of `match`. Raises
    `Unsupported` for features with bugs in the oldest Python (possessive quantifiers, atomic groups)
    and for those that no automaton can express (backreferences).
    """
    automaton = Automaton(pattern, flags, is_searched=is_searched)
    components = automaton.components()
    for component in components:
        if automaton.exponential(component):
            return f"exponential over {automaton.spelt(component)!r}"
    # The matcher leaves a cycle at a step after which every text matches, and never backtracks into it.
    failing = automaton.components(automaton.can_fail)
    for first in components:
        for second in failing:
            if not second <= first and automaton.polynomial(first, second) is not None:
                return f"quadratic over {automaton.spelt(first)!r} and {automaton.spelt(second)!r}"
    return None


def _components(edges: dict[Any, list[Any]]) -> list[set[Any]]:
    """Return the strongly connected components of a graph, by an iterative form of Tarjan's algorithm."""
    index: dict[Any, int] = {}
    low: dict[Any, int] = {}
    stack: list[Any] = []
    on_stack: set[Any] = set()
    found: list[set[Any]] = []
    for root in edges:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(edges[root]))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: set[Any] = set()
                    while True:
                        one = stack.pop()
                        on_stack.discard(one)
                        component.add(one)
                        if one == node:
                            break
                    found.append(component)
    return found
