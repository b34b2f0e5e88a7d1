"""Semantic tokens after edits are those of the text by itself, and of most pieces they are not made again."""

from __future__ import annotations

import random

import pytest

from benchmarks.generate import module
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features import semantic_tokens
from gpuasync_lsp.ide.features.semantic_tokens import numbers, segments
from gpuasync_lsp.ide.lookup.pieces import cut
from gpuasync_lsp.text import Encoding, Span
from tests.ide.document.test_incremental import copies, random_edit, random_statement, state

Tokens = dict[tuple[int, int], tuple[int, ...]]


def tokens(of: FileState, encoding: Encoding, within: Span | None = None) -> Tokens:
    """Return length, type and modifiers of each token, by line and column."""
    found: Tokens = {}
    line = column = 0
    for first, tail in numbers(segments(of, encoding, within)):
        data = [*first, *tail.rest]
        for at in range(0, len(data), 5):
            line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
            found[line, column] = tuple(data[at + 2 : at + 5])
    return found


@pytest.mark.usefixtures("patched_small_functions")
@pytest.mark.parametrize("seed", range(6))
def test_tokens_are_those_of_the_text(seed: int) -> None:
    rng = random.Random(seed)
    text = copies(rng, 30, branches=seed % 2 == 1)
    current, encoding = state(text), rng.choice(("utf-8", "utf-16", "utf-32"))
    for number in range(15):
        text = rng.choice((random_edit, random_statement))(rng, text)
        current = state(text, current)
        where = f"seed {seed}, edit {number}, {text!r}"
        if rng.random() < 0.3:
            continue  # Nobody asks between two edits.
        start = rng.randrange(len(text))
        part = tokens(current, encoding, Span(start, rng.randrange(start, len(text))))
        whole = tokens(state(text), encoding)
        assert part.items() <= whole.items(), where
        assert tokens(current, encoding) == whole, where


def test_an_edit_of_a_large_function_leaves_most_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    text = module(2_000, 2_000)
    made: list[Span] = []
    make = semantic_tokens._tokens  # pyright: ignore[reportPrivateUsage]

    def counted(item: object, piece: str, place: Span, *others: object) -> object:
        made.append(place)
        return make(item, piece, place, *others)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(semantic_tokens, "_tokens", counted)
    current = state(text)
    at = text.index("\n", text.index("gpu.memset async", len(text) // 2)) + 1
    segments(current, "utf-16", Span(at, at + 4_000))
    assert 0 < len(made) < 20
    segments(current, "utf-16")
    count = len(made)
    assert count > 30
    dep = text[:at].rpartition(" = ")[0].rpartition("%")[2]
    for line in (f"    %u = gpu.memset async [%{dep}] %d, %v : memref<1024xf32>, f32\n", "    // more\n"):
        text = f"{text[:at]}{line}{text[at:]}"
        current = state(text, current)
        segments(current, "utf-16")
    assert len(made) - count < 10


def test_pieces_are_the_text_and_an_edit_leaves_most_of_them() -> None:
    text = module(1_000, 1_000)
    before = cut(text)
    assert "".join(before) == text
    assert len(before) > 10
    at = text.index("\n", len(text) // 2) + 1
    after = cut(f"{text[:at]}    // one more\n{text[at:]}")
    assert len({*after} - {*before}) <= 2
    for line in ("a\r\n", "  %a = gpu.wait async\n", "x.y\n"):
        assert "".join(cut(line * 20_000)) == line * 20_000
