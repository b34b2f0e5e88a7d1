"""Writes the facts of the package that the playground's page needs: releases, examples, an example of each
rule.

Usage: python facts.py FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from gpuasync_lsp import __version__
from gpuasync_lsp.analysis.docs import example_settings
from gpuasync_lsp.analysis.docs import examples as examples_of
from gpuasync_lsp.analysis.rules import RULES
from gpuasync_lsp.releases import DEFAULT, RELEASES

EXAMPLES = Path(__file__).parents[1] / "examples"
FIRST = "two_dependencies"
"""The example that a first visitor sees."""


def examples() -> list[dict[str, str]]:
    """Return the programs of examples/: for each its path in that folder, its name in the list, and its
    text."""
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


def rules() -> dict[str, dict[str, Any]]:
    """Return, by the code of each rule, its name, and the program, release and settings that show a
    finding of it."""
    found: dict[str, dict[str, Any]] = {}
    for rule in RULES:
        settings = example_settings(rule)
        found[rule.code] = {
            "name": rule.name,
            "text": f"// {rule.code} {rule.name}\n{examples_of(rule)[0]}",
            "llvm": settings.pop("llvm", 0),
            "settings": settings,
        }
    return found


def main() -> None:
    """Write the file."""
    facts = {
        "version": __version__,
        "releases": [release.version for release in RELEASES],
        "newest": DEFAULT,
        "examples": examples(),
        "rules": rules(),
    }
    Path(sys.argv[1]).write_text(json.dumps(facts), encoding="utf-8")


if __name__ == "__main__":
    main()
