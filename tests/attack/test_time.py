"""Texts that once took exponential or quadratic time."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

import pytest
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.analysis import check_source
from gpuasync_lsp.syntax.cutter import chunk_spans, cut
from gpuasync_lsp.syntax.lexer import FastLexer

LENGTH = 100_000
SIGILS = ["%", '"', "@", "#", ";", "!", "^", "\u00a0", "// ", "/"]
BLANKS = [" ", "\t", "\n", "\0", "//", "// x\n", "/"]
PERIODS = [
    *('\\"', '@"\\"', '"', "{", "}", "} loc(", '} loc(\\"', "%a,", "%a,\n", "(", "[", "<"),
    *(
        "module attributes {} ",
        "{} attributes ",
        "module {\n",
        "#a = (\n",
        "func.func @f(\n",
        "{-#",
        "func.func {} ",
    ),
]


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if the body takes longer than this; also interrupts matches of regular
    expressions."""

    def ring(_: int, frame: object) -> None:
        raise TimeoutError(f"more than {seconds} s of the processor")

    earlier = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, earlier)


def tokens(text: str) -> int:
    """Return the number of tokens in `text`."""
    lexer = FastLexer(Input(text, "text"))
    count = 0
    while lexer.lex().kind is not MLIRTokenKind.EOF:
        count += 1
    return count


def repeated(period: str) -> str:
    return period * (LENGTH // len(period))


@pytest.mark.parametrize("sigil", SIGILS)
@pytest.mark.parametrize("blank", BLANKS)
def test_blanks_that_no_token_follows(sigil: str, blank: str) -> None:
    text = repeated(blank) + sigil
    with within(5):
        tokens(text)
        for chunk in chunk_spans(text):
            cut(text, chunk.start, chunk.end)


@pytest.mark.parametrize("period", PERIODS)
def test_what_repeats(period: str) -> None:
    text = repeated(period)
    with within(5):
        tokens(text)
        for chunk in chunk_spans(text):
            cut(text, chunk.start, chunk.end)


def test_tokens_after_an_unclosed_string() -> None:
    """An unclosed string must not affect the strings after it."""
    assert [tokens(text) for text in ('"a\\"b', '"a\\"b\n"c"', '"\\q "x"', '@"\\"\n@"x"')] == [5, 6, 4, 5]


def calls_of_a_check(text: str) -> int:
    """Return the number of calls of Python functions in a check of `text`, which does not depend on the
    machine."""
    count = 0

    def hear(frame: object, event: str, _: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(hear)
    try:
        assert check_source(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", ['"a"() ({', "scf.if %c {", "module {", 'a.b "x" ({', '"func.func"() ({\n'])
def test_nests_of_unclosed_ops_take_linear_time(unit: str) -> None:
    calls_of_a_check(unit * 10)
    once, twice = (calls_of_a_check(unit * levels) for levels in (60, 120))
    assert twice < 2.5 * once
