"""After any edit, the incremental state of a text equals one that is computed from scratch."""

from __future__ import annotations

import json
import random
import re

import pytest

from benchmarks.generate import module
from gpuasync_lsp.analysis import file_contexts
from gpuasync_lsp.ide.document import state as state_module
from gpuasync_lsp.ide.document.state import FileState, file_state, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.semantic_tokens import numbers, segments
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.text import Finding, LineIndex, Span
from tests.support.tools import ROOT
from tests.syntax.corpus import TOKENS

TEXTS = [
    path.read_bytes().decode()
    for folder in ("tests/fixtures/rules", "tests/fixtures/races", "examples")
    for path in sorted((ROOT / folder).rglob("*.mlir"))
]
CALLS = """func.func @fill(%to: memref<4xf32>, %from: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %from[%c0] : memref<4xf32>
  memref.store %x, %to[%c0] : memref<4xf32>
  return
}
func.func @pass(%to: memref<4xf32>, %from: memref<4xf32>) -> memref<4xf32> {
  call @fill(%to, %from) : (memref<4xf32>, memref<4xf32>) -> ()
  return %to : memref<4xf32>
}
func.func @main(%h: memref<4xf32>, %g: memref<4xf32>, %v: f32) {
  %t = gpu.wait async
  %d, %a = gpu.alloc async [%t] () : memref<4xf32>
  %s = gpu.memset async [%a] %d, %v : memref<4xf32>, f32
  %m = gpu.memcpy async [%s] %h, %d : memref<4xf32>, memref<4xf32>
  %p = call @pass(%g, %h) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %f = gpu.dealloc async [%m] %d : memref<4xf32>
  gpu.wait [%f]
  memref.dealloc %p : memref<4xf32>
  return
}
"""
TYPED = (
    " ",
    "  ",
    "\n",
    "// note",
    "async",
    "asynk",
    "%0",
    "[",
    "]",
    ", ",
    "x",
    "1",
    "loc(unknown)",
    "{a}",
    "gpu.wait",
)
"""Fragments that people type, and some that they do not."""
BLANKS = (" ", "  ", "\n", "\n    ", "\t", " // note\n", "  // %0 %t7\n  ", "\n// gpu.launch x\n", "\r\n", "")
_BLANKS = re.compile(r"[ \n]+|//[^\n]*\n")
KERNEL = (
    "gpu.module @k {",
    "  gpu.func @k(%x: memref<8xf32>, %y: memref<8xf32>) kernel {",
    "    %0 = gpu.thread_id x",
    "    %1 = memref.load %x[%0] : memref<8xf32>",
    "    memref.store %1, %y[%0] : memref<8xf32>",
    "    gpu.return",
    "  }",
    "}",
)
LARGE = module(150, 150)
"""A module with most of its statements in one function."""
MANY = (
    module(90, 15),
    CALLS + CALLS.replace("@main", "@again").partition("func.func @main")[2],
    "module attributes {gpu.container_module} {\n" + "\n".join(KERNEL) + "\n" + CALLS + "}\n" + CALLS,
)
"""Functions, kernels and modules that refer to each other."""
RESOLVER = SettingsResolver()


def state(text: str, previous: FileState | None = None) -> FileState:
    return file_state(LineIndex(text), None, RESOLVER, previous)


def findings(of: FileState) -> list[Finding]:
    return sorted(of.all_findings(), key=lambda f: (f.span, f.code, f.message))


def random_statement(rng: random.Random, text: str) -> str:
    """Delete or duplicate a line, swap two lines, or swap two names in one."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            words = lines[at].split(" ")
            names = [n for n, word in enumerate(words) if word[:1] in ("%", "@", "[")]
            if len(names) > 1:
                one, other = rng.sample(names, 2)
                words[one], words[other] = words[other], words[one]
            lines[at] = " ".join(words)
    return "\n".join(lines)


def random_blanks(rng: random.Random, text: str) -> str:
    """Insert white space or a comment, or delete white space, mostly next to existing white space."""
    blanks = [match.span() for match in _BLANKS.finditer(text)]
    start, end = rng.choice(blanks) if blanks else (0, 0)
    if rng.random() < 0.5:
        start = end
    return text[:start] + rng.choice(BLANKS) + text[end:]


def random_edit(rng: random.Random, text: str) -> str:
    if rng.random() < 0.4:
        return random_blanks(rng, text)
    if rng.random() < 0.3:
        return random_statement(rng, text)
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.choice((0, 0, 0, 0, 1, 1, 2, 5)))
    line_end = text.find("\n", start)
    if rng.random() < 0.5 and line_end >= 0:
        start = end = line_end
    return text[:start] + rng.choice(TYPED if rng.random() < 0.6 else TOKENS) + text[end:]


def random_lines(rng: random.Random, text: str) -> str:
    """Add lines, or break some statements."""
    if rng.random() < 0.5:
        return text.replace("gpu.memset async", "gpu.memset asynk", rng.randrange(3))
    at = text.rfind("\n", 0, rng.randrange(1, len(text))) + 1 if text else 0
    return f"{text[:at]}\n// one more\n{text[at:]}"


def said(of: FileState) -> list[object]:
    client = Client(related_information=True)
    return sorted(json.loads(diagnostics_json(of, "file:///a", Places(of.lines, "utf-16"), client)), key=str)


def tokens(of: FileState, within: Span | None = None) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return length, type and modifiers of each semantic token, by (line, column)."""
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    line = column = 0
    for first, tail in numbers(segments(of, "utf-16", within)):
        data = [*first, *tail.rest]
        for at in range(0, len(data), 5):
            line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
            found[line, column] = tuple(data[at + 2 : at + 5])
    return found


