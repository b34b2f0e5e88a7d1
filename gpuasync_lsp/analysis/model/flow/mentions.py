"""The streams and events that steps mention, as masks of their numbers, and which are live later.

The ordering of a stream that no later step mentions is irrelevant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Handle, Kind, Node, Step, bits_of

_TASKS = frozenset({Action.BEGIN_TASK, Action.END_TASK, Action.AWAIT_TASK})


class Mentioned(NamedTuple):
    """Masks of handle numbers, followed by event numbers."""

    all: int = 0
    made: int = 0
    """Streams created, and events recorded, before anything else mentions them."""

    def before(self, behind: int) -> int:
        """Return what is live before the steps if `behind` is live after them."""
        return (self.all | behind) & ~self.made


def mentioned(function: AsyncFunction, steps: Iterable[Step]) -> Mentioned:
    """Return the streams and events that `steps` mention: those their facts derive from, or refer to."""
    count, tokens = len(function.handles), function.tokens
    numbers, made, source = set[int](), set[int](), None
    for step in steps:
        action = step.action
        if action is Action.CREATE and step.handle is not None and step.handle.index not in numbers:
            made.add(step.handle.index)
        elif action is Action.RECORD and count + step.event not in numbers:
            made.add(count + step.event)
        for handle in (step.handle, step.other, *step.behind):
            if handle is not None:
                numbers.add(handle.index)
        if step.event >= 0:
            numbers.add(count + step.event)
            if action in _TASKS:  # The next number stands for its end.
                numbers.update(count + task + 1 for task in (step.event, *step.after))
        given = step.op.operands if action is Action.DEFINE else ()
        if step.source is not None and step.source is not source:  # A wait has a step for each of many.
            source = step.source
            given = (*source.deps, *given)
        for token in given:
            if (known := tokens.get(token)) is not None:
                numbers.add(known.index)
    return Mentioned(mask_of(numbers), mask_of(made))


def mask_of(numbers: Iterable[int]) -> int:
    """Return the mask with the bits of these numbers."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def by_other_names(function: AsyncFunction) -> int:
    """Return the handles that may be mentioned under another name, so that no part can own them."""
    found = set[int]()
    for handle in function.handles:
        if handle.kind is Kind.OPAQUE:
            found.add(handle.index)
            found.update(
                each.index for each in (*handle.members, *handle.sources) if isinstance(each, Handle)
            )
    for node in function.nodes:
        for edge in node.edges:
            found.update(handle.index for pair in edge.passes for handle in pair)
    return mask_of(found)


def mentioned_after(nodes: Sequence[Node], parts: Mapping[Node, Mentioned], always: int) -> dict[Node, int]:
    """Return the live-out mask of each node: `always`, and what a later step uses without defining it."""
    before = {node: part.before(always) | always for node, part in parts.items()}
    behind = dict.fromkeys(nodes, always)
    changed = True
    while changed:
        changed = False
        for node in reversed(nodes):
            mask = always
            for edge in node.edges:
                mask |= before[edge.target]
            if mask != behind[node]:
                behind[node] = mask
                before[node] = parts[node].before(mask) | always
                changed = True
    return behind


def of_one_node(parts: Mapping[Node, Mentioned], always: int) -> dict[Node, list[int]]:
    """Return the streams and events that only the node that creates them mentions.

    Facts about those that are destroyed at its end are dead, and paths that differ in nothing else join
    quickly."""
    once = twice = 0
    for part in parts.values():
        twice |= once & part.all
        once |= part.all
    return {node: [*bits_of(made)] for node, part in parts.items() if (made := part.made & ~twice & ~always)}
