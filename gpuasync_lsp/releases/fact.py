"""Facts about releases: each has a value for every range of LLVM releases, and a source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, Literal, NamedTuple, TypeVar, overload

T = TypeVar("T")

MEASURED = "measured"
"""The source of a fact that was measured with the release's own mlir-opt."""

Unprobed = Literal["", "builds", "debug", "hidden", "order", "runtime", "tool", "translation"]
"""The reason why no probe checks a fact with mlir-opt; empty if a probe checks it, or is yet to be written.

Only rare builds show the fact (`builds`), the fact needs debug info (`debug`), the rest of the pass undoes it
(`hidden`), only the order of a longer output shows it (`order`), the runtime library (`runtime`) or
mlir-translate (`translation`) is responsible, or the fact is about this tool (`tool`)."""


class Releases(NamedTuple):
    """A range of LLVM major versions, `since` and `until` included."""

    since: int = 0
    until: int = 0
    """The last release of the range; 0 if the range has no upper limit."""

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.since <= version and not 0 < self.until < version


NEVER = Releases(1, 1)
"""A range that contains no release that this tool supports."""


def is_in(version: int, since: int = 0, before: int = 0) -> bool:
    """Return whether LLVM `version` is at least `since` and less than `before`; 0 means no limit."""
    return version in Releases(since, before - 1 if before else 0)


class Fact(Generic[T]):
    """A property of releases: `Profile.NAME` is the fact, `profile.NAME` is its value in one release."""

    def __init__(self, steps: Mapping[int, T], source: str, unprobed: Unprobed = "") -> None:
        """Create a fact from `steps`, which maps each release that changes the value to the new value.

        The first key is 0 or 16."""
        self.steps = dict(sorted(steps.items()))
        self.source = source
        self.unprobed = unprobed
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Fact[T]: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> T: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        # Python finds the instance attribute before this descriptor.
        value = instance.__dict__[self.name] = self.value(instance.facts_of)
        return value

    def value(self, version: int) -> T:
        """Return the value in LLVM `version`; releases older than all steps have the first value."""
        begins = [begin for begin in self.steps if begin <= version]
        return self.steps[begins[-1] if begins else min(self.steps)]

    @property
    def since(self) -> int:
        """The release that introduced the newest value; 0 if all releases have the same value."""
        return max(self.steps) if len(self.steps) > 1 else 0

    def values(self) -> list[T]:
        """Return the distinct values, oldest first."""
        found: list[T] = []
        for value in self.steps.values():
            if value not in found:
                found.append(value)
        return found


def fact(*, since: int = 0, until: int = 0, source: str = MEASURED, unprobed: Unprobed = "") -> Fact[bool]:
    """Return a fact that is true in the releases `since` to `until`, both included."""
    steps = {0: not since}
    if since:
        steps[since] = True
    if until:
        steps[until + 1] = False
    return Fact(steps, source, unprobed)


def by_release(values: Mapping[int, T], source: str = MEASURED, unprobed: Unprobed = "") -> Fact[T]:
    """Return a fact whose value changes at each release in `values`, which maps releases to values."""
    return Fact(values, source, unprobed)


def names(
    always: Iterable[str] = (),
    *,
    since: Mapping[int, Iterable[str]] | None = None,
    until: Mapping[int, Iterable[str]] | None = None,
    source: str = MEASURED,
    unprobed: Unprobed = "",
) -> Fact[frozenset[str]]:
    """Return a fact with a set of names as its value.

    A release's value contains the names in `always`, those listed in `since` for this or an earlier release,
    and those listed in `until` for this or a later release."""
    ranges = [(Releases(), tuple(always))]
    ranges += [(Releases(since=first), tuple(each)) for first, each in (since or {}).items()]
    ranges += [(Releases(until=last), tuple(each)) for last, each in (until or {}).items()]
    changes = {0, *(since or {}), *(last + 1 for last in until or {})}
    return Fact(
        {
            version: frozenset(name for releases, each in ranges if version in releases for name in each)
            for version in changes
        },
        source,
        unprobed,
    )