def check_equal(current: FileState, scratch: FileState, where: str) -> None:
    """Check that two states are equal: findings, tokens, and the contexts of the items."""
    assert findings(current) == findings(scratch), where
    assert said(current) == said(scratch), where
    assert tokens(current) == tokens(scratch), where
    for (chunk, contexts), (same, _) in zip(current.chunk_contexts, scratch.chunk_contexts, strict=True):
        assert chunk.span == same.span, where
        fresh = [context for _, context in file_contexts(chunk)]
        for placed, context, other in zip(chunk.items, contexts, fresh, strict=True):
            assert context.key(placed.item) == other.key(placed.item), where
            assert (context.symbols, context.hidden, context.functions, context.lending) == (
                other.symbols,
                other.hidden,
                other.functions,
                other.lending,
            ), where


def edit_session(seed: int, edits: int = 12) -> None:
    rng = random.Random(seed)
    text = rng.choice((*TEXTS, *MANY, *MANY, CALLS, LARGE, LARGE))
    current, undo = state(text), list[str]()
    for number in range(edits):
        if undo and rng.random() < 0.35:
            text = undo.pop()
        else:
            undo.append(text)
            text = rng.choice((random_edit, random_edit, random_lines))(rng, text)
        current = state(text, current)
        check_equal(current, state(text), f"seed {seed}, edit {number}, {text!r}")


@pytest.mark.parametrize("seed", range(24))
def test_what_is_known_after_edits(seed: int) -> None:
    edit_session(seed)


@pytest.mark.slow
def test_what_is_known_after_hundreds_of_edits() -> None:
    for seed in range(1_000, 1_050):
        edit_session(seed)


def test_tokens_of_a_part_are_those_of_the_whole() -> None:
    rng = random.Random(1)
    whole = tokens(state(LARGE))
    for _ in range(20):
        start = rng.randrange(len(LARGE))
        assert tokens(state(LARGE), Span(start, rng.randrange(start, len(LARGE)))).items() <= whole.items()


def shown(text: str, previous: FileState, *, stop: bool = False) -> tuple[list[FileState], FileState]:
    """Return the partial states, and the final state of `text`; with `stop`, stop after the first partial
    one."""
    steps, way = in_steps(LineIndex(text), None, RESOLVER, previous, tuple), list[FileState]()
    answer: bool | None = None
    while True:
        try:
            partial = steps.send(answer)
        except StopIteration as end:
            return way, end.value
        way += [partial] if partial is not None else []
        answer = stop and partial is not None


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_module, "LARGE_ITEM", 0)


@pytest.mark.usefixtures("all_are_large")
def test_errors_come_first_and_other_findings_stay_where_they_moved() -> None:
    before = state(LARGE)
    text = LARGE.replace("gpu.memset async", "// a line more\n    gpu.memset asynk", 1)
    (early,), whole = shown(text, before)
    added = len("// a line more\n    ")
    edit = LARGE.index("gpu.memset async")
    assert early.waiting
    assert [f.message for f in findings(early) if f.code == "GA001"] == [
        f.message for f in findings(whole) if f.code == "GA001"
    ]
    stay = [f.shift(added) for f in findings(before) if f.span.start > edit + len("gpu.memset async")]
    assert len(stay) > 5
    kept = {(f.code, f.span, f.message) for f in findings(early)}
    assert {(f.code, f.span, f.message) for f in stay} <= kept
    check_equal(whole, state(text), text)


@pytest.mark.usefixtures("all_are_large")
def test_what_a_newer_edit_stops_is_shown_by_the_next_one() -> None:
    current, text = state(LARGE), LARGE
    for number in range(5):
        text = text.replace("  %c1 =", f"  // line {number}\n    %c1 =", 1)
        (early,), current = shown(text, current, stop=True)
        assert {f.message for f in findings(early)} == {f.message for f in findings(state(LARGE))}
    _, whole = shown(text, current)
    check_equal(whole, state(text), text)


@pytest.mark.parametrize("text", ["", "a\nbc\r\nd\re", "ä\n\U0001f600x\n\n", "one\ntwo\n"])
def test_both_ends_of_a_span_are_its_positions(text: str) -> None:
    lines = LineIndex(text)
    for start in range(-1, len(text) + 2):
        for end in range(start, len(text) + 2):
            both = lines.position(start, "utf-16"), lines.position(end, "utf-16")
            assert lines.range(Span(start, end), "utf-16") == both
