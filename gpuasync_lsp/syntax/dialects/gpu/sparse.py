"""gpu ops on sparse matrices; all take async dependencies (none exists in LLVM 16)."""

from __future__ import annotations

from abc import ABC

from xdsl.irdl import prop_def

from gpuasync_lsp.syntax.dialects.gpu.asynchronous import AsyncOpInterface
from gpuasync_lsp.syntax.dialects.gpu.attributes import TransposeModeAttr
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.enumerations import case

NON_TRANSPOSE = case(TransposeModeAttr, "NON_TRANSPOSE")


class _Sparse(AsyncOpInterface, TableOp, ABC):
    """An op on a sparse matrix, or on a handle of one."""


class _Product(_Sparse, ABC):
    """A product of which the first factor may be transposed."""

    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)


class _ProductOfTwoModes(_Product, ABC):
    """One of which the second may be transposed as well."""

    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)


CreateDnTensorOp = from_table("gpu.create_dn_tensor", _Sparse)
DestroyDnTensorOp = from_table("gpu.destroy_dn_tensor", _Sparse)
CreateCooOp = from_table("gpu.create_coo", _Sparse)
CreateCooAoSOp = from_table("gpu.create_coo_aos", _Sparse)
CreateCsrOp = from_table("gpu.create_csr", _Sparse)
CreateCscOp = from_table("gpu.create_csc", _Sparse)
CreateBsrOp = from_table("gpu.create_bsr", _Sparse)
Create2To4SpMatOp = from_table("gpu.create_2to4_spmat", _Sparse)
DestroySpMatOp = from_table("gpu.destroy_sp_mat", _Sparse)
SpMVBufferSizeOp = from_table("gpu.spmv_buffer_size", _Product)
SpMVOp = from_table("gpu.spmv", _Product)
SpMMBufferSizeOp = from_table("gpu.spmm_buffer_size", _ProductOfTwoModes)
SpMMOp = from_table("gpu.spmm", _ProductOfTwoModes)
SDDMMBufferSizeOp = from_table("gpu.sddmm_buffer_size", _ProductOfTwoModes)
SDDMMOp = from_table("gpu.sddmm", _ProductOfTwoModes)
SpGEMMCreateDescrOp = from_table("gpu.spgemm_create_descr", _Sparse)
SpGEMMDestroyDescrOp = from_table("gpu.spgemm_destroy_descr", _Sparse)
SpGEMMWorkEstimationOrComputeOp = from_table("gpu.spgemm_work_estimation_or_compute", _ProductOfTwoModes)
SpGEMMCopyOp = from_table("gpu.spgemm_copy", _ProductOfTwoModes)
SpMatGetSizeOp = from_table("gpu.spmat_get_size", _Sparse)
SetCsrPointersOp = from_table("gpu.set_csr_pointers", _Sparse)
