"""Programs of any size that are expensive to analyze."""

from __future__ import annotations

TOKEN = "!gpu.async.token"


def choices(count: int) -> str:
    """Return a function in which each of `count` conditions may replace a stream with another."""
    lines = [
        f"func.func @choices({', '.join(f'%c{n}: i1' for n in range(count))}) {{",
        "  %x0 = gpu.wait async",
    ]
    for n in range(count):
        lines += [
            f"  %a{n} = gpu.wait async",
            f"  %x{n + 1} = arith.select %c{n}, %x{n}, %a{n} : {TOKEN}",
        ]
    return "\n".join([*lines, f"  gpu.wait [%x{count}]", "  return", "}", ""])


def rows_of_ifs(count: int) -> str:
    """Return a function with `count` consecutive ifs, each of which yields a stream."""
    lines = ["func.func @ifs(%c: i1) {", "  %x0 = gpu.wait async"]
    for n in range(count):
        lines += [
            f"  %x{n + 1} = scf.if %c -> ({TOKEN}) {{",
            f"    %a{n} = gpu.wait async [%x{n}]",
            f"    scf.yield %a{n} : {TOKEN}",
            "  } else {",
            f"    %b{n} = gpu.wait async",
            f"    scf.yield %b{n} : {TOKEN}",
            "  }",
        ]
    return "\n".join([*lines, f"  gpu.wait [%x{count}]", "  return", "}", ""])


def loops(depth: int, carried: int) -> str:
    """Return nested loops that each exchange the streams they carry."""
    kinds = ", ".join([TOKEN] * carried)
    lines = [
        "func.func @loops(%n: index) {",
        "  %c0 = arith.constant 0 : index",
        "  %c1 = arith.constant 1 : index",
        *(f"  %t{n} = gpu.wait async" for n in range(carried)),
    ]
    current = [f"%t{n}" for n in range(carried)]
    for level in range(depth):
        results = ", ".join(f"%r{level}_{n}" for n in range(carried))
        given = ", ".join(f"%a{level}_{n} = {value}" for n, value in enumerate(current))
        lines.append(
            f"  {results} = scf.for %i{level} = %c0 to %n step %c1 iter_args({given}) -> ({kinds}) {{"
        )
        current = [f"%a{level}_{(n + 1) % carried}" for n in range(carried)]
    for level in reversed(range(depth)):
        lines += [f"  scf.yield {', '.join(current)} : {kinds}", "  }"]
        current = [f"%r{level}_{n}" for n in range(carried)]
    return "\n".join([*lines, f"  gpu.wait [{', '.join(current)}]", "  return", "}", ""])
