"""A short run of the fuzz; `python -m tests.attack.fuzz` runs it for longer."""

from __future__ import annotations

import pytest

from tests.attack.fuzz import fuzz


@pytest.mark.slow
def test_edits_in_a_running_server() -> None:
    run = fuzz(60, seed=20)
    assert run.wrong == []
    assert (run.edits, run.compared) == (60, 6)
    assert run.slowest[0][0] < 5
