"""Statements that do work on a stream come, go and become others: what is known of a large function is what
it would be from scratch."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from xdsl.ir import Block, Operation, SSAValue

from benchmarks.generate import module
from gpuasync_lsp.analysis import AsyncFunction, Handle
from gpuasync_lsp.analysis.model.flow import stretches
from gpuasync_lsp.analysis.model.flow.stretches import Stretches
from gpuasync_lsp.analysis.model.function import Action
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.ide.features.semantic_tokens import numbers, segments
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.text import Span
from tests.ide.document.test_incremental import (
    copies,
    findings,
    other_operand,
    random_blanks,
    random_statement,
    state,
    streams,
)
from tests.ide.document.test_number_lines import models, new_line
from tests.support.thinning import thinned

_WORK = re.compile(r"^ *%[\w]+ = gpu\.(memcpy|memset|launch_func) async")
TOKEN = re.compile(r"^ *(?:%[\w]+, )?(%[\w]+) = gpu\.(?:memcpy|memset|launch_func|wait|alloc) async")
_BUFFERS = ("%d0", "%d1", "%d2", "%h", "%g", "%a")
_KIND = "memref<8xf32>"


pytestmark = pytest.mark.usefixtures("patched_small_functions")


def work(rng: random.Random, name: str, tokens: list[str]) -> str:
    """Return a statement that makes the token `name`, on the stream of one of `tokens`."""
    dep, one, two = rng.choice(tokens), *rng.sample(_BUFFERS, 2)
    if rng.random() < 0.06:
        dep = f"{dep}, {rng.choice(tokens)}"
    match rng.randrange(8):
        case 0 | 1 | 2:
            done = f"gpu.memcpy async [{dep}] {one}, {two} : {_KIND}, {_KIND}"
        case 3 | 4:
            done = f"gpu.memset async [{dep}] {one}, {rng.choice(('%v', '%w'))} : {_KIND}, f32"
        case 5 | 6:
            done = (
                f"gpu.launch_func async [{dep}] @k::@k blocks in (%c1, %c1, %c4) threads in (%c4, %c1, %c1)"
                f" args({one} : {_KIND}, {two} : {_KIND})"
            )
        case _:
            done = rng.choice((f"gpu.wait async [{dep}]", "gpu.wait async", f"gpu.memcpy async {one}, {two}"))
            done += f" : {_KIND}, {_KIND}" if "memcpy" in done else ""
    return f"  {name} = {done}"


def host_line(rng: random.Random, number: int) -> str:
    """Return a statement by which the host reads or writes a number in memory."""
    buffer, index = rng.choice(_BUFFERS), rng.choice(("%c0", "%c1", "%c4", "%i"))
    if rng.random() < 0.5:
        return f"  %n{number}h = memref.load {buffer}[{index}] : {_KIND}"
    return f"  memref.store {rng.choice(('%v', '%w'))}, {buffer}[{index}] : {_KIND}"


def allocating(rng: random.Random, lines: list[str], at: int, number: int) -> str:
    """Put in allocations that nobody takes, or take one out."""
    text = "\n".join(lines)
    names = re.findall(r"^  (%n\w+), (%m\w+) = gpu.alloc", text, re.MULTILINE)
    unused = [one for one, token in names if not re.search(rf"({one}|{token})\b(?!, %m| = gpu.alloc)", text)]
    if unused and rng.random() < 0.5:
        gone = rng.choice(unused)
        return "\n".join(line for line in lines if not line.startswith(f"  {gone}, "))
    known = [found[1] for line in lines[:at] if (found := TOKEN.match(line))]
    lines.insert(at, f"  %n{number}b, %m{number}b = gpu.alloc async [{rng.choice(known[-8:])}] () : {_KIND}")
    if rng.random() < 0.3:
        lines.insert(at, f"  %n{number}a, %m{number}a = gpu.alloc async [{rng.choice(known)}] () : {_KIND}")
    return "\n".join(lines)


def touching(rng: random.Random, text: str, number: int) -> str:
    """Put something in that the host does to memory, let it be another, or take it out."""
    lines = text.split("\n")
    here = [n for n, line in enumerate(lines) if re.match(r" *(%\w+ = memref.load|memref.store)", line)]
    at = rng.choice(here) if here and rng.random() < 0.5 else rng.randrange(12, lines.index("  return"))
    if rng.random() < 0.4:
        return allocating(rng, lines, at, number)
    if at in here and rng.random() < 0.6:
        del lines[at]
    lines.insert(at, host_line(rng, number))
    if rng.random() < 0.3:
        del lines[at]
    return "\n".join(lines)


def edited(rng: random.Random, text: str, number: int) -> str:
    """Put such a statement anywhere, let one become another, or take one out that nobody takes."""
    lines = text.split("\n")
    here = [n for n, line in enumerate(lines) if _WORK.match(line)]
    places = range(12, len(lines) - len(lines) // 8 - 10)
    at = rng.choice(here if here and rng.random() < 0.5 else places)
    known = [found[1] for line in lines[:at] if (found := TOKEN.match(line))]
    tokens = known[-6:] if rng.random() < 0.8 else known
    match rng.randrange(6):
        case 0 | 1:
            lines.insert(at, work(rng, f"%n{number}", tokens))
            if rng.random() < 0.2:
                lines.insert(at + 1, work(rng, f"%m{number}", [f"%n{number}", *tokens]))
            if rng.random() < 0.2:
                lines.insert(at, new_line(rng, number))
        case 2 | 3 if at in here:
            name = lines[at].split("=")[0].strip()
            was = re.search(r"async \[(%\w+)\]", lines[at])
            lines[at] = work(rng, name, [was[1]] if was and rng.random() < 0.8 else tokens)
        case 4:
            unused = [n for n in here if text.count(lines[n].split("=")[0].strip() + " ") == 1]
            unused = [n for n in unused if lines[n].split("=")[0].strip() + "]" not in text]
            if unused:
                del lines[rng.choice(unused)]
        case _ if at in here:
            # Whoever takes the token takes what the statement took.
            name = lines[at].split("=")[0].strip()
            was = re.search(r"async \[(%\w+)\]", lines[at])
            if was:
                del lines[at]
                return re.sub(rf"{name}(?!\w)", was[1], "\n".join(lines))
        case _:
            pass
    return "\n".join(lines)


def waiting(rng: random.Random, text: str, number: int) -> str:
    """Put a wait in, maybe with work on the stream that it makes, or take one out that nobody takes."""
    lines = text.split("\n")
    at = rng.randrange(12, len(lines) - 4)
    known = [found[1] for line in lines[:at] if (found := TOKEN.match(line))]
    some = ", ".join(rng.sample(known[-12:], min(rng.randrange(1, 4), len(known[-12:]))))
    name = f"%n{number}"
    match rng.randrange(7):
        case 0 | 1:
            lines.insert(
                at, rng.choice((f"  {name} = gpu.wait async", f"  {name} = gpu.wait async [{some}]"))
            )
            if rng.random() < 0.5:
                lines.insert(at + 1, f"  {name}m = gpu.memset async [{name}] %d0, %v : {_KIND}, f32")
            if rng.random() < 0.3:
                lines.insert(at + 1, f"  {name}w = gpu.wait async [{name}, {known[-1]}]")
        case 2 | 3:
            lines.insert(at, rng.choice((f"  gpu.wait [{some}]", f"  gpu.wait [{some}]", "  gpu.wait")))
        case _:
            waits = [n for n, line in enumerate(lines) if re.match(r"  (%n\w+ = )?gpu\.wait", line)]
            unused = [
                n for n in waits if text.count(lines[n].split("=")[0].strip()) == 1 or "=" not in lines[n]
            ]
            if unused:
                del lines[rng.choice(unused)]
    return "\n".join(lines)


def freeing(rng: random.Random, text: str, number: int) -> str:
    """Free memory somewhere, or do so no longer."""
    lines = text.split("\n")
    here = [n for n, line in enumerate(lines) if re.match(r"  %\w+ = gpu\.dealloc", line)]
    here = [n for n in here if text.count(lines[n].split("=")[0].strip()) == 1]
    if here and rng.random() < 0.45:
        del lines[rng.choice(here)]
        return "\n".join(lines)
    at = rng.randrange(12, len(lines) - 8)
    known = [found[1] for line in lines[:at] if (found := TOKEN.match(line))]
    buffer = rng.choice(("%d0", "%d1", "%d2"))
    lines.insert(at, f"  %n{number}f = gpu.dealloc async [{rng.choice(known[-6:])}] {buffer} : {_KIND}")
    return "\n".join(lines)


def told(function: AsyncFunction) -> dict[str, object]:
    """Return all that is known of a function, ops and values by where they stand."""
    order, seen = function.order, {handle: n for n, handle in enumerate(function.handles)}
    events: dict[int, int] = {-1: -1}

    def of(op: Operation | None) -> object:
        return None if op is None else order.get(op, op.name)

    def value(each: SSAValue | None) -> object:
        if each is None:
            return None
        owner = each.owner
        return (of(owner.parent_op() if isinstance(owner, Block) else owner), each.index)  # type: ignore[attr-defined]

    def ops(each: Iterable[Operation]) -> list[object]:
        return [of(op) for op in each]

    def handle(each: Handle | None) -> object:
        return None if each is None else seen[each]

    def access(each: object) -> object:
        return (of(each.op), value(each.buffer.value), each.mode, value(each.value), handle(each.handle))  # type: ignore[attr-defined]

    def told_handle(each: Handle) -> object:
        return (
            each.kind,
            each.index,
            value(each.value),
            of(each.op),
            [value(token) for token in each.tokens],
            [(of(w.op), w.operand, value(w.value), w.blocking) for w in each.waits],
            ops(info.op for info in each.joins),
            ops(info.op for info in each.enqueues),
            ops(each.escapes),
            ops(each.lent),
            ops(each.passed),
        )

    places = {
        part
        for step in (step for node in function.nodes for step in node.steps)
        for symbol in (symbol for each in step.accesses for symbol in each.symbols)
        for part in (symbol, *function.made_of.get(symbol, ()))
    }

    return {
        "order": [op.name for op in order],
        "ops": [
            (
                info.order,
                info.name,
                [value(dep) for dep in info.deps],
                value(info.token),
                len(info.rejections),
                info.erased,
                handle(info.handle),
                [access(each) for each in info.accesses],
            )
            for info in function.ops
        ],
        "by op": {of(op): info.order for op, info in function.by_op.items()},
        "handles": [told_handle(each) for each in function.handles],
        "tokens": sorted((str(value(token)), handle(of_it)) for token, of_it in function.tokens.items()),
        "waits": [(of(w.op), w.operand, value(w.value), handle(w.handle)) for w in function.waits],
        "launches": ops(info.op for info in function.launches),
        "nodes": [
            [
                (
                    step.action,
                    of(step.op),
                    handle(step.handle),
                    handle(step.other),
                    events.setdefault(step.event, len(events)),
                    of(step.source.op) if step.source else None,
                    [access(each) for each in step.accesses],
                )
                for step in node.steps
                # A new value says nothing once no place depends on it.
                if step.action is not Action.RENEW or step.value in places
            ]
            for node in function.nodes
        ],
        "node of": {of(op): node.index for op, node in function.node_of.items()},
        "accesses": [access(each) for each in function.all_accesses()],
        "faults": [
            (
                f.fault,
                handle(f.handle),
                of(f.op),
                f.operand,
                f.earlier and of(f.earlier.op),
                f.path,
                f.certain,
            )
            for f in function.faults
        ],
        "races": [(access(r.first), access(r.second), r.path) for r in function.races],
        "unwritten": [(access(u.access), value(u.buffer.value), u.path) for u in function.unwritten],
        "lost": sorted((str(value(b.buffer.value)), str(of(b.op)), b.path) for b in function.lost),
        "pending": {
            of(op): [access(each) for each in function.accesses_of(mask)]
            for op, mask in function.pending.items()
        },
        "reached": sorted(node.index for node in function.reached),
    }


def shown(of: FileState) -> object:
    """Return what an editor shows of a text, besides findings."""
    whole = Span(0, len(of.text))
    hints = [(h.offset, h.text, h.tooltip) for h in inlay_hints(of, whole, EditorOptions())]
    tokens = [(first, tail.rest) for first, tail in numbers(segments(of, "utf-16"))]
    return hints, tokens, streams(of)


def written(of: FileState) -> list[str]:
    """Return the diagnostics of a text as they are sent."""
    client = Client(related_information=True)
    found = json.loads(diagnostics_json(of, "file:///a", Places(of.lines, "utf-16"), client))
    return sorted(map(str, found))


def are_equal(current: FileState, scratch: FileState, where: str) -> None:
    """Compare findings, what is shown and the models of a text with those from scratch."""
    assert findings(current) == findings(scratch), where
    assert written(current) == written(scratch), where
    assert shown(current) == shown(scratch), where
    for here, there in zip(models(current), models(scratch), strict=True):
        mine, theirs = told(here), told(there)
        for key, facts in theirs.items():
            assert mine[key] == facts, f"{where}: {key}"


def session(seed: int, text: str, edits: int, change: float = 0.8) -> int:
    """Compare with from scratch after each edit; return how often the model stayed."""
    rng = random.Random(seed)
    undo = list[str]()
    current, stay = state(text), 0
    for number in range(edits):
        known = models(current)
        chosen = rng.random()
        if undo and (chosen < 0.15 or current.source.problems()):
            text = undo.pop()
        else:
            undo.append(text)
            if chosen < change:
                text = edited(rng, text, number)
            else:
                text = rng.choice((other_operand, random_blanks, random_statement))(rng, text)
        before, current = current.text, state(text, current)
        scratch = state(text)
        are_equal(current, scratch, f"seed {seed}, edit {number}")
        stay += text != before and models(current) == known != []
    return stay


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_work_comes_and_goes(seed: int) -> None:
    assert session(seed, copies(random.Random(seed), 40), 12) > 0


def test_waits_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)
    rng = random.Random(11)
    text, undo, stay = copies(rng, 40, branches=False), list[str](), 0
    current = state(text)
    for number in range(16):
        known = models(current)
        if undo and rng.random() < 0.2:
            text = undo.pop()
        else:
            undo.append(text)
            text = waiting(rng, text, number) if rng.random() < 0.8 else edited(rng, text, number)
        before, current = current.text, state(text, current)
        are_equal(current, state(text), f"edit {number}")
        stay += text != before and models(current) == known != []
    assert stay > 8


@pytest.mark.parametrize("branches", [False, True])
def test_what_the_host_does_comes_and_goes(monkeypatch: pytest.MonkeyPatch, *, branches: bool) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)
    assert host_session(5, copies(random.Random(5), 16, branches=branches), 12) > 0


@pytest.mark.parametrize("branches", [False, True])
def test_frees_come_and_go(monkeypatch: pytest.MonkeyPatch, *, branches: bool) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)
    rng = random.Random(3)
    text, stay = copies(rng, 16, branches=branches), 0
    current = state(text)
    for number in range(9):
        known = models(current)
        before, text = text, freeing(rng, text, number)
        current = state(text, current)
        are_equal(current, state(text), f"edit {number}")
        stay += text != before and models(current) == known != []
    assert stay > 2


def host_session(seed: int, text: str, edits: int) -> int:
    """Compare with from scratch after each edit of what the host does; return how often the model stayed."""

    def edit(rng: random.Random, text: str, number: int) -> str:
        return (touching if rng.random() < 0.8 else edited)(rng, text, number)

    return with_undo(random.Random(seed), text, edits, edit, f"seed {seed}")


def with_undo(
    rng: random.Random, text: str, edits: int, edit: Callable[[random.Random, str, int], str], where: str
) -> int:
    """Edit, or undo what was edited, and compare with from scratch each time; return how often the model
    stayed."""
    undo, stay = list[str](), 0
    current = state(text)
    for number in range(edits):
        known = models(current)
        if undo and rng.random() < 0.2:
            text = undo.pop()
        else:
            undo.append(text)
            text = edit(rng, text, number)
        before, current = current.text, state(text, current)
        are_equal(current, state(text), f"{where}, edit {number}")
        stay += text != before and models(current) == known != []
    return stay


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_a_row_is_run_from_where_it_is_edited(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)
    assert session(seed, copies(random.Random(seed), 40, branches=False), 12) > 0


def stretches_run(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list to which each stretch of a function is added when it is run."""
    run: list[object] = []
    once = Stretches._run  # pyright: ignore[reportPrivateUsage]

    def noted(self: Stretches, stretch: object, *given: Any, **how: Any) -> None:
        run.append(stretch)
        once(self, stretch, *given, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Stretches, "_run", noted)
    return run


