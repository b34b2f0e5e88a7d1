"""A checked kernel writes few words of shadow memory, since page faults take most of its time."""

from __future__ import annotations

import pytest

from benchmarks.kernel_checks import ELEMENTWISE
from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.program import RunOptions
from gpuasync_lsp.exec.worker.cpu.arena import Arena, Region
from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
from gpuasync_lsp.exec.worker.jit import Jit
from gpuasync_lsp.exec.worker.session import Session


def test_words_that_say_nothing_are_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Region] = []
    shadow = Arena.shadow

    def noted(self: Arena, region: Region, unit: int) -> None:
        shadow(self, region, unit)
        given.append(region)

    monkeypatch.setattr(Arena, "shadow", noted)
    prepared = prepare(ELEMENTWISE.format(n=1024, blocks=4), 22)
    jit, options = Jit(), RunOptions(device="cpu", shared_arguments=True, memory_limit=1 << 28)
    report = Session(prepared.program, options, {}).run(jit, CpuBackend(jit, prepared.program, options))
    assert report["outcome"] == "ok"
    read, changed = dict.fromkeys(region.number for region in given)
    # The first sum equals the 0 in memory, so its read is recorded in addition to the write.
    words = {region.number: region.shadow for region in given if region.shadow is not None}
    written = {number: [bool(plane[1:].any()) for plane in words[number].reshape(3, -1)] for number in words}
    assert written == {read: [False, True, False], changed: [True, False, False]}
