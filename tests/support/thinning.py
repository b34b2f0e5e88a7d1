"""Parameters of which the fast run takes a few: `make test` is short, `make test-all` takes them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(items: Iterable[Any], every: int) -> list[Any]:
    """Return `items` as parameters: the first and each `every`-th behind it as they are, the others slow."""
    return [
        item if number % every == 0 else pytest.param(item, marks=pytest.mark.slow)
        for number, item in enumerate(items)
    ]
