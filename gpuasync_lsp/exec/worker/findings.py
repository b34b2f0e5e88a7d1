"""The worker's collection of findings, by site number, without duplicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gpuasync_lsp.exec.report import Level
from gpuasync_lsp.text.plain_json import Json

NO_SITE = -1

Key = tuple[object, ...]
"""Name and locations, which identify a finding."""

_COUNTED = {
    **dict.fromkeys(
        ("out-of-bounds", "illegal-address", "misaligned-address", "use-after-dealloc"), "accesses"
    ),
    "division-without-quotient": "divisions",
}
"""Maps names of findings about single operations to what a report counts."""


@dataclass
class Findings:
    """Collects findings, without those whose name and locations are the same as an earlier one's."""

    limit: int = 200
    on_finding: Callable[[Json], None] | None = None
    """Called immediately with each new finding, since a program that crashes later sends no report."""

    elsewhere: Callable[[], Findings | None] = lambda: None
    """Returns the calling thread's collection, to which findings are added instead; None if it has none."""

    items: list[Json] = field(default_factory=list[Json])
    latest: Key | None = None
    """The key of the latest call of `add` in this thread's collection."""

    _seen: dict[Key, Json] = field(default_factory=dict[Key, Json])
    _times: dict[Key, int] = field(default_factory=dict[Key, int])
    """Maps the key of each finding to the number of times it was added."""

    def counted(self) -> list[Json]:
        """Return the findings; the message of a repeated bad access includes their number."""
        often = {id(self._seen[key]): times for key, times in self._times.items() if key in self._seen}
        return [
            each | {"message": f"{each['message']} ({times:,} such {_COUNTED[each['name']]})"}
            if each["name"] in _COUNTED and (times := often.get(id(each), 1)) > 1
            else each
            for each in self.items
        ]

    def take(self, others: Findings) -> None:
        """Add the findings of another collection, in order."""
        for each in others.items:
            related = tuple((r["site"], r["message"]) for r in each["related"])
            self.add(each["name"], each["level"], each["site"], each["message"], related)
            key = (each["name"], each["site"], *(site for site, _ in related))
            if key in self._times:
                self._times[key] += others._times[key] - 1

    def repeat(self, key: Key, times: int) -> None:
        """Count further occurrences of a finding."""
        self._times[key] = self._times.get(key, 0) + times

    def add(
        self, name: str, level: Level, site: int, message: str, related: tuple[tuple[int, str], ...] = ()
    ) -> None:
        """Add a finding; `related` contains pairs of a site and a message."""
        other = self.elsewhere()
        if other is not None:
            other.add(name, level, site, message, related)
            self.latest = other.latest
            return
        key = self.latest = (name, site, *(s for s, _ in related))
        self._times[key] = self._times.get(key, 0) + 1
        if key in self._seen or len(self.items) >= self.limit:
            return
        finding = {
            "name": name,
            "level": level,
            "site": site,
            "message": message,
            "related": [{"site": s, "message": m} for s, m in related],
        }
        self._seen[key] = finding
        self.items.append(finding)
        if self.on_finding is not None:
            self.on_finding(finding)
