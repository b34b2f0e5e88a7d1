"""bufferization: allocations of tensors, deallocations, materialization in destinations."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedMemRefType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import VerifierError, View, shaped


def _alloc_tensor(view: View) -> str | VerifierError | None:
    of_result = view.op.results[0].type
    copied, sizes = view.types("copy"), view.values("dynamic_sizes")
    if copied and sizes:
        return VerifierError("dynamic sizes not needed when copying a tensor", bare=True)
    if copied:
        if copied[0] != of_result:
            return VerifierError("expected that `copy` and return type match", bare=True)
        return None
    wanted = sum(size < 0 for size in shaped(of_result)[0])
    if len(sizes) == wanted:
        return None
    words = f"'{view.op.name}' op incorrect number of dynamic sizes, has {len(sizes)}, expected {wanted}"
    return VerifierError(words, 22, bare=True, earlier=f"expected {wanted} dynamic sizes")


def _dealloc(view: View) -> str | None:
    if view.count("memrefs") != view.count("conditions"):
        return "must have the same number of conditions as memrefs to deallocate"
    if view.count("retained") != len(view.op.results):
        return "must have the same number of updated conditions (results) as retained operands"
    return None


def _materialize_in_destination(view: View) -> str | None:
    source, target = view.type("source"), view.type("dest")
    is_tensor = target.name in ("tensor", "unranked_tensor")
    is_memref = isinstance(target, (MemRefType, UnrankedMemRefType))
    if not is_tensor and not is_memref:
        return "'dest' must be a tensor or a memref"
    results = view.op.results
    if is_tensor:
        if len(results) != 1:
            return "tensor 'dest' implies exactly one tensor result"
        if results[0].type != target:
            return "result and 'dest' types must match"
    if is_memref and results:
        return "memref 'dest' implies zero results"
    if view.attribute("restrict") is not None and not is_memref:
        return "'restrict' is valid only for memref destinations"
    if (view.attribute("writable") is not None) != is_memref:
        return "'writable' must be specified if and only if the destination is of memref type"
    if isinstance(source, TensorType) and isinstance(target, (TensorType, MemRefType)):
        before, after = shaped(cast(Attribute, source))[0], shaped(cast(Attribute, target))[0]
        if len(before) != len(after):
            return "rank mismatch between source and destination shape"
        if any(a >= 0 and b >= 0 and a != b for a, b in zip(before, after, strict=True)):
            return "source/destination shapes are incompatible"
    return None


CHECKS = {
    "bufferization.alloc_tensor": _alloc_tensor,
    "bufferization.dealloc": _dealloc,
    "bufferization.materialize_in_destination": _materialize_in_destination,
}
