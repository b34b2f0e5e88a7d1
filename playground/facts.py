"""Writes what the playground's page knows of the package: releases, examples, and an example of each rule.

Usage: python facts.py FILE
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from gpuasync_lsp import __version__
from gpuasync_lsp.analysis.rules import RULES
from gpuasync_lsp.releases import DEFAULT, RELEASES

EXAMPLES = Path(__file__).parents[1] / "examples"
FIRST = "two_dependencies"
"""The example that a first visitor sees."""

_EXAMPLE = re.compile(r"^## Example\n.*?^```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TOP_LEVEL = re.compile(r"^(?:builtin\.)?module\b|^(?:func\.func|llvm\.func|gpu\.module)\b", re.MULTILINE)


def examples() -> list[dict[str, str]]:
    """Return the programs of examples/: their path there, their name in a list, and their text."""
    paths = sorted(
        EXAMPLES.glob("*/*.mlir"), key=lambda path: (path.parent.name, path.stem != FIRST, path.stem)
    )
    return [
        {
            "name": f"{path.parent.name}/{path.stem}",
            "title": f"{path.stem.replace('_', ' ')} ({path.parent.name})",
            "text": path.read_text(encoding="utf-8"),
        }
        for path in paths
    ]


def of_rules() -> dict[str, str]:
    """Return the example of each rule as a program: ops that stand alone are put into a function."""
    found: dict[str, str] = {}
    for rule in RULES:
        match = _EXAMPLE.search(rule.doc)
        if match is None:
            continue
        text = match[1]
        if not _TOP_LEVEL.search(text):
            lines = [f"  {line}" if line else "" for line in text.splitlines()]
            if not lines[-1].lstrip().startswith(("return", "func.return")):
                lines.append("  return")
            text = "\n".join(["func.func @example() {", *lines, "}", ""])
        found[rule.code] = f"// {rule.code} {rule.name}\n{text}"
    return found


def main() -> None:
    """Write the file."""
    facts = {
        "version": __version__,
        "releases": [release.version for release in RELEASES],
        "newest": DEFAULT,
        "examples": examples(),
        "rules": of_rules(),
    }
    Path(sys.argv[1]).write_text(json.dumps(facts), encoding="utf-8")


if __name__ == "__main__":
    main()
