"""The states of a run, as shown in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.exec.report import Place
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.run.states import in_editor, run_state, state_at
from gpuasync_lsp.text import LineIndex
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

TEXT = TEXTS["TEXT"]


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("gpu.memcpy", "running on stream 0, line 7"),
        ("gpu.wait async", "running on stream 0, line 5"),
        ("gpu.wait [%t", "waiting for stream 0, stream 1, line 8"),
        ("gpu.wait\n", "waiting for nothing, line 10"),
        ("return\n}\nfunc", "running, line 2"),
    ],
)
def test_state_at(place: str, wanted: str) -> None:
    file = file_state(LineIndex(TEXT), None, SettingsResolver(Settings(llvm=22)))
    offset = TEXT.index(place)
    line = TEXT.count("\n", 0, offset) + 1
    found = state_at(file, offset, line)
    assert (found.text, found.line) == (wanted, line)


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("gpu.wait [%t", "waiting for stream 0, stream 1, line 8: running on stream 0, line 7"),
        ("gpu.memcpy", "running on stream 0, line 7"),
        ("return", "running on stream 0, line 7"),
        (None, "running on stream 0, line 7"),
    ],
)
def test_what_the_host_waits_for_and_what_runs(host: str | None, wanted: str) -> None:
    file = file_state(LineIndex(TEXT), None, SettingsResolver(Settings(llvm=22)))

    def place(text: str) -> Place:
        start = TEXT.index(text)
        return Place(start, start, TEXT.count("\n", 0, start) + 1)

    found = run_state(file, place("gpu.memcpy"), place(host) if host else Place())
    assert (found.text, found.line) == (wanted, 7)


def test_messages_name_settings_of_the_editor() -> None:
    from gpuasync_lsp.exec.worker import devices

    source = Path(devices.__file__).read_text()
    said = "run on the device cpu, or start the worker on a machine that has a GPU ('ssh HOST')"
    assert said.partition(" (")[0] in source
    assert "setting `gpuasync.run.command`" in in_editor(f"there is no GPU: {said}")
    assert in_editor("there is no @main: specify the function to run, one of @a").endswith(
        "to run, one of @a"
    )
