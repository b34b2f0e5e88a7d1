"""`gpu-map-parallel-loops`: maps the dimensions of each scf.parallel to processors of a GPU.

Source: the output of each release. The outermost loops are mapped to blocks, loops directly inside them
to threads; deeper loops and dimensions beyond the third are sequential. A loop that already has a
mapping is left unchanged, with the loops inside it. A loop with a different op between it and the
enclosing loop gets no mapping. The option `mapping-policy` exists from LLVM 22 on.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, StringAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.syntax.dialects import scf
from gpuasync_lsp.syntax.dialects.gpu.attributes import ParallelLoopDimMappingAttr
from gpuasync_lsp.text.effort import spend

MAPPING = "mapping"
OUTERMOST_FIRST, INNERMOST_FIRST = POLICIES = ("outermost-first", "innermost-first")
SEQUENTIAL = "sequential"
_LEVELS = ("block", "thread")
_AXES = ("x", "y", "z")


def gpu_map_parallel_loops(function: Operation, policy: str = OUTERMOST_FIRST) -> None:
    """Map the loops inside `function` in place; `policy` selects the dimension that is mapped to x."""
    # Traverse top-down, to determine whether a loop is nested in another loop at any depth.
    pending = [(function, False)]
    while pending:
        op, in_loop = pending.pop()
        spend()
        if isinstance(op, scf.ParallelOp):
            if not in_loop:
                _map(op, policy)
            in_loop = True
        pending += (
            (inner, in_loop) for region in op.regions for block in region.blocks for inner in block.ops
        )


def _map(outermost: scf.ParallelOp, policy: str) -> None:
    pending = [(outermost, 0)]
    while pending:
        loop, level = pending.pop()
        if MAPPING in loop.attributes:
            continue
        count = len(loop.body.blocks[0].args)
        loop.attributes[MAPPING] = ArrayAttr(
            [_dimension(each, count, level, policy) for each in range(count)]
        )
        nested = (op for op in loop.body.blocks[0].ops if isinstance(op, scf.ParallelOp))
        pending += ((op, level + 1) for op in nested)


def _dimension(number: int, count: int, level: int, policy: str) -> ParallelLoopDimMappingAttr:
    mapped = min(count, len(_AXES))
    processor = SEQUENTIAL
    if level < len(_LEVELS) and number < mapped:
        axis = number if policy == OUTERMOST_FIRST else mapped - 1 - number
        processor = f"{_LEVELS[level]}_{_AXES[axis]}"
    identity = AffineMapAttr(AffineMap.identity(1))
    return ParallelLoopDimMappingAttr(StringAttr(processor), identity, identity)
