"""Dumps within logs: line prefixes, interleaved writers, and the durations of passes."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.dumps.logs import Log, without_beginnings
from gpuasync_lsp.ide.dumps.passes import PassRun, pass_runs
from gpuasync_lsp.ide.dumps.sections import header_spans, sections
from gpuasync_lsp.ide.dumps.timing import placed, timed
from tests.differential.dumps import BEGINNINGS, settings
from tests.support.texts import texts_beside
from tests.support.tools import missing, mlir_opt

TEXTS = texts_beside(__file__)

DUMP = TEXTS["DUMP"]


def read(text: str) -> Log:
    """Return a log without the prefixes of its lines."""
    return without_beginnings(text, header_spans(text))


def runs(text: str) -> list[PassRun]:
    """Return the passes in a log, with their positions in it."""
    log = read(text)
    return [placed(run, log) for run in timed(list(pass_runs(log.text, settings(22))), log)]


@pytest.mark.parametrize(
    "begin", [*BEGINNINGS.values(), "    ", "1: ", "build\tRun tests\t2026-01-02T03:04:05Z "]
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_beginnings_are_left_out(begin: str, ends: str) -> None:
    text = "".join(begin.format(n, n % 60) + line + ends for n, line in enumerate(DUMP.splitlines()))
    log = read(text)
    assert log.text == DUMP.rstrip("\n")
    one, other = runs(text)
    assert (one.pass_name, other.pass_name, other.changed) == ("a", "b", False)
    assert other.section.header.of(text) == "// -----// IR Dump After B (b) //----- //"


def test_lines_without_a_beginning_go_on() -> None:
    text = DUMP.replace("// -----//", "[INFO 12:00:01] // -----//")
    assert [run.changed for run in runs(text)] == [None, False]


def test_numbers_of_lines_are_no_writers() -> None:
    text = "".join(f"{number}:{line}\n" for number, line in enumerate(DUMP.splitlines(), 1))
    assert [run.changed for run in runs(text)] == [None, False]


def test_writers_are_read_one_by_one() -> None:
    first, second = DUMP.splitlines(), DUMP.replace("@f", "@g").splitlines()
    pairs = zip(first, second, strict=True)
    text = "".join(f"[rank 0] {one}\n[rank 1] {other}\n" for one, other in pairs)
    assert [(run.scope, run.changed) for run in runs(text)] == [
        ("func.func @f", None),
        ("func.func @f", False),
        ("func.func @g", None),
        ("func.func @g", False),
    ]


@pytest.mark.parametrize("before", ["  %0 = arith.addi ", "}", 'loc("x'])
def test_what_is_torn_is_no_beginning(before: str) -> None:
    text = DUMP.replace("}\n//", before + "//")
    assert read(text).rope is None


def test_torn_sections_are_said_and_not_compared() -> None:
    cut = DUMP.replace("  return\n}\n", "  ret", 1)
    assert [each.torn for each in sections(cut)] == [True, False]
    assert [run.changed for run in runs(cut)] == [None, None]
    assert [each.torn for each in sections(DUMP.rstrip()[:-1])] == [False, True]
    assert not any(each.torn for each in sections(DUMP))


def test_time_stamps() -> None:
    stamps = ("10:00:00.0", "10:00:00.5", "10:00:00.5", "10:00:00.5", "10:00:00.5", "10:00:02.75")
    lines = DUMP.splitlines()
    text = "".join(
        f"{stamp} {line}\n" for stamp, line in zip((*stamps, *stamps[-1:] * 3), lines, strict=True)
    )
    assert [run.seconds for run in runs(text)] == [None, 2.25]
    over_midnight = text.replace("10:00:00.5", "23:59:59.5").replace("10:00:02.75", "00:00:01.0")
    assert [run.seconds for run in runs(over_midnight)] == [None, 1.5]


REPORT = TEXTS["REPORT"]


def test_reports_of_times() -> None:
    assert [run.seconds for run in runs(DUMP + REPORT)] == [0.025, 0.05]
    assert [run.seconds for run in runs(DUMP + REPORT + DUMP)] == [0.025, 0.05, None, None]


@pytest.mark.parametrize("version", [16, 19, 22])
@pytest.mark.parametrize("display", ["tree", "list"])
def test_reports_of_the_real_tool(version: int, display: str) -> None:
    tool = mlir_opt(version)
    if tool is None:
        pytest.skip(missing(version))
    done = tool(
        "func.func @f() { return }\nfunc.func @g() { return }",
        "--pass-pipeline=builtin.module(canonicalize,func.func(cse,canonicalize),symbol-dce)",
        "--mlir-print-ir-after-all",
        "--mlir-timing",
        f"--mlir-timing-display={display}",
    )
    found = [run for run in runs(done.err) if run.class_name]
    assert len(found) == 6
    assert all(run.seconds is not None for run in found)
