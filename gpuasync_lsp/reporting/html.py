"""Results as HTML for notebooks: text, side-by-side text, and tables. All content is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

MOST = 200_000
"""The maximum number of characters of a string that are shown."""


def pre(text: str) -> str:
    """Return `text` as preformatted HTML."""
    cut = f"{text[:MOST]}\n... ({len(text) - MOST} characters more)" if len(text) > MOST else text
    return f'<pre style="line-height:1.3">{escape(cut)}</pre>'


def beside(left: str, right: str) -> str:
    """Return two pieces of HTML side by side."""
    half = '<div style="flex:1;min-width:0;overflow-x:auto">'
    return f'<div style="display:flex;gap:1em">{half}{left}</div>{half}{right}</div></div>'


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Return an HTML table whose rows are a name and a value."""
    cells = "".join(
        f'<tr><td style="text-align:left;vertical-align:top">{escape(name)}</td>'
        f'<td style="text-align:left">{pre(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table>{cells}</table>"
