"""Pairs in files, `programs/KIND/NAME.mlir`: a broken program with markers, `// -----`, its repaired twin.

`programs/README.md` explains the kinds and their sources. The folder also has programs
without a race, `race_free/NAME.mlir`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.analysis.hazards.pairs import Pair

FOLDER = Path(__file__).parent / "programs"
RACE_FREE = Path(__file__).parent / "race_free"
BETWEEN = "// -----\n"


def filed_pairs() -> Iterator[Pair]:
    """Yield the pairs, with the markers in their texts."""
    for path in sorted(FOLDER.glob("*/*.mlir")):
        broken, sound = path.read_text().split(BETWEEN)
        yield Pair(f"{path.parent.name}/{path.stem}", path.parent.name, broken, sound)


def race_free_programs() -> Iterator[tuple[str, str]]:
    """Yield names and texts of the programs without a race."""
    for path in sorted(RACE_FREE.glob("*.mlir")):
        yield path.stem, path.read_text()
