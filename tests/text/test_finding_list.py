"""Findings in a row are what each of them would be, moved one by one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from gpuasync_lsp.text import Edit, Finding, FindingList, Fix, Related, Safety, Severity, Span


def place(rng: random.Random) -> Span:
    start = rng.randrange(1_000)
    return Span(start, start + rng.randrange(4))


def finding(rng: random.Random) -> Finding:
    related = tuple(Related(place(rng), "here") for _ in range(rng.randrange(3)))
    edits = [
        tuple(Edit(place(rng), "%x = y") for _ in range(rng.randrange(3))) for _ in range(rng.randrange(3))
    ]
    fixes = tuple(Fix("do it", Safety.SAFE, each) for each in edits)
    code = f"GA{rng.randrange(3)}"
    return Finding(code, "name", Severity.WARNING, place(rng), "said", related, fixes)


def moved(of: Finding, edge: int, delta: int) -> Finding:
    """Move each place of a finding by itself."""

    def behind(span: Span) -> Span:
        return span.shift(delta) if span.start >= edge else span

    related = tuple(Related(behind(each.span), each.message) for each in of.related)
    fixes = tuple(
        replace(fix, edits=tuple(Edit(behind(e.span), e.text) for e in fix.edits)) for fix in of.fixes
    )
    return replace(of, span=behind(of.span), related=related, fixes=fixes)


def in_order(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.span, f.code))


@pytest.mark.parametrize("seed", range(10))
def test_edits_move_all_and_some_come_and_go(seed: int) -> None:
    rng = random.Random(seed)
    expected = in_order([finding(rng) for _ in range(60)])
    found = FindingList.of(expected)
    for _ in range(40):
        edge, delta = rng.randrange(1_000), rng.randrange(-3, 4)
        lines = Span(max(edge - 10, 0), edge + 10)
        near = [n for n, f in enumerate(expected) if any(touch(each, lines) for each in f.places)]
        assert sorted(found.touching(lines)) == near
        said = [n for n, f in enumerate(expected) if any(touch(each, lines) for each in named(f))]
        assert sorted(found.touching(lines, said=True)) == said
        for number in said:
            found.entries[number].words = "written"
        found = found.but({*near}).after(edge, delta, lines)
        expected = [moved(f, edge, delta) for n, f in enumerate(expected) if n not in near]
        more = [finding(rng) for _ in range(rng.randrange(2 * len(near) + 2))]
        found, expected = found.with_more(more), in_order([*expected, *more])
        if rng.random() < 0.5:
            assert [f.span for f in expected] == [found.span(n) for n in range(len(found))]
        else:
            assert sorted(found, key=str) == sorted(expected, key=str)
            expected = [*found]  # Those of one code at one place come in any order.
        gone = {"GA1"} if rng.random() < 0.1 else set[str]()
        found, expected = found.without(gone), [f for f in expected if f.code not in gone]
        assert found.codes == {f.code for f in expected}


def named(of: Finding) -> list[Span]:
    return [of.span, *(each.span for each in of.related)]


def touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def test_what_was_written_is_forgotten_in_the_lines_of_an_edit_only() -> None:
    rng = random.Random(1)
    found = FindingList.of([Finding("GA1", "name", Severity.HINT, Span(n, n + 1), "") for n in (5, 50, 90)])
    for entry in found.entries:
        entry.words = rng.random()
    after = found.after(60, 3, Span(45, 70))
    assert [one is other for one, other in zip(found.entries, after.entries, strict=True)] == [
        True,
        False,
        True,
    ]
    assert after.entries[1].words is None
    assert [f.span.start for f in after] == [5, 50, 93]


def test_fixes_can_be_left_out() -> None:
    rng = random.Random(2)
    some = in_order([finding(rng) for _ in range(30)])
    codes = {some[0].code}
    assert any(each.fixes and each.code not in codes for each in some)
    left = [replace(each, fixes=()) if each.code in codes else each for each in some]
    found = FindingList.of(some).without_fixes(codes)
    assert [*found] == left
    assert [*found.after(0, 2, Span(0, 0))] == [moved(each, 0, 2) for each in left]


def test_those_of_one_place_are_found_by_code() -> None:
    some = [
        Finding(code, "name", Severity.HINT, Span(7, end), "") for code in ("GA1", "GA2") for end in (8, 9)
    ]
    found = FindingList.of(some)
    assert [found[number] for number in found.at(Span(7, 9), "GA2")] == [some[3]]
    assert found.at(Span(8, 9), "GA2") == []
