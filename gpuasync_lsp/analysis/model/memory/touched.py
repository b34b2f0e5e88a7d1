"""The combined accesses of a set of ops, for comparison with other ops."""

from __future__ import annotations

from collections.abc import Iterable

from gpuasync_lsp.analysis.model.function import Access, AsyncOp
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.coverage import touch_other_bytes
from gpuasync_lsp.analysis.model.memory.parts import have_nothing_in_common, unmoved
from gpuasync_lsp.analysis.model.memory.regions import Overlap, compare
from gpuasync_lsp.syntax.effects import Mode


class Touched:
    """The memory that a set of ops reads and writes, for comparison with other ops."""

    def __init__(self, ops: Iterable[AsyncOp] = ()) -> None:
        self.all: dict[Buffer, list[Access]] = {}
        self.written: dict[Buffer, list[Access]] = {}
        self.sure = True
        """Whether all accesses of the ops are known."""
        for op in ops:
            self.add(op)

    def add(self, op: AsyncOp) -> None:
        """Add the accesses of `op`."""
        for access in op.accesses:
            self.sure = self.sure and access.sure
            for buffer in access.buffer.all:
                self.all.setdefault(buffer, []).append(access)
                if access.mode is not Mode.READ:
                    self.written.setdefault(buffer, []).append(access)

    def is_apart_from(self, op: AsyncOp) -> bool:
        """Return whether `op` is certain not to conflict with these accesses."""
        return self.sure and all(
            access.sure and all(_apart(access, other) for other in self._against(access))
            for access in op.accesses
        )

    def _against(self, access: Access) -> list[Access]:
        known = self.written if access.mode is Mode.READ else self.all
        return [other for buffer in access.buffer.all for other in known.get(buffer, [])]


def _apart(first: Access, second: Access) -> bool:
    """Return whether two accesses to one buffer are certain to touch disjoint parts."""
    if first.buffer is not second.buffer:
        return False
    if compare(first.region, second.region, {}, {}) is Overlap.NONE:
        return True
    known = first.parts is not None or second.parts is not None
    return (
        known
        and have_nothing_in_common(
            first.all_parts, first.region, second.all_parts, second.region, unmoved, atomics_agree=False
        )
    ) or touch_other_bytes(first, first.region, second, second.region, atomics_agree=False)
