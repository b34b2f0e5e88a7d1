"""Defects of this tool in a run: one message with the line that was worked on, never a traceback."""

from __future__ import annotations


def defect(doing: str, error: Exception) -> str:
    """Return what is said of `error`, which no program can be to blame for."""
    said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(": ")
    return (
        f"internal error of gpuasync-lsp in {doing}: {said} "
        "(a defect of this tool, not of the program: please report it with the program)"
    )
