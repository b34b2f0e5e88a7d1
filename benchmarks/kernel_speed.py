"""How fast kernels run on the CPU without checks: one core beside all, and beside numba where that is there.

python -m benchmarks.kernel_speed [--threads N] [--size N] [--rounds N]

Rounds of one core and of all take turns, so that what else the machine does meets both; the ratio is the
median of the pairs. numba is no dependency: without it its column says so.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from benchmarks.kernel_checks import ELEMENTWISE, PRODUCT, seconds


def on(cores: set[int], text: str) -> float:
    """Return the time of the program's kernel on these cores, which the worker inherits."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        return seconds(text, check=False, rounds=1)
    finally:
        os.sched_setaffinity(0, before)


def elementwise(jit: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loop of the elementwise kernel."""

    @jit
    def add(x: Any, y: Any) -> None:
        for i in range(x.shape[0]):
            y[i] = x[i] + y[i]

    return add


def product(jit: Callable[..., Any]) -> Callable[..., Any]:
    """Return the naive loops of a product."""

    @jit
    def multiply(a: Any, b: Any, o: Any) -> None:
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                s = np.float32(0)
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                o[i, j] = s

    return multiply


def beside(make: Callable[..., Any], shapes: list[tuple[int, ...]]) -> str:
    """Return how long numba's loop takes on one core, or that there is no numba."""
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
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=100_000_000, help="of the elementwise kernel")
    parser.add_argument("--size", type=int, default=512, help="rows of the matrices")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    blocks = max(args.threads // 256, 1)
    every = os.sched_getaffinity(0)
    programs = (
        (
            f"elementwise, {blocks * 256} threads",
            ELEMENTWISE.format(n=blocks * 256, blocks=blocks),
            elementwise,
            [(blocks * 256,)] * 2,
        ),
        (
            f"tiled product, {args.size}",
            PRODUCT.format(n=args.size, tiles=args.size // 16),
            product,
            [(args.size, args.size)] * 3,
        ),
    )
    for name, text, make, shapes in programs:
        pairs = [(on({min(every)}, text), on(every, text)) for _ in range(args.rounds)]
        one, all_ = (median(times) for times in zip(*pairs, strict=True))
        ratio = median(alone / together for alone, together in pairs)
        print(
            f"{name}: one core {one:.3f} s, {len(every)} cores {all_:.3f} s, {ratio:.2f}x; "
            f"{beside(make, shapes)}"
        )


if __name__ == "__main__":
    main()
