"""What edits leave known of a text gives the findings that the text gives by itself."""

from __future__ import annotations

import random
import re

import pytest
from xdsl.ir import Operation

from benchmarks.generate import module
from gpuasync_lsp.analysis import AsyncFunction
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.streams.drawing import build
from gpuasync_lsp.ide.streams.model import Picture
from gpuasync_lsp.text import Finding, LineIndex
from tests.support.thinning import some_and_many, thinned
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
_TAKEN = re.compile(
    r"gpu\.mem.*\] +(?P<one>%\w+), (?P<two>%\w+) +:"
    r"|gpu\.launch.*args\((?P<three>%\w+) : memref<8xf32>, (?P<four>%\w+) +:"
)
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
"""One function in which most statements are."""
RESOLVER = SettingsResolver()


def state(text: str, previous: FileState | None = None) -> FileState:
    return file_state(LineIndex(text), None, RESOLVER, previous)


def findings(of: FileState) -> list[Finding]:
    return sorted(of.all_findings(), key=lambda f: (f.span, f.code, f.message))


def model(of: FileState) -> AsyncFunction:
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


def copies(rng: random.Random, size: int, *, branches: bool = True) -> str:
    """Return a function of about `size` statements: copies and fills of several buffers on several streams,
    some in loops, between uses by the host, some in branches."""
    device, host = [f"%d{n}" for n in range(3)], ["%h", "%g", "%a"]
    lines = [
        f"// gpuasync: llvm={rng.choice((16, 19, 21, 22, 24))}",
        "func.func @f(%h: memref<8xf32>, %g: memref<8xf32>, %v: f32, %w: f32, %c: i1, %i: index) {",
        "  %c0 = arith.constant 0 : index",
        "  %c1 = arith.constant 1 : index",
        "  %c4 = arith.constant 4 : index",
        "  %a = memref.alloc() : memref<8xf32>",
    ]
    for name in device:
        lines += [f"  %w{name[1:]} = gpu.wait async"]
        lines += [f"  {name}, %t{name[1:]} = gpu.alloc async [%w{name[1:]}] () : memref<8xf32>"]
    tokens, kind = [f"%t{name[1:]}" for name in device], "memref<8xf32>"
    for number in range(size):
        at = rng.randrange(len(tokens))
        token, last, one, two = f"%s{number}", tokens[at], *rng.sample([*device[:2], *host], 2)
        match rng.randrange(12):
            case 0:
                lines += [f"  %x{number} = memref.load {rng.choice(host)}[%c1] : {kind}"]
            case 1:
                lines += [f"  memref.store %v, {rng.choice(host)}[%i] : {kind}"]
            case 2:
                lines += [f"  gpu.wait [{last}]", f"  {token} = gpu.wait async"]
            case 3:
                other = rng.choice(tokens)
                lines += [f"  {token} = gpu.wait async [{last}, {other}]"]
            case 4 if branches:
                lines += [f"  scf.for %k{number} = %c0 to %c4 step %c1 {{"]
                lines += [f"    %y{number} = gpu.wait async"]
                lines += [f"    %z{number} = gpu.memcpy async [%y{number}] {one}, {two} : {kind}, {kind}"]
                lines += [f"    gpu.wait [%z{number}]", "  }"]
                continue
            case 5 if branches:
                lines += ["  scf.if %c {"]
                lines += [f"    memref.store %w, {rng.choice(host)}[%c0] : {kind}", "  }"]
            case 8:
                lines += [
                    f"  {token} = gpu.launch_func async [{last}] @k::@k blocks in (%c1, %c1, %c4)"
                    f" threads in (%c4, %c1, %c1) args({one} : {kind}, {two} : {kind})"
                ]
            case 6 | 7:
                value = rng.choice(("%v", "%w"))
                lines += [f"  {token} = gpu.memset async [{last}] {one}, {value} : {kind}, f32"]
            case _:
                lines += [f"  {token} = gpu.memcpy async [{last}] {one}, {two} : {kind}, {kind}"]
        if lines[-1].lstrip().startswith(f"{token} ="):
            tokens[at] = token
    # The last is erased by some releases where nothing uses it.
    freed = device[: len(device) - (rng.random() < 0.7)]
    lines += [f"  {name}f = gpu.dealloc async [{tokens[n]}] {name} : {kind}" for n, name in enumerate(freed)]
    waited = ", ".join(f"{name}f" for name in freed if rng.random() < 0.8)
    return "\n".join([*lines, *([f"  gpu.wait [{waited}]"] if waited else []), "  return", "}", *KERNEL, ""])


def other_operand(rng: random.Random, text: str) -> str:
    """Let a copy or fill take another buffer, or value."""
    lines = text.split("\n")
    at = rng.choice([n for n, line in enumerate(lines) if _TAKEN.search(line)])
    found = _TAKEN.search(lines[at])
    assert found
    names = [name for name, value in found.groupdict().items() if value]
    name = rng.choice(names)
    other = rng.choice(
        ("%v", "%w") if found[name] in ("%v", "%w") else ("%d0", "%d1", "%d2", "%h", "%g", "%a")
    )
    lines[at] = lines[at][: found.start(name)] + other + lines[at][found.end(name) :]
    return "\n".join(lines)


def operand_session(seed: int, size: int, edits: int) -> int:
    """Compare with from scratch after changes of operands, between other edits; return how often the model
    was adapted."""
    rng = random.Random(seed)
    text = copies(rng, size)
    current, stay = state(text), 0
    for _ in range(edits):
        known = model(current)
        text = other_operand(rng, text) if rng.random() < 0.8 else random_blanks(rng, text)
        before, current = current.text, state(text, current)
        stay += text != before and model(current) is known
        scratch = state(text)
        assert findings(current) == findings(scratch), f"seed {seed}"
        assert streams(current) == streams(scratch), f"seed {seed}"
    return stay


