"""Inlining of calls, compared with mlir-opt's output."""

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.result import Lowered
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

TEXTS = [
    text
    for name in ("inline.mlir", "llvm_functions.mlir")
    for text in (FIXTURES / "inlining" / name).read_text("utf-8").split("// -----\n")
]


def inlined(text: str, version: int) -> Lowered:
    return run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("inline"), version)


# Our 17 is a build with assertions, which crashes when blocks are inlined into a loop.
@pytest.mark.parametrize("version", releases(16, 18, 19, 20, 21, 22, 23))
def test_calls_become_what_mlir_opt_makes_of_them(version: int) -> None:
    real = mlir_opt(version)
    for text in TEXTS:
        lowered = inlined(text, version)
        theirs = real(text, "--inline")
        assert (lowered.error is None) is (theirs.code == 0), (text, theirs.err)
        if theirs.code == 0:
            assert print_module(lowered.module).strip() == theirs.out.strip()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *(("access_groups", version) for version in (19, 22)),
        pytest.param("alias_scopes", 18, marks=pytest.mark.slow),
        *(("alias_scopes", version) for version in (19, 22)),
        *(("intrinsics", version) for version in (19, 22)),
        ("read_by_value", 22),
        ("stack_alignment", 22),
    ],
)
def test_what_newer_releases_write_becomes_what_they_make_of_it(name: str, version: int) -> None:
    text = (FIXTURES / "inlining" / f"{name}.mlir").read_text("utf-8")
    lowered, real = inlined(text, version), mlir_opt(version)
    assert lowered.error is None
    # mlir-opt prints attribute aliases, this tool the attributes themselves.
    assert real(print_module(lowered.module)).out == real(text, "--inline").out


@pytest.mark.parametrize("version", [19, 22])
def test_what_holds_ops_of_unknown_dialects_stays_called(version: int) -> None:
    text = """func.func @f(%x: i32) -> i32 {
  %0 = "foo.bar"(%x) : (i32) -> i32
  return %0 : i32
}
func.func @main(%x: i32) -> i32 {
  %0 = func.call @f(%x) : (i32) -> i32
  return %0 : i32
}
"""
    theirs = mlir_opt(version)(text, "--inline", "--allow-unregistered-dialect")
    assert "call @f" in theirs.out
    assert print_module(inlined(text, version).module).strip() == theirs.out.strip()


@pytest.mark.parametrize(
    ("attributes", "body", "words"),
    [
        (
            "{llvm.noalias}",
            "scf.if %c {\nllvm.store %c, %p : i1, !llvm.ptr\n}",
            "this tool does not follow noalias arguments into regions: @f",
        ),
        (
            "{llvm.byval = vector<3xi8>}",
            "",
            "this tool does not know how large a byval argument is: vector<3xi8> of @f",
        ),
    ],
    ids=["noalias", "byval"],
)
def test_a_call_that_only_mlir_opt_inlines_is_refused(attributes: str, body: str, words: str) -> None:
    text = f"llvm.func @f(%p: !llvm.ptr {attributes}, %c: i1) {{\n{body}\nllvm.return\n}}\n"
    text += """llvm.func @main(%p: !llvm.ptr, %c: i1) {
  llvm.call @f(%p, %c) : (!llvm.ptr, i1) -> ()
  llvm.return
}
"""
    lowered = inlined(text, 22)
    assert lowered.error is not None
    assert lowered.error.op_name == "llvm.call"
    assert lowered.first_message == words
    assert "llvm.call @f" not in mlir_opt(22)(text, "--inline").out


def test_functions_that_call_each_other_are_refused_from_outside() -> None:
    cycle = """func.func private @seen(i32)
func.func @a(%x: i32) -> i32 {
  call @seen(%x) : (i32) -> ()
  %0 = call @b(%x) : (i32) -> i32
  return %0 : i32
}
func.func @b(%x: i32) -> i32 {
  %0 = call @a(%x) : (i32) -> i32
  return %0 : i32
}
"""
    real = mlir_opt(22)
    assert print_module(inlined(cycle, 22).module).strip() == real(cycle, "--inline").out.strip()
    words = "this tool does not inline functions that call each other, as mlir-opt does: @"
    assert inlined(cycle, 19).first_message == words + "a"
    outside = cycle.replace(
        "@seen(i32)", "@seen(i32)\nfunc.func @m(%x: i32) {\n  call @a(%x) : (i32) -> i32\n  return\n}", 1
    )
    assert inlined(outside, 22).first_message == words + "a"
    assert real(outside, "--inline").out.count("call @seen") > 1
