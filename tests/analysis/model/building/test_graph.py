"""Regions become graphs of nodes and conditional edges, and ops become steps."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis.model.building import build
from gpuasync_lsp.analysis.model.function import AsyncFunction
from tests.analysis.model.building.function import TOKEN, Sample


def built(body: str, version: int = 22) -> AsyncFunction:
    model = Sample(body, version).function
    return build(model.op, model.spans, model.context, model.profile, is_valid=True)


def ways(function: AsyncFunction) -> set[tuple[int, int, str]]:
    return {(node.index, edge.target.index, edge.when) for node in function.nodes for edge in node.edges}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", set()),
        ("scf.if %c {\n} else {\n}", set()),  # Ops that only compute are on no path.
        (
            "scf.if %c {\nWORK\n}",
            {(0, 1, "%c is false"), (0, 2, "%c is true"), (2, 1, "")},
        ),
        (
            "scf.if %c {\nWORK\n} else {\n}",
            {(0, 2, "%c is true"), (2, 1, ""), (0, 3, "%c is false"), (3, 1, "")},
        ),
        ("%true = arith.constant true\nscf.if %true {\nWORK\n} else {\n}", {(0, 2, ""), (2, 1, "")}),
        (
            "scf.index_switch %n\ncase 3 {\n  scf.yield\n}\ndefault {\n}",
            {(0, 2, "%n is none of the cases"), (0, 3, "%n is 3"), (2, 1, ""), (3, 1, "")},
        ),
        (
            "scf.for %i = %n to %n step %n {\nWORK\n}",
            {
                (0, 2, "the loop runs"),
                (0, 1, "the loop does not run"),
                (2, 3, ""),
                (3, 2, ""),
                (3, 1, ""),
            },
        ),
        (
            "scf.while : () -> () {\n  scf.condition(%c)\n} do {\n  scf.yield\n}",
            {(0, 2, ""), (2, 1, "%c is false"), (2, 3, "%c is true"), (3, 2, "")},
        ),
        (
            "cf.cond_br %c, ^a, ^b\n^a:\ncf.br ^b\n^b:",
            {(0, 1, "%c is true"), (0, 2, "%c is false"), (1, 2, "")},
        ),
        ("memref.alloca_scope {\n}", {(0, 2, ""), (2, 1, "")}),
    ],
)
def test_ways(body: str, expected: set[tuple[int, int, str]]) -> None:
    found = ways(built(body.replace("WORK", "func.call @g() : () -> ()")))
    if "arith.constant" in body:  # The test has been decided: its words do not matter.
        found = {(source, target, "") for source, target, _ in found}
    assert found == expected


def test_rounds_of_a_loop_go_back() -> None:
    function = built(
        f"%r = scf.for %i = %n to %n step %n iter_args(%y = %e) -> ({TOKEN}) {{\n"
        f"  %z = gpu.wait async [%y]\n  scf.yield %z : {TOKEN}\n}}"
    )
    back = [edge for node in function.nodes for edge in node.edges if edge.back]
    assert len(back) == 1
    assert [(function.span_name(a.value), function.span_name(b.value)) for a, b in back[0].passes] == [
        ("%y", "%z")
    ]


def steps(function: AsyncFunction) -> list[str]:
    return [step.action.value for node in function.nodes for step in node.steps]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%t = gpu.wait async\ngpu.wait [%t]", ["define", "create", "block"]),
        (
            "%t = gpu.wait async\n%x = gpu.memset async [%t] %m, %f : memref<4xf32>, f32",
            ["define", "create", "enqueue"],
        ),
        ("gpu.memset %m, %f : memref<4xf32>, f32", ["define", "complete"]),
        ("gpu.wait [%e]", ["define", "block"]),
        ("%t = gpu.wait async [%e]", ["define", "create", "consume"]),
        (
            "%t = gpu.wait async\n%j = gpu.wait async [%t]",
            ["define", "create", "record", "create", "await event"],
        ),
        ("%v = memref.load %m[%n] : memref<4xf32>", ["define", "renew", "host"]),
        ("%b = memref.alloc() : memref<4xf32>", ["define", "allocate"]),
        (
            f"%t = gpu.wait async\n%x = arith.select %c, %e, %t : {TOKEN}\ngpu.wait [%x]",
            ["define", "create", "block"],
        ),
    ],
)
def test_steps(body: str, expected: list[str]) -> None:
    assert steps(built(body)) == expected
