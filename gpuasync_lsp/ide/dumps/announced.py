"""Passes that a dump announces, and whose results are shown where the next ones are announced.

With `--mlir-print-ir-before-all` alone no section says which pass it is the result of. A section shows what
all passes did that have begun since on what it prints: those of a module are shown function by function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gpuasync_lsp.ide.dumps.sections import Section


@dataclass(slots=True)
class _Begun:
    section: Section
    shown: set[str] = field(default_factory=set[str])
    """The scopes in it that were printed since."""


class Announced:
    """The passes that have begun and whose end was not printed."""

    def __init__(self, ends_later: Callable[[Section], bool]) -> None:
        self._begun: dict[str, _Begun] = {}
        self._ends_later = ends_later
        """Whether the rest of the dump shows that the pass of a section has ended."""

    def begin(self, section: Section) -> None:
        """Record that the pass of `section` starts."""
        self._begun.pop(section.scope, None)
        self._begun[section.scope] = _Begun(section)

    def ended(self, scope: str) -> None:
        """Note that the pass on `scope` ended, and said so."""
        self._begun.pop(scope, None)

    def shown(self, scope: str) -> tuple[Section | None, bool]:
        """Return the pass whose result a section that prints `scope` shows, and whether it is the first.

        What has been shown as a whole is forgotten. Passes on several functions of a module that is printed
        are one, which has all their names."""
        whole: list[_Begun] = []
        part: _Begun | None = None
        for name, begun in list(self._begun.items()):
            if self._ends_later(begun.section):
                # It runs others in between (`inline`), each of which shows what it has done so far.
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
        """Forget all."""
        self._begun.clear()

    def unseen(self) -> list[Section]:
        """Return the passes of whose results nothing was shown."""
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
    """Return whether `other` is `scope`, or lies in it, judged by their names."""
    if scope == other or scope.startswith("builtin.module"):
        return True
    return scope.startswith("gpu.module") and other.startswith("gpu.func")
