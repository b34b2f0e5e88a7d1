"""What edits leave known of a text gives the findings that the text gives by itself."""

from __future__ import annotations

import random
import re

import pytest
from xdsl.ir import Operation

from benchmarks.generate import module
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.syntax import source as source_module
from gpuasync_lsp.text import Finding, LineIndex
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
"""What people type, beside what they would not."""
BLANKS = (" ", "  ", "\n", "\n    ", "\t", " // note\n", "  // %0 %t7\n  ", "\n// gpu.launch x\n", "\r\n", "")
_BLANKS = re.compile(r"[ \n]+|//[^\n]*\n")
LARGE = module(150, 150)
"""One function in which most statements are."""
RESOLVER = SettingsResolver()


def state(text: str, previous: FileState | None = None) -> FileState:
    return file_state(LineIndex(text), None, RESOLVER, previous)


def findings(of: FileState) -> list[Finding]:
    return sorted(of.all_findings(), key=lambda f: (f.span, f.code, f.message))


def model(of: FileState) -> object:
    return of.models(next(iter(of.source.items)))[0]


def random_statement(rng: random.Random, text: str) -> str:
    """Take a line out, double it, exchange two, or two names of one."""
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
    """Type white space or a comment, or take some out, mostly where one stands already."""
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


def edit_session(seed: int) -> None:
    rng = random.Random(seed)
    text = rng.choice((*TEXTS, CALLS, CALLS, CALLS, LARGE, LARGE))
    current, undo = state(text), list[str]()
    for _ in range(12):
        if undo and rng.random() < 0.45:
            text = undo.pop()
        else:
            undo.append(text)
            text = random_edit(rng, text)
        current = state(text, current)
        assert findings(current) == findings(state(text)), f"seed {seed}"


@pytest.fixture(autouse=True)
def patch_small_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_LARGE", 0)


@pytest.mark.parametrize("seed", range(12))
def test_findings_after_edits(seed: int) -> None:
    edit_session(seed)


@pytest.mark.slow
def test_findings_after_thousands_of_edits() -> None:
    for seed in range(1_000, 1_100):
        edit_session(seed)


BODY = """func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t = gpu.wait async
  %c = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%c]
  return
}
"""


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("gpu.wait [%c]", "gpu.wait [%c]  // the end", True),
        ("async [%t] %a", "async  [ %t ]  %a", True),
        ("%a, %b", "%b, %a", False),
    ],
)
def test_an_edit_that_changes_no_op_keeps_the_model(before: str, after: str, kept: bool) -> None:
    first = state(BODY)
    known = model(first)
    second = state(BODY.replace(before, after), first)
    assert (model(second) is known) is kept


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("gpu.memcpy async", "gpu.memcpy asyn"),
        ("%a, %b", "%b, %a"),
        ("%c = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>", "%c = gpu.wait async [%t]"),
    ],
)
def test_what_comes_back_has_the_model_that_it_had(before: str, after: str) -> None:
    first = state(BODY)
    second = state(BODY.replace(before, after), first)
    changed = model(second)
    noted = state(second.text.replace("%c]", "%c] // the end"), second)
    third = state(noted.text.replace(after, f" {before}"), noted)
    assert model(third) is model(first)
    assert findings(third) == findings(state(third.text))
    fourth = state(noted.text, third)
    assert model(fourth) is changed
    assert findings(fourth) == findings(state(noted.text))


def test_what_comes_back_after_another_statement_has_changed_is_analysed_anew() -> None:
    first = state(BODY)
    second = state(BODY.replace("%a, %b", "%b, %a"), first)
    third = state(second.text.replace("gpu.wait [%c]", "gpu.wait [%t]"), second)
    fourth = state(third.text.replace("%b, %a", "%a, %b"), third)
    assert model(fourth) is not model(first)
    assert findings(fourth) == findings(state(fourth.text))


def test_a_statement_that_is_being_typed_leaves_those_behind_it_read() -> None:
    def end(of: FileState) -> list[Operation]:
        return list(next(iter(of.source.items)).item.ops[0].walk())[-2:]

    first = state(BODY)
    waits = end(first)
    second = state(BODY.replace("gpu.memcpy async", "gpu.memcpy asyn"), first)
    third = state(BODY, second)
    assert end(second) == waits == end(third)
    assert len(findings(second)) > len(findings(third)) == 0
