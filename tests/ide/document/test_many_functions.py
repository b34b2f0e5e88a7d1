"""An edit of one of many functions leaves known of the others what the whole text says by itself."""

from __future__ import annotations

import json
import random

import pytest

from benchmarks.generate import module
from gpuasync_lsp.analysis import file_contexts
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.text import Span
from tests.ide.document.test_incremental import CALLS, KERNEL, TYPED, random_statement, state

_CLIENT = Client(related_information=True)
_TEXTS = (
    module(90, 15),
    CALLS + CALLS.replace("@main", "@again").partition("func.func @main")[2],
    "module attributes {gpu.container_module} {\n" + "\n".join(KERNEL) + "\n" + CALLS + "}\n" + CALLS,
)


def edited(rng: random.Random, text: str, before: str) -> str:
    """Type something, exchange statements, add lines, or undo."""
    match rng.randrange(5):
        case 0:
            return before
        case 1:
            return random_statement(rng, text)
        case 2:
            at = text.rfind("\n", 0, rng.randrange(1, len(text))) + 1
            return f"{text[:at]}\n// one more\n{text[at:]}"
        case 3:
            return text.replace("gpu.memset async", "gpu.memset asynk", rng.randrange(3))
        case _:
            at = rng.randrange(len(text))
            return text[:at] + rng.choice(TYPED) + text[at + rng.randrange(3) :]


def said(of: FileState) -> list[object]:
    return sorted(
        json.loads(diagnostics_json(of, "file:///a.mlir", Places(of.lines, "utf-16"), _CLIENT)), key=str
    )


@pytest.mark.parametrize("seed", range(12))
def test_edits_of_one_of_many_functions_equal_from_scratch(seed: int) -> None:
    rng = random.Random(seed)
    text = before = _TEXTS[seed % len(_TEXTS)]
    current = state(text)
    for _ in range(12):
        text, before = edited(rng, text, before), text
        current, scratch = state(text, current), state(text)
        assert said(current) == said(scratch)
        for (chunk, contexts), (same, _) in zip(current.chunk_contexts, scratch.chunk_contexts, strict=True):
            fresh = [context for _, context in file_contexts(chunk)]
            assert chunk.span == same.span
            for placed, context, other in zip(chunk.items, contexts, fresh, strict=True):
                assert context.key(placed.item) == other.key(placed.item)
                assert (context.symbols, context.hidden, context.functions, context.lending) == (
                    other.symbols,
                    other.hidden,
                    other.functions,
                    other.lending,
                )


@pytest.mark.parametrize("text", ["", "a\nbc\r\nd\re", "ä\n\U0001f600x\n\n", "one\ntwo\n"])
def test_both_ends_of_a_span_are_its_positions(text: str) -> None:
    lines = state(text).lines
    for start in range(-1, len(text) + 2):
        for end in range(start, len(text) + 2):
            both = lines.position(start, "utf-16"), lines.position(end, "utf-16")
            assert lines.range(Span(start, end), "utf-16") == both
