"""gpu ops on sparse matrices; all take async dependencies (none exists in LLVM 16)."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)

from gpuasync_lsp.syntax.dialects.gpu.asynchronous import AnyMemRef, AsyncByTable
from gpuasync_lsp.syntax.dialects.gpu.attributes import (
    AsyncTokenType,
    Prune2To4SpMatFlagAttr,
    SparseDnTensorHandleType,
    SparseSpGEMMOpHandleType,
    SparseSpMatHandleType,
    SpGEMMWorkEstimationOrComputeKindAttr,
    TransposeMode,
    TransposeModeAttr,
)

NON_TRANSPOSE = TransposeModeAttr(TransposeMode.NON_TRANSPOSE)


class _Product(AsyncByTable, ABC):
    """A product of which the first factor may be transposed."""

    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")


class _ProductOfTwoModes(_Product, ABC):
    """One of which the second may be transposed as well."""

    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)


@irdl_op_definition
class CreateDnTensorOp(AsyncByTable):
    name = "gpu.create_dn_tensor"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(AnyMemRef)
    dims = var_operand_def(IndexType)
    dn_tensor = result_def(SparseDnTensorHandleType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class DestroyDnTensorOp(AsyncByTable):
    name = "gpu.destroy_dn_tensor"

    async_dependencies = var_operand_def(AsyncTokenType)
    dn_tensor = operand_def(SparseDnTensorHandleType)


@irdl_op_definition
class CreateCooOp(AsyncByTable):
    name = "gpu.create_coo"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    row_idxs = operand_def(AnyMemRef)
    col_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)


@irdl_op_definition
class CreateCooAoSOp(AsyncByTable):
    name = "gpu.create_coo_aos"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)


@irdl_op_definition
class CreateCsrOp(AsyncByTable):
    name = "gpu.create_csr"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    row_pos = operand_def(AnyMemRef)
    col_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)


@irdl_op_definition
class CreateCscOp(AsyncByTable):
    name = "gpu.create_csc"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    col_pos = operand_def(AnyMemRef)
    row_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)


@irdl_op_definition
class CreateBsrOp(AsyncByTable):
    name = "gpu.create_bsr"

    async_dependencies = var_operand_def(AsyncTokenType)
    brows = operand_def(IndexType)
    bcols = operand_def(IndexType)
    bnnz = operand_def(IndexType)
    r_block_size = operand_def(IndexType)
    c_block_size = operand_def(IndexType)
    b_row_pos = operand_def(AnyMemRef)
    b_col_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)


@irdl_op_definition
class Create2To4SpMatOp(AsyncByTable):
    name = "gpu.create_2to4_spmat"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    memref = operand_def(AnyMemRef)
    prune_flag = prop_def(Prune2To4SpMatFlagAttr, prop_name="pruneFlag")
    sp_mat = result_def(SparseSpMatHandleType)


@irdl_op_definition
class DestroySpMatOp(AsyncByTable):
    name = "gpu.destroy_sp_mat"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat = operand_def(SparseSpMatHandleType)


@irdl_op_definition
class SpMVBufferSizeOp(_Product):
    name = "gpu.spmv_buffer_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dn_x = operand_def(SparseDnTensorHandleType)
    dn_y = operand_def(SparseDnTensorHandleType)
    buffer_sz = result_def(IndexType)


@irdl_op_definition
class SpMVOp(_Product):
    name = "gpu.spmv"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dn_x = operand_def(SparseDnTensorHandleType)
    dn_y = operand_def(SparseDnTensorHandleType)
    buffer = operand_def(AnyMemRef)


@irdl_op_definition
class SpMMBufferSizeOp(_ProductOfTwoModes):
    name = "gpu.spmm_buffer_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    dnmat_c = operand_def(SparseDnTensorHandleType)
    buffer_szs = var_result_def(IndexType)

    irdl_options = (AttrSizedResultSegments(as_property=True),)


@irdl_op_definition
class SpMMOp(_ProductOfTwoModes):
    name = "gpu.spmm"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    dnmat_c = operand_def(SparseDnTensorHandleType)
    buffers = var_operand_def(AnyMemRef)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class SDDMMBufferSizeOp(_ProductOfTwoModes):
    name = "gpu.sddmm_buffer_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    dnmat_a = operand_def(SparseDnTensorHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    buffer_sz = result_def(IndexType)


@irdl_op_definition
class SDDMMOp(_ProductOfTwoModes):
    name = "gpu.sddmm"

    async_dependencies = var_operand_def(AsyncTokenType)
    dnmat_a = operand_def(SparseDnTensorHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    buffer = operand_def(AnyMemRef)


@irdl_op_definition
class SpGEMMCreateDescrOp(AsyncByTable):
    name = "gpu.spgemm_create_descr"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = result_def(SparseSpGEMMOpHandleType)


@irdl_op_definition
class SpGEMMDestroyDescrOp(AsyncByTable):
    name = "gpu.spgemm_destroy_descr"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = operand_def(SparseSpGEMMOpHandleType)


@irdl_op_definition
class SpGEMMWorkEstimationOrComputeOp(_ProductOfTwoModes):
    name = "gpu.spgemm_work_estimation_or_compute"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = operand_def(SparseSpGEMMOpHandleType)
    spmat_a = operand_def(SparseSpMatHandleType)
    spmat_b = operand_def(SparseSpMatHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    buffer_sz = operand_def(IndexType)
    buffer = operand_def(AnyMemRef)
    kind = prop_def(SpGEMMWorkEstimationOrComputeKindAttr)
    buffer_sz_new = result_def(IndexType)


@irdl_op_definition
class SpGEMMCopyOp(_ProductOfTwoModes):
    name = "gpu.spgemm_copy"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = operand_def(SparseSpGEMMOpHandleType)
    spmat_a = operand_def(SparseSpMatHandleType)
    spmat_b = operand_def(SparseSpMatHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)


@irdl_op_definition
class SpMatGetSizeOp(AsyncByTable):
    name = "gpu.spmat_get_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat = operand_def(SparseSpMatHandleType)
    rows = result_def(IndexType)
    cols = result_def(IndexType)
    nnz = result_def(IndexType)


@irdl_op_definition
class SetCsrPointersOp(AsyncByTable):
    name = "gpu.set_csr_pointers"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat = operand_def(SparseSpMatHandleType)
    positions = operand_def(AnyMemRef)
    coordinates = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
