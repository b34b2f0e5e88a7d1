"""The workgroup memory of clusters (`clusters.py`)."""

from __future__ import annotations

import weakref

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.kernels.clusters import Clusters
from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks, Launched
from gpuasync_lsp.exec.worker.findings import Findings


def test_a_cluster_is_forgotten_after_its_last_block() -> None:
    """Its blocks map each other's memory until then, and a long run does not grow."""
    findings = Findings()
    arena = Arena(1 << 20)
    checks = KernelChecks(arena, {}, lambda: findings)
    clusters = Clusters(arena, checks)
    launched = Launched(grid=(2, 1, 1), block=(32, 1, 1), shared=((0, 64),), waits=True, cluster=(2, 1, 1))
    checks.resume(launched)
    starts: list[int] = []
    for block in range(2):
        checks.turn(launched, block)
        starts.append(clusters.window(0))
    assert clusters.mapped(starts[1] + 8, 0, 1) == starts[0] + 8
    used = arena.used
    clusters.end(launched, 0)
    assert clusters.mapped(starts[1] + 8, 0, 1) == starts[0] + 8, "its address is known, and checked"
    clusters.end(launched, 1)
    assert arena.used == used - 2 * 64
    assert findings.items == []
    gone = weakref.ref(launched)
    checks.begin(Launched())
    del launched
    assert gone() is None
