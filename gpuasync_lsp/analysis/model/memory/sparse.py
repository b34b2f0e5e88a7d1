"""Memory effects of sparse ops: products access the memory of their handles; ops that create handles do not.

Source: the cuSPARSE calls of LLVM's runtime (`CudaRuntimeWrappers.cpp`). cusparseCreate... stores pointers,
cusparse..._bufferSize returns a size, and products accumulate into their result, because beta is 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.effects import Mode, is_memref

_HANDLES = frozenset({"gpu.sparse.dntensor_handle", "gpu.sparse.spmat_handle"})
_MAKING = frozenset(f"gpu.create_{kind}" for kind in ("dn_tensor", "coo", "coo_aos", "csr", "csc", "bsr"))
_PRODUCTS = frozenset(
    {"gpu.spmv", "gpu.spmm", "gpu.sddmm", "gpu.spgemm_copy", "gpu.spgemm_work_estimation_or_compute"}
)
"""Ops that compute a product; the last handle operand is its result."""
_SETTING = "gpu.set_csr_pointers"
_KEEPING = frozenset(
    {"gpu.destroy_dn_tensor", "gpu.destroy_sp_mat", "gpu.spmat_get_size", _SETTING}
    | {f"gpu.{name}_buffer_size" for name in ("spmv", "spmm", "sddmm")}
)
"""Ops that use handles without accessing memory."""


class Touch(NamedTuple):
    """An access to a memref by a sparse op."""

    memref: SSAValue
    mode: Mode
    sure: bool


def touches_of(op: Operation) -> Iterator[Touch]:
    """Yield the accesses of `op` to its memrefs, and to the memrefs of its handles.

    If an op that is not a sparse op uses a handle, the handle's memory counts as accessed where the handle is
    created.
    """
    is_known = op.name in _PRODUCTS or op.name in _KEEPING or (op.name in _MAKING and _is_tracked(op))
    if not is_known or op.name in _PRODUCTS:
        yield from (Touch(value, Mode.BOTH, sure=False) for value in op.operands if is_memref(value.type))
    handles = [value for value in op.operands if value.type.name in _HANDLES] if op.name in _PRODUCTS else []
    for handle in handles:
        made = handle.owner
        if isinstance(made, Operation) and made.name in _MAKING and _is_tracked(made):
            memrefs = list(_memrefs_of_handle(handle, made))
            for memref in memrefs:
                is_result = handle is handles[-1] and memref is memrefs[-1]
                yield Touch(memref, Mode.BOTH if is_result else Mode.READ, sure=True)


def _memrefs_of_handle(handle: SSAValue, made: Operation) -> Iterator[SSAValue]:
    """Yield the memrefs of a handle; the values of a matrix come last."""
    setting = [use.operation for use in handle.uses if use.operation.name == _SETTING]
    for op in (made, *setting):
        yield from (value for value in op.operands if is_memref(value.type))


def _is_tracked(made: Operation) -> bool:
    handles = [result for result in made.results if result.type.name in _HANDLES]
    return all(use.operation.name in _PRODUCTS | _KEEPING for handle in handles for use in handle.uses)
