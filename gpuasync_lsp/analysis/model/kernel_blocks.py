"""Runs the thread blocks of an item's kernels for the known launch sizes, and records their faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.context import FileContext, KernelInfo, Sizes, sizes_of
from gpuasync_lsp.analysis.model.memory.every_thread import Size
from gpuasync_lsp.analysis.model.memory.linear import Integers
from gpuasync_lsp.analysis.model.memory.one_block import Found, Kernel
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchOp
from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.syntax.symbols import symbol_name
from gpuasync_lsp.text.recent import recent

_MOST_SIZES = 3
"""The maximum number of launch sizes that are run per kernel."""


class Inspected(NamedTuple):
    """A kernel, its block size in one launch, and the findings for this size."""

    kernel: Kernel
    block: Size | None
    """The block size; None if no size is known, in which case the kernel is not run."""
    found: Found


def inspected(item: Item, context: FileContext, profile: Profile) -> tuple[Inspected, ...]:
    """Return the kernels of `item` that have barriers or shared memory, once per known block size."""
    if "gpu.func" not in item.text and "gpu.launch" not in item.text:
        return ()
    kept = recent(item.memo, "analysis.blocks")
    key = (context.key(item), profile.known_sizes_prefix)
    known: tuple[Inspected, ...] | None = kept.get(key)
    return known if known is not None else kept.keep(key, tuple(_inspect(item, context, profile)))


def _inspect(item: Item, context: FileContext, profile: Profile) -> Iterator[Inspected]:
    for op in (inner for outer in item.ops for inner in outer.walk()):
        if op.name not in ("gpu.func", "gpu.launch") or not op.regions or not op.regions[-1].blocks:
            continue
        if op.name == "gpu.func" and "kernel" not in op.properties and "gpu.kernel" not in op.attributes:
            continue
        kernel = Kernel(op)
        if not kernel.shares_memory() and not kernel.barriers():
            continue
        sizes = [sizes_of(op, Integers())] if isinstance(op, LaunchOp) else list(_sizes(op, context, profile))
        known = [each for each in sizes if len(each.block) == 3 and None not in each.block][:_MOST_SIZES]
        for each in known:
            block = cast("Size", each.block)
            yield Inspected(kernel, block, _found(kernel, block, each))
        if not known:
            yield Inspected(kernel, None, Found())


def _found(kernel: Kernel, block: Size, sizes: Sizes) -> Found:
    first = kernel.inspect(block, (0, 0, 0), sizes.grid, sizes.arguments)
    last = tuple((size or 1) - 1 for size in sizes.grid)
    if first.divergent is not None or None in sizes.grid or not any(last):
        return first
    # The last block is run too, since a guard such as `id < n` usually exists for that block.
    other = kernel.inspect(block, cast("Size", last), sizes.grid, sizes.arguments)
    return Found(first.unordered or other.unordered, other.divergent, first.decided)


def _sizes(op: Operation, context: FileContext, profile: Profile) -> Iterator[Sizes]:
    module = op.parent_op()
    symbol = (symbol_name(module) if module is not None else "", symbol_name(op))
    info: KernelInfo | None = context.kernels.get(symbol)
    declared = info.declared if info is not None else None
    size = declared and (
        declared.first("nvvm.reqntid") or declared.known("block", profile.known_sizes_prefix)
    )
    launches = sorted((sizes for known, sizes in context.sizes if known == symbol), key=repr)
    if size:
        matching = [each for each in launches if each.block == size[1]]
        yield from matching or [Sizes((None, None, None), size[1])]
    else:
        yield from launches
