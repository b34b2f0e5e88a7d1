"""Fix-all over toy checks: it converges, applies disjoint fixes together, and rejects unhelpful fixes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from gpuasync_lsp.ide.document.cancel import Cancel, Cancelled, Patience
from gpuasync_lsp.ide.document.fix_all import fix_all
from gpuasync_lsp.text import Edit, Finding, Fix, Safety, Severity, Span

SAFE = frozenset({Safety.SAFE})


def rule(
    pattern: str,
    replacement: str | Callable[[re.Match[str]], str],
    code: str = "GA1",
    safety: Safety = Safety.SAFE,
) -> Callable[[str], list[Finding]]:
    """Return a check that reports each `pattern`, with a fix that replaces it."""

    def check(text: str) -> list[Finding]:
        found: list[Finding] = []
        for match in re.finditer(pattern, text):
            span = Span(*match.span())
            new = replacement if isinstance(replacement, str) else replacement(match)
            found.append(
                Finding(code, "n", Severity.ERROR, span, "m", (), (Fix("f", safety, (Edit(span, new),)),))
            )
        return found

    return check


def run(
    check: Callable[[str], list[Finding]], text: str, allowed: frozenset[Safety] = SAFE
) -> tuple[str, int, int]:
    fixed = fix_all(text, check(text), check, allowed)
    return fixed.text, len(fixed.applied), len(fixed.findings)


def test_fixes_everything() -> None:
    assert run(rule("a", "b"), "a-a-a") == ("b-b-b", 3, 0)


def test_unsafe_fixes_wait_for_permission() -> None:
    check = rule("a", "b", safety=Safety.UNSAFE)
    assert run(check, "a") == ("a", 0, 1)
    assert run(check, "a", frozenset(Safety)) == ("b", 1, 0)


def test_touching_fixes_are_applied_one_after_the_other() -> None:
    assert run(rule("a", "b"), "aaa") == ("bbb", 3, 0)


def test_insertions_at_one_place_are_applied_together_but_not_twice() -> None:
    checked: list[str] = []

    def check(text: str) -> list[Finding]:
        checked.append(text)
        end = Span(len(text), len(text))
        missing = [(i, c.upper()) for i, c in enumerate(text) if c.islower() and c.upper() not in text]
        return [
            Finding(
                "GA1", "n", Severity.ERROR, Span(i, i + 1), "m", (), (Fix("f", Safety.SAFE, (Edit(end, c),)),)
            )
            for i, c in missing
        ]

    fixed = fix_all("aba ", check("aba "), check, SAFE)
    assert (fixed.text, fixed.findings) == ("aba AB", ())
    assert checked == ["aba ", "aba AB"]


def test_fixes_that_go_round_in_a_circle_stop() -> None:
    text, _, left = run(lambda t: rule("a", "b")(t) + rule("b", "a", "GA2")(t), "a")
    assert text in "ab"
    assert left == 1


def test_a_fix_that_does_not_help_is_refused() -> None:
    assert run(rule("a", "aa"), "a-") == ("a-", 0, 1)


def test_a_fix_that_breaks_the_syntax_is_refused() -> None:
    def check(text: str) -> list[Finding]:
        broken = [Finding("GA001", "syntax", Severity.ERROR, Span(0, 0), "m")] if "!" in text else []
        return [*broken, *rule("a", "!")(text), *rule("b", "c", "GA2")(text)]

    assert run(check, "a b") == ("a c", 1, 1)


def test_fixes_that_choose_the_same_fresh_name_are_applied_apart() -> None:
    def check(text: str) -> list[Finding]:
        names = re.findall(r"%\w+", text)
        twice = [
            Finding("GA002", "redefinition", Severity.ERROR, Span(0, 0), "m")
            for n in set(names)
            if names.count(n) > 1
        ]
        fresh = next(f"%{i}" for i in range(99) if f"%{i}" not in names)
        return [*twice, *rule("x", fresh)(text)]

    text, applied, left = run(check, "x - x - x - x")
    assert sorted(text.split(" - ")) == ["%0", "%1", "%2", "%3"]
    assert (applied, left) == (4, 0)


def test_goes_on_with_what_a_fix_uncovers() -> None:
    assert run(lambda t: rule("a", "b")(t) + rule("b", "", "GA5")(t), "a") == ("", 2, 0)


@pytest.mark.parametrize("code", ["GA002", "GA1", "GA2", "GA3", "GA4"])
def test_a_fix_that_brings_a_new_fault_is_refused(code: str) -> None:
    found = lambda t: rule("a", "b", "GA1")(t) + rule("b", "bb", code)(t)  # noqa: E731
    assert run(found, "a-c") == ("a-c", 0, 1)


@pytest.mark.parametrize("code", ["GA002", "GA301", "GA401"])
def test_a_new_fault_is_mended_before_the_fix_counts(code: str) -> None:
    found = lambda t: rule("a", "b")(t) + rule("b", "", code)(t)  # noqa: E731
    assert run(found, "a-c") == ("-c", 2, 0)


def test_an_old_fault_that_goes_makes_no_room_for_a_new_one() -> None:
    found = lambda t: rule("a+", "bb")(t) + rule("b", "b", "GA301")(t) + rule("cb", "c", "GA2")(t)  # noqa: E731
    assert run(found, "a cb") == ("a c", 1, 1)


def test_the_next_fix_is_tried_where_one_is_refused() -> None:
    def check(text: str) -> list[Finding]:
        broken = [Finding("GA301", "race", Severity.WARNING, Span(0, 0), "m")] if "!" in text else []
        found = [
            Finding(each.code, "n", each.severity, each.span, "m", (), (*each.fixes, *other.fixes))
            for each, other in zip(rule("a", "!")(text), rule("a", "b")(text), strict=True)
        ]
        return [*broken, *found]

    assert run(check, "a a") == ("b b", 2, 0)


@pytest.mark.parametrize(
    ("bad", "size", "most"),
    [
        pytest.param({0}, 1000, 30, id="the first"),
        pytest.param({999}, 1000, 30, id="the last"),
        pytest.param({3, 499, 700}, 1000, 90, id="a few"),
        pytest.param(set(range(0, 200, 2)), 200, 500, id="every other"),
        pytest.param(set(range(200)), 200, 220, id="all"),
        pytest.param(set(range(0, 500, 2)), 500, 1250, id="every other of more", marks=pytest.mark.slow),
        pytest.param(set(range(500)), 500, 550, id="all of more", marks=pytest.mark.slow),
    ],
)
def test_a_bad_fix_among_many_costs_a_few_checks(bad: set[int], size: int, most: int) -> None:
    checked = 0

    def check(text: str) -> list[Finding]:
        nonlocal checked
        checked += 1
        broken = [Finding("GA001", "syntax", Severity.ERROR, Span(0, 0), "m")] if "!" in text else []
        return [*broken, *rule(r"good\d+", "done")(text), *rule(r"bad\d+", "!", "GA2")(text)]

    text = " ".join(f"{'bad' if number in bad else 'good'}{number}" for number in range(size))
    after, applied, left = run(check, text)
    assert (applied, left) == (size - len(bad), len(bad))
    assert after == re.sub(r"good\d+", "done", text)
    assert checked <= most


def test_what_was_applied_when_time_runs_out_stays() -> None:
    asked = iter([True, False])
    check = rule("a", "b")
    # Adjacent fixes are not applied together: the first round applies every other one.
    fixed = fix_all("aaaaaa", check("aaaaaa"), check, SAFE, lambda: next(asked))
    assert (fixed.is_cut_short, fixed.text) == (True, "bababa")
    assert (len(fixed.applied), len(fixed.findings)) == (3, 3)


def test_a_cancelled_fix_all_stops() -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        fix_all("a", rule("a", "b")("a"), rule("a", "b"), SAFE, Patience(60, cancel).lasts)


def test_patience_runs_out_once() -> None:
    patience = Patience(0)
    assert not patience.ran_out
    assert (patience.lasts(), patience.ran_out) == (False, True)
    patience = Patience(60)
    assert (patience.lasts(), patience.ran_out) == (True, False)
