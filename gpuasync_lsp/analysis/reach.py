"""Accesses to inaccessible memory: to device memory by the host, and to host memory by kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, Buffer
from gpuasync_lsp.analysis.model.kernels import RUNNER_READS
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Side
from gpuasync_lsp.analysis.wording import at_op
from gpuasync_lsp.text import Related

_MOST_LISTED = 3
"""The maximum number of other accesses to a buffer that a finding lists."""


def out_of_reach(
    function: AsyncFunction, side: Side, is_out_of_reach: Callable[[Buffer], bool]
) -> Iterator[tuple[Buffer, list[Access]]]:
    """Yield each buffer that `side` accesses although all of its memory is inaccessible, with the accesses.

    The accesses are in text order."""
    if not any(map(is_out_of_reach, function.buffers)):
        return
    found: dict[Buffer, list[Access]] = {}
    for node in function.nodes:
        for step in node.steps if node in function.reached else ():
            for access in step.accesses:
                if (
                    access.side is side
                    and _is_sure(access)
                    and all(is_out_of_reach(each) for each in access.buffer.all)
                ):
                    found.setdefault(access.buffer, []).append(access)
    for buffer, accesses in found.items():
        yield buffer, sorted(accesses, key=lambda access: function.order[access.op])


def _is_sure(access: Access) -> bool:
    return access.sure or (callee_of(access.op) or "").startswith(RUNNER_READS)


def doer(op: Operation) -> str:
    """Describe the code that accesses memory at `op`: its callee, or the op."""
    callee = callee_of(op)
    return f"@{callee}" if callee is not None else f"This {op.name}"


def places(function: AsyncFunction, buffer: Buffer, accesses: list[Access]) -> tuple[Related, ...]:
    """Return the allocations of `buffer`, and some of its other accesses, as related locations."""
    owners = dict.fromkeys(each.op for each in buffer.all if each.op is not None)
    others = list(dict.fromkeys(access.op for access in accesses))[1 : 1 + _MOST_LISTED]
    return (
        *(place for op in owners for place in at_op(function, op, "allocated here")),
        *(place for op in others for place in at_op(function, op, "touched here, too")),
    )
