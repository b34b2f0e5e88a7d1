"""Large files are read in steps: the visible part first, requests in between, no early false positives."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks.generate import module
from gpuasync_lsp import analysis
from gpuasync_lsp.analysis.model import building
from gpuasync_lsp.ide.document import reader, state
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, file_state, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.lsp import scheduler
from gpuasync_lsp.lsp import scheduler as scheduler_module
from gpuasync_lsp.lsp.answers.writing import completion
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.lsp.logs import ClientLog
from gpuasync_lsp.lsp.scheduler import Scheduler, Steps
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.lsp.workers import DaemonExecutor, on_threads
from gpuasync_lsp.syntax.source import Chunk, Item, SourceFile, read_item
from gpuasync_lsp.text import LineIndex, Span
from tests.lsp.editor import Editor
from tests.lsp.examples import KERNEL, SEED
from tests.support.thinning import thinned
from tests.support.tools import ROOT

RESOLVER = SettingsResolver(Settings(llvm=22))
FIXTURES = sorted((ROOT / "tests/fixtures/rules").glob("*.mlir"))


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read every text in steps of one item."""
    monkeypatch.setattr(state, "LARGE", 0)
    monkeypatch.setattr(state, "STEP", 0)
    monkeypatch.setattr(reader, "STEP", 0)


def states(text: str, asked: Sequence[Span]) -> list[FileState | None]:
    """Return the partial state of each reading step (None if it shows nothing), and the final state."""
    steps = in_steps(LineIndex(text), None, RESOLVER, None, lambda: asked)
    found: list[FileState | None] = []
    while True:
        try:
            found.append(next(steps))
        except StopIteration as end:
            return [*found, end.value]


def span_of(text: str, needle: str) -> Span:
    """Return the empty span at the start of `needle`."""
    return Span(text.index(needle), text.index(needle))


@pytest.mark.usefixtures("small_steps")
def test_what_is_looked_at_comes_first_with_what_it_names() -> None:
    text = module(600)
    last = span_of(text, "func.func @f9(")
    first, *others = states(text, [last])
    assert first is not None
    assert first.covers(last)
    read = {placed.item.text.split("(")[0] for placed in first.source.items if placed.item.is_read}
    assert read == {"func.func @f9", f"{text[text.index('gpu.module') :].split('(')[0]}"}
    assert {group.item for group in first.findings} == {first.source.item_at(last.start).item}  # type: ignore[union-attr]
    assert len(others) > len(list(first.source.items)), "an item a step, read and then checked"
    assert others[-1] is not None
    assert others[-1].all_findings() == file_state(LineIndex(text), None, RESOLVER).all_findings()


@pytest.mark.usefixtures("small_steps")
def test_errors_of_a_large_function_are_shown_before_what_else_is_found_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "LARGE_ITEM", 0)
    sound = module(300, 300)
    broken = re.sub(r"(%t20 = gpu\.\w+) async", r"\1 asynk", sound)
    broken = re.sub(r"( +)(%t30 = gpu\.\w+) async", r"\1// gpuasync: ignore\n\1\2 asynk", broken)
    for text, codes in ((sound, []), (broken, ["GA001"])):
        first, *_, whole = filter(None, states(text, [span_of(text, "func.func @f0(")]))
        assert [f.code for f in first.all_findings()] == codes
        found = {(f.code, f.span, f.message) for f in whole.all_findings()}
        assert {(f.code, f.span, f.message) for f in first.all_findings()} <= found
        assert len(found) > len(codes) or codes


@pytest.mark.usefixtures("small_steps")
def test_a_place_that_is_asked_about_meanwhile_is_read_next() -> None:
    text = module(600)
    asked = [span_of(text, "func.func @f0(")]
    steps = in_steps(LineIndex(text), None, RESOLVER, None, lambda: asked)
    first = next(steps)
    assert first is not None
    asked.append(span_of(text, "func.func @f8("))
    assert not first.covers(asked[1])
    second = next(steps)
    assert second is not None
    assert second.covers(asked[1])
    both = {first.source.item_at(span.start).item.text for span in asked}  # type: ignore[union-attr]
    assert {group.item.text for group in second.findings if group.item is not None} == both
    assert next(steps) is None, "one item more"
    with pytest.raises(StopIteration) as stopped:
        steps.send(True)
    read = {
        placed.item.text.partition("(")[0]
        for placed in stopped.value.value.source.items
        if placed.item.is_read and placed.item.text.startswith("func.func")
    }
    assert read - {"func.func @f0", "func.func @f8"} <= {"func.func @f7", "func.func @f9"}
    assert len(read) == 3


