"""Typing the examples key by key, where Enter accepts the suggestion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.typist import Typist

ROOT = Path(__file__).parents[3]
PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/rules/*.md"), ROOT / "README.md"])
EXAMPLES = sorted(ROOT.glob("examples/*/*.mlir"))
LINES = 10


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the MLIR examples in the documentation, with their locations."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"```mlir\n(.*?)```", text, re.DOTALL)):
            yield f"{page.stem}-{number}", block


BLOCKS = [
    # Each key causes an analysis, so only every fifth example is in the fast tests.
    pytest.param(name, text, id=name, marks=() if number % 5 == 0 else pytest.mark.slow)
    for number, (name, text) in enumerate(blocks())
]


@pytest.mark.parametrize(("name", "text"), BLOCKS)
def test_documentation_typed_from_nothing(name: str, text: str) -> None:
    typist = Typist()
    lines = text.splitlines()[:LINES]
    typist.type(lines)
    assert not typist.taken, name
    assert typist.text == "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_examples_typed_again_in_their_place(path: Path) -> None:
    """Ten lines are deleted from the middle and typed again."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    first = max((len(lines) - LINES) // 2, 0)
    above, typed, below = lines[:first], lines[first : first + LINES], lines[first + LINES :]
    typist = Typist("".join([*above, "\n", *below]), len("".join(above)))
    typist.type([line.rstrip("\n") for line in typed])
    assert not typist.taken
    assert typist.text == "".join(lines)
