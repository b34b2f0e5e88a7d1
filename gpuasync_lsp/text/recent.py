"""A bounded cache that evicts the least recently used entry."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

V = TypeVar("V")

_LOCK = Lock()
"""One lock for all caches, because each use takes only a few dictionary operations."""


class Recent(Generic[V]):
    """Caches the most recently used values up to a total weight of `limit`, and always the newest value.

    It is thread-safe. None cannot be a value."""

    __slots__ = ("_limit", "_values", "_weight")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self._values: dict[Hashable, tuple[V, int]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> V | None:
        """Return the value of `key` and mark it as most recently used; None if absent."""
        with _LOCK:
            found = self._values.pop(key, None)
            if found is None:
                return None
            self._values[key] = found
            return found[0]

    def keep(self, key: Hashable, value: V, weight: int = 1) -> V:
        """Insert `value` as the newest, evicting the oldest if necessary; return `value`."""
        with _LOCK:
            self._forget(key)
            self._values[key] = value, weight
            self._weight += weight
            while self._weight > self._limit and len(self._values) > 1:
                self._forget(next(iter(self._values)))
        return value

    def forget(self, key: Hashable) -> None:
        """Remove the value of `key`, if present."""
        with _LOCK:
            self._forget(key)

    def forget_where(self, gone: Callable[[V], bool]) -> None:
        """Remove the values for which `gone` returns true."""
        with _LOCK:
            for key in [key for key, (value, _) in self._values.items() if gone(value)]:
                self._forget(key)

    def values(self) -> list[V]:
        """Return all values, ordered from the least to the most recently used."""
        with _LOCK:
            return [value for value, _ in self._values.values()]

    def clear(self) -> None:
        """Remove all values."""
        with _LOCK:
            self._values.clear()
            self._weight = 0

    def _forget(self, key: Hashable) -> None:
        found = self._values.pop(key, None)
        if found is not None:
            self._weight -= found[1]


class Key:
    """A hashable key that computes its hash once, for values that are slow to hash."""

    __slots__ = ("_hash", "_value")

    def __init__(self, value: Hashable) -> None:
        self._value = value
        self._hash = hash(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Key) and self._hash == other._hash and self._value == other._value
        )


PER_ITEM = 3
"""The maximum number of results of one kind that are memoized per item, for different settings or releases:
most are as large as the item's IR."""


def recent(memo: dict[Any, Any], family: str) -> Recent[Any]:
    """Return the cache called `family` in the `memo` of an item, creating it if necessary."""
    found = memo.get(family)
    return memo.setdefault(family, Recent[Any](PER_ITEM)) if found is None else found
