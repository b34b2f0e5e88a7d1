"""Warp reductions with `redux.sync`, if the option `has-redux` is set, compared with the real tool."""

from __future__ import annotations

import pytest

from tests.differential.one_pass import BREAK, OnePass
from tests.support.releases import releases
from tests.support.tools import FIXTURES

PASS = OnePass("convert-gpu-to-nvvm")
CHUNKS = (FIXTURES / "passes" / "redux.mlir").read_text().split(BREAK)
NAMED_BY_SIGN = 18
"""The first release whose reduction kinds name the signedness."""


@pytest.mark.parametrize("version", releases(17, 19, 21, 22, 23))
def test_reductions_become_redux_as_in_mlir_opt(version: int) -> None:
    PASS.check(CHUNKS[: 2 if version >= NAMED_BY_SIGN else 1], "has-redux=1", version)
