"""Compares the latency of language servers: start, open, edit, and memory, by file size.

Other load on the machine affects all rows; compare the ratios.

    python -m benchmarks.latency                      # against mlir-lsp-server-22
    python -m benchmarks.latency --lines 1000 50000 --edits 20 --function-lines 5000

Servers alternate at each size, so that a machine that becomes slower affects both. Times are medians, in
milliseconds; memory is the peak resident size in MiB.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import time
from functools import partial
from typing import Any

from benchmarks.client import Client
from benchmarks.generate import module

EDITS = ("edit", "comment", "statement", "operand", "type", "line", "edit broken")
FIGURES = ("start", "first", "open", *EDITS, "hover", "memory")
"""The measured figures, in the order of the table.

`first` is the time from opening to the first diagnostics, maybe of the visible part only; `open` to all
of them. The edits apply to one statement: `edit` repairs what `edit broken` broke, `comment` changes a
comment, `statement` replaces the op, `operand` exchanges the new op's operands, `type` makes a type
wrong, `line` undoes that and adds a statement."""

_KIND = "memref<1024xf32>"


def measure(command: str, lines: int, edits: int, per_function: int) -> dict[str, float]:
    """Return the figures of one server for one module, by name."""
    text = module(lines, per_function)
    client = Client(shlex.split(command))
    capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
    _, result = client.request(
        "initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities}
    )
    start = time.perf_counter() - client.started
    client.notify("initialized", {})
    uri = "file:///benchmark/module.mlir"
    document = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
    sent = client.notify("textDocument/didOpen", {"textDocument": document})
    published = [client.wait(partial(_publishes, 1))]
    client.passed.clear()
    # A server answers a request about the whole file only after parsing all of it.
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    published += [entry for entry in client.passed if _publishes(1, entry[1])]
    first, opened = published[0][0] - sent, published[-1][0] - sent
    expected = len(published[-1][1]["params"]["diagnostics"])
    rows = text.split("\n")
    places = [n for n, row in enumerate(rows) if "gpu.memset async" in row]
    row = places[len(places) // 2]
    sync = result["capabilities"].get("textDocumentSync", 1)
    full = (sync if isinstance(sync, int) else sync.get("change", 1)) != 2
    times: dict[str, list[float]] = {kind: [] for kind in FIGURES if kind in ("hover", *EDITS)}
    head = rows[row].replace("gpu.memset", "gpu.memcpy").split("] ")[0]
    copy, back = f"{head}] %d, %h : {_KIND}, {_KIND}", f"{head}] %h, %d : {_KIND}, {_KIND}"
    name = rows[row].split("%", 1)[1].split(" ", 1)[0]
    added = back.replace(f"%{name} =", "%added =").replace(back.split("[")[1].split("]")[0], f"%{name}")
    version = 1
    shown = rows[row]
    for number in range(edits):
        for kind, new in (
            ("edit", f"{rows[row]} // {number}"),
            ("comment", f"{rows[row]} // and {number}"),
            ("statement", copy),
            ("operand", back),
            ("type", back.replace("f32", "f64", 1)),
            ("line", f"{back}\n{added}"),
            ("edit broken", rows[row].replace("async", "asynk", 1)),
        ):
            version += 1
            change: dict[str, Any] = {"text": "\n".join([*rows[:row], new, *rows[row + 1 :]])}
            if not full:
                end = {"line": row + shown.count("\n"), "character": len(shown.rpartition("\n")[2])}
                change = {"range": {"start": {"line": row, "character": 0}, "end": end}, "text": new}
            shown = new
            identifier = {"uri": uri, "version": version}
            sent = client.notify(
                "textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]}
            )
            arrived, answer = client.wait(partial(_publishes, version))
            times[kind].append(arrived - sent)
            if kind in ("edit", "comment") and len(answer["params"]["diagnostics"]) != expected:
                raise RuntimeError(f"{command}: other diagnostics after an edit of a comment")
        position = {"line": row, "character": rows[row].index("gpu.memset") + 2}
        times["hover"].append(
            client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})[0]
        )
    memory = client.peak_memory()
    client.close()
    medians = {kind: statistics.median(values) * 1000 for kind, values in times.items()}
    return {
        "start": start * 1000,
        "first": first * 1000,
        "open": opened * 1000,
        **medians,
        "memory": memory,
    }


def _publishes(version: int, message: dict[str, Any]) -> bool:
    published = message.get("method") == "textDocument/publishDiagnostics"
    return published and message["params"].get("version") in (None, version)


def main() -> None:
    """Measure, and print one table per file size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, nargs="+", default=[100, 1_000, 10_000, 50_000])
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--function-lines", type=int, default=50, help="lines of each function")
    parser.add_argument(
        "--servers", nargs="+", default=["gpuasync-lsp --stdio", "mlir-lsp-server-22"], help="commands"
    )
    options = parser.parse_args()
    for lines in options.lines:
        print(f"{lines} lines, {options.function_lines} a function")
        print(f"  {'':28}" + "".join(f"{figure:>13}" for figure in FIGURES))
        rows = [measure(s, lines, options.edits, options.function_lines) for s in options.servers]
        for server, row in zip(options.servers, rows, strict=True):
            print(f"  {server:28}" + "".join(f"{row[figure]:13.1f}" for figure in FIGURES))
        if len(rows) == 2:
            print(
                f"  {'ratio':28}" + "".join(f"{rows[0][f] / rows[1][f]:13.2f}" for f in FIGURES), flush=True
            )


if __name__ == "__main__":
    main()
