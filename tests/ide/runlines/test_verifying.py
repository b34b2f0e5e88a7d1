"""`--verify-diagnostics` with the built-in passes: a verdict always agrees with mlir-opt."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.run.builtin import BuiltIn
from gpuasync_lsp.ide.runlines.patterns import NotSimple, pattern_of
from gpuasync_lsp.ide.runlines.results import Verdict
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.text import LineIndex
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

PASS, FAIL, UNSUPPORTED = Verdict.PASS, Verdict.FAIL, Verdict.UNSUPPORTED

OF_ORDER = TEXTS["OF_ORDER"]
"""A program in which an error in an op precedes the error at the end of its block."""

OF_PLACES = TEXTS["OF_PLACES"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (OF_ORDER.format("op operand #0 must be signless-integer-like"), PASS),
        (OF_PLACES.format("// expected-error@+1 {{'func.return' op has 0 operands}}"), PASS),
        (OF_PLACES.format("// expected-error@+2 {{'func.return' op has 0 operands}}"), FAIL),
        (OF_PLACES.format("// expected-error@above {{'func.return' op has 0 operands}}"), FAIL),
        (OF_PLACES.format("// expected-warning@below {{'func.return' op has 0 operands}}"), FAIL),
        (OF_PLACES.format("// expected-error-re@below {{op has {{[0-9]+}} operands}}"), PASS),
        (OF_PLACES.format("// expected-error-re@below {{op has {{(0|1)}} operand}}"), PASS),
        (OF_PLACES.format("// expected-error@below {{op has {{[0-9]+}} operands}}"), UNSUPPORTED),
        ("func.func @a() { return } // expected-remark {{nothing says this}}", FAIL),
        ("func.func @a() { return } // expected-error-re {{nothing {{.*}} this}}", FAIL),
        (
            '// expected-error@below {{identified}}\nfunc.func private @a(!llvm.struct<"a", (i8)>)',
            UNSUPPORTED,
        ),
    ],
)
@pytest.mark.parametrize("version", [16, 22])
def test_a_verdict_is_that_of_mlir_opt(version: int, text: str, verdict: Verdict) -> None:
    lines = LineIndex(f"// RUN: mlir-opt %s --verify-diagnostics\n{text}\n")
    engine = BuiltIn(SettingsResolver(Settings(llvm=version)), None)
    assert run_test(lines, "a", None, engine).verdict is verdict
    if verdict is not UNSUPPORTED:
        own = OwnMlirOpt(Command(mlir_opt(version).command, Origin.COMMAND_LINE))
        assert run_test(lines, "a", None, own).verdict is verdict


def test_ops_of_the_tests_of_mlir_opt_are_not_unregistered_ones() -> None:
    text = """// RUN: mlir-opt %s --verify-diagnostics --allow-unregistered-dialect
"test.same_operand_shape"(%0) : (i32) -> ()  // expected-error {{requires}}
"""
    engine = BuiltIn(SettingsResolver(Settings(llvm=22)), None)
    assert (
        run_test(LineIndex(text.replace("(%0) : (i32)", "() : ()")), "a", None, engine).verdict is UNSUPPORTED
    )


def test_parts_of_a_file_are_printed_with_the_separator_of_mlir_opt() -> None:
    text = """// RUN: mlir-opt %s -split-input-file | FileCheck %s
// CHECK: @a
// CHECK: {{^}}}
// CHECK-EMPTY:
// CHECK-NEXT: // -----
// CHECK-NEXT: module
func.func @a() { return }
// -----
func.func @b() { return }
"""
    own = OwnMlirOpt(Command(mlir_opt(22).command, Origin.COMMAND_LINE))
    for engine in (BuiltIn(SettingsResolver(Settings(llvm=22)), None), own):
        assert run_test(LineIndex(text), "a", None, engine).verdict is PASS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("op {{.*}} is", True),
        ("{{[a-z]+}}: {{(i|f)[0-9]?2}}", True),
        ("{{[^a-z]+}}: f", False),
        ("a{{\\+}}b", True),
        ("a{{b?(c|[+])*}}b", True),
        ("{{x|y|an?}} op", True),
        ("{{x|y}} op", False),
        ("{{(a+)+}}c", False),
    ],
)
def test_expressions_are_those_of_posix(text: str, found: bool) -> None:
    assert pattern_of(text).is_in("error: an op that is a+b type: f32!") is found


def test_no_expression_takes_long() -> None:
    assert not pattern_of("{{((a+)+)+}}b{{(.*.*)*}}c").is_in("a" * 100_000)


@pytest.mark.parametrize("text", ["{{^a}}", "{{a{2}}}", "{{[[:alpha:]]}}", "{{a", "{{(a}}", "{{" + "(" * 50])
def test_other_expressions_are_not_known(text: str) -> None:
    with pytest.raises(NotSimple):
        pattern_of(text)
