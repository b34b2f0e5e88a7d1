"""Propagation of values along a graph of keys to the least fixpoint, shared by several analyses."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Mapping
from typing import TypeVar

from gpuasync_lsp.text.effort import spend

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


def reaching(own: Mapping[K, Collection[V]], flows: Mapping[K, Collection[K]]) -> dict[K, set[V]]:
    """Return, for each key of `own`, its own values and those of all keys that transitively flow into it.

    `flows` maps a key to the keys that flow into it directly; keys missing in `own` have no values.
    """
    found = {key: set(values) for key, values in own.items()}
    after: dict[K, list[K]] = {}
    for key, sources in flows.items():
        for source in sources:
            after.setdefault(source, []).append(key)
    waiting = deque(key for key in found if key in after)
    queued = set(waiting)
    while waiting:
        key = waiting.popleft()
        queued.remove(key)
        for next_key in after[key]:
            known = found[next_key]
            before = len(known)
            spend(1 + len(found[key]))
            known |= found[key]
            if len(known) != before and next_key in after and next_key not in queued:
                waiting.append(next_key)
                queued.add(next_key)
    return found
