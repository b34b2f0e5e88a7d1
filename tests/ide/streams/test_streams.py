"""The stream view: it agrees with mlir-opt on the measured cases, is readable, and equal in every format.

The `// streams:` line of `fixtures/streams/*.mlir` names the LLVM version and the rules; the expected text at
80 columns is in a file next to each. GPUASYNC_UPDATE=1 rewrites these and the documentation's diagram.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.ide.document.cancel import Cancel, Cancelled
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.streams import (
    FORMATS,
    TextOptions,
    UnknownFormat,
    UnknownFunction,
    colored,
    pictures,
    stream_view,
)
from gpuasync_lsp.ide.streams.layout import MOST_MARKS, Box, Layout
from gpuasync_lsp.ide.streams.model import HOST, Does, Fate, Picture, Row, columns
from gpuasync_lsp.text import LineIndex
from tests.support.texts import texts_beside
from tests.support.tools import FIXTURES, ROOT, cases, missing

TEXTS = texts_beside(__file__)

UPDATE = os.environ.get("GPUASYNC_UPDATE") == "1"
PICTURES = sorted((FIXTURES / "streams").glob("*.mlir"))
NAMES = [path.stem for path in PICTURES]
SVGS = ("svg", "compact-svg")
SVG = "{http://www.w3.org/2000/svg}"

ORDERS = TEXTS["ORDERS"]


def state_of(text: str, llvm: int = 22, select: tuple[str, ...] | None = None) -> FileState:
    """Analyze a text without anyone's settings."""
    return file_state(LineIndex(text), None, SettingsResolver(Settings(llvm=llvm, select=select)))


def fixture(name: str) -> FileState:
    """Analyze a fixture with the settings in its `// streams:` line."""
    text = next(path for path in PICTURES if path.stem == name).read_text("utf-8")
    asked = re.search(r"// streams: llvm=(\d+)(?: select=(\S+))?", text)
    assert asked is not None
    return state_of(text, int(asked[1]), tuple(asked[2].split(",")) if asked[2] else ("GA001",))


def only(state: FileState) -> Picture:
    """Return the only stream diagram of a file."""
    (picture,) = pictures(state)
    return picture


# Comparison with mlir-opt

ENQUEUE = re.compile(r"(?:mgpu(?:Memcpy|Memset\d+|MemAlloc|MemFree|LaunchKernel)\(stream=|LAUNCH <)(S\d+)\b")
BLOCK = re.compile(r"mgpu(?:Stream|Event)Synchronize\((S\d+|[^)]*)\)")
RECORD = re.compile(r"mgpuEventRecord\(E\d+, (S\d+)\)")
SPARSE = re.compile(r"(create|destroy|sp|sd|set_)\w*")

UNEQUAL = {"C_wait_both_branches": "22 and later merge the two equal blocks, and there is one wait left"}


