"""Regular expressions that are compiled on first use.

A short command uses few of the patterns in the modules that it imports. Use this only for rarely used
patterns.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """The result of `lazy_pattern`, with the attributes of the compiled pattern."""

    def __init__(self, text: str, flags: int) -> None:
        self.text = text
        self.flags_given = flags

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.text, self.flags_given)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, and store it for later."""
        found = getattr(self.compiled, name)
        setattr(self, name, found)
        return found


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern `text`, compiled on first use; syntax errors are raised only then.

    Use only its methods and attributes, since functions of `re` do not accept it.
    """
    return cast("re.Pattern[str]", LazyPattern(text, flags))
