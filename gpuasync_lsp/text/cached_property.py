"""A property that is computed once: that of `functools` without a lock.

Until Python 3.12 the one of `functools` has a lock for all instances of a class: while something was found
out of a large function that is being read, an edit of another file waited for that, up to 0.1 s.
Without one, two threads may compute the same at once, and come to the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

V = TypeVar("V")


class cached_property(Generic[V]):
    """Calls a method when the attribute is first asked for, and puts the result in its place."""

    def __init__(self, compute: Callable[[Any], V]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Note the attribute's name."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[V]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> V: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> cached_property[V] | V:
        """Return the value; the next time the attribute is found without this."""
        if instance is None:
            return self
        value = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
