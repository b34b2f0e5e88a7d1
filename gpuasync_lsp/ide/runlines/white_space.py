"""White space in FileCheck: unless it is strict, a run of spaces and tabs counts as one space.

LLVM's FileCheck canonicalizes the text and the whole file of checks, including `{{...}}` and `[[NAME:...]]`
(`FileCheck::CanonicalizeFile`, llvm/lib/FileCheck/FileCheck.cpp); the package `filecheck` does so only
outside of such parts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filecheck.ops import CheckOp

_RUN = re.compile(r"[ \t]+")


def canonical(text: str) -> str:
    """Return `text` with one space for each run of spaces and tabs."""
    return _RUN.sub(" ", text)


def places_in(text: str, places: Mapping[str, int]) -> dict[str, int]:
    """Map named positions (`places`) in the canonical form of `text` to positions in `text`."""
    runs = [run.span() for run in _RUN.finditer(text)]
    gone = [0, *accumulate(end - start - 1 for start, end in runs)]
    starts = [start - lost for (start, _), lost in zip(runs, gone, strict=False)]
    return {name: place + gone[bisect_left(starts, place)] for name, place in places.items()}


def canonicalize_expressions(checks: Iterable[CheckOp]) -> None:
    """Canonicalize the regular expressions of checks in place."""
    from filecheck.ops import RE, Capture

    for check in checks:
        for number, part in enumerate(check.uops):
            if isinstance(part, RE):
                check.uops[number] = RE(canonical(part.content))
            elif isinstance(part, Capture):
                check.uops[number] = replace(part, pattern=canonical(part.pattern))
