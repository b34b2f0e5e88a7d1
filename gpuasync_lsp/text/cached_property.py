"""A property that is computed once, like the standard library's, but without a lock.

Before Python 3.12, all instances of a class share one lock in the standard library's version: while a
property of a large function was computed, an edit of another file waited for up to 0.1 s. Without a lock, two
threads may compute the same value twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

V = TypeVar("V")


class cached_property(Generic[V]):
    """Calls a method on first access, and stores the result as the attribute."""

    def __init__(self, compute: Callable[[Any], V]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Record the attribute's name."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[V]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> V: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> cached_property[V] | V:
        """Compute and store the value; later accesses find the attribute itself."""
        if instance is None:
            return self
        value = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
