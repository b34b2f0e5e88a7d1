"""The gpu and async dialects: MLIR's error messages, and the syntax of releases other than 22."""

from __future__ import annotations

import json

import pytest

from gpuasync_lsp.syntax import SourceFile, module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.text import Severity
from tests.support.markers import Found, disagreements
from tests.support.tools import ROOT, cases, mlir_opt

ERRORS = ROOT / "tests" / "fixtures" / "errors" / "gpu.mlir"
FIXTURES = ROOT / "tests" / "fixtures" / "syntax"
GENERIC = "--mlir-print-op-generic"

SYMBOLS = ("'gpu.launch_func' op ", "'gpu.func' op expects parent")
"""Errors about symbols in other ops, which rules report instead: the parser checks single ops."""


def test_errors() -> None:
    text = ERRORS.read_text()
    assert disagreements(text, found(parse_source(text))) == []


def test_mlir_opt_agrees_with_the_errors() -> None:
    output = mlir_opt(22)(ERRORS.read_text(), "--verify-diagnostics=only-expected", "--split-input-file")
    assert output.code == 0, output.err


@pytest.mark.parametrize("version", [16, 19, 22])
def test_cases(version: int) -> None:
    """Programs that a release accepts have no problem here; syntax errors of LLVM 22 are problems."""
    wrong: list[str] = []
    for name, case in json.loads((cases() / "outcomes.json").read_text()).items():
        measured = case["versions"].get(str(version))
        path = cases() / (f"{name}.mlir" if case["same_source"] else f"{name}.llvm{version}.mlir")
        if measured is None or not path.exists():
            continue
        problems = [problem.message for problem in found(parse_source(path.read_text()))]
        refused = measured["outcome"] in ("parse_error", "verify_error")
        message = (measured["message"] or "").partition(" | ")[0]
        if not refused and problems:
            wrong.append(f"{name}: {problems[0]}")
        if refused and version == 22 and not problems and not message.startswith(SYMBOLS):
            wrong.append(f"{name}: nothing is said, LLVM 22 says: {message}")
    assert wrong == []


@pytest.mark.parametrize("version", [16, 19, 22])
@pytest.mark.parametrize("name", ["A_launch_func_args_async_d3", "H_cluster_async", "F_sync_chain"])
def test_generic_form(version: int, name: str) -> None:
    """The generic form of any release, even with missing operand groups, is the same program."""
    path = cases() / f"{name}.llvm{version}.mlir"
    generic = mlir_opt(version)(path.read_text(), GENERIC).out
    if not generic:
        pytest.skip(f"LLVM {version} does not read this case")
    assert reprint(generic) == reprint(path.read_text())


@pytest.mark.parametrize(
    "line",
    [
        "gpu.barrier memfence [#gpu.address_space<workgroup>]",
        "gpu.barrier memfence []",
        "gpu.barrier scope <subgroup>",
        "gpu.barrier named(%arg0 : !gpu.named_barrier) memfence [#gpu.address_space<global>]",
        "%0 = gpu.ballot %arg1 : i64",
        "%0 = gpu.initialize_named_barrier %arg2 : i32 -> !gpu.named_barrier",
        "gpu.launch_func @m::@k blocks in (%arg3, %arg3, %arg3) threads in (%arg3, %arg3, %arg3) cooperative",
    ],
)
def test_later_syntax(line: str) -> None:
    """The syntax added in LLVM 23 and 24 is parsed and printed."""
    arguments = "%arg0: !gpu.named_barrier, %arg1: i1, %arg2: i32, %arg3: index"
    text = f"module {{\n  func.func @f({arguments}) {{\n    {line}\n    return\n  }}\n}}\n"
    assert reprint(text) == text


def test_operands_that_older_releases_lack() -> None:
    text = """func.func @f(%n: index, %i: i32) {
  "gpu.launch_func"(%n, %n, %n, %n, %n, %n, %i) {kernel = @m::@k,
    operand_segment_sizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 1>}
    : (index, index, index, index, index, index, i32) -> ()
  return
}
"""
    assert "args(%arg1 : i32)" in reprint(text)


def reprint(text: str) -> str:
    """Return `text`, parsed without problems and printed."""
    file = parse_source(text)
    assert [f.message for f in found(file)] == []
    return "".join(print_module(module_of(chunk)) for chunk in file.chunks)


def found(file: SourceFile) -> list[Found]:
    """Return the problems of all items in the form that markers are compared with."""
    return [
        Found(Severity.ERROR, problem.span.shift(placed.offset), problem.code, problem.message)
        for chunk in file.chunks
        for placed in chunk.items
        for problem in (*placed.item.problems, *placed.item.invalid)
    ]
