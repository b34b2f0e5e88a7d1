"""Random edits, truncations, token soup: no exceptions, valid ranges, incremental results as from scratch."""

from __future__ import annotations

import random

import pytest
from xdsl.ir import Operation

from gpuasync_lsp.syntax import Change, SourceFile, SpanTable, parse_source
from gpuasync_lsp.syntax.lexer import FastLexer, FastToken
from tests.syntax.corpus import TEXTS, TOKENS


def summary(source: SourceFile) -> object:
    """Return the facts that must be equal for two parses of one text."""
    chunks = [
        (
            chunk.span,
            chunk.prelude,
            [(p.offset, p.item.text) for p in chunk.headers],
            [
                (
                    p.offset,
                    p.item.text,
                    [[statement(op, p.item.spans) for op in top.walk()] for top in p.item.ops],
                )
                for p in chunk.items
            ],
        )
        for chunk in source.chunks
    ]
    return chunks, source.problems()


def statement(op: Operation, spans: SpanTable) -> object:
    """Return the observable facts of an op: name, spans, operand names, types."""
    operands = [(spans.value_name(o), str(o.type)) for o in op.operands]
    return op.name, spans.ops[op], operands, [str(r.type) for r in op.results]


def check_ranges(source: SourceFile) -> None:
    size = len(source.text)
    for problem in source.problems():
        # A header is parsed with a closing brace of its own.
        assert 0 <= problem.span.start <= problem.span.end <= size + 1, problem
    for placed in source.items:
        assert source.text[placed.offset : placed.offset + len(placed.item.text)] == placed.item.text
        for spans in placed.item.spans.ops.values():
            assert 0 <= spans.whole.start <= spans.name.start <= spans.name.end <= len(placed.item.text)


def random_edit(rng: random.Random, text: str) -> tuple[str, Change]:
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.choice((0, 0, 0, 1, 1, 3, 20)))
    insert = rng.choice(TOKENS) if rng.random() < 0.8 else ""
    return text[:start] + insert + text[end:], Change(start, end, start + len(insert))


def edit_session(seed: int, edits: int) -> None:
    rng = random.Random(seed)
    text = rng.choice(TEXTS)
    source = parse_source(text)
    for _ in range(edits):
        before, before_source = text, source
        text, change = random_edit(rng, text)
        source = parse_source(text, source, change)
        check_ranges(source)
        assert summary(source) == summary(parse_source(text)), f"seed {seed}"
        if rng.random() < 0.6:
            # Undo restores the earlier diagnostics.
            undo = Change(change.start, change.new_end, change.old_end)
            text, source = before, parse_source(before, source, undo)
            assert source.problems() == before_source.problems(), f"seed {seed}"


@pytest.mark.parametrize("seed", range(12))
def test_incremental_equals_from_scratch(seed: int) -> None:
    edit_session(seed, 15)


@pytest.mark.slow
def test_incremental_equals_from_scratch_over_hundreds_of_edits() -> None:
    for seed in range(1_000, 1_080):
        edit_session(seed, 10)


@pytest.mark.parametrize("text", TEXTS)
def test_truncation_anywhere(text: str) -> None:
    for end in range(0, len(text), 7):
        check_ranges(parse_source(text[:end]))


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_truncation_at_every_character(text: str) -> None:
    for end in range(len(text)):
        check_ranges(parse_source(text[:end]))
        check_ranges(parse_source(text[end:]))


@pytest.mark.parametrize("seed", range(40))
def test_token_soup(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(TOKENS) + rng.choice(("", " ")) for _ in range(rng.randint(1, 150)))
    check_ranges(parse_source(text))


def test_work_is_linear_in_the_size_of_broken_text(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "  %0 = gpu.memcpy async [%1 %2 : (\n  scf.if %c { else }\n"
    tokens = 0
    lex = FastLexer.lex

    def counting(lexer: FastLexer) -> FastToken:
        nonlocal tokens
        tokens += 1
        return lex(lexer)

    def work(lines: int) -> int:
        nonlocal tokens
        tokens = 0
        parse_source("func.func @f() {\n" + body * lines + "}\n")
        return tokens

    monkeypatch.setattr(FastLexer, "lex", counting)
    assert work(800) < 8.5 * work(100)
