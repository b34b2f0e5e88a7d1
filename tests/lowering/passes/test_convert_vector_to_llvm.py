"""Vector ops lowered to llvm ops, compared with mlir-opt's output; mlir-opt prints both texts."""

from __future__ import annotations

import random
import re

import pytest

from tests.differential.one_pass import BREAK
from tests.differential.vectors import PASS, outcome, program
from tests.support.releases import releases
from tests.support.tools import FIXTURES

TEXTS = (FIXTURES / "vector" / "to_llvm.mlir").read_text("utf-8").split(BREAK)
PROGRAMS = 25


def since(text: str) -> int:
    """Return the first release that accepts a part of the fixture."""
    found = re.search(r"^// from (\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else 16


# Our build of LLVM 20 lacks the pass.
@pytest.mark.parametrize("version", releases(16, 17, 18, 19, 21, 22, 23, 24))
def test_rows_are_those_of_mlir_opt(version: int) -> None:
    compare("", version)


@pytest.mark.parametrize("version", releases(16, 22))
@pytest.mark.parametrize("options", ["reassociate-fp-reductions", "force-32bit-vector-indices=0"])
def test_options_are_those_of_mlir_opt(version: int, options: str) -> None:
    compare(options, version)


@pytest.mark.parametrize("version", releases(21, 22, 24))
@pytest.mark.parametrize(
    "options",
    [
        "use-vector-alignment",
        "vector-contract-lowering=outerproduct",
        "vector-contract-lowering=parallelarith",
    ],
)
def test_newer_options_are_those_of_mlir_opt(version: int, options: str) -> None:
    compare(options, version)


def compare(options: str, version: int) -> None:
    PASS.check([text for text in TEXTS if since(text) <= version], options, version)


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(19, 22, 24))
def test_random_vectors_are_lowered_as_by_mlir_opt(version: int) -> None:
    chosen = random.Random(f"vectors-{version}")
    for _ in range(PROGRAMS):
        text = program(chosen, version)
        kind, difference = outcome(text, "", version)
        assert kind in ("equal", "modulo", "unread"), f"{text}\n{difference}"
