"""The host dialects (func, arith, memref, ...): fixtures parse, print and verify as in mlir-opt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.ir import Operation

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.syntax.dialects import context
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.parser import TolerantParser
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.syntax.verifier import verify
from gpuasync_lsp.text import Severity
from tests.support.markers import Found, disagreements
from tests.support.thinning import thinned
from tests.support.tools import CASES, FIXTURES, missing, mlir_opt

ERRORS = FIXTURES / "host" / "errors.mlir"
SYMBOLS = FIXTURES / "errors" / "symbols.mlir"
COMPLETE = (
    "affine", "arith", "bufferization", "builtin", "cf", "complex", "func", "index", "linalg", "llvm", "math",
    "memref", "nvgpu", "scf", "tensor", "ub", "vector",
)  # fmt: skip
"""Fixtures in which no op of these dialects is opaque."""
FORMS = ((), ("--mlir-print-op-generic",), ("--mlir-print-debuginfo",), ("--mlir-print-local-scope",))
_COMMENT = re.compile(r"\s*// .*")


def chunks(name: str) -> Iterator[str]:
    """Return the chunks of a fixture; those in `syntax` are also part of the general round trip test."""
    (path,) = (p for folder in ("host", "syntax") for p in (FIXTURES / folder).glob(f"{name}.mlir"))
    return iter(path.read_text().split("// -----\n"))


def read(text: str) -> list[Operation]:
    """Parse a text, and check that it has no problems."""
    parser = TolerantParser(context(), text)
    ops = parser.parse_ops()
    assert [problem.message for problem in parser.problems] == []
    return ops


def opaque_names(ops: list[Operation]) -> set[str]:
    return {inner.op_name for op in ops for inner in op.walk() if isinstance(inner, OpaqueOp)}


def meaning(text: str) -> str:
    """Return mlir-opt-22's generic form of a text, without resource blobs, which we do not print."""
    output = mlir_opt(22)(text, "--allow-unregistered-dialect", "--mlir-print-op-generic")
    assert output.code == 0, output.err
    return _COMMENT.sub("", output.out.split("{-#")[0])


@pytest.mark.parametrize("name", thinned(COMPLETE, 6))
def test_what_is_printed_here_means_the_same_to_mlir_opt(name: str) -> None:
    for text in chunks(name):
        ops = read(text)
        printed = "".join(print_module(op) for op in ops)
        assert meaning(printed) == meaning(text)


@pytest.mark.parametrize("name", thinned(COMPLETE, 6))
@pytest.mark.parametrize("form", FORMS, ids=lambda form: "".join(form) or "custom")
def test_what_mlir_opt_prints_reads_in_every_form(name: str, form: tuple[str, ...]) -> None:
    for text in chunks(name):
        printed = mlir_opt(22)(text, "--allow-unregistered-dialect", *form).out
        ops = read(printed)
        ours = {op for op in opaque_names(ops) if op.split(".")[0] in COMPLETE}
        assert ours == set()


@pytest.mark.parametrize("name", COMPLETE)
def test_a_valid_fixture_verifies(name: str) -> None:
    for text in chunks(name):
        parser = TolerantParser(context(), text)
        found = [problem.message for op in parser.parse_ops() for problem in verify(op, parser.spans)]
        assert found == []


def shape(ops: list[Operation]) -> list[tuple[str, list[str]]]:
    """Return the ops in order, with their result types."""
    return [
        (
            inner.op_name if isinstance(inner, OpaqueOp) else inner.name,
            [str(type) for type in inner.result_types],
        )
        for op in ops
        for inner in op.walk()
        if inner.name not in ("builtin.module", "linalg.yield", "arith.mulf", "arith.addf")
    ]


def test_forms_of_llvm_16_have_the_types_that_its_generic_form_says() -> None:
    for text in chunks("llvm16"):
        output = mlir_opt(16)(text, "--mlir-print-op-generic")
        assert output.code == 0, output.err
        custom = read(text)
        assert opaque_names(custom) == set()
        assert shape(custom) == shape(read(output.out))


def test_an_op_with_regions_that_is_not_understood_is_no_error() -> None:
    (function,) = [op for text in chunks("opaque_with_regions") for op in read(text)]
    assert opaque_names([function]) == {
        "affine.dma_wait",
        "loops.generate",
        "loops.while",
        "loops.yield",
        "tests.if",
    }


def findings(text: str) -> Iterator[Found]:
    for placed in parse_source(text).items:
        problems = list(placed.item.problems)
        if not problems:
            problems = [found for op in placed.item.ops for found in verify(op, placed.item.spans)]
        for problem in problems:
            span = problem.span.shift(placed.offset)
            yield Found(Severity.ERROR, span, problem.code, problem.in_release(22))
        for op, words in () if problems else placed.item.rejected_by(22):
            span = placed.item.spans.name(op).shift(placed.offset)
            yield Found(Severity.ERROR, span, "GA003", words)


def without_notes(text: str) -> str:
    return "\n".join("" if "expected-note" in line else line for line in text.split("\n"))


def test_errors_are_worded_and_placed_as_mlir_opt_words_and_places_them() -> None:
    text = without_notes(ERRORS.read_text())
    assert disagreements(text, findings(text)) == []


def test_mlir_opt_agrees_with_the_error_markers() -> None:
    text = ERRORS.read_text()
    output = mlir_opt(22)(text, "--split-input-file", "--verify-diagnostics")
    assert output.err == ""


def test_symbols_are_checked_across_items_as_mlir_opt_checks_them() -> None:
    text = SYMBOLS.read_text()
    config = Config(llvm=22, select=("GA001", "GA003", "GA004"))
    found = [Found(f.severity, f.span, f.code, f.message) for f in check_source(without_notes(text), config)]
    assert disagreements(without_notes(text), found) == []
    assert mlir_opt(22)(text, "--split-input-file", "--verify-diagnostics").err == ""


def test_a_symbol_that_may_be_defined_in_what_cannot_be_read_is_no_error() -> None:
    text = "func.func @f() {{\n  call @g() : () -> ()\n  return\n}}\n{}\n"
    config = Config(llvm=22, select=("GA003",))
    hidden = text.format("my.func @g() {\n}")
    assert [f.message for f in check_source(hidden, config)] == []
    assert [f.message for f in check_source(text.format("my.func @h() {\n}"), config)] == [
        "'func.call' op 'g' does not reference a valid function"
    ]


def spaced(text: str) -> str:
    """Return the text without comments, and without the double spaces that mlir-opt prints in gpu ops."""
    return "\n".join(
        re.sub(r"(?<=\S) +", " ", _COMMENT.sub("", line)).rstrip() for line in text.split("\n")
    ).strip()


def lowered_cases() -> list[Path]:
    return sorted((CASES / "lowered-llvm24").glob("*.mlir"))


@pytest.mark.slow
def test_every_lowered_case_reads_and_prints_as_it_was() -> None:
    if not lowered_cases():
        missing("the lowered cases of the shared material")
    for path in lowered_cases():
        text = path.read_text()
        if "// -----" in text or text.startswith("#"):
            continue
        printed = "".join(print_module(op) for op in read(text))
        assert spaced(printed) == spaced(text), path.name
