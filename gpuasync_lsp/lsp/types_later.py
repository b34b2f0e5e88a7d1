"""Builds lsprotocol's classes when they are first inspected.

The module has about 550 classes, and attrs generates and compiles their methods on import, which delays the
first document of every session by a fifth of a second. A session creates no instances, and inspects the
fields of about twenty classes to validate parameters (`shapes.py`).
"""

from __future__ import annotations

from threading import RLock
from types import ModuleType
from typing import Any, TypeVar

import attrs

_C = TypeVar("_C", bound=type)

_making = RLock()


class _Fields:
    """A placeholder for the fields of a class, which builds the class with attrs on first access."""

    def __init__(self, cls: Any) -> None:
        self._class = cls

    def __get__(self, instance: object, owner: type) -> Any:
        _complete(self._class)
        return self._class.__attrs_attrs__


def import_types() -> ModuleType:
    """Import and return `lsprotocol.types` with lazily built classes, unless it is already imported.

    During the import, no other thread may build attrs classes.
    """
    theirs = attrs.define
    setattr(attrs, "define", _later)  # noqa: B010 - a type checker would have it keep its signature
    try:
        from lsprotocol import types
    finally:
        setattr(attrs, "define", theirs)  # noqa: B010
    return types


def _later(cls: _C) -> _C:
    """Act like `attrs.define`, but generate the methods on first use of the fields or of an instance.

    There are no slots, because they would require a new class object.
    """

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        _complete(cls)
        self.__init__(*values, **named)

    setattr(cls, "__attrs_attrs__", _Fields(cls))  # noqa: B010 - no class of a type checker's has it
    setattr(cls, "__init__", __init__)  # noqa: B010
    return cls


def _complete(cls: Any) -> None:
    """Build the class in place with attrs, unless another thread already has."""
    with _making:
        if isinstance(vars(cls)["__attrs_attrs__"], _Fields):
            del cls.__attrs_attrs__, cls.__init__
            attrs.define(cls, slots=False)
