"""The output formats for handwritten findings: positions, escapes, colors, hostile text."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from gpuasync_lsp.reporting import (
    FORMATS,
    FileReport,
    Mistake,
    Outcome,
    RuleInfo,
    Tally,
    colored,
    from_here,
    json_object,
    paint_for,
    plain,
)
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
    return FORMATS[name](Outcome(reports, RULES), plain)


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
    whole = json.loads(render("json", REPORT))
    assert (whole["version"], whole["errors"]) == (1, [])
    fingerprint = whole["findings"][0].pop("fingerprint")
    assert len(fingerprint) == 32
    assert whole["findings"] == [
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
            "function": "@f",
            "loc": [],
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
    assert json.loads(render("json"))["findings"] == []


def test_json_is_valid_by_its_schema() -> None:
    schema = json.loads(Path(json_object.__file__).with_name("check.schema.json").read_text("utf-8"))
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    mistakes = [Mistake("cannot read b.mlir: it is a folder", "b.mlir"), Mistake("m", "a.toml", 3, True)]
    whole = json.loads(FORMATS["json"](Outcome([REPORT], RULES, mistakes), plain))
    validator.validate(whole)
    assert [e["message"] for e in whole["errors"]] == ["cannot read b.mlir: it is a folder", "a.toml:3: m"]
    del whole["findings"][0]["fixes"][0]["title"]
    assert not validator.is_valid(whole)


def test_a_finding_is_the_same_one_after_lines_have_moved() -> None:
    def prints(text: str) -> list[str]:
        places = [Span(m.start(), m.end()) for m in re.finditer(r"\[%é, %é\]", text)]
        found = [Finding("GA201", "n", Severity.ERROR, place, "m") for place in places]
        return [each.fingerprint for each in FileReport("a.mlir", text, 22, found).identities()]

    (one,) = prints(TEXT)
    assert prints("\n\n// moved\n" + TEXT.replace("  gpu", "\tgpu")) == [one]
    twice = TEXT.replace("  gpu.wait [%é, %é]\n", "  gpu.wait [%é, %é]\n" * 2)
    assert prints(twice)[0] == one != prints(twice)[1]
    assert prints(TEXT.replace("@f", "@g")) != [one]
    generic = TEXT.replace("func.func @f() {", '"func.func"() <{sym_name = "f"}> ({')
    assert prints(generic) == [one]


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
    assert place["artifactLocation"] == {"uri": "dir/a%20b.mlir", "uriBaseId": "%SRCROOT%"}
    assert len(result["partialFingerprints"]["gpuasync/v1"]) == 32
    assert place["region"] == {"startLine": 3, "startColumn": 12, "endLine": 3, "endColumn": 20}
    assert [fix["description"]["text"] for fix in result["fixes"]] == ["Wait once"]
    assert result["relatedLocations"][0]["message"]["text"] == "the stream is created here"


def test_a_call_defines_no_function() -> None:
    text = "func.func @f() {\n  func.call @g() : () -> ()\n  x\n}\n"
    finding = Finding("GA1", "n", Severity.ERROR, Span(text.index("x"), text.index("x") + 1), "m")
    assert [each.function for each in FileReport("a.mlir", text, 22, (finding,)).identities()] == ["@f"]


def test_sarif_relates_where_the_op_is_from() -> None:
    finding = Finding("GA1", "n", Severity.ERROR, Span(0, 2), "m")
    named = {finding: [("dsl.py", 15, 3), ("main.py", 4, 0)]}
    run = json.loads(render("sarif", FileReport("f", TEXT, 22, (finding,), named)))["runs"][0]
    said = [
        (related["message"]["text"], place["artifactLocation"]["uri"], place["region"])
        for related in run["results"][0]["relatedLocations"]
        for place in (related["physicalLocation"],)
    ]
    assert said == [
        ("from here", "dsl.py", {"startLine": 15, "startColumn": 3}),
        ("called from here", "main.py", {"startLine": 4}),
    ]


def test_sarif_says_what_was_not_checked() -> None:
    mistakes = [Mistake("cannot read b.mlir", "b.mlir"), Mistake("unknown setting 'lvm'", "x.toml", 2, True)]
    run = json.loads(FORMATS["sarif"](Outcome([REPORT], RULES, mistakes), plain))["runs"][0]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (file,) = invocation["toolExecutionNotifications"]
    assert file["message"]["text"] == "cannot read b.mlir"
    assert file["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b.mlir"
    (setting,) = invocation["toolConfigurationNotifications"]
    assert setting["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}
    assert len(run["results"]) == 1
    assert json.loads(render("sarif"))["runs"][0]["invocations"] == [{"executionSuccessful": True}]


def test_sarif_describes_rules_in_full() -> None:
    rule = RuleInfo(
        "GA1", "n", Severity.ERROR, "Short.", "# GA1\n\n## What happens\nLong.\n\n## Example\n", "file:///x"
    )
    (told,) = json.loads(FORMATS["sarif"](Outcome([], [rule]), plain))["runs"][0]["tool"]["driver"]["rules"]
    assert (told["fullDescription"]["text"], told["helpUri"]) == ("Long.", "file:///x")


def test_paths_below_the_current_folder_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    assert from_here(str(tmp_path / "sub" / "a.mlir")) == "sub/a.mlir"
    assert from_here("sub/../a.mlir") == "a.mlir"
    assert from_here("/elsewhere/a.mlir") == "/elsewhere/a.mlir"


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
def test_colors(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal, raising=False)
    assert (paint_for(stream) is colored) is expected


def test_colors_change_nothing_else() -> None:
    color = FORMATS["text"](Outcome([REPORT], RULES), colored)
    assert "\x1b[1;31m" in color
    assert re.sub(r"\x1b\[[\d;]*m", "", color) == render("text", REPORT)
