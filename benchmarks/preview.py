"""Measures the preview: cold (a part, all), after an edit in one function, and mlir-opt as a process.

python -m benchmarks.preview [LINES ...]
"""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.generate import module
from gpuasync_lsp.cli import COLLECTION
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, file_state, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.preview.preview import View, preview, view_of
from gpuasync_lsp.ide.preview.seen_first import seen_first
from gpuasync_lsp.text import LineIndex, Span

ROUNDS = 9
VIEWS: Sequence[dict[str, Any]] = (
    {},
    {"explained": True},
    {"pipeline": "gpu-async-region,gpu-to-llvm"},
    {"pipeline": "gpu-kernel-outlining,gpu-async-region,gpu-to-llvm,canonicalize", "explained": True},
    {"stage": "gpu-async-region"},
    {"stage": "reconcile-unrealized-casts"},
    {"stage": "llvm-ir"},
    {"stage": "llvm-ir", "explained": True},
    {"stage": "ptx"},
)
RESOLVER = SettingsResolver(Settings(llvm=22))


def after_edits(text: str, view: View, rounds: int = ROUNDS) -> list[float]:
    """Return the seconds for the preview after each of several edits in the middle of `text`.

    Parsing and checking the new text, which the server does for its diagnostics anyway, are not included."""
    state = file_state(LineIndex(text), None, RESOLVER)
    preview(state, view=view)
    times: list[float] = []
    for number in range(rounds):
        text = edited(text, number)
        state = file_state(LineIndex(text), None, RESOLVER, state)
        times.append(seconds(lambda state=state: preview(state, view=view)))
    return times


def edited(text: str, number: int) -> str:
    """Return `text` with a constant in the middle changed."""
    middle = text.index("arith.constant ", len(text) // 2)
    end = text.index(" : index", middle)
    return f"{text[:middle]}arith.constant {1000 + number}{text[end:]}"


def cold(text: str, view: View) -> float:
    """Return the seconds for a first preview, including parsing the text."""

    def whole() -> None:
        state: FileState = file_state(LineIndex(text), None, RESOLVER)
        preview(state, view=view)

    return seconds(whole)


def in_sight(text: str, view: View) -> float:
    """Return the seconds until fifty lines in the middle are lowered, including parsing the text."""
    lines = LineIndex(text)
    middle = len(lines.starts) // 2
    seen = Span(lines.starts[middle], lines.starts[middle + 50])

    def first() -> None:
        steps = in_steps(lines, None, RESOLVER, None, lambda: [seen])
        state = next((each for each in steps if each is not None and each.covers(seen)), None)
        if state is None or seen_first(state, seen, view) is None:
            cold(text, view)

    return seconds(first)


def mlir_opt(text: str) -> float | None:
    """Return the seconds that mlir-opt-22 takes as a process; None if it is not installed."""
    if shutil.which("mlir-opt-22") is None:
        return None
    command = ["mlir-opt-22", "--gpu-to-llvm"]
    return median(
        seconds(lambda: subprocess.run(command, input=text.encode(), capture_output=True, check=True))
        for _ in range(5)
    )


def seconds(work: Callable[[], object]) -> float:
    """Call `work`, and return the seconds it takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def main(arguments: Sequence[str]) -> int:
    """Measure and print a table."""
    gc.set_threshold(*COLLECTION)  # as the server and the command line have it
    for lines in [int(word) for word in arguments] or [1_000, 10_000]:
        text = module(lines)
        real = mlir_opt(text)
        beside = "not installed" if real is None else f"{real * 1000:.0f} ms"
        view = view_of()
        first = f"in sight {in_sight(text, view) * 1000:.0f} ms"
        print(f"{lines} lines: {first}, all {cold(text, view) * 1000:.0f} ms; mlir-opt-22 {beside}")
        for asked in VIEWS:
            times = after_edits(text, view_of(**asked))
            found = f"median {median(times) * 1000:.1f} ms, worst {max(times) * 1000:.1f} ms"
            print(f"  after an edit, {asked or 'gpu-to-llvm'}: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
