"""The fuzz: random edits of many files in a running server, with random requests between them.

    python -m tests.attack.fuzz --edits 20000 --seed 1

Half of the typed text is white space, lone sigils, non-ASCII blanks, and halves of tokens, which
parsers often mishandle. After every tenth edit the text is opened as a new document, whose diagnostics
must equal those of the edited one. Prints the slowest answers, by processor time of the server. The
exit status is 1 after an answer above `--limit-seconds`, a difference, or an internal error.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from tests.attack.soak import CAPABILITIES, Soak
from tests.syntax.corpus import TEXTS, TOKENS

Json = dict[str, Any]

BLANKS = (
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\0",
    " " * 40,
    "\n" * 30,
    "\u00a0",
    "\u2003",
    "\u2028",
    "\ufeff",
)
SIGILS = (
    "%",
    "@",
    "#",
    "!",
    "^",
    '"',
    "'",
    "\\",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ":",
    "::",
    "=",
    "->",
    ",",
    ";",
)
HALVES = (
    "//",
    "/",
    "// gpuasync: ",
    "// gpuasync: ignore[",
    "// -----\n",
    "{-#",
    "#-}",
    '"\\',
    "%0:",
    "0x",
    "1e",
    "-",
)
STRANGE = ("é", "Ω", "٣", "\U0001f600", "e\u0301", "\ud7ff", "ﬁ")
EDITS_OF_A_FILE = 40
COMPARED = 10
"""Number of edits after which the text is compared with the same text from scratch."""
LONGEST = 20_000
INTERNAL_ERROR = -32603


class Editor:
    """A text with random edits."""

    def __init__(self, text: str, rng: random.Random) -> None:
        self.text = text
        self._rng = rng

    def lines(self) -> list[str]:
        """Return the lines as the server counts them."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def edit(self) -> Json:
        """Edit the text at random; return the content change for the server."""
        rng, text = self._rng, self.text
        start = rng.randint(0, len(text))
        if rng.random() < 0.3:
            # Edit at the edges of lines, where users type.
            start = text.rfind("\n", 0, start) + 1
        end = min(len(text), start + rng.choice((0, 0, 0, 0, 1, 1, 3, 20)))
        insert = self._typed() if rng.random() < 0.85 else ""
        # No position is inside of a two-character line end.
        start -= start > 0 and text[start - 1 : start + 1] == "\r\n"
        end += text[end - 1 : end + 1] == "\r\n" if end > start else 0
        end = max(end, start)
        change = {"range": {"start": self._at(start), "end": self._at(end)}, "text": insert}
        self.text = text[:start] + insert + text[end:]
        return change

    def _typed(self) -> str:
        rng = self._rng
        kind = rng.random()
        if kind < 0.5:
            return "".join(
                rng.choice(rng.choice((BLANKS, SIGILS, HALVES))) for _ in range(rng.choice((1, 1, 2, 4)))
            )
        if kind < 0.6:
            return rng.choice(STRANGE)
        if kind < 0.7:
            start = rng.randint(0, len(self.text))
            return self.text[start : start + rng.randrange(1, 200)]
        return rng.choice(TOKENS)

    def _at(self, offset: int) -> Json:
        before = self.text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        line = before.count("\n")
        last = before[before.rfind("\n") + 1 :]
        return {"line": line, "character": len(last.encode("utf-16-le")) // 2}


@dataclass
class Fuzz:
    """One server, and the results so far."""

    client: Client
    folder: Path
    rng: random.Random
    edits: int = 0
    requests: int = 0
    compared: int = 0
    slowest: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])
    """Processor time, method and text of the slowest answers."""
    errors: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])

    def file(self, number: int, edits: int) -> None:
        """Open a file, edit it with requests in between, and close it."""
        text = self.rng.choice(TEXTS)[:LONGEST]
        uri = (self.folder / f"f{number}.mlir").as_uri()
        editor: Any = Editor(text, self.rng)
        asking = Soak(self.client, uri, editor, self.rng)
        self.client.notify("textDocument/didOpen", {"textDocument": _item(uri, text)})
        for version in range(2, edits + 2):
            change = editor.edit()
            identifier = {"uri": uri, "version": version}
            self.client.notify(
                "textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]}
            )
            self.edits += 1
            asked = [each for each in asking._asked() if "gpuasync.run" not in str(each[1].get("command"))]
            self.rng.shuffle(asked)
            for method, params in asked[: self.rng.choice((0, 0, 1, 2))]:
                self._ask(method, params, editor.text)
            if version % COMPARED == 0:
                self._compare(uri, editor.text)
            self.client.passed.clear()
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _compare(self, uri: str, text: str) -> None:
        fresh = uri.replace("/f", "/fresh")
        self.client.notify("textDocument/didOpen", {"textDocument": _item(fresh, text)})
        answers = [
            self._ask("textDocument/diagnostic", {"textDocument": {"uri": each}}, text)
            for each in (uri, fresh)
        ]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": fresh}})
        edited, scratch = (str((each or {}).get("items")) for each in answers)
        self.compared += 1
        if edited != scratch.replace(fresh, uri):
            self.wrong.append(f"an edited text is read otherwise than from scratch: {text!r}")

    def _ask(self, method: str, params: Json, text: str) -> Any:
        self.requests += 1
        used = self.client.processor_time()
        number = self.client.send(method, params)
        _, message = self.client.wait(lambda m: m.get("id") == number and "method" not in m)
        took = self.client.processor_time() - used
        if len(self.slowest) < 5 or took > self.slowest[-1][0]:
            self.slowest = sorted([*self.slowest, (took, method, text)], reverse=True)[:5]
        if "error" in message:
            code = message["error"]["code"]
            self.errors[f"{method} {code}"] += 1
            if code == INTERNAL_ERROR:
                self.wrong.append(f"{method} {params}: {message['error']['message']}: {text!r}")
        return message.get("result")


def _item(uri: str, text: str) -> Json:
    return {"uri": uri, "languageId": "mlir", "version": 1, "text": text}


def fuzz(edits: int, seed: int, command: str = f"{sys.executable} -P -m gpuasync_lsp --stdio") -> Fuzz:
    """Run the fuzz, and return its results."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        client = Client(shlex.split(command))
        client.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": CAPABILITIES,
                "initializationOptions": {"trusted": False},
            },
        )
        client.notify("initialized", {})
        run = Fuzz(client, Path(folder), rng)
        number = 0
        while run.edits < edits:
            number += 1
            run.file(number, min(EDITS_OF_A_FILE, edits - run.edits))
        client.close()
    return run


def main() -> int:
    """Run the fuzz, print its results, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit-seconds", type=float, default=2)
    options = parser.parse_args()
    begun = time.monotonic()
    run = fuzz(options.edits, options.seed)
    print(
        f"seed {options.seed}: {run.edits} edits, {run.requests} requests, {run.compared} comparisons with a "
        f"text read from scratch, {len(run.wrong)} wrong, {time.monotonic() - begun:.0f} s; "
        f"refused: {dict(run.errors)}"
    )
    for took, method, text in run.slowest:
        print(f"{took:6.2f} s of the processor: {method}, {len(text)} characters: {text[:60]!r}")
    for wrong in run.wrong[:10]:
        print(wrong[:3000])
    return int(bool(run.wrong) or run.slowest[0][0] > options.limit_seconds)


if __name__ == "__main__":
    sys.exit(main())
