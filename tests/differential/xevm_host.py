"""Compares the host code of Intel's pipeline with that of the real tool, over files whose RUN lines use it.

`python -m tests.differential.xevm_host --version 23 FOLDER...` prints how many files are equal except for the
kernel objects, which are empty here, and a difference for each file that is not. Files that the real tool
rejects are counted, but not compared.
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
from collections import Counter
from pathlib import Path

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.tools import mlir_opt

PIPELINE = "gpu-lower-to-xevm-pipeline"
_GIVEN = re.compile(rf'--{PIPELINE}(?:="?([^"\n|]*)"?)?')


def options_of(text: str) -> str | None:
    """Return the options of the pipeline in the RUN lines of a test, with bitcode as the object format."""
    found = _GIVEN.search(text)
    if found is None:
        return None
    given = (found[1] or "").replace("%zebin_chip", "bmg")
    return f"{given} binary-format=llvm".strip()


def host(text: str) -> list[str]:
    """Return the lines of a text without kernel objects."""
    return [line.rstrip() for line in text.splitlines() if line.strip() and "gpu.binary" not in line]


def compared(text: str, options: str, version: int) -> str:
    """Return `equal`, `rejected` by the real tool (or it does not end in time), or the difference."""
    try:
        real = mlir_opt(version)(text, f"--{PIPELINE}={options}", timeout=60)
    except subprocess.TimeoutExpired:
        return "rejected"
    if real.code != 0:
        return "rejected"
    module = module_of(parse_source(text).chunks[0])
    done = run_pipeline(module, parse_pipeline(f"{PIPELINE}{{{options}}}"), version)
    if done.error is not None:
        return f"error: {done.error.text}"
    ours, theirs = host(print_module(done.module)), host(real.out)
    return "\n".join(difflib.unified_diff(theirs, ours, "real", "ours", lineterm="", n=1)) or "equal"


def main() -> None:
    """Compare the files of the given folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--version", type=int, default=23)
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in sorted(path for folder in args.folders for path in folder.rglob("*.mlir")):
        text = path.read_text("utf-8", errors="replace")
        options = options_of(text)
        if options is None:
            continue
        result = compared(text, options, args.version)
        kind = result if result in ("equal", "rejected") else "different"
        counts[kind] += 1
        if kind == "different":
            print(f"{path.name}:\n{result[:2000]}")
    total = counts["equal"] + counts["different"]
    print(f"{counts['equal']} of {total} equal, {counts['rejected']} rejected by the real tool")


if __name__ == "__main__":
    main()
