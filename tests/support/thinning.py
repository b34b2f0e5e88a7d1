"""Test parameters of which `make test` uses few, `make test-all` more, and `make test-campaign` all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(items: Iterable[Any], every: int, others: pytest.MarkDecorator = pytest.mark.slow) -> list[Any]:
    """Return `items` as parameters; the first of every `every` items is unmarked, the others are marked."""
    return [
        item if number % every == 0 else pytest.param(item, marks=others) for number, item in enumerate(items)
    ]


def some_and_many(first: int, some: int) -> list[Any]:
    """Return ranges of seeds as parameters: `some` seeds from `first` on, marked slow, and more for
    campaigns."""
    return [
        pytest.param(range(first, first + some), marks=pytest.mark.slow, id="some"),
        pytest.param(range(first + some, first + 5 * some), marks=pytest.mark.campaign, id="many"),
    ]
