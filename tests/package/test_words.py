"""The project's prose uses standard terms: `words.txt` lists expressions to avoid."""

import re
from pathlib import Path

import pytest

from tests.support import prose

_LISTED = [
    line
    for line in Path(__file__).with_name("words.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
_WORDS = [
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, _, instead in (line.partition(" => ") for line in _LISTED if not line.startswith("allow "))
]
_ALLOWED = [
    tuple(line.removeprefix("allow ").split(": ", 1)) for line in _LISTED if line.startswith("allow ")
]


def test_no_word_of_the_list_is_used() -> None:
    found: list[str] = []
    used: set[tuple[str, ...]] = set()
    for path, line, text in prose.project_prose():
        for pattern, instead in _WORDS:
            for match in pattern.finditer(text):
                allowed = [entry for entry in _ALLOWED if entry[0] == path and entry[1] in text]
                used.update(allowed)
                if not allowed:
                    found.append(f"{path}:{line}: '{match[0]}' (say: {instead}) in: {text.strip()}")
    assert not found, "\n".join(found)
    assert not set(_ALLOWED) - used, "these exceptions are not needed"


_CODE_AND_PROSE = [
    (prose.markdown, "Runs behind it.\n```\nbehind\n```\n", ["Runs behind it."]),
    (prose.markdown, "Calls `behind` twice.\n", ["Calls ` twice."]),
    (prose.python, 'behind = "behind"  # why so\n', ["# why so"]),
    (prose.python, 'x = f"it is {behind} it"\n', ["is"]),
    (prose.python, '"""First.\n\nSecond line.\n"""\n', ["First.", "Second line."]),
    (prose.typescript, "const behind = 'a b'; // why\n", ["why", "'a b'"]),
    (prose.manifest, '{"behind": "Run it"}\n', ["Run it"]),
    (prose.markup, '<p class="behind">Run it</p>\n', ["Run it"]),
]


@pytest.mark.parametrize(("read", "text", "lines"), _CODE_AND_PROSE)
def test_prose_is_separated_from_code(read: prose.ReadProse, text: str, lines: list[str]) -> None:
    found = [line for _, line in read(text)]
    assert all(any(line in part for part in found) for line in lines)
    assert "behind" not in " ".join(found).replace("Runs behind it.", "")
