"""The model: how each version treats a token, and which parts are cached between checks."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import AsyncFunction, Kind, Origin, analyze, file_contexts
from gpuasync_lsp.analysis.model.function import Fault
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.source import parse_source


def model(
    body: str, version: int = 22, arguments: str = "%a: memref<4xf32>, %f: f32, %c: i1"
) -> AsyncFunction:
    text = f"func.func @main({arguments}) {{\n{body}\nreturn\n}}\n"
    chunk = parse_source(text).chunks[0]
    ((placed, context),) = file_contexts(chunk)
    (function,) = analyze(placed.item, context, profile(version))
    return function


def kinds(function: AsyncFunction) -> dict[str, Kind]:
    return {function.span_name(value): handle.kind for value, handle in function.tokens.items()}


def test_an_op_on_a_token_is_on_its_stream() -> None:
    function = model(
        "%t = gpu.wait async\n%x = gpu.memset async [%t] %a, %f : memref<4xf32>, f32\ngpu.wait [%x]"
    )
    (stream,) = function.streams
    assert [function.span_name(t) for t in stream.tokens] == ["%t", "%x"]
    assert [w.blocking for w in stream.waits] == [True]
    assert function.faults == []


@pytest.mark.parametrize(("version", "kind"), [(16, Kind.OPAQUE), (19, Kind.OPAQUE), (22, Kind.STREAM)])
def test_a_block_argument_of_one_value_folds_from_22(version: int, kind: Kind) -> None:
    body = (
        "%t = gpu.wait async\ncf.br ^next(%t : !gpu.async.token)\n^next(%x: !gpu.async.token):\ngpu.wait [%x]"
    )
    assert kinds(model(body, version))["%x"] is kind


def test_a_loop_carried_token_is_an_event_that_is_a_stream() -> None:
    function = model(
        "%n = arith.constant 1 : index\n%t = gpu.wait async\n"
        "%x = scf.for %i = %n to %n step %n iter_args(%y = %t) -> (!gpu.async.token) {\n"
        "  %z = gpu.memset async [%y] %a, %f : memref<4xf32>, f32\n  scf.yield %z : !gpu.async.token\n}"
    )
    carried = next(h for v, h in function.tokens.items() if function.span_name(v) == "%x")
    assert carried.kind is Kind.OPAQUE
    assert carried.only is Origin.STREAM
    assert {m.index for m in carried.members if not isinstance(m, Origin)} == {0}


@pytest.mark.parametrize(("version", "kind"), [(22, Kind.LEFT), (24, Kind.NULL)])
def test_an_alloc_without_dependency_is_left_or_null(version: int, kind: Kind) -> None:
    function = model("%p, %t = gpu.alloc async () : memref<4xf32>\ngpu.dealloc %p : memref<4xf32>", version)
    assert kinds(function)["%t"] is kind


def test_a_fault_names_its_path() -> None:
    function = model("%t = gpu.wait async\nscf.if %c {\n  gpu.wait [%t]\n}\ngpu.wait [%t]")
    twice = [f for f in function.faults if f.fault is Fault.DESTROYED_TWICE]
    assert [f.path for f in twice] == ["if %c is true"]
    assert not twice[0].certain


def test_an_edit_elsewhere_keeps_the_model() -> None:
    first = "func.func @f() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n"
    before = parse_source(first + "func.func @g() {\n  return\n}\n")
    after = parse_source(first + "func.func @g() {\n  %t = gpu.wait async\n  return\n}\n", before)

    def models(source: object) -> list[AsyncFunction]:
        (placed, context), *_ = file_contexts(source.chunks[0])  # type: ignore[attr-defined]
        return analyze(placed.item, context, profile(24))

    assert models(before)[0] is models(after)[0]


def test_opposite_outcomes_of_one_condition_are_no_path() -> None:
    body = "scf.if %c {\n  gpu.wait [%t]\n}\nscf.if %c {\n} else {\n  gpu.wait [%t]\n}"
    assert model(f"%t = gpu.wait async\n{body}").faults == []
    other = body.replace("scf.if %c {\n} else {", "scf.if %d {\n} else {")
    function = model(f"%t = gpu.wait async\n{other}", arguments="%c: i1, %d: i1")
    found = {f.fault: f.path for f in function.faults}
    assert found == {
        Fault.DESTROYED_TWICE: "if %c is true and %d is false",
        Fault.LEAKED: "if %c is false and %d is true",
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("arith.xori %c, %true : i1", "arith.xori %c, %true : i1"),
        ("arith.cmpi slt, %m, %n : index", "arith.cmpi sgt, %n, %m : index"),
        ("arith.cmpi eq, %m, %n : index", "arith.cmpi eq, %m, %n : index"),
    ],
)
def test_conditions_that_are_the_same_are_known_to_be(first: str, second: str) -> None:
    function = model(
        f"%true = arith.constant true\n%x = {first}\n%y = {second}\n%t = gpu.wait async\n"
        "scf.if %x {\n  gpu.wait [%t]\n}\nscf.if %y {\n} else {\n  gpu.wait [%t]\n}",
        arguments="%c: i1, %m: index, %n: index",
    )
    assert function.faults == []


def test_a_condition_of_each_round_is_another_one() -> None:
    function = model(
        "%t = gpu.wait async\nscf.for %i = %m to %n step %n {\n  %x = arith.cmpi eq, %i, %m : index\n"
        "  scf.if %x {\n    gpu.wait [%t]\n  }\n}",
        arguments="%m: index, %n: index",
    )
    twice = [f.path for f in function.faults if f.fault is Fault.DESTROYED_TWICE]
    assert twice == ["in a later iteration, if %x is true"]


def test_code_that_no_path_comes_to_has_no_faults() -> None:
    function = model(
        "%t = gpu.wait async\n%k = arith.constant false\nscf.if %k {\n  gpu.wait [%t]\n}\ngpu.wait [%t]"
    )
    assert function.faults == []
