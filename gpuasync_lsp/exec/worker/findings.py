"""Findings as the worker collects them: by site number, each said once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpuasync_lsp.exec.report import Level

NO_SITE = -1


@dataclass
class Findings:
    """Collects findings; the same one at the same places is kept once."""

    limit: int = 200
    tell: Callable[[dict[str, Any]], None] | None = None
    """Told of each as it is made: a program that crashes later has no report that could hold them."""

    elsewhere: Callable[[], Findings | None] = lambda: None
    """Returns what takes the findings of the calling thread instead, if any does."""

    items: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _seen: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])

    def take(self, others: Findings) -> None:
        """Add the findings of another, in their order."""
        for each in others.items:
            related = tuple((r["site"], r["message"]) for r in each["related"])
            self.add(each["name"], each["level"], each["site"], each["message"], related)

    def add(
        self, name: str, level: Level, site: int, message: str, related: tuple[tuple[int, str], ...] = ()
    ) -> None:
        """Add a finding; `related` are pairs of site and message."""
        other = self.elsewhere()
        if other is not None:
            other.add(name, level, site, message, related)
            return
        key = (name, site, *(s for s, _ in related))
        if key in self._seen or len(self.items) >= self.limit:
            return
        self._seen.add(key)
        finding = {
            "name": name,
            "level": level,
            "site": site,
            "message": message,
            "related": [{"site": s, "message": m} for s, m in related],
        }
        self.items.append(finding)
        if self.tell is not None:
            self.tell(finding)
