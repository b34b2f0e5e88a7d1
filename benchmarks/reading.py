"""Measures how long requests wait while a server parses a large file that was just opened.

    python -m benchmarks.reading
    python -m benchmarks.reading --lines 50000 --function-lines 5000
    python -m benchmarks.reading --lines 50000 --files 2     # two are opened at once

Prints, in milliseconds, when the first and all diagnostics of the large file arrived, and the median, 95th
percentile and slowest of the requests in between: hover at the visible place, hover far away in the same
file, hover in a small file, and an edit of that small file until its diagnostics, which is measured before
the large file is opened, too. Responses after the whole file was parsed are not counted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
from typing import Any

from benchmarks.client import Client
from benchmarks.generate import module

Json = dict[str, Any]

LARGE, SMALL = "file:///benchmark/large.mlir", "file:///benchmark/small.mlir"
OTHER = "file:///benchmark/other{}.mlir"
KINDS = (
    "edit of a small file before",
    "hover in view while reading",
    "hover elsewhere in it while reading",
    "hover in a small file while reading",
    "edit of a small file while reading",
)
QUIET_EDITS = 40


def measure(
    command: str, lines: int, per_function: int, files: int
) -> tuple[list[float], dict[str, list[float]]]:
    """Return arrival times of the large file's diagnostics, and times of requests by kind, in milliseconds.

    `files` large files are opened at once; only the last one is measured."""
    client = Client(shlex.split(command))
    capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
    client.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities})
    client.notify("initialized", {})
    small = module(100)
    _open(client, SMALL, small)
    _diagnosed(client, SMALL, 1)
    small_place = _places(small)[1]
    client.request("textDocument/hover", _at(SMALL, small_place))  # imports what hover needs
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    version = 1
    for _ in range(QUIET_EDITS):
        version += 1
        times[KINDS[0]].append(_edited(client, small_place, version) * 1000)
    text = module(lines, per_function, seed=2)
    places = _places(text)
    for number in range(1, files):
        _open(client, OTHER.format(number), module(lines, per_function, seed=2 + number))
    sent = _open(client, LARGE, text)
    whole = client.send("textDocument/documentSymbol", {"textDocument": {"uri": LARGE}})
    while not client.answered(whole):
        number = len(times[KINDS[1]])
        version += 1
        took = {
            KINDS[1]: client.request("textDocument/hover", _at(LARGE, places[number % 10]))[0],
            KINDS[2]: client.request("textDocument/hover", _at(LARGE, places[-97 * number % len(places)]))[0],
            KINDS[3]: client.request("textDocument/hover", _at(SMALL, small_place))[0],
            KINDS[4]: _edited(client, small_place, version),
        }
        if not client.answered(whole):
            for kind, seconds in took.items():
                times[kind].append(seconds * 1000)
    published = [
        (arrived - sent) * 1000
        for arrived, message in client.passed
        if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == LARGE
    ]
    client.close()
    return published, times


def _edited(client: Client, place: tuple[int, int], version: int) -> float:
    """Insert a blank in the small file; return the seconds until its diagnostics arrive."""
    begun = client.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": SMALL, "version": version},
            "contentChanges": [{"range": _range(place), "text": " "}],
        },
    )
    return _diagnosed(client, SMALL, version) - begun


def _open(client: Client, uri: str, text: str) -> float:
    document = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
    return client.notify("textDocument/didOpen", {"textDocument": document})


def _diagnosed(client: Client, uri: str, version: int) -> float:
    def wanted(message: Json) -> bool:
        if message.get("method") != "textDocument/publishDiagnostics":
            return False
        params: Json = message["params"]
        return params["uri"] == uri and params.get("version") in (None, version)

    return client.wait(wanted)[0]


def _places(text: str) -> list[tuple[int, int]]:
    """Return line and column of the mnemonic of every gpu.memset."""
    return [
        (number, line.index("gpu.memset") + 2)
        for number, line in enumerate(text.split("\n"))
        if "gpu.memset async" in line
    ]


def _at(uri: str, place: tuple[int, int]) -> Json:
    return {"textDocument": {"uri": uri}, "position": _range(place)["start"]}


def _range(place: tuple[int, int]) -> Json:
    """Return the empty range before the op whose mnemonic is at `place`."""
    position = {"line": place[0], "character": place[1] - 2}
    return {"start": position, "end": position}


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--function-lines", type=int, default=50, help="lines of each function")
    parser.add_argument("--files", type=int, default=1, help="large files that are opened at once")
    parser.add_argument("--server", default="gpuasync-lsp --stdio", help="command")
    options = parser.parse_args()
    for lines in options.lines:
        published, times = measure(options.server, lines, options.function_lines, options.files)
        print(f"{options.files} x {lines} lines, {options.function_lines} a function")
        print(f"  first diagnostics {published[0]:.0f} ms, all {published[-1]:.0f} ms")
        for kind, found in times.items():
            if found:
                slow = sorted(found)[int(len(found) * 0.95)]
                figures = f"median {statistics.median(found):.0f} ms, 95 of 100 below {slow:.0f} ms"
                print(f"  {kind}: {figures}, max {max(found):.0f} ms ({len(found)} times)")


if __name__ == "__main__":
    main()
