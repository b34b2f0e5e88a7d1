"""The input and the result of a pass, printed as the same op."""

from __future__ import annotations

from textwrap import dedent

from gpuasync_lsp.ide.dumps.canonical import units
from gpuasync_lsp.ide.dumps.sections import Section, scope_of, sections
from gpuasync_lsp.syntax import parse_source


class NoSection(LookupError):
    """No section of the dump begins at that offset."""


def sides(text: str, before: int | None, after: int, function: str | None = None) -> tuple[str, str]:
    """Return the texts of the sections at the offsets `before` and `after` of the dump `text`.

    If one section prints a function and the other a module, or if `function` is given, both texts contain
    only the function; if a section lacks the function, its text is empty. Without `before`, the first text is
    empty. Raises NoSection.
    """
    found = {section.whole.start: section for section in sections(text)}
    if after not in found or (before is not None and before not in found):
        raise NoSection("there is no section there")
    old = None if before is None else found[before]
    new = found[after]
    wanted = function
    if wanted is None and old is not None:
        scopes = [scope_of(text, each.body) for each in (old, new)]
        inner = [scope.partition("@")[2].strip('"') for scope in scopes]
        if inner[0] != inner[1]:
            wanted = inner[1] or inner[0]
    return ("" if old is None else _of(text, old, wanted)), _of(text, new, wanted)


def _of(text: str, section: Section, function: str | None) -> str:
    body = section.body.of(text)
    if function is None:
        return body + "\n"
    for chunk in parse_source(body).chunks:
        for placed in chunk.items:
            for unit in units(placed.item, chunk.prelude):
                if function in (unit.symbol, unit.path):
                    start, end = unit.span.shift(placed.offset)
                    column = start - (body.rfind("\n", 0, start) + 1)
                    return dedent(" " * column + body[start:end]) + "\n"
    return ""