def streams(of: FileState) -> list[Picture]:
    placed = next(iter(of.source.items))
    return [build(function, findings(of), of.lines, placed.offset) for function in of.models(placed)]


@pytest.mark.parametrize("seed", thinned(range(4), 4))
def test_findings_after_other_operands(seed: int) -> None:
    assert operand_session(seed, 40, 8) > 2


def test_an_allocation_is_erased_where_the_only_copy_takes_something_else() -> None:
    body = """func.func @f(%h: memref<4xf32>, %v: f32, %i: index) {
  memref.store %v, %h[%i] : memref<4xf32>
  %w = gpu.wait async
  %d, %a = gpu.alloc async [%w] () : memref<4xf32>
  %t = gpu.wait async
  %s = gpu.memset async [%t] %d, %v : memref<4xf32>, f32
  gpu.wait [%s]
  return
}
"""

    def erased(of: FileState) -> list[bool]:
        return [info.erased for info in model(of).ops]

    current = state(body)
    for text in (body.replace("%d, %v", "%h, %v"), body):
        before, current = erased(current), state(text, current)
        assert erased(current) == erased(state(text)) != before


@pytest.mark.parametrize("seeds", some_and_many(2_000, 2))
def test_findings_after_many_other_operands(seeds: range) -> None:
    for seed in seeds:
        operand_session(seed, 40, 10)


@pytest.mark.slow
def test_findings_after_other_operands_in_a_large_function() -> None:
    operand_session(3_000, 1_000, 4)


pytestmark = pytest.mark.usefixtures("patched_small_functions")


@pytest.mark.parametrize("seed", range(12))
def test_findings_after_edits(seed: int) -> None:
    edit_session(seed)


@pytest.mark.slow
def test_findings_after_thousands_of_edits() -> None:
    for seed in range(1_000, 1_050):
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
        ("%a, %b", "%b, %a", True),
        ("gpu.wait [%c]", "gpu.wait [%t]", True),  # a wait is taken out of the model and put into it
        ("%c = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>", "%c = async.call", False),
    ],
)
def test_an_edit_that_replaces_no_op_keeps_the_model(before: str, after: str, kept: bool) -> None:
    first = state(BODY)
    known = model(first)
    second = state(BODY.replace(before, after), first)
    assert (model(second) is known) is kept
    assert findings(second) == findings(state(second.text))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("gpu.memcpy async", "gpu.memcpy asyn"),
        ("%c = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>", "%c = gpu.alloc async [%t]"),
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
    second = state(BODY.replace("gpu.memcpy async", "gpu.memcpy asyn"), first)
    third = state(second.text.replace("gpu.wait [%c]", "gpu.wait [%t]"), second)
    fourth = state(third.text.replace("gpu.memcpy asyn", "gpu.memcpy async"), third)
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


def test_a_line_that_is_typed_leaves_the_others_read_and_ends_with_their_model() -> None:
    line = "  %x = gpu.memcpy async [%t] %b, %a : memref<4xf32>, memref<4xf32>\n"
    at = BODY.index("  %c =")
    current = first = state(BODY)
    known, last = model(first), list(next(iter(first.source.items)).item.ops[0].walk())[-1]
    for end in range(3, len(line) + 1):
        current = state(BODY[:at] + line[:end].rstrip("\n") + "\n" + BODY[at:], current)
        assert list(next(iter(current.source.items)).item.ops[0].walk())[-1] is last
        assert findings(current) == findings(state(current.text))
    assert model(current) is known


def test_an_error_elsewhere_in_the_function_leaves_the_statements_read() -> None:
    def end(of: FileState) -> list[Operation]:
        return list(next(iter(of.source.items)).item.ops[0].walk())[-2:]

    first = state(BODY.replace("  %c =", "  %zz = gpu.memset async [%t\n  %c ="))
    second = state(first.text.replace("%a, %b :", "%b, %a :"), first)
    assert end(second) == end(first)
    assert findings(second) == findings(state(second.text))


def test_what_a_broken_line_says_is_found_while_it_is_typed_on() -> None:
    body = BODY.replace("  %t =", "  %s = gpu.wait async\n  %t =", 1).replace(
        "memcpy async [%t]", "memcpyy async [%t"
    )
    current = state("// gpuasync: llvm=16\n" + body)
    for new in (
        "%a, %b, 1",
        "%a, %b : memref<4xf8E8M0FNU>",
        "%a, %b : !gpu.async",
        "%a, %b : @b",
        "%a, %b, %z",
    ):
        text = re.sub(r"(?<=async \[%t )%a.*", new, current.text)
        current = state(text, current)
        assert findings(current) == findings(state(text))


def test_a_statement_that_stands_before_what_it_takes_stays_wrong() -> None:
    right = """func.func @f(%h: memref<8xf32>, %t: !gpu.async.token) {
  %v = arith.constant 1.0 : f32
  %a = gpu.memset async [%t] %h, %v : memref<8xf32>, f32
  %b = gpu.memset async [%a] %h, %v : memref<8xf32>, f32
  %c = gpu.memset async [%b] %h, %v : memref<8xf32>, f32
  %d = gpu.memset async [%c] %h, %v : memref<8xf32>, f32
  gpu.wait [%d]
  %e = gpu.memset async [%t] %h, %v : memref<8xf32>, f32
  return
}
"""
    lines = right.split("\n")
    lines[1], lines[5] = lines[5], lines[1]
    wrong = "\n".join(lines)
    unknown = wrong.replace("[%a] %h, %v", "[%a] %h, %w")
    current = state(right)
    for text in (wrong, unknown, wrong, right):
        current = state(text, current)
        assert findings(current) == findings(state(text)), text
