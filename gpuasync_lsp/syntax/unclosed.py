"""Finds an unclosed brace, and closes it on its line.

After the user types `{`, all following text up to the end of the function would be inside it, and the
function's closing brace would close it. The next line shows otherwise: it begins a statement and is not
indented deeper.
"""

from __future__ import annotations

import re

STRING = r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|\\?(?=\n|\Z))'
"""Matches a string; an unterminated one ends with its line."""
_OPEN_AT_END = re.compile(r"\{[^{}\n]*\n")
"""Matches a brace without another brace after it on its line."""
_TO_CODE = re.compile(r"(?:[ \t\r]*(?://[^\n]*)?\n)*(?P<indent>[ \t]*)")
"""Matches blank lines and comments, and the indentation of the first line with code."""
_BEGINS_STATEMENT = re.compile(
    r"(?:%[\w$.-]+(?::\d+)?(?:[ \t]*,[ \t]*%[\w$.-]+(?::\d+)?)*[ \t]*="
    r'|"[\w.]+"[ \t]*\(|[a-z]\w*\.[a-z]|(?:return|yield|call|br|cond_br|unreachable)\b)'
)
_CODE = re.compile(rf'(?:[^"/\n]|/(?!/)|{STRING})*')
"""Matches a line up to its comment."""
_UP_TO_BRACE = re.compile(rf'(?:[^"/\n{{]|/(?!/)|{STRING})*')
"""Matches a line up to a brace outside of strings and comments."""


def unclosed_brace(text: str, start: int, end: int) -> int | None:
    """Return the offset of the unclosed brace in the op `text[start:end]`; None if there are several or none.

    The line after an unclosed brace begins a statement that is not indented deeper, so it is not inside.
    Call only if the op lacks a closing brace.
    """
    found: int | None = None
    header = text.find("\n", start, end)
    for match in _OPEN_AT_END.finditer(text, header if header >= 0 else end, end):
        brace = match.start()
        line = text.rfind("\n", 0, brace) + 1
        own = _TO_CODE.match(text, line)
        behind = _TO_CODE.match(text, match.end(), end)
        assert own is not None
        assert behind is not None
        if _BEGINS_STATEMENT.match(text, own.end()) is None or not _is_code(text, line, brace):
            continue
        deeper = len(behind["indent"]) - len(own["indent"])
        closes = text.startswith("}", behind.end(), end)
        if not (deeper < 0 if closes else deeper <= 0 and _BEGINS_STATEMENT.match(text, behind.end(), end)):
            continue
        if found is not None:
            return None
        found = brace
    return found


def closed(text: str, brace: int | None) -> str:
    """Return `text` with a closing brace at the end of the line of `brace`, replacing a space or comment.

    All other offsets are unchanged. If there is no room for it, or `brace` is None, return `text` as is."""
    if brace is None:
        return text
    line = text.rfind("\n", 0, brace) + 1
    code = _CODE.match(text, line)
    end = text.find("\n", brace)
    if code is None or end < 0:
        return text
    at = line + len(text[line : code.end()].rstrip())
    if at < end:
        return f"{text[:at]}}}{' ' * (end - at - 1)}{text[end:]}"
    if text[end + 1 : end + 2] not in (" ", "\t", "\n", "\r"):
        return text
    # The line becomes longer by one character, and the next line loses a leading space.
    return f"{text[:end]}}}\n{text[end + 2 :]}"


def _is_code(text: str, line: int, place: int) -> bool:
    """Return whether `place` is outside of comments and strings of the line that begins at `line`."""
    at = line
    while (code := _UP_TO_BRACE.match(text, at)) is not None and code.end() < place:
        if text[code.end()] != "{":
            return False
        at = code.end() + 1
    return code is not None and code.end() == place