def measured_cases(version: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, text and runtime calls of each single-function case that gpu-to-llvm lowers without
    other passes."""
    folder = cases()
    outcomes: dict[str, Any] = json.loads((folder / "outcomes.json").read_text("utf-8"))
    for name, case in outcomes.items():
        outcome = case["versions"].get(str(version))
        if outcome is None or outcome["outcome"] != "success" or "pre" in case or "lower" in case:
            continue
        if sum(call.startswith("[func") for call in outcome["calls"]) == 1 and name not in UNEQUAL:
            files = [folder / f"{name}{end}.mlir" for end in ("", f".llvm{version}", ".llvm22")]
            yield name, next(f for f in files if f.exists()).read_text("utf-8"), outcome["calls"]


def drawn(picture: Picture) -> tuple[int, list[str], list[str], Counter[str]]:
    """Return facts from a diagram: number of streams, stream of each op and wait, number of events per
    stream."""

    def stream(lane: int) -> str:
        fact = picture.lanes[lane]
        return fact.name.replace("stream ", "S") if fact.is_stream else "other"

    ops = [
        stream(row.lane)
        for row in picture.rows
        if row.does in (Does.WORK, Does.MEMORY) and not (row.left or row.removed or SPARSE.match(row.label))
    ]
    waits = [stream(lane) for row in picture.rows if row.destroys for lane in row.waits]
    events = Counter(stream(arrow.source_lane) for arrow in picture.arrows if arrow.event >= 0)
    return picture.streams, [s for s in ops if s != "other"], waits, events


def lowered(calls: list[str]) -> tuple[int, list[str], list[str], Counter[str]]:
    """Return the facts that `drawn` returns, from the runtime calls of mlir-opt's output."""
    ops = [found[1] for call in calls if (found := ENQUEUE.search(call))]
    blocks = [found[1] for call in calls if (found := BLOCK.match(call))]
    records = Counter(found[1] for call in calls if (found := RECORD.match(call)))
    waits = [block if re.fullmatch(r"S\d+", block) else "other" for block in blocks]
    return sum("mgpuStreamCreate" in call for call in calls), ops, waits, records


@pytest.mark.parametrize(
    "version", [pytest.param(16, marks=pytest.mark.slow), 19, pytest.param(22, marks=pytest.mark.slow), 24]
)
def test_streams_are_those_of_mlir_opt(version: int) -> None:
    compared, wrong = 0, list[str]()
    for name, text, calls in measured_cases(version):
        for picture in pictures(state_of(text, version)):
            if any(row.waits == (HOST,) for row in picture.rows):
                continue  # A launch without a token has its own stream, which is not a lane.
            if any(row.does is Does.YIELD for row in picture.rows):
                continue  # The event that async.yield records ends a lane and is not an arrow.
            compared += 1
            if drawn(picture) != lowered(calls):
                wrong.append(f"{name}: {drawn(picture)}, mlir-opt: {lowered(calls)}")
    print(f"LLVM {version}: {compared - len(wrong)} of {compared} cases equal")
    assert not wrong, "\n".join(wrong)
    assert compared >= 80


# The text format


@pytest.mark.parametrize("name", NAMES)
def test_text(name: str) -> None:
    text = stream_view(fixture(name), options=TextOptions(80)).text
    golden = (ROOT / "tests" / "fixtures" / "streams" / name).with_suffix(".txt")
    if UPDATE:
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")
    assert max(map(len, text.splitlines())) <= 80


def test_the_question_of_the_thread_is_answered_at_a_glance() -> None:
    picture = only(fixture("seed"))
    assert picture.title() == "@main, LLVM 16: 3 streams, 2 leaked"
    assert [[row.label for row in picture.work(lane)] for lane in (1, 2, 3)] == [
        ["alloc %1"],
        ["alloc %5"],
        ["memcpy %1 ← %5", "dealloc %1", "dealloc %5"],
    ]
    assert [lane.fate for lane in picture.lanes[1:]] == [Fate.LEAKED, Fate.LEAKED, Fate.DESTROYED]
    assert [(a.source_lane, a.target_lane) for a in picture.arrows] == [(1, 3), (2, 3)]


@pytest.mark.parametrize("columns_asked", [60, 80, 120])
@pytest.mark.parametrize("name", NAMES)
def test_the_text_keeps_to_its_width(name: str, columns_asked: int) -> None:
    text = stream_view(fixture(name), options=TextOptions(columns_asked)).text
    assert [line for line in text.splitlines() if len(line) > columns_asked] == []


@pytest.mark.parametrize("name", NAMES)
def test_colors_and_plain_signs_change_nothing_else(name: str) -> None:
    state = fixture(name)
    plain = stream_view(state).text
    painted = stream_view(state, options=TextOptions(paint=colored)).text
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain
    poor = stream_view(state, options=TextOptions(ascii=True)).text
    assert poor.isascii()
    assert [len(line) for line in poor.splitlines()] == [len(line) for line in plain.splitlines()]


def test_escape_sequences_of_a_file_do_not_reach_the_terminal_or_the_svg() -> None:
    state = state_of('func.func @"a\x1b[31m<b>"() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n')
    for format in FORMATS:
        assert "\x1b[31m" not in stream_view(state, format).text
    for format in SVGS:
        ElementTree.fromstring(stream_view(state, format).text)


# The other formats


@pytest.mark.parametrize("name", NAMES)
def test_json_has_the_picture(name: str) -> None:
    state = fixture(name)
    found: list[Any] = json.loads(stream_view(state, "json").text)
    for picture, data in zip(pictures(state), found, strict=True):
        assert data["streams"] == picture.streams
        assert [lane["name"] for lane in data["lanes"]] == [lane.name for lane in picture.lanes]
        for row, entry in zip(picture.rows, data["rows"], strict=True):
            text = state.text[entry["start"] : entry["end"]]
            assert entry["line"] == state.text.count("\n", 0, entry["start"]) + 1
            # The entry of a further region begins at its brace.
            assert row.does is Does.GROUP or row.source.split(" ")[0] in text


@pytest.mark.parametrize("name", NAMES)
def test_dot_is_a_graph(name: str) -> None:
    text = stream_view(fixture(name), "dot").text
    declared = set(re.findall(r"^ *(f\d+_r\d+) \[", text, re.MULTILINE))
    used = set(re.findall(r"\b(f\d+_r\d+)\b", text))
    assert declared
    assert used == declared
    if shutil.which("dot") is None:
        missing("dot is not installed (Debian: graphviz)")
    done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_svg_leads_to_the_source(name: str) -> None:
    state = fixture(name)
    root = ElementTree.fromstring(stream_view(state, "svg").text)
    links = [part for part in root.iter(f"{SVG}g") if part.get("data-line") is not None]
    boxes = [part for part in links if "box" in (part.get("class") or "")]
    rows = [row for picture in pictures(state) for row in picture.rows if row.does is not Does.GROUP]
    assert [box.findtext(f"{SVG}text") for box in boxes] == [
        row.label[:33] + "…" * (len(row.label) > 34) for row in rows
    ]
    for box, row in zip(boxes, rows, strict=True):
        assert (int(box.attrib["data-line"]), int(box.attrib["data-start"])) == (
            row.place.line,
            row.place.span.start,
        )
        assert row.source.split("\n")[0] in (box.findtext(f"{SVG}title") or "")
    for part in links:
        assert part.get("tabindex") == "0"
        assert part.get("role") == "link"
        assert part.get("aria-label")


@pytest.mark.parametrize("form", SVGS)
def test_only_findings_with_a_fix_are_marked_so(form: str) -> None:
    state = state_of(
        "func.func @f(%h: memref<4xf32>) {\n"
        "  %d, %t0 = gpu.alloc async () : memref<4xf32>\n"
        "  %t1 = gpu.memcpy async [%t0] %d, %h : memref<4xf32>, memref<4xf32>\n"
        "  gpu.dealloc %d : memref<4xf32>\n"
        "  return\n"
        "}\n",
        23,
        ("GA209", "GA303"),
    )
    root = ElementTree.fromstring(stream_view(state, form).text)
    found = [part for part in root.iter(f"{SVG}g") if (part.findtext(f"{SVG}title") or "").startswith("GA")]
    marked = {(part.findtext(f"{SVG}title") or "")[:5] for part in found if "data-fix" in part.attrib}
    assert len(found) > len(marked)
    assert marked == {"GA209"}


@pytest.mark.parametrize("name", NAMES)
def test_the_compact_svg_has_a_line_for_each_op_in_order(name: str) -> None:
    state = fixture(name)
    root = ElementTree.fromstring(stream_view(state, "compact-svg").text)
    lines = [part for part in root.iter(f"{SVG}g") if "op" in (part.get("class") or "").split()]
    rows = [row for picture in pictures(state) for row in picture.rows]
    assert [(int(line.attrib["data-line"]), int(line.attrib["data-start"])) for line in lines] == [
        (row.place.line, row.place.span.start) for row in rows
    ]
    for line, row in zip(lines, rows, strict=True):
        number, text = line.findall(f"{SVG}text")
        assert number.text == str(row.place.line + 1)
        assert row.label[:40] in "".join(text.itertext())
        assert line.get("tabindex") == "0"
        assert line.get("role") == "link"
        assert line.get("aria-label")


@pytest.mark.parametrize("name", NAMES)
def test_lanes_of_the_compact_svg_are_left_of_its_text(name: str) -> None:
    root = ElementTree.fromstring(stream_view(fixture(name), "compact-svg").text)
    wide = float(root.attrib["width"])
    for drawn in root.findall(f"{SVG}g"):
        text = min(
            float(part.attrib["x"]) for part in drawn.iter(f"{SVG}text") if part.get("class") == "code"
        )
        for part in drawn.iter(f"{SVG}path"):
            if "lane" in (part.get("class") or "").split():
                assert float(re.findall(r"[\d.]+", part.attrib["d"])[0]) < text - 10
        ends = [
            float(part.attrib["x"]) + 7.3 * len("".join(part.itertext())) for part in drawn.iter(f"{SVG}text")
        ]
        assert max(ends) <= wide + 50  # The width of letters is estimated.


def test_many_streams_leave_room_for_text_in_half_a_window() -> None:
    lines = [f"  %t{n} = gpu.wait async\n" for n in range(40)]
    lines += [f"  gpu.wait [%t{n}]\n" for n in range(40)]
    state = state_of(f"func.func @many() {{\n{''.join(lines)}  return\n}}\n", select=("GA001",))
    root = ElementTree.fromstring(stream_view(state, "compact-svg").text)
    texts = [part for part in root.iter(f"{SVG}text") if part.get("class") == "code"]
    assert max(float(text.attrib["x"]) for text in texts) < 380
    assert float(root.attrib["width"]) < 600
    assert float(root.attrib["height"]) < 82 * 22
    assert root.attrib["aria-label"] == "@many, LLVM 22: 40 streams"


@pytest.mark.parametrize("format", SVGS)
@pytest.mark.parametrize("name", NAMES)
def test_svg_needs_nothing_from_outside(name: str, format: str) -> None:
    text = stream_view(fixture(name), format).text
    assert not re.search(r"<script|href|@import|url\(|\bon\w+=", text)
    assert "prefers-color-scheme:dark" in text
    assert "--vscode-editor-foreground" in text
    for selector in re.findall(r"^([^{}@\n]+)\{", text, re.MULTILINE):
        assert all(part.strip().startswith(".gpuasync-streams") for part in selector.split(","))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_the_svg_stands_on_something_else(name: str) -> None:
    for picture in pictures(fixture(name)):
        layout = Layout(picture)
        boxes = [layout.box(n) for n, row in enumerate(picture.rows) if row.does is not Does.GROUP]
        for number, box in enumerate(boxes):
            assert not any(overlap(box, other) for other in boxes[number + 1 :])
            assert box.x >= 0
            assert box.right <= layout.width
            assert box.bottom <= layout.height
        for number, arrow in enumerate(picture.arrows):
            way = layout.route(arrow, number)
            for one, two in pairwise(way):
                assert not any(crosses(one, two, box) for box in boxes), f"{arrow} runs over a box"


def overlap(one: Box, two: Box) -> bool:
    return one.x < two.right and two.x < one.right and one.y < two.bottom and two.y < one.bottom


def crosses(one: tuple[float, float], two: tuple[float, float], box: Box) -> bool:
    """Return whether a line segment crosses the interior of a box."""
    left, right = sorted((one[0], two[0]))
    top, bottom = sorted((one[1], two[1]))
    near = 0.01
    return (
        left < box.right - near and right > box.x + near and top < box.bottom - near and bottom > box.y + near
    )


# Large functions


def large(ops: int, streams: int) -> str:
    """Return a function with `ops` copies that alternate between `streams` streams."""
    buffers = "".join(f", %a{s}: memref<4xf32>" for s in range(streams))
    lines = [f"func.func @large(%b: memref<4xf32>{buffers}) {{"]
    lines += [f"  %t{s} = gpu.wait async" for s in range(streams)]
    last = [f"%t{s}" for s in range(streams)]
    for op in range(ops):
        stream = op % streams
        copy = f"gpu.memcpy async [{last[stream]}] %a{stream}, %b : memref<4xf32>, memref<4xf32>"
        lines.append(f"  %c{op} = {copy}")
        last[stream] = f"%c{op}"
    return "\n".join([*lines, *(f"  gpu.wait [{token}]" for token in last), "  return", "}", ""])


def test_a_long_function_repeats_the_heads() -> None:
    state = state_of(large(200, 3), select=("GA001",))
    text = stream_view(state).text
    assert text.count("\nline  host  0   1   2") == len(only(state).rows) // 40 + 1
    assert "memcpy %a0 ← %b (67 times)" in text
    svg = stream_view(state, "svg").text
    assert svg.count('class="head lane0"') == len(only(state).rows) // 30 + 1
    # Below a repeated head, a background hides the lane's line.
    repeated = svg.count('class="head ') - len(only(state).lanes)
    assert svg.count('class="paper" x=') == repeated > 0


@pytest.mark.parametrize(("count", "name"), [(8, "race"), (20, "race many")])
def test_of_many_findings_of_an_op_some_are_drawn(count: int, name: str) -> None:
    """Each stream writes the same buffer, so all pairs race. If there are many lines, they are pale."""
    streams = range(count)
    ops = [
        f"%s{n} = gpu.wait async\n%t{n} = gpu.memset async [%s{n}] %a, %c : memref<8xf32>, f32"
        for n in streams
    ]
    waits = [f"gpu.wait [%t{n}]" for n in streams]
    body = "\n".join([*ops, *waits])
    state = state_of(f"func.func @f(%a: memref<8xf32>, %c: f32) {{\n{body}\nreturn\n}}\n")
    svg = stream_view(state, "svg").text
    most = max(len(row.marks) for row in only(state).rows)
    assert most > MOST_MARKS
    assert f">and {most - MOST_MARKS} more<" in svg
    assert 0 < svg.count(f'class="{name}"') == svg.count('class="race') <= MOST_MARKS * len(streams)


def test_many_streams_one_after_another_share_columns() -> None:
    lines = [f"  %t{n} = gpu.wait async\n  gpu.wait [%t{n}]\n" for n in range(40)]
    state = state_of(f"func.func @many() {{\n{''.join(lines)}  return\n}}\n", select=("GA001",))
    lanes = only(state).lanes
    assert columns(lanes, 100) == list(range(41))
    assert set(columns(lanes, 12)) == {0, 1}
    assert max(map(len, stream_view(state, options=TextOptions(80)).text.splitlines())) <= 80
    assert Layout(only(state)).width < 800


def test_lanes_of_one_column_are_never_there_at_once() -> None:
    for path in PICTURES:
        for picture in pictures(fixture(path.stem)):
            found = columns(picture.lanes, 1)
            for column in set(found):
                inside = sorted(
                    (x.first, x.last) for x, c in zip(picture.lanes, found, strict=True) if c == column
                )
                assert all(one[1] < two[0] for one, two in pairwise(inside))


# Selection of the function


def test_functions_are_found_by_name_and_by_place() -> None:
    state = state_of(ORDERS)
    assert stream_view(state).functions == ("work",)
    for name in ("work", "@work"):
        assert [p.function for p in pictures(state, name)] == ["work"]
    assert [p.function for p in pictures(state, "idle")] == ["idle"]
    assert [p.function for p in pictures(state, offset=ORDERS.index("gpu.memcpy"))] == ["work"]
    idle = ORDERS.rindex("return")
    assert [p.function for p in pictures(state, offset=idle)] == ["idle"]
    assert stream_view(state, offset=idle).functions == ("work", "idle")
    with pytest.raises(UnknownFunction, match="no function @nope; the file defines @work, @idle"):
        pictures(state, "nope")
    with pytest.raises(UnknownFormat, match="crayon"):
        stream_view(state, "crayon")
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        stream_view(state, cancel=cancel)


def test_ops_with_errors_have_their_names() -> None:
    text = stream_view(state_of("func.func @f() {\n  gpu.wait asnyc\n  return\n}\n"), function="f").text
    assert " wait\n" in text
    assert "opaque" not in text


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_without_streams(format: str) -> None:
    text = stream_view(state_of("func.func @f() {\n  return\n}\n"), format).text
    assert {"json": "[]", "dot": "digraph"}.get(format, "No function has gpu ops") in text


def test_host_code_that_has_nothing_to_do_with_it_is_left_out() -> None:
    text = ORDERS.replace(
        "  gpu.wait [%x]\n",
        "  %c = arith.constant 0 : index\n  %h = memref.alloc() : memref<4xf32>\n  gpu.wait [%x]\n",
    )
    labels = [row.label for row in only(state_of(text)).rows]
    assert labels == ["new stream", "memcpy %a ← %b", "wait %x", "return"]


def test_a_run_of_host_code_is_one_row() -> None:
    loads = "".join(f"  %l{n} = memref.load %a[%i] : memref<4xf32>\n" for n in range(20))
    text = ORDERS.replace("%b: memref<4xf32>)", "%b: memref<4xf32>, %i: index)").replace(
        "  return\n", loads + "  return\n", 1
    )
    rows: list[Row] = [row for row in only(state_of(text)).rows if row.does is Does.HOST]
    assert [row.label for row in rows] == ["20 host ops, to line 24"]


LAUNCHES = TEXTS["LAUNCHES"]


@pytest.mark.parametrize("launches", [LAUNCHES, LAUNCHES.replace(" [%s]", "")], ids=["given", "own"])
def test_a_launch_with_its_body_in_place_is_on_a_stream(launches: str) -> None:
    rows = only(state_of(launches)).rows
    assert [row.label for row in rows if row.label.startswith("launch")] == ["launch"]
    assert [row.label for row in rows if row.label.startswith("wait")] == ["wait %t"]
    assert [mark.code for row in rows for mark in row.marks if mark.code == "GA401"] == (
        [] if "[%s]" in launches else ["GA401"]
    )


def test_suppressed_findings_are_not_drawn() -> None:
    text = "func.func @f() {\n  %t = gpu.wait async\n  return\n}\n"
    assert [mark.code for row in only(state_of(text)).rows for mark in row.marks] == ["GA401"]
    quiet = text.replace("async\n", "async  // gpuasync: ignore[GA401]\n")
    assert [mark.code for row in only(state_of(quiet)).rows for mark in row.marks] == []


# The command and the documentation


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["streams", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "orders.mlir"
    file.write_text(ORDERS)
    code, out, err = run(capsys, str(file), "--llvm", "19")
    assert (code, err) == (0, "")
    assert out.startswith("@work, LLVM 19: 1 stream\n")
    assert "\x1b" not in out
    code, out, _ = run(capsys, str(file), "--output-format", "json", "--function", "work")
    assert (code, json.loads(out)[0]["function"]) == (0, "work")
    code, out, err = run(capsys, str(file), "--function", "nope")
    assert (code, out) == (2, "")
    assert "no function @nope" in err
    assert run(capsys, str(tmp_path / "missing.mlir"))[0] == 2


def test_command_refuses_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.mlir"
    file.write_text(ORDERS.replace("  return\n}\nfunc.func @idle", "  oops (\n  return\n}\nfunc.func @idle"))
    code, out, err = run(capsys, str(file))
    assert (code, out) == (1, "")
    assert f"{file}:5:" in err


def test_the_picture_of_the_documentation_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    picture = ROOT / "docs" / "images" / "streams.svg"
    command = "streams --llvm 22 --output-format svg examples/broken/leaking_join.mlir"
    assert command in (ROOT / "docs" / "streams.md").read_text("utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert main(command.split()) == 0
    out = capsys.readouterr().out
    if UPDATE:
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(out, "utf-8")
    assert out == picture.read_text("utf-8")


def test_the_text_of_the_documentation_is_current() -> None:
    golden = (ROOT / "tests" / "fixtures" / "streams" / "seed.txt").read_text("utf-8")
    assert golden in (ROOT / "docs" / "streams.md").read_text("utf-8")


def test_the_streams_of_the_configured_pipeline(capsys: pytest.CaptureFixture[str]) -> None:
    """gpu-async-region gives each region its own stream; the positions are those of the source."""
    file = FIXTURES / "run_passes" / "fork_join.mlir"
    assert main(["streams", str(file), "--llvm", "22"]) == 0
    assert "no streams" in capsys.readouterr().out.splitlines()[0]
    passes = "gpu-kernel-outlining,gpu-async-region"
    assert main(["streams", str(file), "--llvm", "22", "--pipeline", passes]) == 0
    text = capsys.readouterr().out
    assert text.startswith("@main, LLVM 22: 4 streams")
    assert [line.split() for line in text.splitlines() if "memcpy" in line and "●" in line] == [
        ["17", "┊", "●", "memcpy", "%device", "←", "%host"],
        ["22", "┊", "●", "memcpy", "%device", "←", "%source"],
        ["27", "┊", "●", "memcpy", "%device", "←", "%source"],
    ]
