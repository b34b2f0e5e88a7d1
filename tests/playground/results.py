"""The package's results for the examples, to compare this Python with that of the playground."""

from __future__ import annotations

from pathlib import Path
from typing import Any

RELEASES = (16, 22, 24)


def results(examples: Path) -> dict[str, Any]:
    """Return for each example and release the findings, the fixed text, the lowering and the streams."""
    import gpuasync_lsp

    found: dict[str, Any] = {}
    for path in sorted(examples.glob("*/*.mlir")):
        text = path.read_text(encoding="utf-8")
        for llvm in RELEASES:
            found[f"{path.parent.name}/{path.name} in {llvm}"] = [
                [str(problem) for problem in gpuasync_lsp.check(text, llvm=llvm)],
                gpuasync_lsp.fix(text, llvm=llvm),
                _lowered(text, llvm),
                str(gpuasync_lsp.streams(text, llvm=llvm)),
            ]
    return found


def _lowered(text: str, llvm: int) -> str:
    import gpuasync_lsp

    try:
        return gpuasync_lsp.lower(text, llvm=llvm)
    except gpuasync_lsp.NotUsable as error:
        return f"not lowered: {error}"
