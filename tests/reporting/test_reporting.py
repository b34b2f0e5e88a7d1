"""The output formats, over findings made by hand: places, escapes, colours, hostile text."""

from __future__ import annotations

import io
import json

import pytest

from gpuasync_lsp.reporting import FORMATS, FileReport, RuleInfo, Tally, coloured, paint_for, plain
from gpuasync_lsp.text import Edit, Finding, Fix, Related, Safety, Severity, Span

TEXT = "func.func @f() {\n\t%é = gpu.wait async\n  gpu.wait [%é, %é]\n}\n"
RULES = [RuleInfo("GA201", "stream-destroyed-twice", Severity.ERROR, "A stream dies twice.", "# Twice")]


def span_of(part: str, text: str = TEXT, after: int = 0) -> Span:
    start = text.index(part, after)
    return Span(start, start + len(part))


FINDING = Finding(
    "GA201",
    "stream-destroyed-twice",
    Severity.ERROR,
    span_of("[%é, %é]"),
    "stream of %é is destroyed twice\nthe second time is undefined",
    (Related(span_of("%é"), "the stream is created here"),),
    (
        Fix("Wait once", Safety.SAFE, (Edit(span_of(", %é"), ""),)),
        Fix("Start a stream", Safety.UNSAFE, (Edit(Span(17, 17), "x\n"),), "work may overlap"),
    ),
)
REPORT = FileReport("dir/a b.mlir", TEXT, 22, (FINDING,))


def render(name: str, *reports: FileReport) -> str:
    return FORMATS[name](reports, RULES, plain)


def test_text_shows_lines_carets_related_places_and_fixes() -> None:
    assert render("text", REPORT) == (
        "error[GA201] stream-destroyed-twice: stream of %é is destroyed twice\n"
        "  --> dir/a b.mlir:3:12\n"
        "  |\n"
        "2 |     %é = gpu.wait async\n"
        "  |     -- the stream is created here\n"
        "3 |   gpu.wait [%é, %é]\n"
        "  |            ^^^^^^^^\n"
        "  = the second time is undefined\n"
        "  = fix: Wait once (--fix)\n"
        "  = fix: Start a stream (--unsafe-fixes: work may overlap)\n"
        "\n"
        "Found 1 error in 1 file (LLVM 22); 1 fixable with --fix.\n"
    )


def test_text_skips_lines_between_places() -> None:
    text = "a\n" * 30
    finding = Finding("GA1", "n", Severity.HINT, Span(50, 51), "m", (Related(Span(0, 1), "here"),))
    lines = render("text", FileReport("f", text, 22, (finding,))).splitlines()
    assert lines[3:8] == [" 1 | a", "   | - here", "...", "26 | a", "   | ^"]


def test_text_counts_terminal_cells() -> None:
    text = '"漢字e\u0301" x'
    finding = Finding("GA1", "n", Severity.HINT, span_of("x", text), "m")
    lines = render("text", FileReport("f", text, 22, (finding,))).splitlines()
    assert lines[4] == "  |" + " " * 9 + "^"


def test_text_shows_part_of_a_long_line() -> None:
    text = "a" * 5000 + "b" + "c" * 5000
    finding = Finding("GA1", "n", Severity.HINT, Span(5000, 5001), "m")
    source, carets = render("text", FileReport("f", text, 22, (finding,))).splitlines()[3:5]
    assert len(source) < 200
    assert source[carets.index("^")] == "b"


def test_text_lets_no_control_characters_through() -> None:
    text = "\x1b]0;owned\x07 \x9b31m \u202e x\n"
    finding = Finding("GA1", "n", Severity.HINT, Span(0, 3), "\x1b[2J", (), ())
    out = render("text", FileReport("\x1b[1m.mlir", text, 22, (finding,)))
    assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_text_marks_the_first_line_of_several() -> None:
    finding = Finding("GA1", "n", Severity.ERROR, Span(0, len(TEXT)), "m")
    assert "\n  | " + "^" * 16 + "\n" in render("text", FileReport("f", TEXT, 22, (finding,)))


