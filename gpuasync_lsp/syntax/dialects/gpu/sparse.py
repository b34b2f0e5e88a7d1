"""gpu ops on sparse matrices; all take async dependencies (none exists in LLVM 16)."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    irdl_op_definition,
    operand_def,
    opt_result_def,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)

from gpuasync_lsp.syntax.dialects.gpu.assembly import AsyncDependencies
from gpuasync_lsp.syntax.dialects.gpu.asynchronous import AnyMemRef, AsyncOpInterface
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


@irdl_op_definition
class CreateDnTensorOp(AsyncOpInterface):
    name = "gpu.create_dn_tensor"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(AnyMemRef)
    dims = var_operand_def(IndexType)
    dn_tensor = result_def(SparseDnTensorHandleType)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$memref `,` $dims attr-dict `:` type($dims) `into` type($memref)"
    )


@irdl_op_definition
class DestroyDnTensorOp(AsyncOpInterface):
    name = "gpu.destroy_dn_tensor"

    async_dependencies = var_operand_def(AsyncTokenType)
    dn_tensor = operand_def(SparseDnTensorHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) $dn_tensor attr-dict"
    )


@irdl_op_definition
class CreateCooOp(AsyncOpInterface):
    name = "gpu.create_coo"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    row_idxs = operand_def(AnyMemRef)
    col_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$rows `,` $cols `,` $nnz `,` $row_idxs `,` $col_idxs `,` $values attr-dict "
        "`:` type($row_idxs) `,` type($col_idxs) `,` type($values)"
    )


@irdl_op_definition
class CreateCooAoSOp(AsyncOpInterface):
    name = "gpu.create_coo_aos"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$rows `,` $cols `,` $nnz `,` $idxs `,` $values attr-dict `:` type($idxs) `,` type($values)"
    )


@irdl_op_definition
class CreateCsrOp(AsyncOpInterface):
    name = "gpu.create_csr"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    row_pos = operand_def(AnyMemRef)
    col_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$rows `,` $cols `,` $nnz `,` $row_pos `,` $col_idxs `,` $values attr-dict "
        "`:` type($row_pos) `,` type($col_idxs) `,` type($values)"
    )


@irdl_op_definition
class CreateCscOp(AsyncOpInterface):
    name = "gpu.create_csc"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    nnz = operand_def(IndexType)
    col_pos = operand_def(AnyMemRef)
    row_idxs = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    spmat = result_def(SparseSpMatHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$rows `,` $cols `,` $nnz `,` $col_pos `,` $row_idxs `,` $values attr-dict "
        "`:` type($col_pos) `,` type($row_idxs) `,` type($values)"
    )


@irdl_op_definition
class CreateBsrOp(AsyncOpInterface):
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
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$brows `,` $bcols `,` $bnnz `,` $r_block_size `,` $c_block_size `,` $b_row_pos `,` "
        "$b_col_idxs `,` $values attr-dict "
        "`:` type($b_row_pos) `,` type($b_col_idxs) `,` type($values)"
    )


@irdl_op_definition
class Create2To4SpMatOp(AsyncOpInterface):
    name = "gpu.create_2to4_spmat"

    async_dependencies = var_operand_def(AsyncTokenType)
    rows = operand_def(IndexType)
    cols = operand_def(IndexType)
    memref = operand_def(AnyMemRef)
    prune_flag = prop_def(Prune2To4SpMatFlagAttr, prop_name="pruneFlag")
    sp_mat = result_def(SparseSpMatHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "` ` `{` $pruneFlag `}` $rows `,` $cols `,` $memref attr-dict `:` type($memref)"
    )


@irdl_op_definition
class DestroySpMatOp(AsyncOpInterface):
    name = "gpu.destroy_sp_mat"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat = operand_def(SparseSpMatHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = "custom<AsyncDependencies>($async_dependencies, type($async_token)) $spmat attr-dict"


@irdl_op_definition
class SpMVBufferSizeOp(AsyncOpInterface):
    name = "gpu.spmv_buffer_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dn_x = operand_def(SparseDnTensorHandleType)
    dn_y = operand_def(SparseDnTensorHandleType)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    buffer_sz = result_def(IndexType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$spmat_a (`{` $modeA^ `}`)? `,` $dn_x `,` $dn_y attr-dict `into` $computeType"
    )


@irdl_op_definition
class SpMVOp(AsyncOpInterface):
    name = "gpu.spmv"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dn_x = operand_def(SparseDnTensorHandleType)
    dn_y = operand_def(SparseDnTensorHandleType)
    buffer = operand_def(AnyMemRef)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$spmat_a (`{` $modeA^ `}`)? `,` $dn_x `,` $dn_y `,` $buffer attr-dict "
        "`:` type($buffer) `into` $computeType"
    )


@irdl_op_definition
class SpMMBufferSizeOp(AsyncOpInterface):
    name = "gpu.spmm_buffer_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    dnmat_c = operand_def(SparseDnTensorHandleType)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    buffer_szs = var_result_def(IndexType)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedResultSegments(as_property=True),)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$spmat_a (`{` $modeA^ `}`)? `,` $dnmat_b (`{` $modeB^ `}`)? `,` $dnmat_c attr-dict "
        "`:` type($buffer_szs) `into` $computeType"
    )


@irdl_op_definition
class SpMMOp(AsyncOpInterface):
    name = "gpu.spmm"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat_a = operand_def(SparseSpMatHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    dnmat_c = operand_def(SparseDnTensorHandleType)
    buffers = var_operand_def(AnyMemRef)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$spmat_a (`{` $modeA^ `}`)? `,` $dnmat_b (`{` $modeB^ `}`)? `,` $dnmat_c `,` $buffers attr-dict "
        "`:` type($buffers) `into` $computeType"
    )


@irdl_op_definition
class SDDMMBufferSizeOp(AsyncOpInterface):
    name = "gpu.sddmm_buffer_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    dnmat_a = operand_def(SparseDnTensorHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    buffer_sz = result_def(IndexType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$dnmat_a (`{` $modeA^ `}`)? `,` $dnmat_b (`{` $modeB^ `}`)? `,` $spmat_c attr-dict "
        "`into` $computeType"
    )


@irdl_op_definition
class SDDMMOp(AsyncOpInterface):
    name = "gpu.sddmm"

    async_dependencies = var_operand_def(AsyncTokenType)
    dnmat_a = operand_def(SparseDnTensorHandleType)
    dnmat_b = operand_def(SparseDnTensorHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    buffer = operand_def(AnyMemRef)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$dnmat_a (`{` $modeA^ `}`)? `,` $dnmat_b (`{` $modeB^ `}`)? `,` $spmat_c `,` $buffer attr-dict "
        "`:` type($buffer) `into` $computeType"
    )


@irdl_op_definition
class SpGEMMCreateDescrOp(AsyncOpInterface):
    name = "gpu.spgemm_create_descr"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = result_def(SparseSpGEMMOpHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = "custom<AsyncDependencies>($async_dependencies, type($async_token)) attr-dict"


@irdl_op_definition
class SpGEMMDestroyDescrOp(AsyncOpInterface):
    name = "gpu.spgemm_destroy_descr"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = operand_def(SparseSpGEMMOpHandleType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = "custom<AsyncDependencies>($async_dependencies, type($async_token)) $desc attr-dict"


@irdl_op_definition
class SpGEMMWorkEstimationOrComputeOp(AsyncOpInterface):
    name = "gpu.spgemm_work_estimation_or_compute"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = operand_def(SparseSpGEMMOpHandleType)
    spmat_a = operand_def(SparseSpMatHandleType)
    spmat_b = operand_def(SparseSpMatHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    buffer_sz = operand_def(IndexType)
    buffer = operand_def(AnyMemRef)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    kind = prop_def(SpGEMMWorkEstimationOrComputeKindAttr)
    buffer_sz_new = result_def(IndexType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "` ` `{` $kind `}` "
        "$spmat_a (`{` $modeA^ `}`)? `,` $spmat_b (`{` $modeB^ `}`)? `,` $spmat_c `,` $desc `,` "
        "$buffer_sz `,` $buffer attr-dict `:` $computeType `into` type($buffer)"
    )


@irdl_op_definition
class SpGEMMCopyOp(AsyncOpInterface):
    name = "gpu.spgemm_copy"

    async_dependencies = var_operand_def(AsyncTokenType)
    desc = operand_def(SparseSpGEMMOpHandleType)
    spmat_a = operand_def(SparseSpMatHandleType)
    spmat_b = operand_def(SparseSpMatHandleType)
    spmat_c = operand_def(SparseSpMatHandleType)
    mode_a = prop_def(TransposeModeAttr, prop_name="modeA", default_value=NON_TRANSPOSE)
    mode_b = prop_def(TransposeModeAttr, prop_name="modeB", default_value=NON_TRANSPOSE)
    compute_type = prop_def(Attribute, prop_name="computeType")
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$spmat_a (`{` $modeA^ `}`)? `,` $spmat_b (`{` $modeB^ `}`)? `,` $spmat_c `,` $desc attr-dict "
        "`:` $computeType"
    )


@irdl_op_definition
class SpMatGetSizeOp(AsyncOpInterface):
    name = "gpu.spmat_get_size"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat = operand_def(SparseSpMatHandleType)
    rows = result_def(IndexType)
    cols = result_def(IndexType)
    nnz = result_def(IndexType)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = "custom<AsyncDependencies>($async_dependencies, type($async_token)) $spmat attr-dict"


@irdl_op_definition
class SetCsrPointersOp(AsyncOpInterface):
    name = "gpu.set_csr_pointers"

    async_dependencies = var_operand_def(AsyncTokenType)
    spmat = operand_def(SparseSpMatHandleType)
    positions = operand_def(AnyMemRef)
    coordinates = operand_def(AnyMemRef)
    values = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)
    assembly_format = (
        "custom<AsyncDependencies>($async_dependencies, type($async_token)) "
        "$spmat `,` $positions `,` $coordinates `,` $values attr-dict "
        "`:` type($positions) `,` type($coordinates) `,` type($values)"
    )
