"""Passes whose start a dump shows, but whose results appear only after the headers of later passes.

With `--mlir-print-ir-before-all` alone, no section names the pass whose result it shows. A section shows the
result of all passes on its op that started before it. The result of a module pass may appear function by
function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gpuasync_lsp.ide.dumps.sections import Section


@dataclass(slots=True)
class _Begun:
    section: Section
    shown: set[str] = field(default_factory=set[str])
    """The scopes inside the pass's scope that sections have printed since the pass started."""


class Announced:
    """The passes that have started and whose end was not printed."""

    def __init__(self, ends_later: Callable[[Section], bool]) -> None:
        self._begun: dict[str, _Begun] = {}
        self._ends_later = ends_later
        """Given a section, returns whether a later section shows the end of its pass."""

    def begin(self, section: Section) -> None:
        """Record that the pass of `section` starts."""
        self._begun.pop(section.scope, None)
        self._begun[section.scope] = _Begun(section)

    def ended(self, scope: str) -> None:
        """Record that the end of the pass on `scope` was printed."""
        self._begun.pop(scope, None)

    def shown(self, scope: str) -> tuple[Section | None, bool]:
        """Return the pass whose result a section for `scope` shows, and whether it is the first such section.

        Passes whose whole scope was shown are dropped. Passes on several functions of a printed module are
        returned as one, whose name lists them all."""
        whole: list[_Begun] = []
        part: _Begun | None = None
        for name, begun in list(self._begun.items()):
            if self._ends_later(begun.section):
                # This pass runs other passes (as `inline` does), whose sections show its effect so far.
                if _holds(scope, name) or _holds(name, scope):
                    part = begun
            elif _holds(scope, name):
                whole.append(begun)
                del self._begun[name]
            elif _holds(name, scope) and scope not in begun.shown:
                part = begun
        found = whole or ([part] if part is not None else [])
        is_first = not all(begun.shown for begun in found)
        for begun in found:
            begun.shown.add(scope)
        return _together([begun.section for begun in found], scope), is_first

    def clear(self) -> None:
        """Forget all started passes."""
        self._begun.clear()

    def unseen(self) -> list[Section]:
        """Return the passes whose results were never shown."""
        return [begun.section for begun in self._begun.values() if not begun.shown]


def _together(found: list[Section], scope: str) -> Section | None:
    if len(found) < 2:
        return found[0] if found else None
    names = dict.fromkeys(section.name for section in found)
    arguments = dict.fromkeys(section.pass_name for section in found)
    options = found[0].options if len(arguments) == 1 else ""
    return replace(
        found[-1], name=", ".join(names), argument=", ".join(arguments), options=options, scope=scope
    )


def _holds(scope: str, other: str) -> bool:
    """Return whether `other` is `scope`, or nested in it, judging by their names."""
    if scope == other or scope.startswith("builtin.module"):
        return True
    return scope.startswith("gpu.module") and other.startswith("gpu.func")
