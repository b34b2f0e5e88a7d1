"""Identified structs of LLVM: one name has one body in a module."""

from __future__ import annotations

import re

from gpuasync_lsp.text import Span

_STRUCT = re.compile(r'struct<"([^"\\\n]{1,200})",[ \t]*(?=opaque|packed|\()')
_MOST = 200
"""The maximum number of structs that are compared in one text."""
_LONGEST = 2_000
"""The maximum length of a body that is compared, in characters."""


def redefined_structs(text: str) -> list[tuple[Span, str]]:
    """Report structs of `text` that are defined a second time with another body, in MLIR's words."""
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
            said = "redeclaring defined struct as opaque" if is_closed else (
                "identified type already used with a different body"
            )  # fmt: skip
            found.append((Span(*match.span()), said))
    return found


def _body(text: str, start: int) -> str | None:
    """Return the text up to the closing bracket in canonical spelling; None if unknown."""
    depth = 1
    for at in range(start, min(start + _LONGEST, len(text))):
        mark = text[at]
        if mark in '"/':
            return None  # a struct in it, or a comment
        depth += (mark == "<") - (mark == ">")
        if not depth:
            body = "".join(text[start:at].split()).replace("!llvm.", "")
            return None if "!" in body or "#" in body else body
    return None
