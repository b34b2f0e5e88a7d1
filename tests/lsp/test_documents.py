"""Documents, builds and cancellation, without a server."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Any

import pytest
from pygls.exceptions import JsonRpcContentModified, JsonRpcInternalError

from gpuasync_lsp.ide.document.cancel import Cancel, Cancelled
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.document.text_diff import changed_range, edits_between
from gpuasync_lsp.lsp.documents import Document, DocumentStore
from gpuasync_lsp.lsp.scheduler import Scheduler, Steps
from gpuasync_lsp.lsp.workers import DaemonExecutor
from gpuasync_lsp.text import Encoding, LineIndex, apply_edits
from tests.lsp.examples import KERNEL, SEED

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_incremental_changes_give_the_text_that_a_client_has(encoding: Encoding) -> None:
    pick = random.Random(7)
    store = DocumentStore()
    store.encoding = encoding
    text = "a€😀\r\nb\u2028c\x0cd\n\re"
    store.open({"uri": "u", "languageId": "mlir", "version": 0, "text": text})
    for version in range(1, 400):
        lines = LineIndex(text)
        # Not between \r and \n: a position there is the end of the line.
        places = [o for o in range(len(text) + 1) if text[o - 1 : o + 1] != "\r\n"]
        start, end = sorted(pick.choices(places, k=2))
        new = "".join(pick.choices("xy€😀\n\r", k=pick.randrange(4)))
        range_: dict[str, Any] = {}
        for key, offset in (("start", start), ("end", end)):
            line, character = lines.position(offset, encoding)
            range_[key] = {"line": line, "character": character}
        document = store.change({"uri": "u", "version": version}, [{"range": range_, "text": new}])
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document.lines.starts == LineIndex(text).starts
        if len(text) > 60:
            text = "z\n"
            store.change({"uri": "u", "version": version}, [{"text": text}])


def test_differences_make_one_text_of_another() -> None:
    pick = random.Random(11)
    for _ in range(2000):
        old, new = ("".join(pick.choices("ab\n", k=pick.randrange(12))) for _ in range(2))
        start, old_end, new_end = changed_range(old, new)
        assert old[:start] + new[start:new_end] + old[old_end:] == new
        assert apply_edits(old, edits_between(old, new)) == new


def test_what_an_edit_leaves_is_taken_over() -> None:
    text = KERNEL + "// -----\n" + SEED
    lines, resolver = LineIndex(text), SettingsResolver()
    before = file_state(lines, None, resolver)
    at = text.index("%c2 = arith.constant 2")
    edited = lines.edited(at, at, "%extra = arith.constant 7 : index\n    ")
    after = file_state(edited, None, resolver, before)
    fresh = file_state(LineIndex(edited.text), None, resolver)
    assert after.all_findings() == fresh.all_findings()
    kept = {id(placed.item) for placed in before.source.items} & {id(p.item) for p in after.source.items}
    assert len(kept) == 2


def test_random_edits_find_what_a_fresh_look_finds() -> None:
    pick = random.Random(3)
    resolver = SettingsResolver()
    text = KERNEL + "// -----\n" + SEED
    lines = LineIndex(text)
    state = file_state(lines, None, resolver)
    scraps = ["%t0", "}", "{", "\n", "// -----\n", "gpu.wait async", " ", "[%2]", "@scale", '"', "module {\n"]
    for _ in range(60):
        start = pick.randrange(len(lines.text) + 1)
        end = min(len(lines.text), start + pick.choice([0, 0, 1, 3]))
        lines = lines.edited(start, end, pick.choice(scraps) if pick.random() < 0.7 else "")
        state = file_state(lines, None, resolver, state)
        fresh = file_state(LineIndex(lines.text), None, resolver)
        assert sorted(map(str, state.all_findings())) == sorted(map(str, fresh.all_findings())), lines.text


def document(version: int) -> Document:
    return Document("u", version, LineIndex(str(version)))


class Builds:
    """A scheduler whose builds finish when the test allows it."""

    def __init__(self) -> None:
        self.begun: list[int | None] = []
        self.published: list[int | None] = []
        self.go = threading.Semaphore(0)
        self.started = asyncio.Event()
        self.fail = False
        self.loop = asyncio.get_running_loop()
        executor = DaemonExecutor("test", 1)
        self.scheduler: Scheduler[str] = Scheduler(executor, self.build, self.show)

    def build(self, document: Document, previous: str | None) -> Steps[str]:
        self.begun.append(document.version)
        self.loop.call_soon_threadsafe(self.started.set)
        self.go.acquire()
        if self.fail:
            raise RuntimeError("no luck")
        yield from ()
        return document.text

    def show(self, document: Document, result: str, is_whole: bool) -> None:
        self.published.append(document.version)

    async def begins(self) -> None:
        await asyncio.wait_for(self.started.wait(), 10)
        self.started.clear()


async def test_changes_during_a_build_are_built_once_and_stale_results_dropped() -> None:
    builds = Builds()
    builds.scheduler.changed(document(1))
    await builds.begins()
    for version in (2, 3, 4):
        builds.scheduler.changed(document(version))
    builds.go.release(2)
    assert await asyncio.wait_for(builds.scheduler.result("u"), 10) == "4"
    assert builds.begun == [1, 4]
    assert builds.published == [4]


async def test_who_waits_for_a_version_that_is_overtaken_is_told() -> None:
    builds = Builds()
    builds.scheduler.changed(document(1))
    waiting = asyncio.ensure_future(builds.scheduler.result("u"))
    await builds.begins()
    builds.scheduler.changed(document(2))
    with pytest.raises(JsonRpcContentModified):
        await waiting
    closed = asyncio.ensure_future(builds.scheduler.result("u"))
    await asyncio.sleep(0)
    builds.scheduler.closed("u")
    with pytest.raises(JsonRpcContentModified):
        await closed
    builds.go.release(2)


async def test_a_failed_build_fails_who_waits_and_the_next_is_tried() -> None:
    builds = Builds()
    builds.fail = True
    builds.scheduler.changed(document(1))
    builds.go.release()
    with pytest.raises(JsonRpcInternalError, match="no luck"):
        await builds.scheduler.result("u")
    builds.fail = False
    builds.go.release()
    assert await asyncio.wait_for(builds.scheduler.result("u"), 10) == "1"
    assert builds.published == [1]


async def test_a_result_that_is_there_costs_no_build() -> None:
    builds = Builds()
    builds.scheduler.changed(document(1))
    builds.go.release()
    await builds.scheduler.result("u")
    assert await builds.scheduler.result("u") == "1"
    assert builds.begun == [1]


def test_work_stops_when_it_next_looks() -> None:
    cancel = Cancel()
    cancel.check()
    cancel.set()
    with pytest.raises(Cancelled):
        cancel.check()
