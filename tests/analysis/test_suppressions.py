"""Suppression comments: the lines and rules that they apply to."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source, comments
from gpuasync_lsp.text import Finding, Severity, Span, apply_edits


def silenced(text: str, code: str = "GA501", name: str = "serialized-fork") -> list[str]:
    """Return the `<...>` marks in `text` at which findings are suppressed."""
    marks = [i for i, c in enumerate(text) if c == "<"]
    found = comments(text)
    return [
        text[mark : text.index(">", mark) + 1]
        for mark in marks
        if found.silences(Finding(code, name, Severity.HINT, Span(mark, mark + 1), ""))
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_behind_code_it_speaks_of_its_line(end: str) -> None:
    text = f"<1>{end}<2> // gpuasync: ignore[GA501]{end}<3>{end}"
    assert silenced(text) == ["<2>"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_alone_it_speaks_of_the_next_line(end: str) -> None:
    text = f"<1>{end}  // gpuasync: ignore[GA501]{end}  <2>{end}<3>{end}"
    assert silenced(text) == ["<2>"]


def test_of_the_whole_file() -> None:
    assert silenced("<1>\n// gpuasync: ignore-file[GA501]\n<2>\n") == ["<1>", "<2>"]


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        ("GA501", True),
        ("GA502, GA501", True),
        ("GA5", True),
        ("serialized-fork", True),
        ("ALL", True),
        ("GA502", False),
        ("", True),
    ],
)
def test_words(words: str, hidden: bool) -> None:
    assert bool(silenced(f"<1> // gpuasync: ignore[{words}]")) is hidden


def test_at_the_end_of_the_text() -> None:
    assert silenced("<1>\n// gpuasync: ignore[GA501]") == []


def test_the_reason_is_free_text() -> None:
    text = "<1> // gpuasync: ignore[GA501] -- we ignore this, as ignore-file says\n<2>"
    assert silenced(text) == ["<1>"]
    assert silenced(text, "GA101") == []


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ('<1> "// gpuasync: ignore[GA501]"', False),
        ('<1> "a\\"" // gpuasync: ignore[GA501]', True),
        ('<1> // it is 5" long // gpuasync: ignore[GA501]', True),
        ("<1> // gpuasync: ignore[GA501", False),
        ("<1> // gpuasync: ignore [GA501]", True),
        ("<1> // gpuasync: llvm=22, ignore[GA501]", True),
    ],
)
def test_what_is_a_comment(text: str, silent: bool) -> None:
    assert bool(silenced(text)) is silent


LOST = """\
func.func @f(%a: memref<4xf32>) {{
  %t0 = gpu.wait async{0}
  %t1 = gpu.memset async [%t0] %a, %c : memref<4xf32>, f32{1}
  gpu.wait [%t1]{2}
  return
}}
""".replace("(%a: ", "(%c: f32, %a: ")


def unused(text: str, config: Config | None = None) -> str:
    """Return `text` after the fixes of all unused suppressions."""
    found = [f for f in check_source(text, config) if f.code == "GA010"]
    for finding in reversed(found):
        text = apply_edits(text, finding.fixes[0].edits)
    return text


SOUND = LOST.format("", "", "")
LEAKED = SOUND.replace(", f32\n", ", f32 // gpuasync: ignore[{}]\n").replace("[%t1]", "[]")
LEAKED = LEAKED.replace("{\n", "{{\n").replace("\n}\n", "\n}}\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (LOST.format("", "", "  // gpuasync: ignore[GA401] -- once there"), SOUND),
        (LOST.format("", "\n  // gpuasync: ignore[GA401, GA5]", ""), SOUND),
        ("// gpuasync: ignore-file[ALL]\n" + SOUND, SOUND),
        ("// gpuasync: llvm=22, ignore-file[GA402]\n" + SOUND, "// gpuasync: llvm=22, \n" + SOUND),
        (
            LOST.format("", " // gpuasync: ignore[GA401] // expected-note {{x}}", ""),
            LOST.format("", "  // expected-note {{x}}", ""),
        ),
        (LEAKED.format("GA1, GA401"), LEAKED.format("GA401")),
    ],
)
def test_what_silences_nothing_is_taken_away(text: str, left: str) -> None:
    assert unused(text) == left
    assert unused(left) == left


@pytest.mark.parametrize(
    ("comment", "config"),
    [
        ("ignore[GA401]", Config(ignore=("GA4",))),
        ("ignore", Config(select=("GA1", "GA010"))),
        ("ignore[GA401]", Config(ignore=("GA010",))),
        ("ignore[GA401, GA010]", Config()),
        ("ignore[GA007]", Config()),
    ],
)
def test_what_nobody_can_judge_stays(comment: str, config: Config) -> None:
    text = LOST.format("", "", f" // gpuasync: {comment}")
    assert unused(text, config) == text


@pytest.mark.parametrize("wrong", ["gpu.wait [", '"gpu.wait"(%a) : (memref<4xf32>) -> ()'])
def test_of_a_text_that_is_not_analyzed_nothing_is_unused(wrong: str) -> None:
    text = LOST.format("", "", f" // gpuasync: ignore[GA401]\n  {wrong}")
    assert unused(text) == text
