"""Measures how fast kernels run on the CPU: on one core and on all, with checks, and compared with numba.

python -m benchmarks.kernel_speed [--threads N] [--sizes N ...] [--rounds N]

Runs on one core and on all alternate, so that other load on the machine affects both; the ratio is the
median of the pairs. numba is optional: without it its column reports that. The first line is the time
that a program without kernels takes from its command to its end.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.kernel_checks import ELEMENTWISE, PRODUCT, seconds


def on(cores: set[int], text: str) -> float:
    """Return the time of the program's kernel on the given cores; worker processes inherit the affinity."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        return seconds(text, check=False, rounds=1)
    finally:
        os.sched_setaffinity(0, before)


def elementwise(jit: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loop that the elementwise kernel computes."""

    @jit
    def add(x: Any, y: Any) -> None:
        for i in range(x.shape[0]):
            y[i] = x[i] + y[i]

    return add


def product(jit: Callable[..., Any]) -> Callable[..., Any]:
    """Return the naive loops of a matrix product."""

    @jit
    def multiply(a: Any, b: Any, o: Any) -> None:
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                s = np.float32(0)
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                o[i, j] = s

    return multiply


FMA_ROUNDS = 1500
FMA = """
func.func @main(%x: memref<{n}xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %rounds = arith.constant {rounds} : index
  %blocks = arith.constant {blocks} : index
  %f = arith.constant 0.5 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {{
    %b = arith.muli %bx, %c256 : index
    %i = arith.addi %b, %tx : index
    %v = memref.load %x[%i] : memref<{n}xf32>
    %s = scf.for %k = %c0 to %rounds step %c1 iter_args(%a = %v) -> (f32) {{
      %m = math.fma %a, %f, %f : f32
      scf.yield %m : f32
    }}
    memref.store %s, %x[%i] : memref<{n}xf32>
    gpu.terminator
  }}
  return
}}
"""


def multiply_add(jit: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loops of the multiply-add kernel."""

    @jit
    def run(x: Any) -> None:
        half = np.float32(0.5)
        for i in range(x.shape[0]):
            v = x[i]
            for _ in range(FMA_ROUNDS):
                v = v * half + half
            x[i] = v

    return run


def start(rounds: int) -> str:
    """Return the time and the processor time of a program without kernels, as text."""
    times: list[float] = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "empty.mlir"
        program.write_text("func.func @main() {\n  return\n}\n")
        command = [sys.executable, "-m", "gpuasync_lsp", "run", "--device", "cpu", str(program)]
        for _ in range(rounds):
            begun = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - begun)
    used = (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / rounds
    return f"an empty main: {median(times):.2f} s, {used:.2f} s of processor time"


def beside(make: Callable[..., Any], shapes: list[tuple[int, ...]]) -> str:
    """Return the time of numba's loop on one core, as text, or a note that numba is not installed."""
    try:
        import numba  # type: ignore[import-not-found]
    except ImportError:
        return "numba is not installed"
    loop = make(numba.njit)
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    loop(*(np.ones([1] * len(shape), np.float32) for shape in shapes))
    begun = time.perf_counter()
    loop(*arrays)
    return f"numba, one core: {time.perf_counter() - begun:.3f} s"


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=100_000_000, help="of the elementwise kernel")
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 1024], help="rows of the matrices")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    blocks = max(args.threads // 256, 1)
    every = os.sched_getaffinity(0)
    few = 1 << 16
    programs = [
        (
            f"elementwise, {blocks * 256} threads",
            ELEMENTWISE.format(n=blocks * 256, blocks=blocks),
            elementwise,
            [(blocks * 256,)] * 2,
        ),
        (
            f"{FMA_ROUNDS} fma a thread, {few} threads",
            FMA.format(n=few, blocks=few // 256, rounds=FMA_ROUNDS),
            multiply_add,
            [(few,)],
        ),
        *(
            (
                f"tiled product, {size}",
                PRODUCT.format(n=size, tiles=size // 16),
                product,
                [(size, size)] * 3,
            )
            for size in args.sizes
        ),
    ]
    print(start(args.rounds))
    for name, text, make, shapes in programs:
        pairs = [(on({min(every)}, text), on(every, text)) for _ in range(args.rounds)]
        one, all_ = (median(times) for times in zip(*pairs, strict=True))
        ratio = median(alone / together for alone, together in pairs)
        print(
            f"{name}: one core {one:.3f} s, {len(every)} cores {all_:.3f} s, {ratio:.2f}x; "
            f"checked {seconds(text, check=True, rounds=1) / one:.1f}x of one core; {beside(make, shapes)}"
        )


if __name__ == "__main__":
    main()
