"""Creates kernels, in a gpu.module after the function, from a gpu.launch's body or from selected host ops.

Selected ops become a kernel for one thread; their memory must be accessible to the device. Offered for
consecutive ops of one block that only compute or access memory, if no later op uses their results.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis import outline_launch as outline
from gpuasync_lsp.analysis import outline_ops
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.syntax.dialects.gpu import LaunchOp
from gpuasync_lsp.text import Edit


def extract_kernel(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for a selection of whole ops."""
    if place.function is None:
        return
    edits = outline_ops(place.function, _selected(place))
    if edits is not None:
        yield "Extract to a kernel", edits


def _selected(place: Place) -> list[Operation]:
    """Return the selected ops of one block; empty if the selection contains only a part of an op."""
    function = place.function
    assert function is not None
    spans, (start, end) = function.spans, place.selection
    around = [op for op in spans.within([function.op], place.selection) if op in function.order]
    held = [op for op in around if start <= spans.op(op).start and spans.op(op).end <= end]
    if not held or held[0].parent is None:
        return []
    found = [op for op in held if op.parent is held[0].parent]
    near, _ = spans.touching(spans.statements(held[0].parent), place.selection)
    cut = [op for op in near if op not in found]
    if any(spans.op(op).start < end and start < spans.op(op).end for op in cut):
        return []
    return found


def outline_launch(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for a gpu.launch whose body refers to no symbol."""
    if place.function is None or not isinstance(place.op, LaunchOp):
        return
    edits = outline(place.function, place.op)
    if edits is not None:
        yield "Outline the kernel", edits
