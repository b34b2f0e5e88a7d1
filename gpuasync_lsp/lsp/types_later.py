"""Has lsprotocol's classes made when they are first looked into.

The module has some 550 classes, and attrs writes and compiles methods for each on import: a fifth of a
second, for which the first document of every session waits. A session makes objects of none of them, and
looks at the fields of some twenty, to hold parameters against these (`shapes.py`).
"""

from __future__ import annotations

from threading import RLock
from types import ModuleType
from typing import Any, TypeVar

import attrs

_C = TypeVar("_C", bound=type)

_making = RLock()


class _Fields:
    """Stands for the fields of a class, and has attrs make it when they are asked for."""

    def __init__(self, cls: Any) -> None:
        self._class = cls

    def __get__(self, instance: object, owner: type) -> Any:
        _complete(self._class)
        return self._class.__attrs_attrs__


def import_types() -> ModuleType:
    """Import and return `lsprotocol.types`, made so unless it is there already.

    No other thread may be making classes with attrs meanwhile.
    """
    theirs = attrs.define
    setattr(attrs, "define", _later)  # noqa: B010 - a type checker would have it keep its signature
    try:
        from lsprotocol import types
    finally:
        setattr(attrs, "define", theirs)  # noqa: B010
    return types


def _later(cls: _C) -> _C:
    """Do what `attrs.define` does to a class, but when its fields are asked for or an object is made of it.

    No slots: with them, a class would become another one by then.
    """

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        _complete(cls)
        self.__init__(*values, **named)

    setattr(cls, "__attrs_attrs__", _Fields(cls))  # noqa: B010 - no class of a type checker's has it
    setattr(cls, "__init__", __init__)  # noqa: B010
    return cls


def _complete(cls: Any) -> None:
    """Have attrs make a class in place, unless another thread was first."""
    with _making:
        if isinstance(vars(cls)["__attrs_attrs__"], _Fields):
            del cls.__attrs_attrs__, cls.__init__
            attrs.define(cls, slots=False)
