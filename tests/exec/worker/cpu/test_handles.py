"""Handles of streams, events and modules, and the messages for invalid ones."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.handles import Handles
from gpuasync_lsp.exec.worker.findings import Findings

HERE = 7


@pytest.fixture
def findings() -> Findings:
    return Findings()


@pytest.fixture
def handles(findings: Findings) -> Handles:
    return Handles(Arena(1 << 20), findings, lambda: HERE)


def names(findings: Findings) -> list[str]:
    return [each["name"] for each in findings.items]


def test_each_handle_is_its_own(handles: Handles, findings: Findings) -> None:
    stream, event = handles.new_stream(), handles.new_event()
    function = handles.new_function(handles.new_module("m"))
    assert len({0, stream.handle, event.handle, function}) == 4
    assert handles.stream(stream.handle, "f") is stream
    assert handles.event(event.handle, "f") is event
    assert (handles.describe(stream.handle), handles.describe(function)) == (
        "a stream (stream 0)",
        "a module",
    )
    assert names(findings) == []


def test_null_is_a_stream_where_that_may_be(handles: Handles, findings: Findings) -> None:
    assert handles.stream(0, "mgpuMemcpy") is handles.streams[0]
    assert names(findings) == []
    assert handles.stream(0, "mgpuStreamDestroy", null=False) is None
    assert names(findings) == ["invalid-handle"]


def test_what_is_taken_for_the_other_is_told(handles: Handles, findings: Findings) -> None:
    stream, event = handles.new_stream(), handles.new_event()
    assert handles.stream(event.handle, "f") is None
    assert handles.event(stream.handle, "f") is None
    assert handles.event(0, "f") is None
    assert names(findings) == ["event-taken-for-stream", "stream-taken-for-event", "null-token"]


@pytest.mark.parametrize(
    ("function", "said"),
    [("mgpuStreamDestroy", "stream-destroyed-twice"), ("mgpuMemcpy", "use-after-stream-destroy")],
)
def test_a_destroyed_stream_is_none(handles: Handles, findings: Findings, function: str, said: str) -> None:
    stream = handles.new_stream()
    stream.destroyed_at = HERE
    assert handles.stream(stream.handle, function) is None
    assert names(findings) == [said]
    assert handles.describe(stream.handle) == "a destroyed stream (stream 0)"
