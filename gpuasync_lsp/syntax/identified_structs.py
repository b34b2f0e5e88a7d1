"""Checks LLVM's identified structs: in a module, a name has only one body."""

from __future__ import annotations

import re

from gpuasync_lsp.text import Span

_STRUCT = re.compile(r'struct<"([^"\\\n]{1,200})",[ \t]*(?=opaque|packed|\()')
_MOST = 200
"""Maximum number of structs that are compared in one file."""
_LONGEST = 2_000
"""Maximum length in characters of a body that is compared."""


def redefined_structs(text: str) -> list[tuple[Span, str]]:
    """Return MLIR's errors for structs in `text` that have a second, different definition."""
    found: list[tuple[Span, str]] = []
    bodies: dict[str, str] = {}
    for number, match in enumerate(_STRUCT.finditer(text)):
        if number == _MOST:
            break
        body = _body(text, match.end())
        if body is None:
            continue
        known = bodies.setdefault(match[1], body)
        if known != body:
            is_closed = body == "opaque"
            message = "redeclaring defined struct as opaque" if is_closed else (
                "identified type already used with a different body"
            )  # fmt: skip
            found.append((Span(*match.span()), message))
    return found


def _body(text: str, start: int) -> str | None:
    """Return a struct's body without spaces and prefixes; None if it is too long or cannot be compared."""
    depth = 1
    for at in range(start, min(start + _LONGEST, len(text))):
        mark = text[at]
        if mark in '"/':
            return None  # A nested struct or a comment cannot be compared.
        depth += (mark == "<") - (mark == ">")
        if not depth:
            body = "".join(text[start:at].split()).replace("!llvm.", "")
            return None if "!" in body or "#" in body else body
    return None
