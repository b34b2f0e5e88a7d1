"""Processor time of edits by kind, in one large function, from the text to the diagnostics as JSON.

Each edit is of another statement, so that nothing that an earlier one has left makes it cheap. Times are
medians of the processor time of one process, in milliseconds.

    python -m benchmarks.edits                         # 5,000 lines
    python -m benchmarks.edits --lines 20000 --edits 3 --kind broken --profile 30
    python -m benchmarks.edits --branches              # a function with loops, branches and calls in between
    python -m benchmarks.edits --typing                # lines that are typed key by key, errors shown first
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import statistics
import time
from collections.abc import Callable

from benchmarks.generate import module
from gpuasync_lsp.ide.document.state import FileState, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.collection import Collection
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.text import LineIndex, Span

_URI = "file:///benchmark/module.mlir"
_RESOLVER = SettingsResolver()
_KIND = "memref<1024xf32>"

Edit = Callable[[list[str], int], None]
"""Changes the lines of a text at a statement that does work on a stream."""


def _put(*lines: str) -> Edit:
    """Put lines in before the statement; `{dep}` in them is the token that it follows."""

    def edit(rows: list[str], at: int) -> None:
        dep = rows[at].partition("[%")[2].partition("]")[0]
        rows[at:at] = [line.format(dep=dep, at=at) for line in lines]

    return edit


def _change(new: Callable[[str], str]) -> Edit:
    def edit(rows: list[str], at: int) -> None:
        rows[at] = new(rows[at])

    return edit


def _other_op(row: str) -> str:
    head = row.partition("] ")[0]
    if "memset" in row:
        return f"{head.replace('memset', 'memcpy')}] %d, %h : {_KIND}, {_KIND}"
    return f"{head.replace('memcpy', 'memset')}] %d, %v : {_KIND}, f32"


def _other_operands(row: str) -> str:
    if "memset" in row:
        return row.replace("] %d,", "] %h,")
    return row.replace("%d, %h", "%h, %h") if "%d, %h" in row else row.replace("%h, %d", "%d, %d")


EDITS: dict[str, Edit] = {
    "comment": _change(lambda row: f"{row} // note"),
    "other op": _change(_other_op),
    "operand": _change(_other_operands),
    "type": _change(lambda row: row.replace(_KIND, "memref<1025xf32>")),
    "broken": _change(lambda row: row.replace("async", "asynk", 1)),
    "unfinished": _put("    %u{at} = gpu.memcpy async [%{dep}"),
    "number": _put("    %u{at} = arith.constant 7 : index"),
    "line": _put(f"    %u{{at}} = gpu.memcpy async [%{{dep}}] %d, %h : {_KIND}, {_KIND}"),
    "wait": _put("    %u{at} = gpu.wait async"),
    "wait on": _put("    gpu.wait [%{dep}]"),
    "alloc": _put(
        f"    %w{{at}} = gpu.wait async\n    %u{{at}}, %v{{at}} = gpu.alloc async [%w{{at}}] () : {_KIND}"
    ),
    "dealloc": _put(f"    %u{{at}} = gpu.dealloc async [%{{dep}}] %d : {_KIND}"),
    "store": _put(f"    memref.store %v, %h[%c1] : {_KIND}"),
    "load": _put(f"    %u{{at}} = memref.load %h[%c1] : {_KIND}"),
    "call": _put(f"    func.call @print(%h) : ({_KIND}) -> ()"),
    "block": _put("    scf.for %i{at} = %c1 to %c128 step %c1 {{", "    }}"),
    "stream loop": _put(
        "    scf.for %i{at} = %c1 to %c128 step %c1 {{",
        "      %w{at} = gpu.wait async",
        f"      %u{{at}} = gpu.memcpy async [%w{{at}}] %d, %h : {_KIND}, {_KIND}",
        "      gpu.wait [%u{at}]",
        "    }}",
    ),
    "busy loop": _put(
        "    scf.for %i{at} = %c1 to %c128 step %c1 {{",
        f"      gpu.memcpy %d, %h : {_KIND}, {_KIND}",
        "    }}",
    ),
}


def branching(lines: int) -> str:
    """Return a module of one function in which every hundredth statement stands in a loop or a branch."""
    rng = random.Random(7)
    rows = module(lines, lines).split("\n")
    at = next(n for n, row in enumerate(rows) if "gpu.alloc" in row) + 1
    rows.insert(at, "    %lt = arith.cmpi slt, %c1, %c128 : index")
    for place in range(at + 50, len(rows) - 20, 100):
        head = rng.choice(("scf.if %lt {", "scf.for %iv = %c1 to %c128 step %c1 {"))
        work = f"\n      gpu.memcpy %d, %h : {_KIND}, {_KIND}\n    }}"
        rows[place] = f"    {head}{work}\n{rows[place]}"
    return "\n".join(rows)


def analysed(text: str | LineIndex, previous: FileState | None) -> FileState:
    """Return what a server has of a text when its diagnostics are written, those too that come first."""
    lines = LineIndex(text) if isinstance(text, str) else text
    steps = in_steps(lines, None, _RESOLVER, previous, tuple[Span, ...], hurried=True)
    while True:
        try:
            state = next(steps)
        except StopIteration as end:
            diagnostics_json(end.value, _URI, Places(lines, "utf-16"), Client())
            return end.value
        if state is not None and state.is_preliminary:
            diagnostics_json(state, _URI, Places(lines, "utf-16"), Client())


TYPED = (
    f"%u{{at}} = gpu.memcpy async [%{{dep}}] %d, %h : {_KIND}, {_KIND}",
    f"%u{{at}} = gpu.memset async [%{{dep}}] %d, %v : {_KIND}, f32",
    f"%u{{at}}, %w{{at}} = gpu.alloc async [%{{dep}}] () : {_KIND}",
    f"%u{{at}} = gpu.dealloc async [%{{dep}}] %d : {_KIND}",
    "gpu.wait [%{dep}]",
    "%u{at} = gpu.wait async [%{dep}, %{dep}]",
    "%u{at} = gpu.launch_func async [%{dep}] @kernels::@k blocks in (%c1, %c1, %c1)"
    " threads in (%c128, %c1, %c1) args(%v : f32)",
    f"func.call @print(%h) : ({_KIND}) -> ()",
    "scf.for %i{at} = %c1 to %c128 step %c1 {{ }}",
    "%u{at} = arith.constant {{note = 7 : i32, other}} 7 : index",
    f"%u{{at}} = memref.load %h[%c1] : {_KIND}",
    "// what the next one waits for",
)
"""Lines that are typed before a statement; `{dep}` is the token that it follows."""


def typed(text: str | LineIndex, previous: FileState) -> FileState:
    """Return what is shown of a text between two keys: where there is an error, this and no more."""
    lines = LineIndex(text) if isinstance(text, str) else text
    steps = in_steps(lines, None, _RESOLVER, previous, tuple[Span, ...], hurried=True)
    state: FileState | None = None
    while state is None:
        try:
            state = next(steps)
        except StopIteration as end:
            state = end.value
    diagnostics_json(state, _URI, Places(lines, "utf-16"), Client())
    return state


def _type_lines(text: str, state: FileState, places: list[int], *, rows_of_profile: int | None) -> None:
    """Type lines key by key, each at another place, and take them out again; print what a key takes."""
    for line, place in zip(TYPED, places, strict=False):
        rows = text.split("\n")
        dep = rows[place].partition("[%")[2].partition("]")[0]
        words = line.format(dep=dep, at=place)
        rows.insert(place, "")
        profile = cProfile.Profile() if rows_of_profile else None
        times: list[tuple[float, str]] = []
        for end in range(len(words) + 1):
            rows[place] = f"    {words[:end]}"
            lines = LineIndex("\n".join(rows))
            if profile is not None:
                profile.enable()
            began = time.process_time()
            state = typed(lines, state)
            times.append((time.process_time() - began, words[:end]))
            if profile is not None:
                profile.disable()
        began = time.process_time()
        state = analysed(text, state)
        undone = time.process_time() - began
        times.sort()
        median, most = times[len(times) // 2], times[len(times) * 95 // 100]
        print(
            f"{len(times):4} keys: p50 {median[0] * 1000:6.1f}  p95 {most[0] * 1000:6.1f}"
            f"  most {times[-1][0] * 1000:6.1f} at {times[-1][1]!r}; taken out {undone * 1000:6.1f}",
            flush=True,
        )
        if profile is not None:
            pstats.Stats(profile).sort_stats("tottime").print_stats(rows_of_profile or 0)


def main() -> None:
    """Measure and print one row per kind of edit: the edit, and its being undone."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--branches", action="store_true")
    parser.add_argument("--typing", action="store_true")
    parser.add_argument("--kind", choices=[*EDITS], nargs="+", default=[*EDITS])
    parser.add_argument("--profile", type=int, metavar="ROWS", help="show what takes the time of the edits")
    options = parser.parse_args()
    text = branching(options.lines) if options.branches else module(options.lines, options.lines)
    text = text.replace("  func.func @f0", f"  func.func private @print({_KIND})\n  func.func @f0", 1)
    began = time.process_time()
    state = analysed(text, None)
    took = time.process_time() - began
    Collection().keep()  # as the server does
    print(f"{'opening':12}{took * 1000:9.1f}   {len(state.all_findings())} findings")
    rows = text.split("\n")
    places = [n for n, row in enumerate(rows) if "= gpu.mem" in row and not row.startswith("      ")]
    middle = len(places) // 2
    if options.typing:
        _type_lines(text, state, places[middle:], rows_of_profile=options.profile)
        return
    step = 0
    for kind in options.kind:
        profile = cProfile.Profile() if options.profile else None
        there: list[float] = []
        back: list[float] = []
        for _ in range(options.edits):
            step += 1
            edited = list(rows)
            EDITS[kind](edited, places[middle + step])
            for new, times in (("\n".join(edited), there), (text, back)):
                lines = LineIndex(new)
                if profile is not None and times is there:
                    profile.enable()
                began = time.process_time()
                state = analysed(lines, state)
                times.append(time.process_time() - began)
                if profile is not None:
                    profile.disable()
        print(
            f"{kind:12}{statistics.median(there) * 1000:9.1f}{statistics.median(back) * 1000:9.1f}",
            flush=True,
        )
        if profile is not None:
            pstats.Stats(profile).sort_stats("tottime").print_stats(options.profile)


if __name__ == "__main__":
    main()
