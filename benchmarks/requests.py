"""Latency of every request about one file: each iteration makes an edit, waits for diagnostics, sends all
requests.

    python -m benchmarks.requests
    python -m benchmarks.requests --lines 50000 --rounds 5 --function-lines 5000
    python -m benchmarks.requests --lines 5000 --function-lines 5000 --each     # an edit before each request

With `--each` no request can reuse cached results of another one: the edits alternate between a comment,
other operands, a syntax error, and its repair.

Times are in milliseconds: the median, and the slowest of the iterations. Each iteration uses other
positions. The exit status is 1 if a median is above `--limit`.
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


class Editor:
    """Edits one document, and waits for its diagnostics after each edit."""

    def __init__(self, client: Client, rows: list[str]) -> None:
        self.client, self.rows = client, rows
        self.version = 1
        self.diagnostics: list[Json] = []
        self._edits = 0
        self._copy = next((n for n in range(len(rows) // 2, len(rows)) if "] %d, %h :" in rows[n]), 0)

    def replace(self, row: int, start: int, end: int, text: str) -> None:
        """Replace a part of a row, and wait for the diagnostics."""
        self.version += 1
        self.rows[row] = f"{self.rows[row][:start]}{text}{self.rows[row][end:]}"
        identifier = {"uri": URI, "version": self.version}
        change = {"range": _range(row, start, end), "text": text}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        _, published = self.client.wait(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"].get("version") == self.version
            )
        )
        self.diagnostics = published["params"]["diagnostics"]

    def comment(self, row: int) -> None:
        """Append a comment to a row."""
        end = len(self.rows[row])
        self.replace(row, end, end, f" // {self.version}")

    def edit(self) -> None:
        """Make the next of four alternating edits in the middle of the text."""
        row, line = self._copy, self.rows[self._copy]
        self._edits += 1
        match self._edits % 4:
            case 0:
                self.comment(row)
            case 1:
                operands = line.index("] %") + 2
                self.replace(row, operands, operands + 6, "%h, %d" if "] %d, %h" in line else "%d, %h")
            case other:
                at = line.index("async" if other == 2 else "asynk")
                self.replace(row, at, at + 5, "asynk" if other == 2 else "async")


def measure(
    command: str, lines: int, rounds: int, per_function: int, *, each: bool = False
) -> dict[str, list[float]]:
    """Return the milliseconds of each request by method; with `each`, an edit precedes every request."""
    text = module(lines, per_function)
    client = Client(shlex.split(command))
    client.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": CAPABILITIES})
    client.notify("initialized", {})
    document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    client.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    rows = text.split("\n")
    rng = random.Random(1)
    tokens: Json = client.request("textDocument/semanticTokens/full", _about())[1]
    times: dict[str, list[float]] = {}
    editor = Editor(client, rows)
    for _ in range(rounds):
        row = rng.choice([n for n, line in enumerate(rows) if "gpu.launch_func async" in line])
        editor.comment(row)
        for method, params in _requests(client, rows, row, editor.diagnostics, tokens):
            if each:
                editor.edit()
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
    """Measure, print the table, and return 1 if a median is above the limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--function-lines", type=int, default=50, help="lines of each function")
    parser.add_argument("--limit", type=float, default=30, help="milliseconds")
    parser.add_argument("--each", action="store_true", help="an edit before each request")
    parser.add_argument("--server", default="gpuasync-lsp --stdio", help="command")
    options = parser.parse_args()
    times = measure(options.server, options.lines, options.rounds, options.function_lines, each=options.each)
    print(f"{options.lines} lines, {options.function_lines} a function, {options.rounds} rounds; ms")
    print(f"  {'':40}{'median':>8}{'slowest':>9}")
    medians = {method: statistics.median(values) for method, values in times.items()}
    for method in sorted(times, key=lambda m: -medians[m]):
        mark = " above the limit" if medians[method] > options.limit else ""
        print(f"  {method:40}{medians[method]:8.1f}{max(times[method]):9.1f}{mark}")
    return int(any(median > options.limit for median in medians.values()))


if __name__ == "__main__":
    sys.exit(main())
