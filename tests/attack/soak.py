"""The soak: edits of a 2,000-line file, mixed with every kind of request, for a given time.

    python -m tests.attack.soak --minutes 30 --seed 1

Prints a line per minute: edits and requests so far, the server's resident memory, and the slowest
answer of the minute with its processor time; then the memory after the document is closed. On an idle
machine both times are about equal. The exit status is 1 if the memory was above `--limit-mb` or the
processor time of an answer above `--limit-seconds`. Runs of programs have their own time limit and are
not timed here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.client import Client
from benchmarks.generate import module
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

Json = dict[str, Any]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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
    },
    "workspace": {"textDocumentContent": {}, "inlayHint": {"refreshSupport": True}},
}
STAGES = ("source", "gpu-kernel-outlining", "canonicalize", "gpu-to-llvm", "llvm-ir")
PIPELINES = (
    "canonicalize",
    "gpu-async-region,gpu-to-llvm",
    "gpu-kernel-outlining,gpu-async-region,gpu-to-llvm",
    "gpu-kernel-outlining,canonicalize,gpu-to-llvm",
)
LONGEST_EXTRA = 30
"""Maximum number of rows that differ from the original file.

Above it, as many rows are restored as are changed, since the measurement is of time, not of size."""


class Editor:
    """A text with random edits, most of which are later reverted."""

    def __init__(self, text: str, rng: random.Random) -> None:
        self._first = text.split("\n")
        self._rows = list(self._first)
        self._rng = rng
        self._changed: list[int] = []

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n".join(self._rows)

    def lines(self) -> list[str]:
        """Return the lines as the server counts them."""
        return self.text.split("\n")

    def change(self) -> Json:
        """Edit the text at random; return the content change for the server."""
        if len(self._changed) > LONGEST_EXTRA or (self._changed and self._rng.random() < 0.4):
            number = self._changed.pop(self._rng.randrange(len(self._changed)))
            return self._replace(number, self._first[number])
        number = self._rng.randrange(len(self._rows))
        if number not in self._changed:
            self._changed.append(number)
        return self._replace(number, self._mutant(self._rows[number]))

    def restore(self) -> Json:
        """Restore the whole text; return the content change for the server."""
        self._rows, self._changed = list(self._first), []
        return {"text": self.text}

    def _replace(self, number: int, new: str) -> Json:
        line = sum(row.count("\n") + 1 for row in self._rows[:number])
        *others, last = self._rows[number].split("\n")
        self._rows[number] = new
        return {
            "range": {"start": _at(line, 0), "end": _at(line + len(others), len(last))},
            "text": new,
        }

    def _mutant(self, row: str) -> str:
        rng = self._rng
        somewhere = rng.randrange(len(row) + 1)
        name = f"n{rng.randrange(1 << 30)}"
        choices: tuple[Callable[[], str], ...] = (
            lambda: f"{row} // {name}",
            lambda: f"{row}\n{row}",
            lambda: "",
            lambda: row[:somewhere],
            lambda: row.replace("@", f"@{name}", 1),
            lambda: row.replace("%t", f"%{name}", 1),
            lambda: row.replace("1024", str(rng.randrange(1, 1 << 20))),
            lambda: row.replace("f32", rng.choice(("f64", "i8", f"vector<{rng.randrange(1, 999)}xf32>"))),
            lambda: row[:somewhere] + rng.choice(("%", "@", "!", "#", '"', "{", "}", "(", "  ", "\u00a0")),
            lambda: f"{row}\n    %{name} = gpu.wait async",
            lambda: f"{row}\n    // gpuasync: ignore GA{rng.randrange(1, 6)}0{rng.randrange(1, 9)}",
        )
        return rng.choice(choices)()


@dataclass
class Minute:
    """The slowest answer since the last printed line."""

    seconds: float = 0.0
    processor: float = 0.0
    """The processor time of the same answer in seconds."""
    what: str = ""

    def take(self, seconds: float, processor: float, what: str) -> None:
        """Record an answer if it is the slowest so far."""
        if processor > self.processor:
            self.seconds, self.processor, self.what = seconds, processor, what


@dataclass
class Soak:
    """One server, one large document, and a client that sends requests continuously."""

    client: Client
    uri: str
    editor: Editor
    rng: random.Random
    version: int = 1
    edits: int = 0
    requests: int = 0
    minute: Minute = field(default_factory=Minute)
    slowest: float = 0.0
    peak: float = 0.0
    errors: Counter[str] = field(default_factory=Counter[str])
    tokens: str = "0"

    def open(self, uri: str, text: str) -> None:
        """Open a document."""
        self.client.notify("textDocument/didOpen", {"textDocument": _item(uri, text, 1)})

    def round(self) -> None:
        """Edit once or several times, then send a few requests."""
        for _ in range(1 if self.rng.random() < 0.8 else self.rng.randrange(2, 12)):
            self._edit()
        if self.rng.random() < 0.7:
            self._await_diagnostics()
        asked = list(self._asked())
        self.rng.shuffle(asked)
        for method, params in asked[: self.rng.randrange(1, 8)]:
            self._ask(method, params)
        if self.rng.random() < 0.05:
            self._other_document()
        if self.rng.random() < 0.02:
            self._settings()
        self.client.passed.clear()

    def _edit(self) -> None:
        self.version += 1
        self.edits += 1
        change = self.editor.restore() if self.edits % 400 == 0 else self.editor.change()
        identifier = {"uri": self.uri, "version": self.version}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})

    def _await_diagnostics(self) -> None:
        begun, used = time.perf_counter(), self.client.processor_time()
        arrived, _ = self.client.wait(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == self.uri
                and m["params"].get("version") == self.version
            )
        )
        self._count(arrived - begun, used, "diagnostics")

    def _ask(self, method: str, params: Json) -> Any:
        self.requests += 1
        begun, used = time.perf_counter(), self.client.processor_time()
        number = self.client.send(method, params)
        if self.rng.random() < 0.03:
            self.client.notify("$/cancelRequest", {"id": number})
        arrived, message = self.client.wait(lambda m: m.get("id") == number and "method" not in m)
        what = params["command"] if method == "workspace/executeCommand" else method
        if what != "gpuasync.run":
            self._count(arrived - begun, used, f"{what} {_view(params)}")
        if "error" in message:
            error = message["error"]
            self.errors[f"{what} {error['code']}"] += 1
            if error["code"] == -32603:
                raise RuntimeError(f"{method}: {error['message']}")
        elif method == "textDocument/semanticTokens/full":
            self.tokens = message["result"]["resultId"]
        elif method == "textDocument/codeAction" and message["result"]:
            self._ask("codeAction/resolve", self.rng.choice(message["result"]))
        elif method == "textDocument/prepareCallHierarchy" and message["result"]:
            item = message["result"][0]
            self._ask("callHierarchy/incomingCalls", {"item": item})
            self._ask("callHierarchy/outgoingCalls", {"item": item})
        elif method == "textDocument/completion" and message["result"]:
            items = message["result"]
            items = items["items"] if isinstance(items, dict) else items
            if items:
                self._ask("completionItem/resolve", self.rng.choice(items))
        return message.get("result")

    def _count(self, seconds: float, used: float, what: str) -> None:
        processor = self.client.processor_time() - used
        self.minute.take(seconds, processor, what)
        self.slowest = max(self.slowest, processor)

    def _asked(self) -> Iterator[tuple[str, Json]]:
        """Yield one request of each kind for a random position."""
        rng, lines = self.rng, self.editor.lines()
        row = rng.randrange(len(lines))
        percent = [n for n, char in enumerate(lines[row]) if char in "%@"]
        column = rng.choice(percent) + 1 if percent else rng.randrange(len(lines[row]) + 1)
        here = {**self._about(), "position": _at(row, column)}
        screen = {"start": _at(row, 0), "end": _at(min(row + 60, len(lines) - 1), 0)}
        for method in (
            "completion",
            "declaration",
            "definition",
            "documentHighlight",
            "hover",
            "linkedEditingRange",
            "prepareCallHierarchy",
            "prepareRename",
            "signatureHelp",
            "typeDefinition",
        ):
            yield f"textDocument/{method}", here
        yield "textDocument/references", {**here, "context": {"includeDeclaration": True}}
        yield "textDocument/rename", {**here, "newName": f"%r{rng.randrange(1000)}"}
        for method in ("codeLens", "documentLink", "documentSymbol", "foldingRange", "diagnostic"):
            yield f"textDocument/{method}", self._about()
        style = {"options": {"tabSize": 2, "insertSpaces": True}}
        yield "textDocument/formatting", {**self._about(), **style}
        yield "textDocument/rangeFormatting", {**self._about(), "range": screen, **style}
        yield "textDocument/onTypeFormatting", {**here, "ch": "\n", **style}
        yield "textDocument/selectionRange", {**self._about(), "positions": [_at(row, column)]}
        yield "textDocument/inlayHint", {**self._about(), "range": screen}
        yield "textDocument/semanticTokens/full", self._about()
        yield "textDocument/semanticTokens/range", {**self._about(), "range": screen}
        yield "textDocument/semanticTokens/full/delta", {**self._about(), "previousResultId": self.tokens}
        yield (
            "textDocument/codeAction",
            {**self._about(), "range": screen, "context": {"diagnostics": []}},
        )
        yield "workspace/symbol", {"query": f"f{rng.randrange(99)}"}
        yield "workspace/diagnostic", {"previousResultIds": []}
        yield "gpuasync/target", self._about()
        yield from self._views()

    def _views(self) -> Iterator[tuple[str, Json]]:
        rng = self.rng
        wanted: Json = {**self._about(), "llvm": str(rng.randrange(16, 25))}
        if rng.random() < 0.5:
            wanted["stage"] = rng.choice(STAGES)
        elif rng.random() < 0.5:
            wanted["pipeline"] = rng.choice(PIPELINES)
        if rng.random() < 0.3:
            wanted["explain"] = True
        if rng.random() < 0.05:
            wanted["fixed"] = rng.choice(("safe", "unsafe"))
        yield "gpuasync/lowering", wanted
        query = quote(json.dumps(wanted, separators=(",", ":")), safe="")
        yield "workspace/textDocumentContent", {"uri": f"gpuasync:/lowering/soak.lowered.mlir?{query}"}
        yield "workspace/textDocumentContent", {"uri": "gpuasync:/rules/GA201.md"}
        drawn = {**self._about(), "format": rng.choice(("text", "svg", "json", "dot"))}
        yield "gpuasync/streams", drawn
        preview = {"command": "gpuasync.preview", "arguments": [wanted]}
        streams = {"command": "gpuasync.streams", "arguments": [drawn]}
        yield "workspace/executeCommand", rng.choice((preview, streams))
        if rng.random() < 0.05:
            run = {"uri": self.uri, "device": "cpu", "entry": "soak", "profile": rng.random() < 0.5}
            yield "workspace/executeCommand", {"command": "gpuasync.run", "arguments": [run]}

    def _about(self) -> Json:
        return {"textDocument": {"uri": self.uri}}

    def _other_document(self) -> None:
        """Open another document, send requests about it, and close it."""
        uri = self.uri.replace("soak.mlir", f"other{self.rng.randrange(1000)}.mlir")
        text = module(self.rng.randrange(50, 1500), seed=self.rng.randrange(1 << 30))
        self.open(uri, text)
        about = {"textDocument": {"uri": uri}}
        for method in (
            "gpuasync/lowering",
            "textDocument/documentSymbol",
            "textDocument/semanticTokens/full",
        ):
            self._ask(method, about)
        self.client.notify("textDocument/didClose", about)

    def _settings(self) -> None:
        settings: Json = {"llvm": str(self.rng.randrange(16, 25))}
        if self.rng.random() < 0.3:
            settings["pipeline"] = [self.rng.choice(PIPELINES)]
        self.client.notify("workspace/didChangeConfiguration", {"settings": {"gpuasync": settings}})


RUNNABLE = TEXTS["RUNNABLE"]


def source(lines: int) -> str:
    """Return a text of about `lines` lines: the examples, a program that runs, and generated functions."""
    parts = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*/*.mlir"))]
    parts = [part for part in parts if "gpuasync:" not in part] + [RUNNABLE]
    written = "\n// -----\n".join(parts)
    return f"{written}\n// -----\n{module(lines - written.count(chr(10)) - 2)}"


def soak(command: str, minutes: float, seed: int, lines: int, tell: Callable[[str], None]) -> Soak:
    """Run the soak against the server that `command` starts, and return its results."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        uri = (Path(folder) / "soak.mlir").as_uri()
        client = Client(shlex.split(command))
        client.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": Path(folder).as_uri(),
                "capabilities": CAPABILITIES,
                "initializationOptions": {"trusted": True},
            },
        )
        client.notify("initialized", {})
        run = Soak(client, uri, Editor(source(lines), rng), rng)
        run.open(uri, run.editor.text)
        tell(f"seed {seed}, {len(run.editor.lines())} lines")
        tell(f"{'minute':>6}{'edits':>8}{'requests':>10}{'MB':>7}{'slowest':>9}{'of it CPU':>11}")
        begun = time.monotonic()
        step = min(60.0, minutes * 60)
        due = step
        while True:
            run.round()
            elapsed = time.monotonic() - begun
            if elapsed >= due:
                due += step
                _tell_minute(run, elapsed, tell)
            if elapsed >= minutes * 60:
                break
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        time.sleep(2)
        client.request("workspace/symbol", {"query": "nothing"})
        tell(f"closed{'':25}{client.memory():.0f} MB; refused: {dict(run.errors)}")
        client.close()
    return run


