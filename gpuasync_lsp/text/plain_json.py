"""The type of a JSON object with values of unknown types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Json: TypeAlias = dict[str, Any]


def is_object(value: object) -> TypeIs[Json]:
    """Return whether `value`, which was read from JSON, is an object."""
    return isinstance(value, dict)
