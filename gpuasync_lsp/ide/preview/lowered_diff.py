"""The difference between two lowered modules.

An additional value renumbers all later ones, so a plain diff would show every line. Values of the second
module are therefore first renamed as in the first, if the lines that define them are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff

_NAME = re.compile(r"[%^][\w$.]+")
_FUNCTION = re.compile(r"^ *(?:(?:llvm|func|gpu)\.func|define)\b[^@]*(?P<name>@[^\s(]+)")
_DIGITS = "0123456789"
_LONG = 5_000
"""In modules with more lines than this, the diff ignores frequent lines."""


def lowered_diff(before: str, after: str, before_name: str, after_name: str) -> str:
    """Return a unified diff of two lowered modules, with the values of `after` named as in `before`."""
    new = renamed_like(before, after).splitlines()
    lines = unified_diff(before.splitlines(), new, before_name, after_name, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def renamed_like(before: str, after: str) -> str:
    """Return `after` with its values and blocks named as in `before`, function by function.

    Values that `before` lacks get numbers that its function does not use."""
    known = {name: lines for name, lines in _functions(before) if name}
    found: list[str] = []
    for name, lines in _functions(after):
        found += _renamed(known[name], lines) if name in known else lines
    return "\n".join(found)


def _functions(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield first the lines before any function, then each function's symbol and lines."""
    name, lines = "", list[str]()
    for line in text.split("\n"):
        head = _FUNCTION.match(line)
        if head is not None:
            yield name, lines
            name, lines = head["name"], []
        lines.append(line)
    yield name, lines


def _renamed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    matcher = SequenceMatcher(
        None, _unnamed(before), _unnamed(after), autojunk=max(len(before), len(after)) > _LONG
    )
    names: dict[str, str] = {}
    for old, new, size in matcher.get_matching_blocks():
        for one, other in zip(before[old : old + size], after[new : new + size], strict=True):
            names.update(zip(_defined(other), _defined(one), strict=True))
    taken = {name for line in before for name in _NAME.findall(line)}
    number = max((int(name[len(name.rstrip(_DIGITS)) :] or 0) for name in taken), default=-1)
    for line in after:
        for name in _defined(line):
            if name not in names:
                number += 1
                names[name] = name.rstrip(_DIGITS) + str(number)
    return [_NAME.sub(lambda match: names.get(match[0], match[0]), line) for line in after]


def _unnamed(lines: Sequence[str]) -> list[str]:
    return [_NAME.sub("%", line) for line in lines]


def _defined(line: str) -> list[str]:
    """Return the values and blocks that a line defines."""
    text = line.lstrip()
    if text.startswith("^") or _FUNCTION.match(line):
        return _NAME.findall(line)
    results, equals, _ = text.partition(" = ")
    return _NAME.findall(results) if equals and text.startswith("%") else []
