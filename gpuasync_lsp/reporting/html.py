"""Results as HTML for notebooks: text, side-by-side text, and tables. All content is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

MOST = 200_000
"""Characters shown of one text."""


def pre(text: str) -> str:
    """Return preformatted text."""
    cut = f"{text[:MOST]}\n... ({len(text) - MOST} characters more)" if len(text) > MOST else text
    return f'<pre style="line-height:1.3">{escape(cut)}</pre>'


def beside(left: str, right: str) -> str:
    """Return two pieces of HTML side by side."""
    half = '<div style="flex:1;min-width:0;overflow-x:auto">'
    return f'<div style="display:flex;gap:1em">{half}{left}</div>{half}{right}</div></div>'


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table with a name and a text per row."""
    cells = "".join(
        f'<tr><td style="text-align:left;vertical-align:top">{escape(name)}</td>'
        f'<td style="text-align:left">{pre(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table>{cells}</table>"
