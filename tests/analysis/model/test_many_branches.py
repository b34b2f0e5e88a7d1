"""Functions with many branches that yield tokens and buffers: no exponential number of paths, no missed
races."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source

MEMREF, TOKEN = "memref<64xf32>", "!gpu.async.token"
CARRIED = f"({TOKEN}, {MEMREF}, {MEMREF})"
YIELDED = f": {TOKEN}, {MEMREF}, {MEMREF}"


def program(branches: int, end: str, *, in_loop: bool) -> str:
    """Return a function in which each of many branches may copy into one of two buffers, and swap them."""
    conditions = ", ".join(f"%c{k}: i1" for k in range(branches))
    lines = [
        f"func.func @f(%a: {MEMREF}, %b: {MEMREF}, %h: {MEMREF}, {conditions}, %n: index) {{",
        "  %zero = arith.constant 0 : index",
        "  %one = arith.constant 1 : index",
        "  %s = gpu.wait async",
    ]
    token, x, y = "%s", "%a", "%b"
    if in_loop:
        start = "%ti = %s, %xi = %a, %yi = %b"
        lines.append(f"  %r:3 = scf.for %i = %zero to %n step %one iter_args({start}) -> {CARRIED} {{")
        token, x, y = "%ti", "%xi", "%yi"
    for k in range(branches):
        lines += [
            f"  %t{k}, %x{k}, %y{k} = scf.if %c{k} -> {CARRIED} {{",
            f"    %m{k} = gpu.memcpy async [{token}] {x}, %h : {MEMREF}, {MEMREF}",
            f"    scf.yield %m{k}, {y}, {x} {YIELDED}",
            "  } else {",
            f"    scf.yield {token}, {x}, {y} {YIELDED}",
            "  }",
        ]
        token, x, y = f"%t{k}", f"%x{k}", f"%y{k}"
    lines += [f"  scf.yield {token}, {x}, {y} {YIELDED}", "  }"] if in_loop else []
    return "\n".join([*lines, end, "  return", "}"])


EARLY = "  %v = memref.load %a[%zero] : memref<64xf32>\n  gpu.wait [%s]"
LATE = "  gpu.wait [%s]\n  %v = memref.load %a[%zero] : memref<64xf32>"


@pytest.mark.parametrize("in_loop", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("branches", [15, pytest.param(60, marks=pytest.mark.slow)])
def test_a_race_behind_many_branches_is_found(branches: int, in_loop: bool) -> None:
    found = check_source(program(branches, EARLY, in_loop=in_loop), Config(22, ("GA0", "GA2", "GA3", "GA4")))
    assert {finding.code for finding in found} == {"GA302"}


@pytest.mark.parametrize("in_loop", [False, True])
def test_no_race_is_told_where_the_host_waits(in_loop: bool) -> None:
    assert check_source(program(120, LATE, in_loop=in_loop), Config(22, ("GA0", "GA2", "GA3", "GA4"))) == []
