"""Programs that MLIR rejects only in some releases: an error in exactly these."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.api import lower
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

CODES = ("GA001", "GA002", "GA003", "GA004", "GA005", "GA006", "GA109")
RELEASES = range(16, 25)
NESTED = "func.func @f() {\n  builtin.module @x { }\n  return\n}\n"
XOR = TEXTS["XOR"]
KERNEL = TEXTS["KERNEL"]
INDICES = TEXTS["INDICES"]
PAIRS = "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>} {}\n"
INDEX_ARRAYS = "func.func @f() attributes {a = array<index: 1, -2>, b = array<index>} { return }\n"
RANGE = 'func.func @f() { return loc(fused["g.py":3:4 to :9, "g.py":4:1 to 5:2]) }\n'
NO_COLUMN = 'func.func @f() attributes {s = "\\"a\\":3)"} { return loc(fused["g.py":3, "h.py":4:1]) }\n'
EXPANSION = TEXTS["EXPANSION"]
ROTATE = "func.func @f(%a: f32) { %r, %v = gpu.rotate %a, 4, 16 : f32 return }\n"
UNSIGNED = "func.func @f(%a: index) { scf.for unsigned %i = %a to %a step %a { } return }\n"
NO_INLINE = "func.func @f() { scf.execute_region no_inline { scf.yield } return }\n"
SG_DATA = "func.func private @f() attributes {a = #xegpu.layout<sg_layout = [2, 1], inst_data = [8, 1]>}\n"
LANE_DATA = (
    "func.func private @f() attributes {a = #xegpu.layout<inst_data = [16, 2], lane_layout = [16, 1]>}\n"
)
CASES = [
    pytest.param(INDEX_ARRAYS, 20, id="arrays of index"),
    pytest.param(NESTED, 19, id="a named module in a function"),
    pytest.param(XOR.replace("xori", "ori"), 99, id="atomic or"),
    pytest.param(INDICES, 24, id="fewer indices than a memref has dimensions"),
    pytest.param(KERNEL, 23, id="a unit attribute kernel, once of no meaning"),
]


def _is_refused(text: str, version: int) -> bool:
    return bool(check_source(text, Config(llvm=version, select=CODES)))


@pytest.mark.parametrize(("text", "since"), CASES)
def test_it_is_refused_from_that_release_on(text: str, since: int) -> None:
    # Up to 19, a gpu.module in generic form needs a terminator, which is irrelevant here.
    first = 20 if text is KERNEL else 16
    said = [version for version in RELEASES if version >= first and _is_refused(text, version)]
    assert said == [version for version in RELEASES if version >= since]


def test_a_kind_of_atomics_is_read_from_its_release_on() -> None:
    assert [version for version in RELEASES if _is_refused(XOR, version)] == [16, 17, 18, 19, 20, 21]


def test_entries_of_a_data_layout_are_pairs_from_their_release_on() -> None:
    assert [version for version in RELEASES if _is_refused(PAIRS, version)] == [16, 17, 18, 19]


@pytest.mark.parametrize(
    ("text", "first"),
    [(EXPANSION, 19), (RANGE, 20), (NO_COLUMN, 20), (ROTATE, 22), (UNSIGNED, 22), (NO_INLINE, 22)],
    ids=[
        "expansion",
        "a range of a file",
        "a line of a file",
        "numbers of a rotation",
        "unsigned",
        "no inline",
    ],
)
def test_a_newer_spelling_is_refused_before_its_release(text: str, first: int) -> None:
    assert [version for version in RELEASES if not _is_refused(text, version)] == list(range(first, 25))
    # With these two releases on both sides of the change.
    assert [mlir_opt(version)(text).code for version in (16, 22)] == [1, 0]


@pytest.mark.parametrize("text", [SG_DATA, LANE_DATA], ids=["subgroups", "lanes"])
def test_a_layout_lacks_no_data_from_23_on(text: str) -> None:
    known = [version for version in RELEASES if version >= 21]
    assert [version for version in known if _is_refused(text, version)] == [23, 24]
    assert [mlir_opt(version)(text).code for version in (22, 23)] == [0, 1]


@pytest.mark.parametrize(
    ("version", "kinds"), [(19, "function"), (22, "function or IFunc"), (24, "function, IFunc, or alias")]
)
def test_what_llvm_call_may_call_is_said_as_the_release_does(version: int, kinds: str) -> None:
    text = "func.func private @g()\nfunc.func @f() {\n  llvm.call @g() : () -> ()\n  return\n}\n"
    said = f"'llvm.call' op 'g' does not reference a valid LLVM {kinds}"
    assert [each.message for each in check_source(text, Config(llvm=version, select=CODES))] == [said]
    if version < 24:
        assert f"error: {said}\n" in mlir_opt(version)(text).err


@pytest.mark.parametrize("version", [16, 19, 22])
@pytest.mark.parametrize("text", [NESTED, XOR, PAIRS], ids=["module", "xor", "pairs"])
def test_mlir_opt_says_the_same(text: str, version: int) -> None:
    assert _is_refused(text, version) == (mlir_opt(version)(text).code != 0)


def test_mlir_opt_22_takes_a_kernel_attribute_of_no_meaning() -> None:
    assert mlir_opt(22)(KERNEL).code == 0


def test_an_access_with_fewer_indices_is_lowered_where_it_is_read() -> None:
    assert "llvm.cmpxchg" in lower(INDICES, 22)
    theirs = mlir_opt(22)(INDICES, "--gpu-to-llvm")
    assert theirs.code == 0, theirs.err
    assert "llvm.cmpxchg" in theirs.out
