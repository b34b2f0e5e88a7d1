"""A sample of LLVM's own tests: our output for them is the same program to mlir-opt.

`python -m tests.differential.round_trip --llvm 22` compares all of them.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.differential.round_trip import files_of, round_trip
from tests.support.tools import SHARED

FILES = int(os.environ.get("GPUASYNC_EXAMPLES", "25"))
SEED = os.environ.get("GPUASYNC_SEED", "1")


@pytest.mark.slow
@pytest.mark.parametrize("version", [22, 19])
def test_tests_of_llvm_come_back_the_same(version: int, capsys: pytest.CaptureFixture[str]) -> None:
    files = list(files_of([SHARED / "llvm-tests"]))
    if not files:
        pytest.skip("no tests of LLVM beside this checkout (set GPUASYNC_SHARED)")
    found = round_trip(version, random.Random(f"{SEED} {version}").sample(files, FILES))
    with capsys.disabled():
        print(f"\n{found}")
    assert found.accepted > FILES
    assert found.equal >= 0.98, found.broken
