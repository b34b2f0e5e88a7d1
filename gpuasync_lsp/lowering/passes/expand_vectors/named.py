"""Access by name to the operands, attributes and results of ops without a handwritten class."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, groups
from gpuasync_lsp.syntax.ods.operation import OdsOperation

_WORD = re.compile(r"(?<=[a-z])([A-Z])")


class Named:
    """The operands, attributes and results of an op, by their names in the op's definition, in snake_case.

    If releases use different names for one of them, access it by its position.
    """

    def __init__(self, op: OdsOperation) -> None:
        self.operands, self.results = op.operands, op.results
        self._found: dict[str, object] = {}
        for definitions, values, segments in (
            (op.variant.operands, op.operands, SEGMENTS[0]),
            (op.variant.results, op.results, SEGMENTS[1]),
        ):
            several = {name: each.variadic for name, each in definitions}
            for name, group in (groups(op, definitions, values, segments) or {}).items():
                self._found[_snake(name)] = tuple(group) if several.get(name) else _only(group)
        for name in op.variant.attributes:
            self._found[_snake(name)] = op.get_attr_or_prop(name)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._found[name]
        except KeyError:
            raise AttributeError(name) from None


def named(op: Operation) -> Any:
    """Return `op` if its class has typed fields, otherwise a `Named` view with the same fields."""
    return Named(op) if isinstance(op, OdsOperation) else op


def _snake(name: str) -> str:
    return _WORD.sub(lambda found: f"_{found[1].lower()}", name)


def _only(group: Sequence[SSAValue]) -> SSAValue:
    (value,) = group
    return value
