"""Parameters of which `make test` takes few and `make test-all` more; `make test-campaign` takes the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(items: Iterable[Any], every: int, others: pytest.MarkDecorator = pytest.mark.slow) -> list[Any]:
    """Return `items` as parameters: the first and each `every`-th after it plain, the others marked."""
    return [
        item if number % every == 0 else pytest.param(item, marks=others) for number, item in enumerate(items)
    ]


def some_and_many(first: int, some: int) -> list[Any]:
    """Return ranges of seeds as parameters: `some` from `first` on, slow, and more for the campaign."""
    return [
        pytest.param(range(first, first + some), marks=pytest.mark.slow, id="some"),
        pytest.param(range(first + some, first + 5 * some), marks=pytest.mark.campaign, id="many"),
    ]
