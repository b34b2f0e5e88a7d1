"""Arguments of a function that alias because a caller in the file passes one memref twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.symbols import arguments_of
from gpuasync_lsp.syntax.effects import is_memref


class Shared(NamedTuple):
    """Two arguments of a function to which some call passes the same memref."""

    callee: str
    first: int
    second: int


def shared_arguments(call: Operation, callee: str) -> Iterator[Shared]:
    """Yield the arguments of `call` that repeat the memref of an earlier argument, with the first such
    argument."""
    seen: dict[SSAValue, int] = {}
    for number, value in enumerate(arguments_of(call)):
        if is_memref(value.type):
            first = seen.setdefault(value, number)
            if first != number:
                yield Shared(callee, first, number)


def by_callee(found: Iterable[Shared]) -> Mapping[str, Mapping[int, int]]:
    """Map each function to its arguments that alias an earlier argument, each mapped to the earlier one."""
    known: dict[str, dict[int, int]] = {}
    for callee, first, second in sorted(set(found)):
        known.setdefault(callee, {}).setdefault(second, first)
    return known
