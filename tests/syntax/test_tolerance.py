"""Error recovery: a broken op is one error at its position, and everything else is parsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.syntax import OpaqueOp, parse_source
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.text import Severity
from tests.support import tools
from tests.support.markers import Found, disagreements

FIXTURES = sorted((tools.FIXTURES / "tolerance").glob("*.mlir"))


def problems(text: str) -> list[Found]:
    return [Found(Severity.ERROR, p.span, p.code, p.message) for p in parse_source(text).problems()]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_fixture_gives_the_expected_problems(path: Path) -> None:
    text = path.read_text()
    assert disagreements(text, problems(text)) == []


def test_results_of_a_broken_op_can_be_used() -> None:
    source = parse_source(
        "func.func @f(%a: i32) {\n  %0 = arith.addi %a\n  %1 = arith.addi %0, %a : i32\n  return\n}\n"
    )
    assert len(source.problems()) == 1
    (placed,) = source.items
    names = [op.name for op in placed.item.ops[0].walk()]
    assert names == ["func.func", "gpuasync.opaque", "arith.addi", "func.return"]


def test_unknown_op_knows_its_operands_results_and_region() -> None:
    op = "%r:2 = my.op %a, @sym { %x = arith.addi %a, %a : i32 } -> (i32, f32)"
    text = f"func.func @f(%a: i32) {{\n  {op}\n  return\n}}"
    (placed,) = parse_source(text).items
    op = next(op for op in placed.item.ops[0].walk() if isinstance(op, OpaqueOp))
    spans = placed.item.spans
    assert op.op_name == "my.op"
    assert not op.is_error
    assert [str(r.type) for r in op.results] == ["i32", "f32"]
    assert [spans.value_name(r) for r in op.results] == ["%r#0", "%r#1"]
    assert [o.name_hint for o in op.operands] == ["a"]
    assert [inner.name for inner in op.regions[0].walk()] == ["arith.addi"]
    assert spans.name(op).of(text) == "my.op"
    assert spans.op(op).of(text).endswith("-> (i32, f32)")


def test_a_bare_name_inside_an_unknown_op_is_not_of_an_outer_dialect() -> None:
    text = "gpu.module @m {\n  my.kernel @k() {\n    return\n  }\n}\n"
    (placed,) = parse_source(text).items
    assert [op.name for op in placed.item.ops[0].walk()] == [
        "gpu.module",
        "gpuasync.opaque",
        "gpuasync.opaque",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "\0",
        "\u2028",
        "}",
        "{",
        "%",
        "//",
        "\r",
        "module",
        "module {",
        "func.func",
        '"',
        "{-#",
        "#a =",
        "^bb0:",
        "(",
    ],
)
def test_tiny_texts_never_raise(text: str) -> None:
    source = parse_source(text)
    assert all(0 <= p.span.start <= p.span.end <= len(text) + 1 for p in source.problems())


def test_white_space_of_every_kind() -> None:
    text = "\ufefffunc.func @f() {\r\n\t%c = arith.constant 1 : i32\r\n\0  return\r}\r\n"
    assert parse_source(text).problems() == []


def test_two_hundred_levels_of_nesting() -> None:
    depth = 200
    text = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + "}\n" * depth + "return\n}\n"
    source = parse_source(text)
    assert source.problems() == []
    (placed,) = source.items
    assert sum(1 for _ in placed.item.ops[0].walk()) >= depth


def test_absurd_nesting_is_an_error_not_a_crash() -> None:
    depth = 5_000
    text = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + "}\n" * depth + "return\n}\n"
    assert any("nested too deeply" in p.message for p in parse_source(text).problems())


@pytest.mark.slow
def test_a_line_of_a_megabyte() -> None:
    names = ", ".join(["%a"] * 250_000)
    text = f"func.func @f(%a: i32) {{\n  my.op {names} : i32\n  return\n}}\n"
    assert parse_source(text).problems() == []


def test_a_misplaced_return_does_not_spoil_the_others() -> None:
    assert len(parse_source("return\n").problems()) == 1
    assert parse_source("func.func @f() {\n  return\n}\n").problems() == []


@pytest.mark.parametrize(
    "alias",
    ["#a = dense<[1, 2]> : tensor<3xi8>", "!t = vector<0x-1xf32>", "#a = #gpu<", "!t = " + "tuple<" * 3_000],
    ids=["shape", "dimension", "cut off", "deep"],
)
def test_a_broken_alias_is_an_error_and_no_more(alias: str) -> None:
    source = parse_source(alias + "\nfunc.func @f() {\n  return\n}\n")
    assert len(source.problems()) >= 1
    assert [op.name for placed in source.items for op in placed.item.ops] == ["func.func"]


def test_a_declaration_ends_before_the_statement_that_follows_it() -> None:
    text = (
        'func.func private @f(i32 {foo.a},\n    tensor<4xf32,\n    "encoding">) -> (f32 {foo.b})\n'
        '%0 = "test.op"() {tag} : () -> i32\n'
        "func.func private @g()\n"
        "gpu.wait\n"
    )
    source = parse_source(text)
    assert source.problems() == []
    assert [placed.item.text.split("\n")[-1][:8] for placed in source.items] == [
        '    "enc',
        '%0 = "te',
        "func.fun",
        "gpu.wait",
    ]


def test_a_name_in_quotes_says_its_dialect() -> None:
    text = 'gpu.module @m {\n  gpu.func @k() kernel {\n    "return"() : () -> ()\n  }\n}\n'
    (placed,) = parse_source(text).items
    assert "gpu.return" not in [op.name for op in placed.item.ops[0].walk()]


def test_a_device_module_that_is_never_closed_leaves_the_host_alone() -> None:
    text = "gpu.module @m {\nllvm.func @d()\nfunc.func @host() {\n  return\n}\n"
    assert [item.ops[0].name for item, _ in parse_source(text).items] == [
        "gpu.module",
        "llvm.func",
        "func.func",
    ]


def test_aliases_that_grow_without_end_stay_in_the_text() -> None:
    lines = ["#a0 = #test.a<0>"] + [f"#a{n} = #test.a<#a{n - 1}, #a{n - 1}>" for n in range(1, 60)]
    (chunk,) = parse_source("\n".join([*lines, '"test.op"() {a = #a59} : () -> ()'])).chunks
    assert max(len(str(value)) for value in chunk.aliases.values()) < 1_000_000


def test_an_op_of_func_at_the_first_column_is_in_its_function() -> None:
    source = parse_source(
        "func.func private @g(index) -> index\n"
        "func.func @f(%c: index) -> index {\n"
        "%0 = func.call @g(%c) : (index) -> index\n"
        "func.call @g(%0) : (index) -> index\n"
        "func.return %0 : index\n}\n"
    )
    assert source.problems() == []
    assert len(list(source.items)) == 2


def test_a_location_behind_the_attributes_of_an_argument_ends_no_function() -> None:
    text = (
        'func.func @f(%a: i1 {x.y} loc("f":1:2)) attributes {x.z} {\n  return loc(unknown)\n} loc("f":1:1)\n'
    )
    source = parse_source(text * 2)
    assert source.problems() == []
    assert [item.text for item, _ in source.items] == [text.rstrip("\n")] * 2


def test_ornaments_do_not_separate_chunks() -> None:
    """Like `mlir-opt --split-input-file`: five dashes after one space."""
    text = "func.func private @a()\n{}\nfunc.func private @b()\n"
    for line, chunks in (
        ("// -----", 2),
        ("// -----// IR Dump After CSE (cse) //----- //", 2),
        ("//-----", 1),
        ("//   -----", 1),
        ("// ---------", 1),
    ):
        assert len(parse_source(text.format(line)).chunks) == chunks, line


def test_nothing_stands_before_the_first_section_of_a_dump() -> None:
    header = "// -----// IR Dump Before CSE (cse) //----- //\n"
    function = "func.func private @a()\n"
    for text, chunks in (
        (header + function, 1),
        ("\n" + header + function + header + function, 2),
        (function + header + function, 2),
        ("// -----\n" + function, 2),
    ):
        assert len(parse_source(text).chunks) == chunks, text


def test_a_name_in_front_of_a_region_with_a_label_of_its_own_is_no_argument_of_it() -> None:
    text = '"linalg.transpose"() <{permutation = array<i64:%n, 0>}> ({\n^bb0:\n}) : () -> ()\n'
    printed = "".join(print_module(op) for placed in parse_source(text).items for op in placed.item.ops)
    assert "array<i64:%n, 0>" in printed


def test_an_op_that_takes_a_later_value_thousands_of_times() -> None:
    # So many operands are replaced at once: one by one the time grows with the square of their number.
    uses = ", ".join(["%late"] * 20_000)
    text = f"^bb1:\n  test.takes {uses}\n  cf.br ^bb1\n^bb2:\n  %late = test.makes\n"
    (item,) = parse_source(text.join(("func.func @f() {\n  cf.br ^bb2\n", "  cf.br ^bb1\n}\n"))).items
    (makes,) = (op for op in item.item.ops[0].walk() if op.results)
    assert len(list(makes.results[0].uses)) == 20_000


def test_a_name_that_nothing_defines_is_said_once_however_often_it_is_used() -> None:
    (item,) = parse_source("func.func @f() {\n" + "%never " * 20_000 + "\n}\n").items
    assert sum(problem.code == "GA002" for problem in item.item.problems) == 1
