"""Processor time of functions of several lengths from scratch, by layer, and of an edit in one.

An edit reparses and reanalyzes the function that contains it, so it costs as much as the function from
scratch. Times are the least of several runs, in milliseconds of processor time of one process, without
Python's collector, as in the server.

    python -m benchmarks.edits
    python -m benchmarks.edits --lines 300 --profile 30
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Sequence
from itertools import pairwise

from benchmarks.generate import module
from gpuasync_lsp.analysis import Config, analyze, check_item, file_contexts
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.collector import no_collection

LAYERS = ("parse", "context", "verify", "model", "rules", "all")
_CONFIG = Config()
_RESOLVER = SettingsResolver()


def from_scratch(text: str) -> list[float]:
    """Return the milliseconds for each of `LAYERS`."""
    times = [time.process_time()]
    source = parse_source(text)
    times.append(time.process_time())
    pairs = [pair for chunk in source.chunks for pair in file_contexts(chunk)]
    times.append(time.process_time())
    for placed, _ in pairs:
        assert not placed.item.invalid
    times.append(time.process_time())
    for placed, context in pairs:
        analyze(placed.item, context, _CONFIG.profile)
    times.append(time.process_time())
    for placed, context in pairs:
        check_item(placed.item, context, _CONFIG.profile, _CONFIG)
    times.append(time.process_time())
    each = [1000 * (end - begin) for begin, end in pairwise(times)]
    return [*each, sum(each)]


def shown(text: str, previous: FileState | None) -> tuple[FileState, float]:
    """Return the server's state of a text after its diagnostics were encoded, and the milliseconds used."""
    begin = time.process_time()
    lines = LineIndex(text)
    state = file_state(lines, None, _RESOLVER, previous)
    diagnostics_json(state, "file:///a.mlir", Places(lines, "utf-16"), Client())
    return state, 1000 * (time.process_time() - begin)


def edit(text: str, times: int) -> float:
    """Return the least time of `times` edits, each of another statement, in milliseconds."""
    state, _ = shown(text, None)
    found: list[float] = []
    at = len(text) // 2
    for _ in range(times):
        at = text.index("gpu.memset async", at) + 1
        text = f"{text[: at - 1]}  {text[at - 1 :]}"
        state, took = shown(text, state)
        found.append(took)
    return min(found)


def main(argv: Sequence[str] | None = None) -> None:
    """Print a row for each length of a function."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, nargs="+", default=[50, 100, 300, 1_000, 3_000, 5_000])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--profile", type=int, metavar="ROWS", help="show what takes the time")
    args = parser.parse_args(argv)
    print("lines ", *(f"{layer:>8}" for layer in (*LAYERS, "edit")))
    with no_collection():
        from_scratch(module(200))
        for lines in args.lines:
            text = module(lines, lines)
            profiler = cProfile.Profile() if args.profile else None
            if profiler is not None:
                profiler.enable()
            rows = [from_scratch(text) for _ in range(args.times)]
            if profiler is not None:
                profiler.disable()
            least = [min(column) for column in zip(*rows, strict=True)]
            print(f"{lines:6}", *(f"{each:8.1f}" for each in (*least, edit(text, args.times))), flush=True)
            if profiler is not None:
                pstats.Stats(profiler).sort_stats("tottime").print_stats(args.profile)


if __name__ == "__main__":
    main()
