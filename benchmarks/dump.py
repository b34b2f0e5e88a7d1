"""Measures how long a large IR dump takes to open, to its outline and its first findings, and the memory
used.

    python -m benchmarks.dump
    python -m benchmarks.dump --sections 1000 --lines 50000

The limits for 200,000 lines of 300 sections are 3 s until the outline is shown, and 400 MiB.
"""

from __future__ import annotations

import argparse
import os
import shlex
import time

from benchmarks.client import Client
from benchmarks.generate import module

URI = "file:///benchmark/dump.mlir"


def dump(sections: int, lines: int) -> str:
    """Return a dump of about `lines` lines, whose sections differ only in one constant per function."""
    body = module(lines // sections)
    return "".join(
        f"// -----// IR Dump After Pass{number} (pass-{number}) //----- //\n"
        + body.replace("    return\n", f"    %pass = arith.constant {number} : i32\n    return\n")
        + "\n\n"
        for number in range(sections)
    )


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sections", type=int, default=300)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--server", default="gpuasync-lsp --stdio", help="command")
    options = parser.parse_args()
    text = dump(options.sections, options.lines)
    client = Client(shlex.split(options.server))
    capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
    client.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities})
    client.notify("initialized", {})
    document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
    begun = client.notify("textDocument/didOpen", {"textDocument": document})
    named = {"textDocument": {"uri": URI}}
    _, outline = client.request("textDocument/documentSymbol", named)
    opened = time.perf_counter() - begun
    middle = text.count("\n") // 2
    position = {"line": middle, "character": 4}
    elsewhere, _ = client.request("textDocument/hover", {**named, "position": position})
    # Like editors, send further requests only after the outline has arrived.
    asked = {method: client.request(f"textDocument/{method}", named)[0] for method in ("foldingRange",)}
    print(f"{text.count(chr(10))} lines, {options.sections} sections: outline of {len(outline)} entries")
    print(f"  outline after {opened:.2f} s; hover in a section that was not read {elsewhere:.2f} s")
    print(", ".join(f"  {method} {seconds:.2f} s" for method, seconds in asked.items()))
    print(f"  peak memory {client.peak_memory():.0f} MiB")
    client.close()


if __name__ == "__main__":
    main()