def test_behind_an_edit_only_its_accesses_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = module(300, 300)
    lines = text.split("\n")
    at = [n for n, line in enumerate(lines) if "gpu.memset async" in line][20]
    token = lines[at].split("] ")[0].replace("memset", "memcpy")
    lines[at] = f"{token}] %d, %h : memref<1024xf32>, memref<1024xf32>"
    run = stretches_run(monkeypatch)
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 5)
    scratch = state("\n".join(lines))
    before = state(text)
    all_of_them = len(run)
    run.clear()
    current = state("\n".join(lines), before)
    assert len(run) <= 2 < all_of_them
    assert findings(current) == findings(scratch)
    for here, there in zip(models(current), models(scratch), strict=True):
        assert told(here) == told(there)


def test_streams_are_numbered_in_the_order_in_which_they_are_named() -> None:
    first = "  %n = gpu.memset async [%t] %d, %v : memref<8xf32>, f32"
    text = f"""func.func @f(%t: !gpu.async.token, %d: memref<8xf32>, %v: f32) {{
{first}
  %y = gpu.wait async
  %z = gpu.memset async [%y] %d, %v : memref<8xf32>, f32
  gpu.wait [%z, %t]
  return
}}
"""
    without = text.replace(f"{first}\n", "")
    for before, after in ((text, without), (without, text)):
        current, scratch = state(after, state(before)), state(after)
        assert findings(current) == findings(scratch)
        assert [*map(told, models(current))] == [*map(told, models(scratch))]


