"""Writes the generated parts of docs/semantics.md: programs, runtime calls and stream diagrams.

    python -m tools.semantics_page

In the page, `<!-- program NAME -->` is followed by the text of docs/semantics/NAME.mlir, and
`<!-- calls NAME 22 -->` by the runtime calls that LLVM 22 lowers it to. `images/semantics/NAME-22.svg` is the
diagram of its streams in LLVM 22.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpuasync_lsp import api
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.streams import stream_view
from gpuasync_lsp.text import LineIndex

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "semantics.md"

_BLOCK = re.compile(r"<!-- (program|calls) (\w+)(?: (\d+))? -->\n(?:```\w*\n.*?^```\n)?", re.M | re.S)
_PICTURE = re.compile(r"images/semantics/(\w+)-(\d+)\.svg")
_CALL = re.compile(r"(?:(%\w+) = )?llvm\.call @(mgpu\w+)\((.*?)\)|(gpu\.launch_func) +<(%\w+)")
_MADE = {"mgpuStreamCreate": "stream", "mgpuEventCreate": "event", "mgpuMemAlloc": "buffer"}


def files() -> Iterator[tuple[Path, str]]:
    """Yield each generated file with its up-to-date text: the page, then its diagrams."""
    text = PAGE.read_text()
    yield PAGE, _BLOCK.sub(_block, text)
    for name, release in sorted(set(_PICTURE.findall(text))):
        yield PAGE.parent / "images" / "semantics" / f"{name}-{release}.svg", _picture(name, int(release))


def _program(name: str) -> Path:
    return PAGE.parent / "semantics" / f"{name}.mlir"


def _block(match: re.Match[str]) -> str:
    kind, name, release = match.groups()
    text = _program(name).read_text()
    language, shown = ("mlir", text) if kind == "program" else ("text", _calls(text, int(release)))
    return f"{match[0].partition(chr(10))[0]}\n```{language}\n{shown}```\n"


def _calls(text: str, release: int) -> str:
    """Return the runtime calls that LLVM `release` lowers `text` to, one per line, with readable handle
    names."""
    try:
        lowered = api.lower(text, llvm=release)
    except api.NotUsable as error:
        return f"{error}\n"
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    lines: list[str] = []
    for result, callee, operands, launch, stream in _CALL.findall(lowered):
        if launch:
            lines.append(f"launch on {names[stream]}")
            continue
        made = _MADE.get(callee)
        if made:
            names[result] = f"{made}{counts[made]}"
            counts[made] += 1
        handles = [names.get(operand, "token") for operand in operands.split(", ") if operand]
        if callee in {"mgpuMemAlloc", "mgpuMemcpy", "mgpuMemFree"}:  # sizes and pointers are no matter here
            handles = ["..."] + [handle for handle in handles if handle.startswith("stream")]
        lines.append((f"{names[result]} = " if made else "") + f"{callee}({', '.join(handles)})")
    return "".join(f"{line}\n" for line in lines)


def _picture(name: str, release: int) -> str:
    path = _program(name)
    state = file_state(LineIndex(path.read_text()), None, SettingsResolver(Settings(llvm=release)))
    return stream_view(state, "svg").text


if __name__ == "__main__":
    for path, text in files():
        path.write_text(text)
