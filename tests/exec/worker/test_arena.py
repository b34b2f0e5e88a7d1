"""Memory comes from reserved addresses, which go back when nobody needs them."""

from __future__ import annotations

from contextlib import closing

from gpuasync_lsp.exec.worker.arena import Arena


def test_a_process_may_make_more_of_them_than_it_has_addresses_for() -> None:
    for _ in range(600):
        with closing(Arena(1 << 20)) as arena:
            assert arena.owns(arena.allocate(64, "host", 0).start)
