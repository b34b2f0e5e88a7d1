"""Affine maps are printed with the folds of each release, and its mlir-opt accepts the output."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import AffineMapAttr

from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.affine import map_text
from gpuasync_lsp.syntax.affine_folds import refolded_map, rules_of
from tests.differential.read_back import read_back
from tests.support.tools import FIXTURES, mlir_opt

POINTS = ((0, 0), (1, 2), (-3, 7))

MEASURED = (16, 19, 22, 24)


def _rows() -> list[tuple[str, dict[int, str]]]:
    rows: list[tuple[str, dict[int, str]]] = []
    for line in (FIXTURES / "syntax" / "affine_maps.txt").read_text().splitlines()[1:]:
        written, *cells = line.split(" | ")
        for index, cell in enumerate(cells):
            cells[index] = cells[index - 1] if cell == "=" else cell
        rows.append((written, dict(zip(MEASURED, cells, strict=True))))
    return rows


def _program(maps: list[str]) -> str:
    inside = ", ".join(f"m{number} = affine_map<{each}>" for number, each in enumerate(maps))
    return f"func.func private @f() attributes {{{inside}}}\n"


def _map(text: str) -> AffineMapAttr:
    (op,) = module_of(parse_source(_program([text])).chunks[0]).body.block.ops
    found = op.attributes["m0"]
    assert isinstance(found, AffineMapAttr)
    return found


@pytest.mark.parametrize("version", MEASURED)
def test_maps_are_folded_as_the_release_folds_them(version: int) -> None:
    wrong = [
        (written, printed, expected[version])
        for written, expected in _rows()
        if (printed := map_text(refolded_map(_map(written), rules_of(version)))) != expected[version]
    ]
    assert not wrong


@pytest.mark.parametrize(
    "expression",
    [
        " + ".join(["d0"] * 3000),
        " + ".join(f"d{index % 2} * {index}" for index in range(3000)),
        "(" + " + ".join(f"d{index % 2} * {4 * index}" for index in range(3000)) + ") mod 4",
        "(" + " + ".join(f"d{index % 2} * {4 * index}" for index in range(200)) + ") floordiv 4",
    ],
)
def test_long_expressions_keep_their_value(expression: str) -> None:
    each = _map(f"(d0, d1) -> ({expression})")
    folded = refolded_map(each, rules_of(24))
    assert [folded.data.eval(at, []) for at in POINTS] == [each.data.eval(at, []) for at in POINTS]


@pytest.mark.slow
@pytest.mark.parametrize("version", [16, 17, 18, 19, 20, 21, 22, 23, 24])
def test_what_is_printed_is_read_back(version: int) -> None:
    mlir_opt(version)
    # mlir-opt cannot parse its own output for the smallest 64-bit number.
    maps = _program([written for written, expected in _rows() if str(-(1 << 63)) not in expected[16]])
    assert not read_back(version, {"maps": maps}).unread
