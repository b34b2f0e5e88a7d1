"""gpu ops on sparse matrices; all take async dependencies. LLVM 16 has none of them."""

from __future__ import annotations

from abc import ABC

from xdsl.irdl import prop_def

from gpuasync_lsp.syntax.dialects.gpu.asynchronous import AsyncOpInterface
from gpuasync_lsp.syntax.dialects.gpu.attributes import TransposeModeAttr
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.enumerations import case

NON_TRANSPOSE = case(TransposeModeAttr, "NON_TRANSPOSE")


class SparseOp(AsyncOpInterface, TableOp, ABC):
    """An op on a sparse matrix or on a handle to one."""


class _Product(SparseOp, ABC):
    """A matrix product that can transpose the left operand."""

    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)


class _ProductOfTwoModes(_Product, ABC):
    """A matrix product that can transpose both operands."""

    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)


CreateDnTensorOp = from_table("gpu.create_dn_tensor", SparseOp)
DestroyDnTensorOp = from_table("gpu.destroy_dn_tensor", SparseOp)
CreateCooOp = from_table("gpu.create_coo", SparseOp)
CreateCooAoSOp = from_table("gpu.create_coo_aos", SparseOp)
CreateCsrOp = from_table("gpu.create_csr", SparseOp)
CreateCscOp = from_table("gpu.create_csc", SparseOp)
CreateBsrOp = from_table("gpu.create_bsr", SparseOp)
Create2To4SpMatOp = from_table("gpu.create_2to4_spmat", SparseOp)
DestroySpMatOp = from_table("gpu.destroy_sp_mat", SparseOp)
SpMVBufferSizeOp = from_table("gpu.spmv_buffer_size", _Product)
SpMVOp = from_table("gpu.spmv", _Product)
SpMMBufferSizeOp = from_table("gpu.spmm_buffer_size", _ProductOfTwoModes)
SpMMOp = from_table("gpu.spmm", _ProductOfTwoModes)
SDDMMBufferSizeOp = from_table("gpu.sddmm_buffer_size", _ProductOfTwoModes)
SDDMMOp = from_table("gpu.sddmm", _ProductOfTwoModes)
SpGEMMCreateDescrOp = from_table("gpu.spgemm_create_descr", SparseOp)
SpGEMMDestroyDescrOp = from_table("gpu.spgemm_destroy_descr", SparseOp)
SpGEMMWorkEstimationOrComputeOp = from_table("gpu.spgemm_work_estimation_or_compute", _ProductOfTwoModes)
SpGEMMCopyOp = from_table("gpu.spgemm_copy", _ProductOfTwoModes)
SpMatGetSizeOp = from_table("gpu.spmat_get_size", SparseOp)
SetCsrPointersOp = from_table("gpu.set_csr_pointers", SparseOp)