def _tell_minute(run: Soak, elapsed: float, tell: Callable[[str], None]) -> None:
    memory = run.client.memory()
    run.peak = max(run.peak, memory)
    tell(
        f"{elapsed / 60:6.1f}{run.edits:8}{run.requests:10}{memory:7.0f}{run.minute.seconds:8.2f}s"
        f"{run.minute.processor:10.2f}s {run.minute.what}"
    )
    run.minute = Minute()


def _view(params: Json) -> str:
    """Return the name of the requested preview, for the table."""
    return " ".join(str(params[key]) for key in ("llvm", "stage", "pipeline", "fixed") if key in params)


def _item(uri: str, text: str, version: int) -> Mapping[str, Any]:
    return {"uri": uri, "languageId": "mlir", "version": version, "text": text}


def _at(line: int, character: int) -> Json:
    return {"line": line, "character": character}


def main() -> int:
    """Run the soak, print its results, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--limit-mb", type=float, default=250)
    parser.add_argument("--limit-seconds", type=float, default=2)
    parser.add_argument("--server", default=f"{sys.executable} -m gpuasync_lsp --stdio", help="command")
    options = parser.parse_args()
    run = soak(
        options.server, options.minutes, options.seed, options.lines, lambda line: print(line, flush=True)
    )
    print(f"at most {run.peak:.0f} MB, slowest answer {run.slowest:.2f} s of the processor")
    return int(run.peak > options.limit_mb or run.slowest > options.limit_seconds)


if __name__ == "__main__":
    sys.exit(main())