def test_an_empty_place_has_one_caret() -> None:
    finding = Finding("GA1", "n", Severity.ERROR, Span(len(TEXT), len(TEXT)), "m")
    assert render("text", FileReport("f", TEXT, 22, (finding,))).splitlines()[3:5] == ["5 |", "  | ^"]


def test_summary_counts() -> None:
    quiet = FileReport("b", "", 24, ())
    assert Tally.of(quiet).sentence() == "Nothing found in 1 file (LLVM 24)."
    assert Tally().sentence() == "Nothing to check."
    hints = [
        Finding("GA5", "n", s, Span(0, 0), "") for s in (Severity.HINT, Severity.HINT, Severity.INFORMATION)
    ]
    report = FileReport("c", "", 22, [FINDING, *hints])
    both = Tally.of(quiet)
    both.add(Tally.of(report))
    assert both.sentence() == (
        "Found 1 error, 1 information, 2 hints in 2 files (LLVM 22 and 24); 1 fixable with --fix."
    )


def test_json_has_the_documented_form() -> None:
    assert json.loads(render("json", REPORT)) == [
        {
            "file": "dir/a b.mlir",
            "code": "GA201",
            "name": "stream-destroyed-twice",
            "severity": "error",
            "message": FINDING.message,
            "llvm": 22,
            "start": {"line": 3, "column": 12},
            "end": {"line": 3, "column": 20},
            "related": [
                {
                    "message": "the stream is created here",
                    "start": {"line": 2, "column": 2},
                    "end": {"line": 2, "column": 4},
                }
            ],
            "fixes": [
                {
                    "title": "Wait once",
                    "safety": "safe",
                    "edits": [
                        {"start": {"line": 3, "column": 15}, "end": {"line": 3, "column": 19}, "text": ""}
                    ],
                },
                {
                    "title": "Start a stream",
                    "safety": "unsafe",
                    "edits": [
                        {"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 1}, "text": "x\n"}
                    ],
                },
            ],
        }
    ]
    assert json.loads(render("json")) == []


def test_github_escapes_what_would_end_the_command() -> None:
    finding = Finding("GA1", "n", Severity.WARNING, Span(0, 1), "100%\nsure: yes, really")
    out = render("github", FileReport("a,b:c%.mlir", TEXT, 22, (finding,)))
    assert out == (
        "::warning file=a%2Cb%3Ac%25.mlir,line=1,endLine=1,col=1,endColumn=2,title=GA1 n"
        "::100%25%0Asure: yes, really\n"
    )


def test_github_gives_no_columns_for_several_lines() -> None:
    finding = Finding("GA1", "n", Severity.HINT, Span(0, 20), "m")
    out = render("github", FileReport("f", TEXT, 22, (finding,)))
    assert out == "::notice file=f,line=1,endLine=2,title=GA1 n::m\n"


def test_sarif_links_results_to_rules_and_offers_safe_fixes_only() -> None:
    run = json.loads(render("sarif", REPORT))["runs"][0]
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["defaultConfiguration"]["level"]) == ("GA201", "error")
    assert run["columnKind"] == "unicodeCodePoints"
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dir/a%20b.mlir"
    assert place["region"] == {"startLine": 3, "startColumn": 12, "endLine": 3, "endColumn": 20}
    assert [fix["description"]["text"] for fix in result["fixes"]] == ["Wait once"]
    assert result["relatedLocations"][0]["message"]["text"] == "the stream is created here"


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colours(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal, raising=False)
    assert (paint_for(stream) is coloured) is expected


def test_colours_change_nothing_else() -> None:
    import re

    colour = FORMATS["text"]([REPORT], RULES, coloured)
    assert "\x1b[1;31m" in colour
    assert re.sub(r"\x1b\[[\d;]*m", "", colour) == render("text", REPORT)
