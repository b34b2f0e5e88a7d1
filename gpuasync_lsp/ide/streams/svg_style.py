"""The style sheet of the SVG picture.

Colors are CSS variables: in a webview from VS Code's theme, otherwise light or dark as the reader prefers.
Every selector begins with the picture's class, since the picture may be embedded in a page. Pale parts that
occur often use the opacity of their fill or stroke, since an element's opacity costs a layer when it is
painted.
"""

from __future__ import annotations

LANES = 6
"""The number of colors; lanes with a higher number repeat them."""

_COLORS = {
    # name: (variable of VS Code's theme, color on a light background, color on a dark background). The
    # extension contributes the colors of lanes, so that its other views can use them.
    "lane0": ("gpuasync-stream0", "#2a5fd0", "#7aa2ff"),
    "lane1": ("gpuasync-stream1", "#2e7d32", "#6fcf7c"),
    "lane2": ("gpuasync-stream2", "#a35a00", "#ffb454"),
    "lane3": ("gpuasync-stream3", "#8e3bbd", "#cf93ff"),
    "lane4": ("gpuasync-stream4", "#00767a", "#4fd0d4"),
    "lane5": ("gpuasync-stream5", "#b3305f", "#ff8fb3"),
    "ink": ("editor-foreground", "#1f2328", "#e6edf3"),
    "paper": ("editor-background", "#ffffff", "#0d1117"),
    "error": ("editorError-foreground", "#c62828", "#ff7b72"),
    "warning": ("editorWarning-foreground", "#9a6700", "#e3b341"),
    "information": ("editorInfo-foreground", "#0a5fc2", "#79b8ff"),
}

_RULES = {
    "text": "fill:currentColor",
    ".paper": "fill:var(--ga-paper)",
    ".code": "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace",
    ".title": "font-size:16px;font-weight:600",
    ".strong": "font-weight:600",
    ".dim": "fill-opacity:.7",
    ".small": "font-size:10.5px",
    ".middle": "text-anchor:middle",
    ".end": "text-anchor:end",
    ".host": "--ga:currentColor",
    ".box rect": "fill:var(--ga-paper);stroke:var(--ga);stroke-width:1.5",
    ".box .tint": "fill:var(--ga);fill-opacity:.14",
    ".create .tint": "fill-opacity:.3",
    ".left rect": "stroke:var(--ga-error);stroke-dasharray:5 3",
    ".removed": "opacity:.5",
    ".head rect": "fill:var(--ga);fill-opacity:.3",
    ".lane": "stroke:var(--ga);stroke-width:3;fill:none",
    ".thin": "stroke-width:1.6",
    ".lane.host": "stroke-width:1;stroke-dasharray:2 4;stroke-opacity:.5",
    ".lane.lost": "stroke-dasharray:7 5",
    ".bar": "fill:currentColor;fill-opacity:.55",
    ".stop": "fill:currentColor",
    ".arrow": "stroke:var(--ga);stroke-width:1.6;fill:none",
    ".wanted": "stroke-dasharray:3 3",
    ".tip": "fill:var(--ga)",
    ".race": "stroke:var(--ga-error);stroke-width:1.6;fill:none;stroke-dasharray:6 3",
    ".race.many": "stroke-dasharray:none;stroke-opacity:.3",
    ".group": "fill:currentColor;fill-opacity:.045;stroke:currentColor;stroke-opacity:.3",
    ".loop": "stroke-dasharray:6 3",
    ".error text,.gpuasync-streams .error .sign": "fill:var(--ga-error)",
    ".warning text,.gpuasync-streams .warning .sign": "fill:var(--ga-warning)",
    ".information text,.gpuasync-streams .information .sign": "fill:var(--ga-information)",
    ".sign": "stroke:var(--ga-paper)",
    ".cross": "stroke:var(--ga-warning);stroke-width:3;fill:none",
    "[data-line]": "cursor:pointer",
    "[data-line]:focus": "outline:2px solid currentColor;outline-offset:1px",
}

_COMPACT = {
    ".op .back": "fill:transparent",
    ".op .left": "fill:var(--ga-error)",
    ".lane-name": "fill:var(--ga)",
    ".tiny": "font-size:9px;font-weight:600",
    ".pill": "fill:var(--ga);fill-opacity:.35;stroke:var(--ga)",
    ".node": "fill:var(--ga);stroke:var(--ga);stroke-width:1.6",
    ".node.ring": "fill:var(--ga-paper)",
    ".node.left": "fill:var(--ga-error);stroke:var(--ga-error)",
    ".bracket": "stroke:currentColor;stroke-opacity:.55;stroke-width:1.4;fill:none",
    ".lane": "stroke-width:2",
    ".lane.host": "stroke-width:1",
}
"""Styles of the compact picture, which replace or extend those of the large one."""


def style_sheet(*, compact: bool = False) -> str:
    """Return the CSS of a picture."""
    rules = _RULES.items() if not compact else [*_RULES.items(), *_COMPACT.items()]
    light = "".join(f"--ga-{name}:var(--vscode-{theme},{c});" for name, (theme, c, _) in _COLORS.items())
    dark = "".join(f"--ga-{name}:var(--vscode-{theme},{c});" for name, (theme, _, c) in _COLORS.items())
    lines = [
        f".gpuasync-streams{{{light}color:var(--ga-ink);font:12px system-ui,sans-serif}}",
        f"@media (prefers-color-scheme:dark){{.gpuasync-streams{{{dark}}}}}",
        *(f".gpuasync-streams .lane{n}{{--ga:var(--ga-lane{n})}}" for n in range(LANES)),
        *(f".gpuasync-streams {selector}{{{rule}}}" for selector, rule in rules),
    ]
    return "\n" + "\n".join(lines) + "\n"
