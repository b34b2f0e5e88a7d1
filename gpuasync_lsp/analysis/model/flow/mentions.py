"""The streams and events that steps mention, as masks, and liveness of streams and events.

Nothing depends on the ordering of a stream after the last step that mentions it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Handle, Kind, Node, Step, bits_of

_TASKS = frozenset({Action.BEGIN_TASK, Action.END_TASK, Action.AWAIT_TASK})


class Mentioned(NamedTuple):
    """The streams and events that some steps mention, as masks.

    The bits are the numbers of handles, followed by the numbers of events."""

    all: int = 0
    made: int = 0
    """Streams created, and events recorded, by the steps before any other mention."""

    def before(self, behind: int) -> int:
        """Return the mask that is live before the steps, given `behind`, the mask that is live after them."""
        return (self.all | behind) & ~self.made


def mentioned(function: AsyncFunction, steps: Iterable[Step]) -> Mentioned:
    """Return the streams and events that `steps` refer to or derive facts from."""
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
            if action in _TASKS:  # The next number represents the end of the task.
                numbers.update(count + task + 1 for task in (step.event, *step.after))
        given = step.op.operands if action is Action.DEFINE else ()
        if step.source is not None and step.source is not source:  # A wait may have many steps.
            source = step.source
            given = (*source.deps, *given)
        for token in given:
            if (known := tokens.get(token)) is not None:
                numbers.add(known.index)
    return Mentioned(mask_of(numbers), mask_of(made))


def mask_of(numbers: Iterable[int]) -> int:
    """Return a mask in which the bits `numbers` are set."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def by_other_names(function: AsyncFunction) -> int:
    """Return the mask of handles that may have aliases; they count as live everywhere."""
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
    """Return the live-out mask of each node; it always includes `always`."""
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
    """Map each node to the streams and events that it creates and that no other node mentions.

    Facts about them are dead once they are destroyed; dropping these lets paths join sooner."""
    once = twice = 0
    for part in parts.values():
        twice |= once & part.all
        once |= part.all
    return {node: [*bits_of(made)] for node, part in parts.items() if (made := part.made & ~twice & ~always)}
