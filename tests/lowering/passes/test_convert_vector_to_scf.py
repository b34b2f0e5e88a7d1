"""Vector transfers lowered to loops, compared with mlir-opt's output; mlir-opt prints both texts."""

from __future__ import annotations

import random

import pytest

from tests.differential.one_pass import BREAK
from tests.differential.transfers import OPTIONS, PASS, program
from tests.support.releases import releases
from tests.support.tools import FIXTURES

TEXTS = (FIXTURES / "vector" / "transfers.mlir").read_text("utf-8").split(BREAK)
PROGRAMS = 25


# Our build of LLVM 20 lacks the pass.
@pytest.mark.parametrize("version", releases(16, 17, 18, 19, 21, 22, 23, 24))
@pytest.mark.parametrize("options", dict.fromkeys(OPTIONS))
def test_loops_are_those_of_mlir_opt(version: int, options: str) -> None:
    # 16 and 17 reject their own output for two-dimensional masks.
    texts = [text for text in TEXTS if version >= 18 or options != "target-rank=2" or "w1" not in text]
    PASS.check(texts, options, version)


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
def test_random_transfers_are_lowered_as_by_mlir_opt(version: int) -> None:
    chosen = random.Random(f"transfers-{version}")
    for _ in range(PROGRAMS):
        text, options = program(chosen), chosen.choice(OPTIONS)
        found = PASS.compare(text, options, version)
        assert found.kind in ("equal", "unread"), f"{options}\n{text}\n{found.difference}"
