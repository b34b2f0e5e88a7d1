"""Running tests, with the real mlir-opt or a substitute."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.run.builtin import BuiltIn
from gpuasync_lsp.ide.runlines.plan import Tool
from gpuasync_lsp.ide.runlines.results import Failure, FileResult, Kind, Verdict
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.ide.runlines.substitution import Paths
from gpuasync_lsp.processes import Command, Ended, Origin
from gpuasync_lsp.text import LineIndex
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

pytest.importorskip("filecheck")


class Scripted:
    """A substitute for mlir-opt whose first argument selects its behavior."""

    name = "scripted"
    words = frozenset({Tool.MLIR_OPT.value})

    def __init__(self, **answers: Ended) -> None:
        self.answers = answers
        self.given: list[bytes] = []

    def run(
        self, arguments: Sequence[str], given: bytes, paths: Paths, merged: bool, stopped: object
    ) -> Ended:
        self.given.append(given)
        said = self.answers[arguments[0].lstrip("-")]
        return Ended(said.status, said.stdout + said.stderr, b"") if merged else said


def run(text: str, path: Path | None = None, **answers: Ended) -> FileResult:
    return run_test(LineIndex(text), "a.mlir", path, Scripted(**answers))


def failures(result: FileResult) -> list[Failure]:
    return [failure for each in result.runs for failure in each.failures]


def test_a_failed_check_is_at_its_line_with_what_is_most_like_it() -> None:
    text = (
        "// RUN: mlir-opt -x | FileCheck %s\n// CHECK-LABEL: func @a\n//   CHECK: return 2\n// CHECK: never\n"
    )
    result = run(text, x=Ended(0, b"module {\n func @a\n  const 1\n  return 1\n}\n", b""))
    assert result.verdict is Verdict.FAIL
    (found,) = failures(result)
    assert (found.kind, found.line, found.column) == (Kind.CHECK, 3, 1)
    assert (found.output_line, found.closest_line) == (2, 4)
    assert result.runs[0].output.split("\n")[3] == "  return 1"


def test_each_part_between_labels_says_its_first_failure() -> None:
    text = (
        "// RUN: mlir-opt -x | FileCheck %s\n"
        "// CHECK-LABEL: @a\n// CHECK: no[[A:x]]\n// CHECK: neither\n"
        "// CHECK-LABEL: @b\n// CHECK: yes\n// CHECK-LABEL: @c\n// CHECK-NOT: bad\n// CHECK: end [[A]]\n"
    )
    result = run(text, x=Ended(0, b"@a\n@b\nyes\n@c\nbad\nend x\n", b""))
    # The check that uses [[A]] is not reported, since it fails only because of the first part.
    assert [found.line for found in failures(result)] == [3]
    again = run(text.replace(" [[A]]", ""), x=Ended(0, b"@a\n@b\nyes\n@c\nbad\nend x\n", b""))
    assert [(found.line, found.output_line) for found in failures(again)] == [(3, 1), (8, 5)]


@pytest.mark.parametrize(
    ("command", "status", "verdict"),
    [
        ("mlir-opt -x", 0, Verdict.PASS),
        ("mlir-opt -x", 1, Verdict.FAIL),
        ("not mlir-opt -x", 1, Verdict.PASS),
        ("not mlir-opt -x", 0, Verdict.FAIL),
        ("not mlir-opt -x", -6, Verdict.FAIL),
        ("not --crash mlir-opt -x", -6, Verdict.PASS),
        ("not --crash mlir-opt -x", 1, Verdict.FAIL),
        ("not not mlir-opt -x", 0, Verdict.PASS),
        ("mlir-opt -x | count 2", 0, Verdict.PASS),
        ("mlir-opt -x | count 3", 0, Verdict.FAIL),
        ("mlir-opt -x | count 2", 1, Verdict.FAIL),
        ("mlir-opt -x 2>&1 | count 3", 0, Verdict.PASS),
        ("mlir-opt -x 2>&1 >/dev/null | count 1", 0, Verdict.PASS),
        ("mlir-opt -x > /dev/null 2>&1 | count 0", 0, Verdict.PASS),
        ("mlir-opt -x &> %t && mlir-opt -x < %t | count 2", 0, Verdict.PASS),
        ("mlir-opt -x || mlir-opt -y", 1, Verdict.PASS),
        ("mlir-opt -y && mlir-opt -x", 1, Verdict.FAIL),
        ("mlir-opt -x ; mlir-opt -y", 1, Verdict.PASS),
    ],
)
def test_how_a_line_ends(command: str, status: int, verdict: Verdict) -> None:
    answers = {"x": Ended(status, b"1\n2\n", b"3\n"), "y": Ended(0, b"", b"")}
    result = run(f"// RUN: {command}\n", **answers)
    assert result.verdict is verdict
    assert bool(failures(result)) == (verdict is Verdict.FAIL)


def test_files_of_a_test_go_from_one_run_line_to_the_next_and_are_gone() -> None:
    engine = Scripted(x=Ended(0, b"from x\n", b""), y=Ended(0, b"", b""))
    text = "// RUN: mlir-opt -x > %t.a\n// RUN: mlir-opt -y < %t.a\n"
    assert run_test(LineIndex(text), "a.mlir", None, engine).verdict is Verdict.PASS
    assert engine.given == [b"", b"from x\n"]


def test_a_test_that_is_expected_to_fail() -> None:
    assert run("// XFAIL: *\n// RUN: mlir-opt -x\n", x=Ended(1, b"", b"")).verdict is Verdict.XFAIL
    assert run("// XFAIL: *\n// RUN: mlir-opt -x\n", x=Ended(0, b"", b"")).verdict is Verdict.XPASS
    assert run("func.func @a()\n").verdict is Verdict.UNRESOLVED


def test_a_line_that_is_not_run_does_not_hide_one_that_fails() -> None:
    unsupported = "// RUN: mlir-runner %s\n"
    assert run(unsupported).verdict is Verdict.UNSUPPORTED
    assert run(f"{unsupported}// RUN: mlir-opt -x\n", x=Ended(0, b"", b"")).verdict is Verdict.UNSUPPORTED
    assert run(f"{unsupported}// RUN: mlir-opt -x\n", x=Ended(1, b"", b"")).verdict is Verdict.FAIL


DIAGNOSTICS = TEXTS["DIAGNOSTICS"]


@pytest.mark.parametrize("version", [16, 19, 22])
def test_diagnostics_that_came_and_did_not_come_are_at_their_lines(tmp_path: Path, version: int) -> None:
    file = tmp_path / "a test.mlir"
    file.write_text(DIAGNOSTICS)
    engine = OwnMlirOpt(Command(mlir_opt(version).command, Origin.COMMAND_LINE))
    result = run_test(LineIndex(DIAGNOSTICS), file.name, file, engine)
    found = {(failure.kind, failure.line) for failure in failures(result)}
    assert found == {(Kind.EXPECTED, 5), (Kind.UNEXPECTED, 6), (Kind.EXPECTED, 9)}


def test_a_text_that_is_not_saved_is_what_is_run(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text("func.func @old()\n")
    text = "// RUN: mlir-opt %s | FileCheck %s\n// CHECK: @new\nfunc.func @new() { return }\n"
    engine = OwnMlirOpt(Command(mlir_opt(22).command, Origin.COMMAND_LINE))
    assert run_test(LineIndex(text), file.name, file, engine).verdict is Verdict.PASS
    assert os.listdir(tmp_path) == ["a.mlir"]
    assert file.read_text() == "func.func @old()\n"


def test_the_users_program_counts_by_its_own_name_too() -> None:
    assert OwnMlirOpt(Command(("/x/triton-opt", "-a"), Origin.USER_FILE)).words == {"mlir-opt", "triton-opt"}


def test_one_run_line_can_be_run_alone() -> None:
    text = "// RUN: mlir-opt -x\n// RUN: mlir-opt -y\n"
    engine = Scripted(x=Ended(1, b"", b""), y=Ended(0, b"", b""))
    assert run_test(LineIndex(text), "a", None, engine, only_line=2).verdict is Verdict.PASS


def test_stopping_ends_the_program(tmp_path: Path) -> None:
    sleeper = Command((sys.executable, "-c", "import time; time.sleep(60)"), Origin.COMMAND_LINE)
    with pytest.raises(InterruptedError):
        run_test(LineIndex("// RUN: mlir-opt\n"), "a", None, OwnMlirOpt(sleeper), stopped=lambda: True)


BUILT_IN = TEXTS["BUILT_IN"]


def built_in(text: str) -> FileResult:
    return run_test(LineIndex(text), "a", None, BuiltIn(SettingsResolver(Settings(llvm=22)), None))


def test_built_in_passes_stand_for_mlir_opt() -> None:
    assert built_in(BUILT_IN).verdict is Verdict.PASS
    (found,) = failures(built_in(BUILT_IN.replace("gpu.wait [", "gpu.wait async [")))
    assert (found.line, found.closest_line) == (6, 5)


@pytest.mark.parametrize(
    ("options", "body", "named"),
    [
        ("--sccp", "", "sccp"),
        ("--verify-diagnostics=some", "", "verify-diagnostics"),
        ("--verify-diagnostics", "return // expected-error {{another text}}", "must be the last operation"),
        ("--verify-diagnostics --canonicalize", "// expected-note {{a note}}", "expects a note"),
        ("--verify-diagnostics", "// expected-error-re {{a{{^b}}}}", "regular expression"),
        ("--verify-diagnostics", "// expected-error@unknown {{of nowhere}}", "without a location"),
        ("", "%0 = affine.apply affine_map<(d0) -> (d0)>(%i)", "affine"),
        ("", '%0 = "foo.op"(%i) : (index) -> i32', "foo.op"),
        ("", "%0 = arith.addi %i, %j : index", ""),
        (
            "--canonicalize",
            '%0 = builtin.unrealized_conversion_cast %i : index to i64\n  %1 = llvm.icmp "eq" %0, %0 : i64',
            "llvm.icmp",
        ),
        ("--convert-nvvm-to-llvm", "", "convert-nvvm-to-llvm"),
        ("--gpu-module-to-binary=format=isa", "", "gpu-module-to-binary"),
        (
            "",
            "return }\n{-# external_resources: { mlir_reproducer: { verify_each: true } } #-}\n"
            "func.func @b() {",
            "file metadata",
        ),
        ("--gpu-lower-to-nvvm-pipeline", "", "gpu-lower-to-nvvm-pipeline"),
    ],
)
def test_what_the_built_in_passes_do_not_know_they_do_not_run(options: str, body: str, named: str) -> None:
    text = f"// RUN: mlir-opt %s {options}\nfunc.func @a(%i: index) {{\n  {body}\n  return\n}}\n"
    result = built_in(text)
    assert result.verdict is Verdict.UNSUPPORTED
    assert named in result.runs[0].unsupported


def test_what_the_package_fails_over_while_it_explains_a_failure_is_a_failure() -> None:
    """While it searches for a shorter match, it does not know the variable that the check uses."""
    text = "// RUN: mlir-opt -x | FileCheck %s\n// CHECK-LABEL: @first\n// CHECK: some text [[V]] and more\n"
    result = run(text, x=Ended(0, b"@first\nsome text\n", b""))
    assert result.verdict is Verdict.FAIL
    assert [(each.kind, each.line) for each in failures(result)] == [(Kind.CHECK, 3)]


@pytest.mark.parametrize("version", [16, 22])
def test_built_in_passes_verify_diagnostics_as_mlir_opt_does(version: int) -> None:
    built = run_test(
        LineIndex(DIAGNOSTICS.replace("expected-remark@below", "expected-error@below")),
        "a",
        None,
        BuiltIn(SettingsResolver(Settings(llvm=version)), None),
    )
    # Line 5 has another error than the expected one, and it is unknown which is right.
    assert built.verdict is Verdict.UNSUPPORTED
    text = DIAGNOSTICS.replace("expected-remark@below", "expected-error@below").replace(
        "  // expected-error@+1 {{something else}}\n", "\n"
    )
    built = run_test(LineIndex(text), "a", None, BuiltIn(SettingsResolver(Settings(llvm=version)), None))
    engine = OwnMlirOpt(Command(mlir_opt(version).command, Origin.COMMAND_LINE))
    owned = run_test(LineIndex(text), "a", None, engine)
    said = [[(each.kind, each.line, each.message) for each in failures(result)] for result in (built, owned)]
    assert said[0] == said[1]
    assert [each[:2] for each in said[0]] == [(Kind.UNEXPECTED, 6), (Kind.EXPECTED, 9)]


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [
        ("  // expected-error@+1 {{failed to legalize operation 'gpu.alloc'}}", Verdict.PASS),
        ("  // expected-error-re@below {{failed to {{.*}} 'gpu.alloc'}}", Verdict.PASS),
        ("  // expected-error@below {{failed to {{.*}} 'gpu.alloc'}}", Verdict.UNSUPPORTED),
        ("", Verdict.FAIL),
    ],
)
def test_errors_of_built_in_passes_are_expected_at_their_lines(expected: str, verdict: Verdict) -> None:
    text = f"""// RUN: mlir-opt %s --gpu-to-llvm --verify-diagnostics
func.func @a() {{
{expected}
  %m = gpu.alloc() : memref<4xf32>
  return
}}
"""
    engine = BuiltIn(SettingsResolver(Settings(llvm=16)), None)
    assert run_test(LineIndex(text), "a", None, engine).verdict is verdict
