"""Behind a preliminary result a build pauses, until somebody asks, types on, or nobody does for a while."""

from __future__ import annotations

import asyncio

import pytest

from gpuasync_lsp.lsp import scheduler as scheduler_module
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.lsp.scheduler import Scheduler, Steps
from gpuasync_lsp.lsp.workers import DaemonExecutor
from gpuasync_lsp.text import LineIndex


class Pausing:
    """A scheduler whose builds have something preliminary first."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, bool]] = []
        self.bases: list[str | None] = []
        self.told = asyncio.Event()
        self.ended = 0
        self.scheduler: Scheduler[str] = Scheduler(
            DaemonExecutor("test", 1), self.build, self.show, lambda result: result.endswith("?")
        )

    def build(self, document: Document, previous: str | None) -> Steps[str]:
        self.bases.append(previous)
        if (yield f"{document.version}?"):
            self.ended += 1
            return f"{document.version} stopped"
        self.ended += 1
        return f"{document.version}"

    def show(self, document: Document, result: str, is_whole: bool) -> None:
        self.shown.append((result, is_whole))
        self.told.set()

    async def change(self, version: int) -> None:
        """Make a new version, and wait until something is shown of it."""
        self.told.clear()
        self.scheduler.changed(Document("u", version, LineIndex("")))
        await asyncio.wait_for(self.told.wait(), 10)


@pytest.fixture
def forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_module, "PAUSE", 1_000.0)


@pytest.mark.usefixtures("forever")
async def test_who_asks_ends_the_pause() -> None:
    builds = Pausing()
    await builds.change(1)
    assert await builds.scheduler.result("u", lambda result: True) == "1?"
    assert builds.shown == [("1?", False)]
    assert await asyncio.wait_for(builds.scheduler.result("u"), 10) == "1"
    assert builds.shown == [("1?", False), ("1", True)]


@pytest.mark.usefixtures("forever")
async def test_typing_on_ends_it_and_builds_upon_what_there_is() -> None:
    builds = Pausing()
    await builds.change(1)
    await builds.change(2)
    assert builds.bases == [None, "1 stopped"]
    assert builds.shown == [("1?", False), ("2?", False)]
    assert await asyncio.wait_for(builds.scheduler.result("u"), 10) == "2"


@pytest.mark.usefixtures("forever")
async def test_who_waits_already_is_not_kept_waiting() -> None:
    builds = Pausing()
    builds.scheduler.changed(Document("u", 1, LineIndex("")))
    assert await asyncio.wait_for(builds.scheduler.result("u"), 10) == "1"


@pytest.mark.usefixtures("forever")
async def test_closing_ends_the_build() -> None:
    builds = Pausing()
    await builds.change(1)
    builds.scheduler.closed("u")
    await builds.change(2)
    assert builds.ended == 1
    assert builds.bases == [None, None]


async def test_it_goes_on_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_module, "PAUSE", 0.01)
    builds = Pausing()
    await builds.change(1)
    while not builds.shown[-1][1]:
        builds.told.clear()
        await asyncio.wait_for(builds.told.wait(), 10)
    assert builds.shown == [("1?", False), ("1", True)]
