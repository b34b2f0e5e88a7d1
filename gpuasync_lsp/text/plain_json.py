"""The type of a JSON object with values of unknown types."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

Json: TypeAlias = dict[str, Any]


def is_object(value: object) -> TypeGuard[Json]:
    """Return whether `value`, which was read from JSON, is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Return whether `value`, which was read from JSON, is an array."""
    return isinstance(value, list)
