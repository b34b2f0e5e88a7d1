"""Errors that are typed in a large function are told before anything is concluded from them."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.generate import module
from gpuasync_lsp import analysis
from gpuasync_lsp.analysis import JUDGED, SAY_ERRORS, rules
from gpuasync_lsp.ide.document import state as state_module
from gpuasync_lsp.ide.document.checker import keeps_all
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState, in_steps
from gpuasync_lsp.ide.features.completion import completions
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.ide.features.lenses import lenses
from gpuasync_lsp.ide.features.semantic_tokens import segments
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostic, diagnostics_json
from gpuasync_lsp.syntax import source as source_module
from gpuasync_lsp.text import Finding, LineIndex, Span
from tests.ide.document.test_incremental import (
    RESOLVER,
    copies,
    findings,
    random_blanks,
    random_edit,
    random_statement,
    state,
)
from tests.support.listed import listed


def hurried(text: str, previous: FileState, *, stop: bool = False) -> tuple[FileState | None, FileState]:
    """Return what there was to show early, and the state in the end, or where it was stopped."""
    steps = in_steps(LineIndex(text), None, RESOLVER, previous, tuple, hurried=True)
    early = None
    said: bool | None = None
    while True:
        try:
            shown = steps.send(said)
        except StopIteration as end:
            return early, end.value
        if shown is not None and shown.is_preliminary:
            early, said = shown, stop


def first(text: str, previous: FileState) -> FileState:
    """Return what there is to show first."""
    early, whole = hurried(text, previous, stop=True)
    return early or whole


def promised(current: FileState, scratch: FileState) -> bool:
    """Tell whether all is found that is found from scratch, and besides only what was said of the paths
    through a function before a statement of it broke.

    Where nothing else is another, it is the errors that are those from scratch (see `stays`)."""
    said, found = findings(current), findings(scratch)
    if is_left(current):
        return errors(said) == errors(found)
    kept = [finding for finding in said if finding not in found]
    is_broken = any(not model.analysed for placed in scratch.source.items for model in scratch.models(placed))
    return [finding for finding in said if finding in found] == found and all(
        is_broken and finding.code in JUDGED and not finding.fixes for finding in kept
    )


def is_left(of: FileState) -> bool:
    """Tell whether nothing is another in a text but a statement that does not parse."""
    return any(keeps_all(placed.item) for placed in of.source.items)


def stays(current: FileState, good: FileState) -> bool:
    """Tell whether of lines that are in both texts the same is said, but for errors, and repairs of paths."""
    lines = [Counter(of.text.split("\n")) for of in (good, current)]
    edited = {line for line, _ in lines[0].items() ^ lines[1].items()}

    def said(of: FileState) -> Counter[tuple[str, ...]]:
        told = Counter[tuple[str, ...]]()
        for found in findings(of):
            places = [found.span, *(related.span for related in found.related)]
            if found.code in SAY_ERRORS or any(
                n in edited for p in found.places for n in lines_of(of.text, p)
            ):
                continue
            told[found.code, found.message, *(of.text[: p.end].rpartition("\n")[2] for p in places)] += 1
        return told

    repairs = [f for f in findings(current) if f.fixes and f.code in JUDGED]
    return said(good) == said(current) and not repairs


def lines_of(text: str, place: Span) -> list[str]:
    end = text.find("\n", place.end)
    return text[text.rfind("\n", 0, place.start) + 1 : end if end >= 0 else None].split("\n")


def errors(of: list[Finding]) -> list[Finding]:
    return [finding for finding in of if finding.code in SAY_ERRORS]


@pytest.fixture(autouse=True)
def patch_small_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_LARGE", 0)
    monkeypatch.setattr(state_module, "LARGE", 1_000)


def test_the_error_comes_first_and_the_rest_stays_where_it_was() -> None:
    text = module(100, 100)
    before = state(text)
    at = text.index("gpu.memset async")
    broken = text[:at] + text[at:].replace("memset async", "memset asynk", 1)
    early, whole = hurried(broken.replace("%v: f32", "%w: f32", 1), before)
    assert early is not None
    assert errors(findings(early)) == errors(findings(whole)) != []
    kept = [f for f in findings(early) if f.code not in SAY_ERRORS]
    there = [f for f in findings(before) if min(f.places)[0] > text.index("\n", at)]
    assert there
    assert {f.span for f in there} <= {f.span for f in kept}


def test_where_nothing_but_a_statement_is_another_the_errors_are_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = module(100, 100)
    before = state(text)
    built: list[object] = []
    monkeypatch.setattr(analysis, "_analyzed", lambda *given: built.append(given))
    at = text.index("gpu.memset async")
    broken = text[:at] + "\n" + text[at:].replace("memset async", "memset asynk", 1)
    early, whole = hurried(broken, before)
    assert early is None
    assert not whole.is_preliminary
    assert is_left(whole)
    assert [f.code for f in errors(findings(whole))] == ["GA001"]
    assert stays(whole, before)
    assert {f.span.shift(1) for f in findings(before) if f.span.start > at + 80} <= {
        f.span for f in findings(whole)
    }
    assert not built


def test_another_edit_of_a_broken_function_has_what_is_said_of_single_ops_found_again() -> None:
    text = module(100, 100)
    at = text.index("gpu.memset async")
    broken = text[:at] + text[at:].replace("memset async", "memset asynk", 1)
    _, left = hurried(broken, state(text))
    other = broken.replace("%v: f32", "%w: f32", 1)
    _, whole = hurried(other, left)
    assert not is_left(whole)
    assert promised(whole, state(other))


def test_what_was_said_of_the_paths_through_a_function_stays_while_it_is_broken() -> None:
    text = module(100, 100)
    before = state(text)
    at = text.index("gpu.memset async")
    broken = text[:at] + text[at:].replace("memset async", "memset asynk", 1)
    _, whole = hurried(broken, before)
    there = [f for f in findings(before) if f.code in JUDGED and min(f.places)[0] > text.index("\n", at)]
    assert there
    assert [f.span for f in findings(whole) if f.code in JUDGED and f.span.start > text.index("\n", at)] == [
        f.span for f in there
    ]
    assert promised(whole, state(broken))
    _, other = hurried(broken.replace("%v: f32", "%w: f32", 1), whole)
    _, again = hurried(text, other)
    assert findings(again) == findings(before)


def test_the_rules_about_paths_are_those_that_are_silent_where_a_statement_is_broken() -> None:
    folder = Path(rules.__file__).parent
    judging = {path.stem for path in folder.glob("*.py") if "function.analysed" in path.read_text()}
    judging |= {rule.name.replace("-", "_") for rule in analysis.RULES if rule.check_faults is not None}
    assert judging == {rule.name.replace("-", "_") for rule in analysis.RULES if rule.code in JUDGED}


def test_what_has_no_error_comes_whole_and_at_once() -> None:
    text = module(100, 100)
    early, whole = hurried(text.replace("gpu.memset async", "gpu.memset  async", 1), state(text))
    assert early is None
    assert not whole.is_preliminary


@pytest.mark.parametrize("seed", range(6))
def test_errors_are_those_of_the_text_and_all_else_is_as_from_scratch(seed: int) -> None:
    rng = random.Random(seed)
    text = copies(rng, 20)
    current, told = state(text), 0
    good = current
    for number in range(12):
        text = rng.choice((random_edit, random_edit, random_statement, random_blanks))(rng, text)
        stop = rng.random() < 0.5
        early, current = hurried(text, current, stop=stop)
        scratch = state(text)
        for shown in (early, current if is_left(current) else None):
            if shown is not None:
                told += 1
                assert errors(findings(shown)) == errors(findings(scratch)), f"seed {seed}, edit {number}"
                assert all(0 <= f.span.start <= f.span.end <= len(text) for f in shown.all_findings())
        if early is None or not stop:
            assert promised(current, scratch), f"seed {seed}, edit {number}"
        if is_left(current):
            assert stays(current, good), f"seed {seed}, edit {number}"
        elif not current.is_preliminary:
            good = current
    assert told


def test_tokens_for_a_statement_that_is_typed_take_the_model_from_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = module(100, 100)
    at = text.index("\n", text.index("gpu.memset async")) + 1
    typed = f"{text[:at]}    %new = gpu.memset async [%\n{text[at:]}"
    early = first(typed, state(text))
    built: list[object] = []
    monkeypatch.setattr(analysis, "_analyzed", lambda *given: built.append(given))
    offset = typed.index("[%\n") + 2
    found = {each.label: each.detail for each in completions(early, offset)}
    assert found.keys() >= {"%t0", "%t1"}
    assert "stream" in found["%t0"], found
    assert not built


def test_what_editors_ask_for_with_each_key_takes_the_model_from_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = module(100, 100)
    before = state(text)
    at = text.index("gpu.memset async", text.index("gpu.memset async") + 1)
    typed = text[:at] + text[at:].replace("memset async", "memset asynk", 1)
    whole, options = Span(0, len(text)), EditorOptions()
    then = [hint for hint in inlay_hints(before, whole, options) if hint.offset > typed.index("\n", at)]
    streams = [lens.title for lens in lenses(before)]
    marked = [segment.tail.rest for segment in segments(before, "utf-16")]
    early = first(typed, before)
    built: list[object] = []
    monkeypatch.setattr(analysis, "_analyzed", lambda *given: built.append(given))
    assert then
    assert then == [
        hint for hint in inlay_hints(early, whole, options) if hint.offset > typed.index("\n", at)
    ]
    assert streams == [lens.title for lens in lenses(early)]
    now = [segment.tail.rest for segment in segments(early, "utf-16")]
    assert [each[:100] for each in marked] == [each[:100] for each in now]
    assert not built


def test_of_a_second_statement_that_breaks_it_is_the_model_from_before_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = module(100, 100)
    before = state(text)
    places = [at.start() for at in re.finditer("gpu.memset async", text)]
    one = text[: places[2]] + text[places[2] :].replace("memset async", "memset asynk", 1)
    other = one[: places[4]] + one[places[4] :].replace("memset async", "memset asynk", 1)
    built: list[object] = []
    monkeypatch.setattr(analysis, "_analyzed", lambda *given: built.append(given))
    current = first(other, first(one, before))
    assert len(errors(findings(current))) == 2
    assert stays(current, before)
    behind = other.index("\n", places[4])
    whole, options = Span(0, len(text)), EditorOptions()
    now, then = (
        [h.text for h in inlay_hints(of, whole, options) if h.offset > behind] for of in (current, before)
    )
    assert now == then != []
    assert not built


def typed_on(rng: random.Random, text: str, at: int) -> tuple[str, int]:
    """Return `text` with a few characters more or less near `at`, and the place behind them."""
    match rng.randrange(6):
        case 0:
            start = max(at - rng.randrange(1, 4), 1)
            return text[:start] + text[at:], start
        case 1:
            return text[:at] + "\n" + text[at:], at + 1
        case 2:
            at = rng.randrange(len(text) // 3, len(text) - 60)
            return text[:at] + " // %" + text[at:], at + 5
        case 3:
            end = text.find("\n", at) + 1
            return text[:end] + text[text.find("\n", end) + 1 :], end
        case _:
            words = rng.choice(("%", "x", "gpu.", " = ", "\n  ", "[%t0", "asynk"))
            return text[:at] + words + text[at:], at + len(words)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_written_while_a_statement_is_typed_is_what_is_found(seed: int) -> None:
    rng, client = random.Random(seed), Client(related_information=True)
    text = module(120, 60) if seed % 2 else copies(rng, 40)
    current, at, told = state(text), text.index("gpu.mem", len(text) // 2) + 12, 0
    diagnostics_json(current, "file:///a", Places(current.lines, "utf-16"), client)
    for number in range(25):
        text, at = typed_on(rng, text, at)
        early, current = hurried(text, current, stop=rng.random() < 0.9)
        for shown in (early, current):
            if shown is None or shown.text != text:
                continue
            places = Places(shown.lines, "utf-16")
            written = json.loads(diagnostics_json(shown, "file:///a", places, client))
            found = [
                diagnostic(finding, "file:///a", places, client, group.offset)
                for group in shown.findings
                for finding in listed(group.findings)
            ]
            assert sorted(written, key=str) == sorted(found, key=str), f"seed {seed}, edit {number}"
            told += shown.is_preliminary or is_left(shown)
    assert told


def test_an_error_that_leaves_the_ops_leaves_what_is_said_of_tokens() -> None:
    text = module(100, 100)
    at = text.index("gpu.memset async", len(text) // 2)
    line = text.rfind("\n", 0, at) + 1
    freed = "    %u = gpu.wait async\n    %v2 = gpu.dealloc async [%u] %d : memref<1024xf32>\n"
    other = f"{text[:line]}{freed}{text[line:]}"
    current = state(other, state(text))
    at = other.index("memref<1024xf32>", other.index("gpu.memset async", at))
    early = first(f"{other[:at]}memref<1025xf32>{other[at + 16 :]}", current)
    whole = Span(0, len(other))
    now, then = ([hint.text for hint in inlay_hints(of, whole, EditorOptions())] for of in (early, current))
    assert now == then
