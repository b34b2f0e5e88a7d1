"""Conversion patterns, and a table of patterns by op class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, get_args

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter

OpT = TypeVar("OpT", bound=Operation)


class ConversionPattern(ABC, Generic[OpT]):
    """Converts ops of the class in its type argument, of the classes in `ops`, or of those passed to the
    constructor. A base class such as `Operation` in the type argument matches no op."""

    op_types: tuple[type[Operation], ...]
    """The op classes that this pattern matches."""

    def __init_subclass__(cls, *, ops: tuple[type[Operation], ...] = ()) -> None:
        for base in () if ops else cls.__dict__.get("__orig_bases__", ()):
            for argument in get_args(base):
                ops += tuple(kind for kind in get_args(argument) or (argument,) if hasattr(kind, "name"))
        if ops:
            cls.op_types = ops

    def __init__(self, *ops: type[Operation]) -> None:
        if ops:
            self.op_types = ops

    @abstractmethod
    def match_and_rewrite(self, op: OpT, rewriter: ConversionRewriter) -> None:
        """Insert the lowered ops and call `rewriter.replace` or `erase`, or call `rewriter.match_failure`."""


AnyPattern: TypeAlias = ConversionPattern[Any]


class Patterns:
    """The patterns for each op class, in the order in which they are tried.

    The patterns of some dialects are imported when an op of the dialect is first visited: most programs
    have no such ops."""

    def __init__(
        self,
        patterns: Iterable[AnyPattern],
        later: Mapping[str, Callable[[], Iterable[AnyPattern]]] | None = None,
    ) -> None:
        """`later` maps each dialect to a function that imports and returns its patterns."""
        self._table = _by_class(patterns)
        self._later = dict(later or {})

    def of(self, op_type: type[Operation]) -> Sequence[AnyPattern]:
        """Return the patterns for ops of class `op_type`."""
        if self._later:
            dialect = op_type.name.partition(".")[0]
            load = self._later.get(dialect)
            if load is not None:
                # This order is safe if another thread loads the same patterns concurrently.
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
