"""The fuzz of large functions: what is known after edits is what it would be from scratch.

    python -m tests.attack.large_functions --edits 1000 --lines 500 2000 5000 --seed 1

Edits one function of so many statements, with loops, branches, kernels, calls and uses by the host, by all
that `benchmarks.edits` measures and by what the tests of incremental reading do: statements come, go, take
others in their place, are typed key by key, broken, repaired and undone. Findings, hints, tokens, streams and
models are compared with those from scratch after every edit, or after every few with `--every`. Ends with
status 1 at the first difference, with the two texts in the folder that is told.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.edits import EDITS, branching
from gpuasync_lsp.analysis import models_before_error
from gpuasync_lsp.ide.document import state as state_module
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.ide.lookup import pieces
from gpuasync_lsp.text import Span
from tests.ide.document import (
    test_block_lines,
    test_number_lines,
    test_row_lines,
    test_typing_lines,
    test_work_lines,
)
from tests.ide.document.test_errors_first import hurried, is_left, promised, stays
from tests.ide.document.test_incremental import (
    copies,
    other_operand,
    random_blanks,
    random_statement,
    state,
)
from tests.ide.document.test_respelled import respelled
from tests.ide.document.test_work_lines import TOKEN, are_equal, shown

_CALLED = "func.func private @work(memref<8xf32>)"
_KIND = "memref<8xf32>"


def function(rng: random.Random, lines: int) -> str:
    """Return a function of about `lines` statements."""
    if rng.random() < 0.3:
        return branching(lines)
    text = copies(rng, lines, branches=rng.random() < 0.5)
    head, _, rest = text.partition("\n")
    return f"{head}\n{_CALLED}\n{rest}\n{test_row_lines.CALLED}"


def benchmarked(rng: random.Random, text: str, number: int) -> str:
    """Do one of the edits that are measured."""
    rows = text.split("\n")
    places = [n for n, row in enumerate(rows) if "= gpu.mem" in row and "async [%" in row]
    kind = rng.choice([*EDITS])
    EDITS[kind](rows, rng.choice(places))
    if kind == "call":
        rows = [row.replace("@print(%h)", "@work(%h)").replace("1024x", "8x") for row in rows]
    if _CALLED in text:
        rows = [row.replace("1024xf32", "8xf32").replace(" %d,", " %d0,") for row in rows]
        rows = [row.replace(" %d :", " %d0 :").replace("%c128", "%c4") for row in rows]
    return "\n".join(rows)


def with_call(rng: random.Random, text: str, number: int) -> str:
    """Put a call in, take one out, or free memory and take that back."""
    lines = text.split("\n")
    here = [n for n, line in enumerate(lines) if f"_c{number % 3}" in line or "func.call @" in line]
    if here and rng.random() < 0.5:
        del lines[rng.choice(here)]
        return "\n".join(lines)
    at = rng.randrange(15, len(lines) - 15)
    known = [found[1] for line in lines[:at] if (found := TOKEN.match(line))]
    buffer, dep = rng.choice(("%d0", "%d1", "%h")), rng.choice(known[-6:] or ["%t0"])
    lines.insert(
        at,
        rng.choice(
            (
                f"  func.call @work({buffer}) : ({_KIND}) -> ()",
                f"  %x{number}_c{number % 3} = gpu.dealloc async [{dep}] {buffer} : {_KIND}",
                f"  memref.dealloc %a : {_KIND} // _c{number % 3}",
            )
        ),
    )
    return "\n".join(lines)


def edited(rng: random.Random, text: str, number: int) -> tuple[str, list[str]]:
    """Return the kind of an edit, and the texts that it makes, one after the other."""
    kinds = {
        "benchmarked": benchmarked,
        "work": test_work_lines.edited,
        "touching": test_work_lines.touching,
        "waiting": test_work_lines.waiting,
        "numbers": test_number_lines.edited,
        "blocks": test_block_lines.with_block,
        "rows": test_row_lines.with_row,
        "using": test_row_lines.using,
        "called": with_call,
        "freeing": test_work_lines.freeing,
        "operand": lambda rng, text, _: other_operand(rng, text),
        "blanks": lambda rng, text, _: random_blanks(rng, text),
        "statement": lambda rng, text, _: random_statement(rng, text),
        "respelled": lambda rng, text, _: respelled(rng, text),
        "typed": test_typing_lines.keys,
    }
    kind = rng.choice([*kinds])
    text, end, called = text.partition(f"\n{test_row_lines.CALLED}")
    try:
        made = kinds[kind](rng, text, number)
    except (IndexError, ValueError, StopIteration):
        return f"no {kind}", [f"{text}{end}"]  # There is nothing of that kind left to edit.
    return kind, [f"{each}{end}{called}" for each in (made if isinstance(made, list) else [made])]


class Session:
    """One function that is edited."""

    def __init__(self, rng: random.Random, lines: int, every: int) -> None:
        self.rng, self.every = rng, every
        self.text = function(rng, lines)
        self.before = ""
        self.current: FileState = state(self.text)
        self.edits: Counter[str] = Counter()
        self.compared = self.kept = self.left = 0
        self.good: tuple[str, dict[str, str]] | None = self.text, hints(self.current)
        """The last text of which all was said, and what was said of its tokens; None where a name is defined
        nowhere in it, as those that take it are of other streams then."""
        self.found: FileState = self.current
        """The last state whose findings were looked for."""

    def edit(self, number: int, undo: list[str]) -> None:
        """Edit once, and compare."""
        self.before = self.text
        if undo and (
            self.rng.random() < 0.15 or (self.current.source.problems() and self.rng.random() < 0.6)
        ):
            kind, texts = "undone", [undo.pop()]
        else:
            undo.append(self.text)
            kind, texts = edited(self.rng, self.text, number)
        early: FileState | None = None
        for text in texts:
            if is_run(self.current):
                is_right = not self.current.source.problems()
                self.good = (self.current.text, hints(self.current)) if is_right else None
            self.text = text
            early, self.current = hurried(text, self.current, stop=True)
            if is_left(self.current):
                assert stays(self.current, self.found), f"edit {number}, {kind}, findings while it is broken"
                self.left += 1
            elif not self.current.is_preliminary:
                self.found = self.current
        if early is not None or is_left(self.current):
            early = early or self.current
            self.kept += self.compare_kept(early, f"edit {number}, {kind}, while it is broken")
        self.current = state(self.text, self.current)
        if not is_left(self.current):
            self.found = self.current
        self.edits[kind] += 1
        if number % self.every == 0:
            self.compared += 1
            scratch, where = state(self.text), f"edit {number}, {kind}"
            if scratch.source.problems():
                # A function with an error is not run, whatever its model says.
                assert promised(self.current, scratch), where
                assert is_left(self.current) or shown(self.current) == shown(scratch), where
            else:
                are_equal(self.current, scratch, where)

    def compare_kept(self, early: FileState, where: str) -> int:
        """Compare what is said of tokens while a statement is broken with what was said before it broke, but
        for those in lines that were edited since; return of how many."""
        broken = [placed.item for placed in early.source.items if placed.item.problems]
        if self.good is None or any(models_before_error(item, early.profile) is None for item in broken):
            return 0
        text, before = self.good
        edited = {*early.text.split("\n")} ^ {*text.split("\n")}
        now = hints(early)
        names = [name for name in before.keys() & now.keys() if not any(name in line for line in edited)]
        assert {name: before[name] for name in names} == {name: now[name] for name in names}, where
        return len(names)


def is_run(of: FileState) -> bool:
    """Tell whether the functions of a text are analysed whole: there may be errors that leave all ops."""
    return not (of.is_preliminary or is_left(of)) and all(
        model.analysed for placed in of.source.items for model in of.models(placed)
    )


def hints(of: FileState) -> dict[str, str]:
    """Return what is shown behind each token, by its name."""
    found = inlay_hints(of, Span(0, len(of.text)), EditorOptions(hint_types=False))
    return {of.text[of.text.rfind("%", 0, hint.offset) : hint.offset]: hint.text for hint in found}


def main() -> int:
    """Edit and compare; print what it came to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=1_000)
    parser.add_argument("--lines", type=int, nargs="+", default=[500, 2_000, 5_000])
    parser.add_argument("--each", type=int, default=40, help="edits of one function")
    parser.add_argument("--every", type=int, default=1, help="compare after every so many edits")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, edits, compared, kept, left = random.Random(options.seed), Counter[str](), 0, 0, 0
    begun = time.process_time()
    # As of longer ones, errors come first, and tokens are made in pieces.
    state_module.LARGE = 1_000
    pieces._SHORT, pieces._ONE_IN = 0, 5  # pyright: ignore[reportPrivateUsage]
    while edits.total() < options.edits:
        lines = rng.choice(options.lines)
        session, undo = Session(rng, lines, options.every), list[str]()
        for number in range(min(options.each, options.edits - edits.total())):
            try:
                session.edit(number, undo)
            except AssertionError as difference:
                folder = Path(tempfile.mkdtemp())
                (folder / "before.mlir").write_text(session.before, encoding="utf-8")
                (folder / "after.mlir").write_text(session.text, encoding="utf-8")
                print(
                    f"seed {options.seed}, {edits.total() + number} edits: {str(difference)[:2000]}\n{folder}"
                )
                return 1
        edits += session.edits
        compared += session.compared
        kept += session.kept
        left += session.left
        print(f"{lines} lines: {session.edits.total()} edits, {session.compared} compared", flush=True)
    print(
        f"seed {options.seed}: {edits.total()} edits of functions of {options.lines} statements, {compared}"
        f" comparisons with the same from scratch, {left} with findings and {kept} of tokens with those"
        f" before a statement broke,"
        f" {time.process_time() - begun:.0f} s: {dict(edits)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
