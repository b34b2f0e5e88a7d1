"""Windows: subviews that keep all dimensions and have unit strides."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.places import DYNAMIC, is_ranked


def offsets_of_window(view: Operation) -> list[int | SSAValue] | None:
    """Return the offset of a memref.subview in each dimension; None if it is not a window."""
    offsets, strides = (
        [int(number) for number in getattr(view.properties.get(name), "get_values", tuple[int, ...])()]
        for name in ("static_offsets", "static_strides")
    )
    types = (view.operands[0].type, view.results[0].type)
    ranks = {len(type.get_shape()) if is_ranked(type) else -1 for type in types}
    if ranks != {len(offsets)} or any(stride != 1 for stride in strides):
        return None
    given = iter(view.operands[1:])
    return [offset if offset != DYNAMIC else next(given) for offset in offsets]
