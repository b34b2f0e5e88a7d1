"""The fuzz of the protocol: every request that the server offers, with random errors in its parameters.

    python -m tests.attack.protocol_fuzz --messages 5000 --seed 1

Messages are malformed, arrive in another order, name unknown things, or have values of other types. The
server must answer each request, never with an internal error, and must continue to run. The exit status
is 1 otherwise.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
from collections import Counter
from typing import Any

from gpuasync_lsp.server import ANSWERS, BY_SESSION, COMMANDS
from tests.attack.wire import URI, Wire, frame

Json = dict[str, Any]

INTERNAL_ERROR = -32603
TEXT = "func.func @f() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  gpu.wait [%t]\n  return\n}\n"
NOTIFICATIONS = (
    *("textDocument/didChange", "textDocument/didOpen", "textDocument/didClose", "textDocument/didSave"),
    *("workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "$/cancelRequest", "$/setTrace"),
    *("workspace/didChangeWorkspaceFolders", "window/workDoneProgress/cancel", "initialized", "$/unknown"),
)
METHODS = (
    *ANSWERS,
    *BY_SESSION,
    "workspace/executeCommand",
    "no/such/method",
    "initialize",
    "gpuasync/target",
)
PARAMS: Json = {
    "textDocument": {"uri": URI, "version": 2, "languageId": "mlir", "text": TEXT},
    "position": {"line": 1, "character": 4},
    "positions": [{"line": 1, "character": 4}],
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 2}},
    "context": {"includeDeclaration": True, "diagnostics": [], "only": ["quickfix"], "triggerKind": 1},
    "options": {"tabSize": 2, "insertSpaces": True},
    "contentChanges": [{"text": TEXT}],
    "newName": "%x",
    "ch": "\n",
    "query": "f",
    "previousResultId": "1",
    "previousResultIds": [],
    "uri": "gpuasync:/rules/GA101.md",
    "command": "gpuasync.preview",
    "arguments": [
        {"textDocument": {"uri": URI}, "uri": URI, "llvm": "22", "stage": "gpu-to-llvm", "format": "svg"}
    ],
    "item": {"name": "f", "kind": 12, "uri": URI, "data": {"textDocument": {"uri": URI}}},
    "data": {"textDocument": {"uri": URI}, "version": 1, "number": 0, "range": {}},
    "settings": {"gpuasync": {"llvm": "22"}},
    "changes": [{"uri": URI, "type": 1}],
    "event": {"added": [], "removed": []},
    "id": 1001,
    "token": "t",
    "value": "off",
    "label": "x",
}
ODD = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        10**40,
        1.5,
        -1e300,
        "",
        "x",
        "22",
        "\0",
        "é" * 300,
        [],
        {},
        [[]],
    ),
    *(
        [None],
        {"uri": None},
        URI,
        "file:///",
        "file://%00",
        "gpuasync:/lowering/x?{",
        "untitled:x",
        [1] * 200,
    ),
)
BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"2.0","method":7,"id":1}',
    b"[" * 999,
)


def mutant(rng: random.Random, value: Any, depth: int = 0) -> Any:
    """Return `value` with some parts removed, exchanged, or of another type."""
    if rng.random() < 0.06 * (depth + 1):
        return copy.deepcopy(rng.choice(ODD))
    if isinstance(value, dict):
        return {k: mutant(rng, v, depth + 1) for k, v in value.items() if rng.random() > 0.04}
    return [mutant(rng, each, depth + 1) for each in value] if isinstance(value, list) else value


def fuzz(messages: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Send the given number of messages; return how often each kind of answer occurred, and the errors."""
    rng = random.Random(seed)
    codes: Counter[str] = Counter()
    wrong: list[str] = []
    with Wire(initializationOptions={"trusted": False}) as wire:
        wire.open(TEXT)
        for number in range(messages):
            kind = rng.random()
            params = mutant(rng, PARAMS)
            if kind < 0.05:
                wire.write(frame(rng.choice(BODIES)))
            elif kind < 0.3:
                method = rng.choice(NOTIFICATIONS)
                wire.tell(method, params)
                if method in ("textDocument/didClose", "textDocument/didChange"):
                    wire.open(TEXT)
            else:
                method = rng.choice(METHODS)
                if method == "workspace/executeCommand" and isinstance(params, dict):
                    params["command"] = rng.choice((*COMMANDS, params.get("command")))
                answer = wire.ask(method, params)
                code = answer.get("error", {}).get("code", 0)
                codes[str(code)] += 1
                if code == INTERNAL_ERROR:
                    wrong.append(f"message {number}: {answer['error']['message']}: {params!r}")
            wire.said.clear()
        if wire.ask("workspace/symbol", {"query": "f"}).get("result") is None:
            wrong.append("the server does not go on")
    return codes, wrong


def main() -> int:
    """Run the fuzz, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    codes, wrong = fuzz(options.messages, options.seed)
    print(
        f"seed {options.seed}: {options.messages} messages, answers by code {dict(codes)}, {len(wrong)} wrong"
    )
    for each in wrong[:10]:
        print(each[:2000])
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
