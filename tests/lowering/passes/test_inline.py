"""Calls that become bodies, compared with mlir-opt's."""

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


# 17 is a build with assertions: it crashes where blocks are put into a loop.
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
        ("read_by_value", 22),
    ],
)
def test_what_newer_releases_write_becomes_what_they_make_of_it(name: str, version: int) -> None:
    text = (FIXTURES / "inlining" / f"{name}.mlir").read_text("utf-8")
    lowered, real = inlined(text, version), mlir_opt(version)
    assert lowered.error is None
    # mlir-opt gives names to attributes that ours prints in their place.
    assert real(print_module(lowered.module)).out == real(text, "--inline").out


CALL = "llvm.call @f(%p) : (!llvm.ptr) -> ()"
RETURN = "llvm.return"
SCOPES = """#domain = #llvm.alias_scope_domain<id = distinct[0]<>>
#scope = #llvm.alias_scope<id = distinct[1]<>, domain = #domain>
"""
SCOPED = """%0 = llvm.load %p {alias_scopes = [#scope]} : !llvm.ptr -> i32
llvm.store %0, %p : i32, !llvm.ptr
llvm.return"""


@pytest.mark.parametrize(
    ("attributes", "body", "call", "words"),
    [
        ("{llvm.noalias}", RETURN, CALL, "with arguments that are `llvm.noalias`"),
        ("", SCOPED, CALL, "with alias scopes (llvm.load)"),
        ("", RETURN, CALL.replace(" :", " {alias_scopes = [#scope]} :"), "that have alias scopes"),
    ],
    ids=["noalias", "scopes in the callee", "scopes of the call"],
)
def test_a_call_that_only_mlir_opt_inlines_is_refused(
    attributes: str, body: str, call: str, words: str
) -> None:
    text = f"{SCOPES}llvm.func @f(%p: !llvm.ptr {attributes}) {{\n{body}\n}}\n"
    text += f"llvm.func @main(%p: !llvm.ptr) {{\n{call}\nllvm.return\n}}\n"
    lowered = inlined(text, 22)
    assert lowered.error is not None
    assert lowered.error.op_name == "llvm.call"
    expected = f"this tool does not inline calls of llvm functions {words}, as mlir-opt does: @f"
    assert lowered.first_message == expected
    assert "llvm.call @f" not in mlir_opt(22)(text, "--inline").out
