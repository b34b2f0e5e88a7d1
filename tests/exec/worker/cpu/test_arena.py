"""Memory is allocated from a reserved range of addresses."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.cpu.arena import Arena


def test_a_process_has_addresses_for_many() -> None:
    for arena in [Arena(1 << 28) for _ in range(1_000)]:
        assert arena.owns(arena.allocate(64, "host", 0).start)