@pytest.mark.slow
def test_work_comes_and_goes_often() -> None:
    for seed in range(7_100, 7_102):
        session(seed, copies(random.Random(seed), 40), 14)


@pytest.mark.slow
def test_rows_are_run_from_where_they_are_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "LONG", 0)
    monkeypatch.setattr(stretches, "_SHORTEST", 3)
    for seed in range(7_200, 7_203):
        session(seed, copies(random.Random(seed), 40, branches=False), 14)


@pytest.mark.slow
@pytest.mark.parametrize("size", [600, 1_200])
def test_work_comes_and_goes_in_large_functions(size: int) -> None:
    text = copies(random.Random(size), size, branches=size > 1_000)
    assert sum(session(seed, text, 4, change=1) for seed in (1, 2)) > 0


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_where_only_the_first_findings_are_listed_they_are_those(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for module_of in ("gpuasync_lsp.analysis", "gpuasync_lsp.analysis.carried"):
        monkeypatch.setattr(sys.modules[module_of], "MOST_OF_RULE", 4)
    assert session(seed, copies(random.Random(seed), 20, branches=False), 8) > 0


def test_an_op_is_looked_at_again_when_another_puts_its_dependency_on_a_stream() -> None:
    text = """func.func @f(%d: memref<8xf32>, %e: memref<8xf32>, %v: f32) {
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.memset async [%s] %d, %v : memref<8xf32>, f32
  %b = gpu.memset async [%t] %e, %v : memref<8xf32>, f32
  %c = gpu.memset async [%b] %e, %v : memref<8xf32>, f32
  %w = gpu.wait async [%a, %c]
  gpu.wait [%w, %a, %c]
  return
}
"""
    current = state(text)
    text = text.replace("[%t] %e", "[%a] %e")
    assert any(finding.code == "GA502" for finding in findings(state(text)))
    are_equal(state(text, current), state(text), text)
