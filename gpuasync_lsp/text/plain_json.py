"""The type of a JSON object, whose values nothing is known of."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
