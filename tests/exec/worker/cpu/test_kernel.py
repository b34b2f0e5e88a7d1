"""The launch configurations that a GPU accepts."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.worker.cpu.kernel import CpuKernel, launch_problem

ONE = (1, 1, 1)


def kernel(shared_bytes: int = 0) -> CpuKernel:
    return CpuKernel("k", lambda parameters, geometry: None, (), shared_bytes)


@pytest.mark.parametrize(
    ("cluster", "grid", "block", "shared"),
    [
        (ONE, ONE, ONE, 0),
        (ONE, (2**31 - 1, 65535, 65535), (1024, 1, 1), 227 * 1024),
        ((2, 4, 1), (2, 4, 1), ONE, 0),
    ],
)
def test_what_is_within_the_limits(cluster, grid, block, shared) -> None:  # type: ignore[no-untyped-def]
    assert launch_problem(kernel(), cluster, grid, block, shared) is None


@pytest.mark.parametrize(
    ("cluster", "grid", "block", "shared", "static", "said"),
    [
        (ONE, (0, 1, 1), ONE, 0, 0, "has no threads"),
        (ONE, ONE, (1025, 1, 1), 0, 0, "limit of 1024 threads"),
        (ONE, ONE, (1, 1, 65), 0, 0, "(z: 64)"),
        (ONE, (1, 65536, 1), ONE, 0, 0, "(2147483647, 65535, 65535)"),
        (ONE, ONE, ONE, 0, 48 * 1024 + 1, "ptxas accepts at most"),
        ((2, 1, 1), (3, 1, 1), ONE, 0, 0, "cannot be divided"),
        ((3, 3, 1), (3, 3, 1), ONE, 0, 0, "over the limit of 8 blocks"),
        (ONE, ONE, ONE, 227 * 1024, 1, "over the limit of 227 KiB"),
        (ONE, ONE, ONE, -1, 0, "over the limit of 227 KiB"),
    ],
)
def test_what_is_beyond_a_limit(cluster, grid, block, shared, static, said) -> None:  # type: ignore[no-untyped-def]
    problem = launch_problem(kernel(static), cluster, grid, block, shared)
    assert problem is not None
    assert said in problem
