"""Types and attributes are accepted from the release that added them, as by its real mlir-opt."""

from __future__ import annotations

import json

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.api import lower
from gpuasync_lsp.syntax.release_names import unread_names
from tests.support.tools import ROOT, mlir_opt
from tools.release.__main__ import DATA
from tools.release.asking import wants_parameters

VERIFIER = ("GA001", "GA002", "GA003", "GA004", "GA005", "GA006", "GA109")
TYPES = [
    "f8E5M2", "f8E5M2FNUZ", "f8E4M3", "f8E3M4", "f4E2M1FN", "vector<4xf6E2M3FN>", "tensor<?xf8E8M0FNU>",
    "tf32",    "!llvm.ptr<i32>", "!llvm.ptr<3>", "!llvm.vec<4 x ptr>", "!llvm.x86_amx", "!llvm.x86_mmx",
    '!llvm.target<"x">',
    "vector<4x!llvm.ptr>", "vector<[4]x4xf32>", "vector<4x[4]xf32>",
    "!gpu.mma_matrix<16x16xf64, \"COp\">", "!gpu.mma_matrix<16x16xi32, \"COp\">",
    "!gpu.sparse.spgemmop_handle",
    "!gpu.sparse.env_handle", "!nvgpu.mbarrier.token", "!gpu.async.token<x>", "!async.token",
    "memref<4xf32, #gpu.address_space<global>>",
    "!smt.bv<8>", "!irdl.attribute",
]  # fmt: skip
ATTRIBUTES = [
    "#gpu.mat_transpose_mode<TRANSPOSE>",
    "#nvvm.mma_layout<row>",
    "#gpu.warpgroup<x>",
    "#arith.overflow<none>",
    '#xevm.target<chip = "bmg">',
    "#ub.poison",
]


def _declared(each: str) -> str:
    return (
        f"func.func private @f() attributes {{x = {each}}}\n"
        if each[0] == "#"
        else f"func.func private @f({each})\n"
    )


@pytest.mark.parametrize("version", [16, 19, 20])
def test_a_name_is_read_where_mlir_opt_reads_it(version: int) -> None:
    every = [*TYPES, *ATTRIBUTES]
    theirs = {each for each in every if mlir_opt(version)(_declared(each)).code}
    assert theirs, "a release that reads all of them"
    config = Config(llvm=version, select=VERIFIER)
    assert {each for each in every if check_source(_declared(each), config)} == theirs


CHUNKS = (ROOT / "tests" / "fixtures" / "errors" / "releases.mlir").read_text().split("// -----\n")


@pytest.mark.parametrize("version", [16, 19, 22])
def test_a_chunk_is_refused_where_mlir_opt_refuses_it(version: int) -> None:
    theirs = [each for each in CHUNKS if mlir_opt(version)(each).code]
    assert theirs
    config = Config(llvm=version, select=VERIFIER)
    assert [each for each in CHUNKS if check_source(each, config)] == theirs


RECIPROCAL = """func.func @f(%v: vector<4xf32>) -> vector<4xf32> {{
  %0 = nvgpu.rcp %v {{{}}} : vector<4xf32>
  return %0 : vector<4xf32>
}}
"""


@pytest.mark.parametrize(
    ("words", "since"), [("rounding = approx, ftz", 0), ("approx = true, ftz = true", 23)]
)
def test_a_reciprocal_is_read_as_its_release_writes_it(words: str, since: int) -> None:
    text = RECIPROCAL.format(words)
    read = [each for each in range(20, 25) if not check_source(text, Config(llvm=each, select=VERIFIER))]
    assert read == [each for each in range(20, 25) if (each >= 23) == bool(since)]
    assert words.split()[0] in lower(text, 24 if since else 22, pipeline="canonicalize")


def test_the_releases_between_read_what_their_neighbors_do_where_these_agree() -> None:
    names = json.loads((DATA / "names.json").read_text())
    for dialect, known in names.items():
        for name, releases in known.items():
            for older, newer, between in ((16, 19, {17, 18}), (19, 22, {20, 21})):
                if {older, newer} <= set(releases):
                    assert between <= set(releases), (dialect, name)


@pytest.mark.parametrize("version", [16, 19, 21, 22, 23])
def test_what_wants_parameters_is_what_mlir_opt_refuses_without(version: int) -> None:
    wanted = set(json.loads((DATA / "bodied.json").read_text("utf-8")))
    found = wants_parameters(mlir_opt(version).command, sorted(wanted))
    # The list has no names that require parameters only in another release.
    assert wanted & found.keys()
    assert [name for name, wants in found.items() if not wants] == []


def test_what_is_no_code_is_no_name() -> None:
    assert unread_names('// !gpu.foo\n  %x = "a"() {s = "!gpu.foo \\" !gpu.bar"}\n', 22) == []


def test_hostile_texts_take_no_more_than_their_length() -> None:
    text = "//" + "!gpu.foo" * 100_000
    assert unread_names(text, 22) == []
    assert len(unread_names("!gpu.foo " * 100_000, 22)) == 100
