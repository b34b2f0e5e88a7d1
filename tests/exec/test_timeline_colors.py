"""A stream has the same number and color in the stream view, the timeline and the extension."""

from __future__ import annotations

import json
import re

from gpuasync_lsp.exec.report import Operation, Place, RunReport
from gpuasync_lsp.exec.timeline import STREAMS, svg
from gpuasync_lsp.exec.worker.cpu.streams import Stream, adversarial
from gpuasync_lsp.ide.streams.svg_style import LANES, style_sheet
from tests.support.tools import ROOT


def test_the_picture_of_streams_has_the_same_colors() -> None:
    light = style_sheet().split("@media")[0]
    pictured = [re.search(rf"--ga-lane{n}:var\([^,]+,(#[0-9a-f]+)\)", light) for n in range(LANES)]
    assert [found[1] for found in pictured if found is not None] == list(STREAMS)


def test_the_extension_has_as_many() -> None:
    contributed = json.loads((ROOT / "vscode-extension" / "package.json").read_text())["contributes"][
        "colors"
    ]
    names = {color["id"] for color in contributed}
    assert {f"gpuasync.stream{n}" for n in range(LANES)} <= names
    style = (ROOT / "vscode-extension" / "media" / "webview.css").read_text()
    assert re.findall(r"\.bar\.lane(\d) rect \{\n  fill: var\(--vscode-gpuasync-stream(\d)\);", style) == [
        (str(n), str(n)) for n in range(LANES)
    ]


def test_a_lane_of_the_timeline_has_the_color_of_its_number() -> None:
    lanes = ("host", "stream 1", "stream 6")  # Stream 0 has no timed operation.
    operations = tuple(Operation("copy", lane, 0.0, 1.0, Place(line=1)) for lane in lanes)
    drawn = re.findall(r'rx="2" fill="(#[0-9a-f]+)"', svg(RunReport("ok", operations=operations)))
    assert drawn[1:] == [STREAMS[1], STREAMS[0]]
    assert drawn[0] not in STREAMS


def test_streams_of_a_run_are_counted_from_0() -> None:
    """The null stream is created first, and has no number."""
    streams = [Stream(0, number, 0, own=max(number - 1, 0)) for number in range(3)]
    assert [stream.name for stream in streams] == ["the null stream", "stream 0", "stream 1"]
    assert adversarial(3) == ["latest", "early", "held:0", "held:1"]
