"""What is said of a defect of this tool: one message that names the work, never a traceback."""

from __future__ import annotations

_BEGINNING = "internal error of gpuasync-lsp"


def defect(doing: str, error: Exception) -> str:
    """Return what is said of `error`, which ended `doing` and for which no program can be to blame."""
    said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(": ")
    return (
        f"{_BEGINNING} in {doing}: {said} "
        "(a defect of this tool, not of the program: please report it with the program)"
    )


def is_defect(said: str) -> bool:
    """Tell whether a message is that of a defect, and so says nothing of a release."""
    return said.startswith(_BEGINNING)
