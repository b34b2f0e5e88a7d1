"""Latency of every request about one file: in each round an edit, its diagnostics, then all requests.

    python -m benchmarks.requests
    python -m benchmarks.requests --lines 50000 --rounds 5 --function-lines 5000

Times are in milliseconds: the median, and the slowest of the rounds. The places asked about differ from round
to round. Ends with status 1 if a median is above `--limit`.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import statistics
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.client import Client
from benchmarks.generate import module

Json = dict[str, Any]

URI = "file:///benchmark/module.mlir"
CAPABILITIES: Json = {
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": True},
        "completion": {"completionItem": {"snippetSupport": True}},
    }
}


def measure(command: str, lines: int, rounds: int, per_function: int) -> dict[str, list[float]]:
    """Return the milliseconds that each request took, by method."""
    text = module(lines, per_function)
    client = Client(shlex.split(command))
    client.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": CAPABILITIES})
    client.notify("initialized", {})
    document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    _, published = client.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    rows = text.split("\n")
    rng = random.Random(1)
    tokens: Json = client.request("textDocument/semanticTokens/full", _about())[1]
    times: dict[str, list[float]] = {}
    for version in range(2, rounds + 2):
        row = rng.choice([n for n, line in enumerate(rows) if "gpu.launch_func async" in line])
        change = {"range": _range(row, len(rows[row]), len(rows[row])), "text": f" // {version}"}
        rows[row] += change["text"]
        identifier = {"uri": URI, "version": version}
        client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        _, published = client.wait(
            lambda m, v=version: (
                m.get("method") == "textDocument/publishDiagnostics" and m["params"].get("version") == v
            )
        )
        for method, params in _requests(client, rows, row, published["params"]["diagnostics"], tokens):
            took, result = client.request(method, params)
            times.setdefault(method, []).append(took * 1000)
            if method == "textDocument/semanticTokens/full":
                tokens = result
    client.close()
    return times


def _requests(
    client: Client, rows: list[str], row: int, diagnostics: list[Json], tokens: Json
) -> Iterator[tuple[str, Json]]:
    line = rows[row]
    token, dependency = _at(row, 6), _at(row, line.index("[%") + 2)
    kernel = _at(row, line.index("@k::") + 2) if "@k::" in line else _at(row, line.index("@") + 2)
    screen = _range(row, 0, 0)
    screen["end"] = {"line": min(row + 60, len(rows) - 1), "character": 0}
    for method in (
        "definition",
        "declaration",
        "typeDefinition",
        "hover",
        "documentHighlight",
        "prepareRename",
    ):
        yield f"textDocument/{method}", _about(dependency)
    yield "textDocument/linkedEditingRange", _about(token)
    yield "textDocument/references", {**_about(kernel), "context": {"includeDeclaration": True}}
    yield "textDocument/rename", {**_about(token), "newName": "%renamed"}
    yield "textDocument/completion", _about(dependency)
    yield "textDocument/signatureHelp", _about(_at(row, line.index("args(") + 6))
    for method in ("documentSymbol", "documentLink", "foldingRange", "codeLens", "formatting"):
        options = {"options": {"tabSize": 2, "insertSpaces": True}} if method == "formatting" else {}
        yield f"textDocument/{method}", {**_about(), **options}
    yield (
        "textDocument/rangeFormatting",
        {**_about(), "range": screen, "options": {"tabSize": 2, "insertSpaces": True}},
    )
    yield "textDocument/onTypeFormatting", {**_about(_at(row + 1, 0)), "ch": "\n", "options": {}}
    yield "textDocument/selectionRange", {**_about(), "positions": [dependency]}
    yield "textDocument/inlayHint", {**_about(), "range": screen}
    yield "textDocument/semanticTokens/range", {**_about(), "range": screen}
    yield "textDocument/semanticTokens/full/delta", {**_about(), "previousResultId": tokens["resultId"]}
    yield "textDocument/semanticTokens/full", _about()
    place = diagnostics[len(diagnostics) // 2]["range"] if diagnostics else screen
    yield "textDocument/codeAction", {**_about(), "range": place, "context": {"diagnostics": []}}
    yield "textDocument/diagnostic", _about()
    _, items = client.request("textDocument/prepareCallHierarchy", _about(kernel))
    yield "textDocument/prepareCallHierarchy", _about(kernel)
    for item in items or []:
        yield "callHierarchy/incomingCalls", {"item": item}
        yield "callHierarchy/outgoingCalls", {"item": item}
    yield "workspace/symbol", {"query": f"f{row % 90}"}
    yield "gpuasync/target", _about()


def _about(position: Json | None = None) -> Json:
    return {"textDocument": {"uri": URI}} | ({} if position is None else {"position": position})


def _at(line: int, character: int) -> Json:
    return {"line": line, "character": character}


def _range(line: int, start: int, end: int) -> Json:
    return {"start": _at(line, start), "end": _at(line, end)}


def main() -> int:
    """Measure, print the table, and tell whether every median is below the limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--function-lines", type=int, default=50, help="lines of each function")
    parser.add_argument("--limit", type=float, default=30, help="milliseconds")
    parser.add_argument("--server", default="gpuasync-lsp --stdio", help="command")
    options = parser.parse_args()
    times = measure(options.server, options.lines, options.rounds, options.function_lines)
    print(f"{options.lines} lines, {options.function_lines} a function, {options.rounds} rounds; ms")
    print(f"  {'':40}{'median':>8}{'slowest':>9}")
    medians = {method: statistics.median(values) for method, values in times.items()}
    for method in sorted(times, key=lambda m: -medians[m]):
        mark = " above the limit" if medians[method] > options.limit else ""
        print(f"  {method:40}{medians[method]:8.1f}{max(times[method]):9.1f}{mark}")
    return int(any(median > options.limit for median in medians.values()))


if __name__ == "__main__":
    sys.exit(main())
