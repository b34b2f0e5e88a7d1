"""Regular expressions that are compiled when they are first used.

A short command uses few of those of the modules that it imports. For patterns that are
used rarely; one that is in every text is better compiled at once.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """What `lazy_pattern` returns: has the attributes of the pattern, which `compiled` is."""

    def __init__(self, text: str, flags: int) -> None:
        self.text = text
        self.flags_given = flags

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self.text, self.flags_given)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the pattern; the next time it is found without this."""
        found = getattr(self.compiled, name)
        setattr(self, name, found)
        return found


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern `text`, whose mistakes show when it is first used (tests use them all).

    Only its methods and attributes may be used: no function of `re` takes it.
    """
    return cast("re.Pattern[str]", LazyPattern(text, flags))
