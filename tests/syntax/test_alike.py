"""A statement parsed like an earlier one gives the same result as if it were parsed separately."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.dialects import context
from gpuasync_lsp.syntax.dialects.gpu import WaitOp
from gpuasync_lsp.syntax.parser import TolerantParser
from gpuasync_lsp.syntax.shared_context import SharedContext
from tests.syntax.corpus import TEXTS

IN_FUNCTION = (
    "func.func @f(%a: i32, %b: i32, %w: i64, %i: index, %j: index, %m: memref<8xf32>,\n"
    "    %t: !gpu.async.token) {{\n"
    "  {}\n  return\n}}\n"
)

CASES = {
    "another subscript": (
        "%0 = affine.load %m[%i + %j] : memref<8xf32>",
        "%0 = affine.load %m[%i + %i] : memref<8xf32>",
    ),
    "the same value twice": ("%0 = arith.addi %a, %b : i32", "%0 = arith.addi %b, %b : i32"),
    "values in turns": ("%0 = arith.subi %a, %b : i32", "%long_name = arith.subi %b, %a : i32"),
    "a value of another type": ("%0 = arith.addi %a, %b : i32", "%0 = arith.addi %a, %w : i32"),
    "a name of nothing": ("%0 = arith.addi %a, %b : i32", "%0 = arith.addi %a, %c : i32"),
    "a name that is not typed yet": ("%0 = arith.addi %a, %b : i32", "%0 = arith.addi %a, % : i32"),
    "a name of an argument": ("%0 = arith.addi %a, %b : i32", "%a = arith.addi %a, %b : i32"),
    "a use before the definition": (
        "%0 = arith.addi %a, %b : i32",
        "%1 = arith.addi %0, %b : i32\n  %0 = arith.addi %a, %b : i32",
    ),
    "two results": (
        "%0, %1 = gpu.alloc async [%t] () : memref<8xf32>",
        "%d, %u = gpu.alloc async [%t] () : memref<8xf32>",
    ),
    "one result named twice": (
        "%0, %1 = gpu.alloc async [%t] () : memref<8xf32>",
        "%d, %d = gpu.alloc async [%t] () : memref<8xf32>",
    ),
    "a keyword in the next line": ("gpu.wait", "gpu.wait\n  async [%t]"),
    "a list in the next line": ("gpu.wait", "gpu.wait\n  [%t]"),
    "attributes in the next line": ("%0 = gpu.wait async", "%0 = gpu.wait async\n  {a = 1 : i32}"),
    "a location in the next line": (
        "%0 = arith.addi %a, %b : i32",
        "%0 = arith.addi %a, %b : i32\n  loc(unknown)",
    ),
    "a comment behind it": ("%0 = gpu.wait async", "%u = gpu.wait async  // %0 = gpu.wait"),
    "another statement behind it": ("%0 = gpu.wait async", "%0 = gpu.wait async %1 = gpu.wait async"),
    "something behind it": ("%0 = gpu.wait async", "%0 = gpu.wait async )"),
    "an attribute": ("%0 = arith.constant -0.0 : f32", "%1 = arith.constant 0.0 : f32"),
    "properties": (
        "%0 = arith.addi %a, %b overflow<nsw> : i32",
        "%1 = arith.addi %b, %a overflow<nsw> : i32",
    ),
}


@pytest.mark.parametrize(("before", "text"), CASES.values(), ids=CASES.keys())
def test_statement_is_read_as_it_is_alone(before: str, text: str) -> None:
    text = IN_FUNCTION.format(text)
    known = context()
    for _ in range(2):
        _read(known, IN_FUNCTION.format(before))
    assert _read(known, text) == _read(context(), text)


def test_alias_is_what_it_stands_for_in_each_text() -> None:
    known = context()
    for _ in range(2):
        _read(known, "!t = i32\n" + IN_FUNCTION.format("%0 = llvm.mlir.undef : !t"))
    text = "!t = i64\n" + IN_FUNCTION.format("%0 = llvm.mlir.undef : !t")
    assert _read(known, text) == _read(context(), text)


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_read_again_as_the_first_time(text: str) -> None:
    known = context()
    first = _read(known, text)
    assert [_read(known, text) for _ in range(2)] == [first, first]


def test_tokens_of_the_first_two_alone_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    parse = WaitOp.parse

    def counted(parser: TolerantParser) -> WaitOp:
        calls.append(parser)
        return parse(parser)

    monkeypatch.setattr(WaitOp, "parse", counted)
    lines = [f"%{number} = gpu.wait async [%t]" for number in range(9)]
    _read(context(), IN_FUNCTION.format("\n  ".join(lines)))
    # The last has something else after it.
    assert len(calls) == 3


def _read(known: SharedContext, text: str) -> list[object]:
    """Return everything parsed from a text: ops with their operands and positions, and problems."""
    parser = TolerantParser(known, text)
    ops = [op for top in parser.parse_ops() for op in top.walk()]
    numbers = {value: number for number, value in enumerate(parser.spans.values)}
    said: list[object] = [(each.code, each.span, each.message, each.related) for each in parser.problems]
    return said + [_described(op, parser, numbers) for op in ops]


def _described(op: Operation, parser: TolerantParser, numbers: Mapping[SSAValue, int]) -> object:
    return (
        type(op),
        list(map(str, (*op.properties.items(), *op.attributes.items(), op.location))),
        [(numbers.get(value), str(value.type)) for value in op.operands],
        [(str(value.type), value.name_hint, parser.spans.values.get(value)) for value in op.results],
        parser.spans.ops.get(op),
    )
