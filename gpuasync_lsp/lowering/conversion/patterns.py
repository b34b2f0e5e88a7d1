"""Patterns: how the ops of some classes are converted, and the table of them by class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter

OpT = TypeVar("OpT", bound=Operation)


class ConversionPattern(ABC, Generic[OpT]):
    """How the ops of some classes are converted."""

    op_types: tuple[type[Operation], ...]
    """The classes that this pattern takes."""

    @abstractmethod
    def match_and_rewrite(self, op: OpT, rewriter: ConversionRewriter) -> None:
        """Insert what `op` becomes and call `rewriter.replace` or `erase`, or call `rewriter.refuse`."""


AnyPattern: TypeAlias = ConversionPattern[Any]


class Patterns:
    """Patterns by the op classes that they take, first come, first tried.

    Those of some dialects are imported when an op of the dialect is first met: most programs have none."""

    def __init__(
        self,
        patterns: Iterable[AnyPattern],
        later: Mapping[str, Callable[[], Iterable[AnyPattern]]] | None = None,
    ) -> None:
        """Take `patterns`, and by dialect what gives those of `later`."""
        self._table = _by_class(patterns)
        self._later = dict(later or {})

    def of(self, op_type: type[Operation]) -> Sequence[AnyPattern]:
        """Return the patterns that take an op of `op_type`."""
        if self._later:
            dialect = op_type.name.partition(".")[0]
            load = self._later.get(dialect)
            if load is not None:
                # In this order, another thread that comes in between does the same.
                self._table = self._table | _by_class(load())
                self._later.pop(dialect, None)
        return self._table.get(op_type, ())


def _by_class(
    patterns: Iterable[AnyPattern],
) -> dict[type[Operation], list[AnyPattern]]:
    table: dict[type[Operation], list[AnyPattern]] = {}
    for pattern in patterns:
        for op_type in pattern.op_types:
            table.setdefault(op_type, []).append(pattern)
    return table
