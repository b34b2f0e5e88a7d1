"""The releases that a test compares with: one in fast test runs, all in slow ones."""

from __future__ import annotations

from typing import Any

import pytest

EACH_TIME = 22


def releases(*versions: int) -> list[Any]:
    """Return `versions` for `pytest.mark.parametrize`; all but `EACH_TIME` are marked slow."""
    slow = pytest.mark.slow
    return [each if each == EACH_TIME else pytest.param(each, marks=slow) for each in versions]
