"""Compares the targets of definition and references with mlir-lsp-server, at random names.

    python -m tests.differential.navigation FOLDER_OR_FILE ... --sample 40 --names 30 --seed 7 --show

takes files, opens each in both servers, and sends both the same requests (at values, blocks, symbols,
aliases). Files in which mlir-lsp-server finds an error are skipped, since it does not index them.
Prints, for each request and each kind of name, how many answers are equal, how many have more targets
(mlir-lsp-server lacks blocks of some ops, symbols in attributes, and names in generic form) and how
many differ. With `--generic`, mlir-opt first prints the files in generic form.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.client import Client

OPT = "mlir-opt-22"
SERVER = "mlir-lsp-server-22"
OURS = f"{sys.executable} -m gpuasync_lsp --stdio"
REQUESTS = ("definition", "references")
KINDS = {"%": "value", "^": "block", "@": "symbol", "#": "attribute alias", "!": "type alias"}
_NAME = re.compile(r'[%^@#!][A-Za-z0-9_$]+(?![\w.$<"])')
_COMMENT = re.compile(r"//[^\n]*")
URI = "file:///navigation/file.mlir"

Answer = frozenset[tuple[int, int]]
"""Target positions, each as line and column."""


class Name(NamedTuple):
    """A name in a text, at the 0-based `line` and `column`."""

    text: str
    line: int
    column: int


class Session:
    """One server with at most one open document."""

    def __init__(self, command: str) -> None:
        self.client = Client(command.split())
        self.client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.client.notify("initialized", {})

    def open(self, text: str) -> list[dict[str, Any]]:
        """Open `text` and return its diagnostics."""
        document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        _, message = self.client.wait(_is_published)
        return message["params"]["diagnostics"]

    def close(self) -> None:
        """Close the document."""
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})

    def places(self, request: str, name: Name) -> Answer:
        """Return the targets of `request` at `name`."""
        params: dict[str, Any] = {
            "textDocument": {"uri": URI},
            "position": {"line": name.line, "character": name.column + 1},
        }
        if request == "references":
            params["context"] = {"includeDeclaration": True}
        _, result = self.client.request(f"textDocument/{request}", params)
        found = result if isinstance(result, list) else [result] if result else []
        starts = [(place.get("range") or place["targetSelectionRange"])["start"] for place in found]
        return frozenset((start["line"], start["character"]) for start in starts)


def _is_published(message: dict[str, Any]) -> bool:
    return message.get("method") == "textDocument/publishDiagnostics"


def names_of(text: str) -> Iterator[Name]:
    """Yield the names of a text outside of comments and strings."""
    for number, line in enumerate(text.split("\n")):
        code = _COMMENT.sub("", line)
        for match in _NAME.finditer(code):
            if code.count('"', 0, match.start()) % 2 == 0:
                yield Name(match[0], number, match.start())


def _generic(path: Path) -> str:
    """Return a file in generic form; empty if mlir-opt rejects it."""
    options = ["--mlir-print-op-generic", "--allow-unregistered-dialect", "--split-input-file"]
    done = subprocess.run([OPT, *options, str(path)], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout if done.returncode == 0 else ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare the servers and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--names", type=int, default=30)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--generic", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)
    files = [
        path
        for given in options.paths
        for path in ([given] if given.is_file() else sorted(given.rglob("*.mlir")))
    ]
    files = draw.sample(files, min(options.sample, len(files)))
    theirs, ours = Session(SERVER), Session(OURS)
    table: dict[tuple[str, str], Counter[str]] = {}
    compared = 0
    for path in files:
        text = _generic(path) if options.generic else path.read_text("utf-8")
        names = list(names_of(text))
        if any(found.get("severity", 1) == 1 for found in theirs.open(text)) or not names:
            theirs.close()
            continue
        compared += 1
        ours.open(text)
        for name in draw.sample(names, min(options.names, len(names))):
            for request in REQUESTS:
                wanted, got = theirs.places(request, name), ours.places(request, name)
                if request == "definition" and name.text[0] == "@":
                    # mlir-lsp-server returns the start of the op, this server its name.
                    wanted, got = (frozenset((line, 0) for line, _ in each) for each in (wanted, got))
                verdict = "same" if wanted == got else "more" if wanted < got else "differs"
                table.setdefault((request, KINDS[name.text[0]]), Counter())[verdict] += 1
                if options.show and verdict == "differs":
                    places = [f"{line + 1}:{column + 1}" for line, column in sorted(wanted ^ got)[:4]]
                    print(f"{path}:{name.line + 1}:{name.column + 1}: {request} of {name.text}:", *places)
        theirs.close()
        ours.close()
    print(f"{compared} of {len(files)} files (others have errors there, or no names)")
    for (request, kind), verdicts in sorted(table.items()):
        print(
            f"{request:11} {kind:16} "
            + ", ".join(f"{verdicts[word]} {word}" for word in ("same", "more", "differs"))
        )
    theirs.client.close()
    ours.client.close()


if __name__ == "__main__":
    main()
