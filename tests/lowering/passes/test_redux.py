"""Warp reductions with `redux.sync`, if the option `has-redux` is set, compared with the real tool."""

from __future__ import annotations

import pytest

from gpuasync_lsp.lowering import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
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


@pytest.mark.parametrize(
    ("said", "options"),
    [
        ("add %a uniform : (i32) -> i32", ""),
        ("add %a : (i32) -> i32", "{has-redux=1}"),
        ("maxui %a uniform : (i32) -> i32", "{has-redux=1}"),
        ("add %a uniform cluster(size = 8) : (i32) -> i32", "{has-redux=1}"),
    ],
)
def test_other_reductions_are_refused(said: str, options: str) -> None:
    body = f"    %0 = gpu.subgroup_reduce {said}\n    return\n"
    text = f"gpu.module @m {{\n  func.func @f(%a: i32) {{\n{body}  }}\n}}\n"
    pipeline = parse_pipeline(f"convert-gpu-to-nvvm{options}")
    lowered = run_pipeline(module_of(parse_source(text).chunks[0]), pipeline, 22)
    refused = "failed to legalize operation 'gpu.subgroup_reduce' that was explicitly marked illegal"
    assert lowered.first_message == refused