@pytest.mark.usefixtures("small_steps")
def test_what_is_found_meanwhile_is_shown_while_more_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "SHOWN_EVERY", 0)
    text = module(600)
    *early, whole = filter(None, states(text, [span_of(text, "func.func @f5(")]))
    counts = [len(partial.all_findings()) for partial in early]
    assert counts == sorted(counts)
    assert len(set(counts)) > 5, "one function after the other"
    assert counts[-1] == len(whole.all_findings())


@pytest.mark.usefixtures("small_steps")
def test_what_is_found_is_shown_while_more_is_read_and_nothing_is_analyzed_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "SHOWN_EVERY", 0)
    built: list[str] = []
    build = building.build

    def counting(op: Any, *arguments: Any, **named: Any) -> Any:
        built.append(op.sym_name.data)
        return build(op, *arguments, **named)

    monkeypatch.setattr(building, "build", counting)
    text = module(600)
    *early, whole = filter(None, states(text, [span_of(text, "func.func @f5(")]))
    reading = [partial for partial in early if any(not item.item.is_read for item in partial.source.items)]
    counts = [len(partial.all_findings()) for partial in reading]
    assert counts == sorted(counts)
    assert len(set(counts)) > 5, "one function after the other"
    assert whole.all_findings() == file_state(LineIndex(text), None, RESOLVER).all_findings()
    read_first = [name for name in set(built) if built.count(name) > 2]  # the second time is from scratch
    assert len(read_first) <= 1, "whether others launch the kernel is another only for the first function"


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("path", thinned(FIXTURES, 6), ids=lambda path: path.stem)
def test_nothing_is_found_early_that_is_not_found_in_the_end(path: Path) -> None:
    text = path.read_text()
    for start in range(0, len(text), max(len(text) // 5, 1)):
        *early, whole = states(text, [Span(start, start)])
        assert whole is not None
        found = {(f.code, f.span) for f in whole.all_findings()}
        for partial in filter(None, early):
            assert {(f.code, f.span) for f in partial.all_findings()} <= found


@pytest.mark.usefixtures("small_steps")
def test_what_was_read_before_an_edit_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = module(600)
    asked = [span_of(text, "func.func @f0(")]
    steps = in_steps(LineIndex(text), None, RESOLVER, None, lambda: asked)
    for _ in range(5):
        next(steps)
    with pytest.raises(StopIteration) as stopped:
        steps.send(True)
    base: FileState = stopped.value.value
    known = {placed.item.text for placed in base.source.items if placed.item.is_read}
    assert 5 <= len(known) < len(list(base.source.items))
    read: list[str] = []

    def counting(item: Item, chunk: Chunk, source: SourceFile) -> Item:
        read.append(item.text)
        return read_item(item, chunk, source)

    monkeypatch.setattr(reader, "read_item", counting)
    edited = LineIndex(text.replace("constant 128", "constant 256", 1))
    after = file_state(edited, None, RESOLVER, base)
    assert not known & set(read)
    assert after.all_findings() == file_state(edited, None, RESOLVER).all_findings()


class Turns:
    """A scheduler whose builds run step by step under the test's control; each step has a result to show."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)
        self.shown: list[tuple[str, bool]] = []
        self.bases: list[str | None] = []
        self.changed = asyncio.Condition()
        self.scheduler: Scheduler[str] = Scheduler(DaemonExecutor("test", 1), self.build, self.show)

    def build(self, document: Document, previous: str | None) -> Steps[str]:
        self.bases.append(previous)
        for number in range(3):
            self.go.acquire()
            if (yield f"{document.uri}{document.version}.{number}"):
                return f"{document.uri}{document.version} stopped"
        return f"{document.uri}{document.version}"

    def show(self, document: Document, result: str, is_whole: bool) -> None:
        self.shown.append((result, is_whole))


def document(uri: str, version: int = 1) -> Document:
    return Document(uri, version, LineIndex(""))


async def test_builds_of_several_documents_take_turns() -> None:
    turns = Turns()
    for uri in "ab":
        turns.scheduler.changed(document(uri))
    turns.go.release(6)
    assert await asyncio.wait_for(turns.scheduler.result("b"), 10) == "b1"
    partial = [text for text, is_whole in turns.shown if not is_whole]
    assert partial == ["a1.0", "b1.0", "a1.1", "b1.1", "a1.2", "b1.2"]


async def test_what_there_is_is_shown_again_while_a_step_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "REMIND", 0)
    turns, again = Turns(), asyncio.Event()
    show = turns.show

    def counted(document: Document, result: str, is_whole: bool) -> None:
        show(document, result, is_whole)
        if turns.shown.count(("a1.0", False)) > 2:
            again.set()

    turns.scheduler = Scheduler(DaemonExecutor("test", 1), turns.build, counted)
    turns.scheduler.changed(document("a"))
    turns.go.release()
    await asyncio.wait_for(again.wait(), 10)
    turns.scheduler.closed("a")
    told = len(turns.shown)
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(turns.shown) == told
    turns.go.release(3)


async def test_a_partial_result_serves_whom_it_is_enough_for() -> None:
    turns = Turns()
    turns.scheduler.changed(document("a"))
    whole = asyncio.ensure_future(turns.scheduler.result("a"))
    second = asyncio.ensure_future(turns.scheduler.result("a", lambda result: result.endswith(".1")))
    turns.go.release()
    assert await asyncio.wait_for(turns.scheduler.result("a", lambda result: True), 10) == "a1.0"
    assert not second.done()
    turns.go.release()
    assert await asyncio.wait_for(second, 10) == "a1.1"
    assert not whole.done()
    turns.go.release()
    assert await asyncio.wait_for(whole, 10) == "a1"
    assert turns.shown[-1] == ("a1", True)


async def test_a_change_stops_a_build_which_is_built_upon() -> None:
    turns = Turns()
    turns.scheduler.changed(document("a"))
    turns.go.release()
    await asyncio.wait_for(turns.scheduler.result("a", lambda result: True), 10)
    turns.scheduler.changed(document("a", 2))
    turns.go.release(4)
    assert await asyncio.wait_for(turns.scheduler.result("a"), 10) == "a2"
    assert turns.bases == [None, "a1 stopped"]
    assert [text for text, is_whole in turns.shown if text.startswith("a1")] == ["a1.0"]


async def test_an_edit_does_not_wait_for_a_step_of_what_is_being_read() -> None:
    loop, began, goes_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def build(document: Document, previous: str | None) -> Steps[str]:
        if document.uri == "large":
            loop.call_soon_threadsafe(began.set)
            goes_on.wait()
        return f"{document.uri}{document.version}"
        yield

    threads, edits = DaemonExecutor("test", 1), DaemonExecutor("edit", 1)
    scheduler: Scheduler[str] = Scheduler(threads, build, lambda *shown: None, edits=edits)
    scheduler.changed(document("a"))
    assert await asyncio.wait_for(scheduler.result("a"), 10) == "a1"
    scheduler.changed(document("large"))
    await asyncio.wait_for(began.wait(), 10)
    scheduler.changed(document("a", 2))
    assert await asyncio.wait_for(scheduler.result("a"), 10) == "a2"
    goes_on.set()
    assert await asyncio.wait_for(scheduler.result("large"), 10) == "large1"


def noting(order: list[str]) -> Callable[[Document, str | None], Steps[str]]:
    """Return a build function that appends each document's URI and version to `order`."""

    def build(document: Document, previous: str | None) -> Steps[str]:
        order.append(f"{document.uri}{document.version}")
        return order[-1]
        yield

    return build


async def test_reading_waits_for_answers_about_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_module, "GIVE_WAY", 1_000.0)
    order: list[str] = []
    build = noting(order)
    threads, edits = DaemonExecutor("test", 1), DaemonExecutor("edit", 1)
    scheduler: Scheduler[str] = Scheduler(threads, build, lambda *shown: None, edits=edits)
    scheduler.changed(document("a"))
    await asyncio.wait_for(scheduler.result("a"), 10)
    with scheduler.urgent():
        scheduler.changed(document("large"))
        # Edits do not wait for urgent work.
        scheduler.changed(document("a", 2))
        await asyncio.wait_for(scheduler.result("a"), 10)
        order.append("answered")
    await asyncio.wait_for(scheduler.result("large"), 10)
    assert order == ["a1", "a2", "answered", "large1"]


class Held(Executor):
    """An executor that stores submitted calls, which the test runs."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls.append(lambda: fn(*args, **kwargs))
        return Future()


async def test_reading_waits_for_an_edit_that_has_no_thread_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_module, "GIVE_WAY", 1_000.0)
    order: list[str] = []
    build = noting(order)
    held = Held()
    scheduler: Scheduler[str] = Scheduler(DaemonExecutor("test", 1), build, lambda *shown: None, edits=held)
    scheduler.changed(document("a"))
    await asyncio.wait_for(scheduler.result("a"), 10)
    scheduler.changed(document("a", 2))
    scheduler.changed(document("large"))
    edit = asyncio.ensure_future(scheduler.result("a"))
    await asyncio.sleep(0)
    held.calls.pop()()
    await asyncio.wait_for(edit, 10)
    await asyncio.wait_for(scheduler.result("large"), 10)
    assert order == ["a1", "a2", "large1"]


class Silent:
    """A protocol that discards all notifications."""

    def notify(self, method: str, params: Any = None) -> None: ...

    def notify_text(self, method: str, params: str) -> None: ...


def session() -> Session:
    silent = cast("Any", Silent())
    return Session(silent, ClientLog(silent), on_threads())


async def test_what_needs_no_model_does_not_wait_for_that_of_a_large_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "LARGE_ITEM", 1_000)
    here, text = session(), module(60, per_function=60)
    modeled, analyzed = threading.Event(), analysis._analyzed  # pyright: ignore[reportPrivateUsage]

    def slowly(*given: Any) -> Any:
        assert modeled.wait(10)
        return analyzed(*given)

    here.opened(here.documents.open({"uri": "u", "version": 1, "text": text}))
    await asyncio.wait_for(here.scheduler.result("u"), 10)
    monkeypatch.setattr(analysis, "_analyzed", slowly)
    row = next(n for n, line in enumerate(text.split("\n")) if "gpu.memset async" in line)
    at = text.split("\n")[row].index("async")
    part = {"start": {"line": row, "character": at}, "end": {"line": row, "character": at + 5}}
    changes = [{"range": part, "text": "asynk ["}]
    here.changed(here.documents.change({"uri": "u", "version": 2}, changes), changes)
    params = {"textDocument": {"uri": "u"}, "position": {"line": row, "character": at + 1}}
    assert (await asyncio.wait_for(here.answer(completion, params, at_once=True), 10))["items"]
    assert here.scheduler.current("u") is None
    waiting = asyncio.ensure_future(here.answer(completion, params))
    modeled.set()
    await asyncio.wait_for(waiting, 10)
    assert here.scheduler.current("u") is not None


async def test_an_exception_in_an_answer_is_a_defect_whatever_was_edited_meanwhile() -> None:
    here = session()
    here.opened(here.documents.open({"uri": "u", "version": 1, "text": module(60)}))
    await asyncio.wait_for(here.scheduler.result("u"), 10)

    def compute(view: View, params: Any) -> Any:
        changes = [{"text": module(50)}]
        here.documents.change({"uri": "u", "version": 2}, changes)
        raise KeyError("a defect")

    with pytest.raises(KeyError):
        await asyncio.wait_for(here.answer(compute, {"textDocument": {"uri": "u"}}), 10)


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_others_are_served_while_a_large_file_is_read(editor: Editor) -> None:
    """Checks the order of answers, not their times: all precede the end of reading."""
    small = editor.open(SEED)
    await small.diagnostics()
    text = module(5_000)
    large = editor.open(text)
    whole = editor.send("textDocument/documentSymbol", large.params())
    hover = await large.request("textDocument/hover", large.at("gpu.alloc"))
    assert "gpu.alloc" in hover.contents.value
    assert editor.result is not None
    workspace = editor.client.capabilities.workspace
    pushed = editor.result.capabilities.diagnostic_provider is None
    asks_again = bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)
    early = await large.diagnostics() if pushed or asks_again else None
    far = await large.request("textDocument/hover", large.position(text.rindex("gpu.dealloc")))
    assert "gpu.dealloc" in far.contents.value
    assert (await small.request("textDocument/hover", small.at("gpu.memcpy"))) is not None
    small.change("[%2, %6]", "[%6]")
    assert "GA101" not in [d.code for d in await small.diagnostics()]
    await editor.open(KERNEL).diagnostics()
    assert not whole.done()
    await whole
    everything = await large.diagnostics()
    if early is not None:
        assert 0 < len(early) < len(everything)
        assert {d.range.start.line for d in early} <= {d.range.start.line for d in everything}
    large.close()
