"""Vector ops lowered to llvm ops, compared with mlir-opt's output; mlir-opt prints both texts."""

from __future__ import annotations

import random
import re

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
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


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "%v = vector.broadcast %p : f32 to vector<4xf32>\n"
            '%0 = vector.mask %k { vector.contract {iterator_types = ["reduction"], indexing_maps = ['
            "affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]} %v, %v, %p"
            " : vector<4xf32>, vector<4xf32> into f32 } : vector<4xi1> -> f32",
            "{vector-contract-lowering=outerproduct}",
            "this tool does not lower 'vector.mask' of a contraction by outer products",
        ),
        (
            "%0 = vector.transpose %w, [1, 0] : vector<2x2xf32> to vector<2x2xf32>",
            "{vector-transpose-lowering=flat}",
            "this tool does not lower 'vector.transpose' by 'flat'",
        ),
    ],
)
def test_what_is_not_lowered_is_told(text: str, options: str, message: str) -> None:
    arguments = "%m: memref<?xf32>, %i: index, %p: f32, %k: vector<4xi1>, %w: vector<2x2xf32>"
    function = f"func.func @f({arguments}) {{\n {text}\n return }}"
    pipeline = parse_pipeline(PASS.name + options)
    lowered = run_pipeline(module_of(parse_source(function).chunks[0]), pipeline, 22)
    assert lowered.error is not None
    assert lowered.error.text == message
