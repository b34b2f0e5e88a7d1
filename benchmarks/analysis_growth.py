"""Measures how the time of the analysis grows with a function: `python -m benchmarks.analysis_growth`.

Prints milliseconds of processor time for functions with an increasing number of ops, and with an
increasing number of consecutive scf.if that each yield a token and two buffers: the time per op, or
branch, should stay the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gpuasync_lsp.analysis import Config, check_source

MEMREF, TOKEN = "memref<64xf32>", "!gpu.async.token"
CARRIED = f"({TOKEN}, {MEMREF}, {MEMREF})"
YIELDED = f": {TOKEN}, {MEMREF}, {MEMREF}"


def in_a_row(ops: int) -> str:
    """Return a function of `ops` ops: uploads, memsets and joins over eight buffers, and waits."""
    buffers = ", ".join(f"%b{n}: {MEMREF}" for n in range(8))
    lines = [f"func.func @row(%f: f32, {buffers}) {{"]
    for k in range(ops // 6):
        x, y = f"%b{k % 8}", f"%b{(k + 3) % 8}"
        lines += [
            f"  %s{k} = gpu.wait async",
            f"  %t{k} = gpu.wait async",
            f"  %u{k} = gpu.memcpy async [%s{k}] {x}, {y} : {MEMREF}, {MEMREF}",
            f"  %j{k} = gpu.wait async [%t{k}, %u{k}]",
            f"  %v{k} = gpu.memset async [%j{k}] {y}, %f : {MEMREF}, f32",
            f"  gpu.wait [%v{k}, %u{k}, %t{k}]",
        ]
    return "\n".join([*lines, "  return", "}"])


def branches(count: int) -> str:
    """Return a function of `count` consecutive scf.if that may copy to one of two buffers and swap them."""
    conditions = ", ".join(f"%c{k}: i1" for k in range(count))
    lines = [
        f"func.func @f(%x: {MEMREF}, %y: {MEMREF}, %h: {MEMREF}, {conditions}) {{",
        "  %t = gpu.wait async",
    ]
    token, x, y = "%t", "%x", "%y"
    for k in range(count):
        lines += [
            f"  %t{k}, %x{k}, %y{k} = scf.if %c{k} -> {CARRIED} {{",
            f"    %m{k} = gpu.memcpy async [{token}] {x}, %h : {MEMREF}, {MEMREF}",
            f"    scf.yield %m{k}, {y}, {x} {YIELDED}",
            "  } else {",
            f"    scf.yield {token}, {x}, {y} {YIELDED}",
            "  }",
        ]
        token, x, y = f"%t{k}", f"%x{k}", f"%y{k}"
    return "\n".join([*lines, "  gpu.wait [%t]", "  return", "}"])


def report(what: str, make: Callable[[int], str], sizes: tuple[int, ...]) -> None:
    """Print the analysis time of the function that `make` returns, one line per size."""
    for size in sizes:
        text = make(size)
        begin = time.process_time()
        found = check_source(text, Config(22, ("GA0", "GA2", "GA3", "GA4")))
        took = 1000 * (time.process_time() - begin)
        print(f"{size:6} {what}: {took:7.0f} ms, {took / size:6.2f} ms each, {len(found)} findings")


if __name__ == "__main__":
    for make in (in_a_row, branches):
        check_source(make(30), Config(22))  # what is loaded and made once
    report("ops", in_a_row, (1250, 2500, 5000, 10000))
    report("scf.if", branches, (15, 30, 60, 120))
