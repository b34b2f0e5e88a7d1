"""Converts the sparse ops to calls to cuSPARSE (or cuSPARSELt for 2:4 sparsity) on the dependency's stream.

Like gpu.memcpy, each needs `async` and exactly one dependency. LLVM 16 has no such ops.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors, runtime
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu import requirements
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.kinds import memref_type
from gpuasync_lsp.syntax.ods.enumerations import Enumeration

DENSE_HANDLE_BYTES = 11032
"""The size of a cuSPARSELt dense matrix handle in the runtime wrappers."""
SPARSE_HANDLE_BYTES = 44104
"""The size of a cuSPARSELt 2:4 sparse matrix handle in the runtime wrappers."""

_DATA_TYPES: dict[Attribute, int] = {
    Float32Type(): 0,
    Float64Type(): 1,
    Float16Type(): 2,
    IntegerType(8): 3,
    ComplexType(Float32Type()): 4,
    ComplexType(Float64Type()): 5,
    IntegerType(32): 10,
    BFloat16Type(): 14,
    IntegerType(16): 20,
    IntegerType(64): 24,
}
"""Maps MLIR types to values of cudaDataType."""

_LT_COMPUTE_TYPES: dict[Attribute, int] = {Float16Type(): 0, IntegerType(32): 1}
"""Maps MLIR types to values of cuSPARSELt's cusparseComputeType."""

_MODES = list(gpu.TransposeModeAttr.enum_type)
_PRUNE_FLAGS = list(gpu.Prune2To4SpMatFlagAttr.enum_type)


class SparsePattern(ConversionPattern[gpu.SparseOp]):
    """Base class of the sparse patterns: the dependency's stream becomes the token."""

    def match_and_rewrite(self, op: gpu.SparseOp, rewriter: ConversionRewriter) -> None:
        stream = requirements.required_stream(op, rewriter)
        rewriter.replace(op, [*self.lower(op, stream, rewriter), stream])

    @abstractmethod
    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        """Insert the calls; return the lowered results except the token."""


class CreateDnTensor(SparsePattern, ops=(gpu.CreateDnTensorOp,)):
    """Creates a dense vector or matrix handle; it is on the stack if it is used with 2:4 sparsity."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        memory = _pointer(op.memref, rewriter)
        data_type = _data_type(_element(op.memref), rewriter)
        dims = rewriter.lowered_all(op.dims)
        arguments = [*dims, memory, data_type, stream]
        if len(dims) == 1:
            return [runtime.call_value(rewriter, "mgpuCreateDnVec", *arguments)]
        if not _meets_2to4(op.dn_tensor):
            return [runtime.call_value(rewriter, "mgpuCreateDnMat", *arguments)]
        handle = _stack_handle(rewriter, DENSE_HANDLE_BYTES)
        runtime.call(rewriter, "mgpuCreateCuSparseLtDnMat", handle, *arguments)
        return [handle]


class DestroyDnTensor(SparsePattern, ops=(gpu.DestroyDnTensorOp,)):
    """Destroys a dense handle with the function that matches its creation."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        creator = op.dn_tensor.owner
        if not isinstance(creator, gpu.CreateDnTensorOp):
            rewriter.match_failure("the tensor is created elsewhere")
        if len(creator.dims) == 1:
            function = "mgpuDestroyDnVec"
        else:
            function = "mgpuDestroyCuSparseLtDnMat" if _meets_2to4(op.dn_tensor) else "mgpuDestroyDnMat"
        runtime.call(rewriter, function, rewriter.lowered(op.dn_tensor), stream)
        return []


class CreateSparse(
    SparsePattern,
    ops=(gpu.CreateCooOp, gpu.CreateCooAoSOp, gpu.CreateCsrOp, gpu.CreateCscOp, gpu.CreateBsrOp),
):
    """Creates a sparse matrix handle, in one of several formats."""

    FORMATS: ClassVar[Mapping[type[gpu.SparseOp], tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
        gpu.CreateCooOp: ("mgpuCreateCoo", ("row_idxs", "col_idxs", "values"), ("col_idxs",)),
        gpu.CreateCooAoSOp: ("mgpuCreateCooAoS", ("idxs", "values"), ("idxs",)),
        gpu.CreateCsrOp: ("mgpuCreateCsr", ("row_pos", "col_idxs", "values"), ("row_pos", "col_idxs")),
        gpu.CreateCscOp: ("mgpuCreateCsc", ("col_pos", "row_idxs", "values"), ("col_pos", "row_idxs")),
        gpu.CreateBsrOp: (
            "mgpuCreateBsr",
            ("b_row_pos", "b_col_idxs", "values"),
            ("b_row_pos", "b_col_idxs"),
        ),
    }
    """Maps each op to the runtime function, its array operands, and those whose element types are passed."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        function, arrays, indexing = self.FORMATS[type(op)]
        numbers = rewriter.lowered_all(value for value in op.operands[1:] if value.type.name == "index")
        pointers = [_pointer(getattr(op, name), rewriter) for name in arrays]
        index_types = [_index_type(_element(getattr(op, name)), rewriter) for name in indexing]
        data_type = _data_type(_element(op.values), rewriter)
        call = runtime.call_value(rewriter, function, *numbers, *pointers, *index_types, data_type, stream)
        return [call]


class Create2To4(SparsePattern, ops=(gpu.Create2To4SpMatOp,)):
    """Creates a 2:4 sparse matrix handle on the stack."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        memory = _pointer(op.memref, rewriter)
        data_type = _data_type(_element(op.memref), rewriter)
        handle = _stack_handle(rewriter, SPARSE_HANDLE_BYTES)
        rows, cols = rewriter.lowered(op.rows), rewriter.lowered(op.cols)
        runtime.call(rewriter, "mgpuCusparseLtCreate2To4SpMat", handle, rows, cols, memory, data_type, stream)
        return [handle]


class DestroySpMat(SparsePattern, ops=(gpu.DestroySpMatOp,)):
    """Destroys a sparse handle with the function that matches its creation."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        function = "mgpuDestroyCuSparseLtSpMat" if _is_2to4(op.spmat) else "mgpuDestroySpMat"
        runtime.call(rewriter, function, rewriter.lowered(op.spmat), stream)
        return []


class SpMV(SparsePattern, ops=(gpu.SpMVOp, gpu.SpMVBufferSizeOp)):
    """Multiplies a sparse matrix by a dense vector, or computes the size of the buffer for the product."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        mode = _mode(op.mode_a, rewriter)
        compute_type = _data_type(op.compute_type, rewriter)
        values = rewriter.lowered_all([op.spmat_a, op.dn_x, op.dn_y])
        if isinstance(op, gpu.SpMVBufferSizeOp):
            size = runtime.call_value(rewriter, "mgpuSpMVBufferSize", mode, *values, compute_type, stream)
            return [size]
        buffer = _pointer(op.buffer, rewriter)
        runtime.call(rewriter, "mgpuSpMV", mode, *values, compute_type, buffer, stream)
        return []


class SpMMBufferSize(SparsePattern, ops=(gpu.SpMMBufferSizeOp,)):
    """Computes the size of the buffer for SpMM, or the sizes of the three buffers for 2:4 sparsity."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        modes = _mode(op.mode_a, rewriter), _mode(op.mode_b, rewriter)
        values = rewriter.lowered_all([op.spmat_a, op.dnmat_b, op.dnmat_c])
        if not _is_2to4(op.spmat_a):
            compute_type = _data_type(op.compute_type, rewriter)
            size = runtime.call_value(rewriter, "mgpuSpMMBufferSize", *modes, *values, compute_type, stream)
            return [size]
        prune = _prune_flag(op.spmat_a, rewriter)
        compute_type = _lt_compute_type(op.compute_type, rewriter)
        three = build.index_constant(rewriter, 3)
        sizes = build.alloca(rewriter, three, PTR, 16)
        runtime.call(
            rewriter, "mgpuCuSparseLtSpMMBufferSize", sizes, *modes, *values, compute_type, prune, stream
        )
        others = [_nth(rewriter, sizes, n) for n in (1, 2)]
        return [build.load(rewriter, address, i64) for address in (sizes, *others)]


class SpMM(SparsePattern, ops=(gpu.SpMMOp,)):
    """Multiplies a sparse matrix by a dense matrix."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        modes = _mode(op.mode_a, rewriter), _mode(op.mode_b, rewriter)
        values = rewriter.lowered_all([op.spmat_a, op.dnmat_b, op.dnmat_c])
        if _is_2to4(op.spmat_a):
            # MLIR inserts this unused constant, too.
            _data_type(op.compute_type, rewriter)
            buffers = [_pointer(buffer, rewriter) for buffer in op.buffers]
            runtime.call(rewriter, "mgpuCuSparseLtSpMM", *values, *buffers, stream)
            return []
        compute_type = _data_type(op.compute_type, rewriter)
        buffer = _pointer(op.buffers[0], rewriter)
        runtime.call(rewriter, "mgpuSpMM", *modes, *values, compute_type, buffer, stream)
        return []


class SDDMM(SparsePattern, ops=(gpu.SDDMMOp, gpu.SDDMMBufferSizeOp)):
    """Samples a product of dense matrices (SDDMM), or computes the size of the buffer for it."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        values = rewriter.lowered_all([op.dnmat_a, op.dnmat_b, op.spmat_c])
        if isinstance(op, gpu.SDDMMBufferSizeOp):
            modes = _mode(op.mode_a, rewriter), _mode(op.mode_b, rewriter)
            compute_type = _data_type(op.compute_type, rewriter)
            size = runtime.call_value(rewriter, "mgpuSDDMMBufferSize", *modes, *values, compute_type, stream)
            return [size]
        compute_type = _data_type(op.compute_type, rewriter)
        modes = _mode(op.mode_a, rewriter), _mode(op.mode_b, rewriter)
        buffer = _pointer(op.buffer, rewriter)
        runtime.call(rewriter, "mgpuSDDMM", *modes, *values, compute_type, buffer, stream)
        return []


class SpGEMMDescr(SparsePattern, ops=(gpu.SpGEMMCreateDescrOp, gpu.SpGEMMDestroyDescrOp)):
    """Creates or destroys the descriptor of a product of two sparse matrices."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        if type(op) is gpu.SpGEMMCreateDescrOp:
            return [runtime.call_value(rewriter, "mgpuSpGEMMCreateDescr", stream)]
        runtime.call(rewriter, "mgpuSpGEMMDestroyDescr", rewriter.lowered(op.desc), stream)
        return []


class SpGEMMWork(SparsePattern, ops=(gpu.SpGEMMWorkEstimationOrComputeOp,)):
    """A step of a product of two sparse matrices; returns the size of the buffer that it needs."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        arguments = _spgemm_arguments(op, rewriter)
        size, buffer = rewriter.lowered(op.buffer_sz), _pointer(op.buffer, rewriter)
        estimates = op.kind.data == "WORK_ESTIMATION"
        function = "mgpuSpGEMMWorkEstimation" if estimates else "mgpuSpGEMMCompute"
        return [runtime.call_value(rewriter, function, *arguments, size, buffer, stream)]


class SpGEMMCopy(SparsePattern, ops=(gpu.SpGEMMCopyOp,)):
    """Copies the result of a product of two sparse matrices."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        runtime.call(rewriter, "mgpuSpGEMMCopy", *_spgemm_arguments(op, rewriter), stream)
        return []


class SpMatGetSize(SparsePattern, ops=(gpu.SpMatGetSizeOp,)):
    """Returns rows, columns and non-zeros of a sparse matrix, which the runtime stores on the stack."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        buffer = build.alloca(rewriter, build.index_constant(rewriter, 3), i64, 16)
        addresses = [_nth(rewriter, buffer, n) for n in range(3)]
        runtime.call(rewriter, "mgpuSpMatGetSize", rewriter.lowered(op.spmat), *addresses, stream)
        return [build.load(rewriter, address, i64) for address in addresses]


class SetCsrPointers(SparsePattern, ops=(gpu.SetCsrPointersOp,)):
    """Sets the arrays of a CSR matrix."""

    def lower(self, op: gpu.SparseOp, stream: SSAValue, rewriter: ConversionRewriter) -> Sequence[SSAValue]:
        pointers = [_pointer(value, rewriter) for value in (op.positions, op.coordinates, op.values)]
        runtime.call(rewriter, "mgpuSetCsrPointers", rewriter.lowered(op.spmat), *pointers, stream)
        return []


PATTERNS: Sequence[AnyPattern] = (
    CreateDnTensor(),
    DestroyDnTensor(),
    CreateSparse(),
    Create2To4(),
    DestroySpMat(),
    SpMV(),
    SpMMBufferSize(),
    SpMM(),
    SDDMM(),
    SpGEMMDescr(),
    SpGEMMWork(),
    SpGEMMCopy(),
    SpMatGetSize(),
    SetCsrPointers(),
)


def _pointer(memref: SSAValue, rewriter: ConversionRewriter) -> SSAValue:
    return descriptors.allocated_pointer(rewriter, rewriter.lowered(memref))


def _element(memref: SSAValue) -> Attribute:
    return memref_type(memref.type).element_type


def _i32(rewriter: ConversionRewriter, value: int) -> SSAValue:
    return build.integer_constant(rewriter, value, i32)


def _data_type(type: Attribute, rewriter: ConversionRewriter) -> SSAValue:
    if type not in _DATA_TYPES:
        rewriter.match_failure(f"the runtime does not support elements of type {type}")
    return _i32(rewriter, _DATA_TYPES[type])


def _lt_compute_type(type: Attribute, rewriter: ConversionRewriter) -> SSAValue:
    if type not in _LT_COMPUTE_TYPES:
        rewriter.match_failure(f"the runtime does not support elements of type {type}")
    return _i32(rewriter, _LT_COMPUTE_TYPES[type])


def _index_type(type: Attribute, rewriter: ConversionRewriter) -> SSAValue:
    """Return the cusparseIndexType: 1 for 16, 2 for 32 and 3 for 64 bits or index."""
    bits = type.bitwidth if isinstance(type, IntegerType) else 64
    return _i32(rewriter, {16: 1, 32: 2}.get(bits, 3))


def _mode(mode: Enumeration | None, rewriter: ConversionRewriter) -> SSAValue:
    return _i32(rewriter, 0 if mode is None else _MODES.index(mode.data))


def _prune_flag(matrix: SSAValue, rewriter: ConversionRewriter) -> SSAValue:
    creator = matrix.owner
    assert isinstance(creator, gpu.Create2To4SpMatOp)
    return _i32(rewriter, _PRUNE_FLAGS.index(creator.prune_flag.data))


def _is_2to4(matrix: SSAValue) -> bool:
    return isinstance(matrix.owner, gpu.Create2To4SpMatOp)


def _meets_2to4(tensor: SSAValue) -> bool:
    """Return whether a dense tensor is used in a product with a 2:4 sparse matrix."""
    users = (use.operation for use in tensor.uses)
    return any(isinstance(user, gpu.SpMMOp) and _is_2to4(user.spmat_a) for user in users)


def _stack_handle(rewriter: ConversionRewriter, size: int) -> SSAValue:
    memory = build.alloca(rewriter, build.index_constant(rewriter, size), i8, 16)
    return build.cast(rewriter, build.llvm.BitcastOp, memory, PTR)


def _nth(rewriter: ConversionRewriter, base: SSAValue, n: int) -> SSAValue:
    return build.element_pointer(rewriter, base, PTR, [build.index_constant(rewriter, n)])


def _spgemm_arguments(op: gpu.SparseOp, rewriter: ConversionRewriter) -> list[SSAValue]:
    compute_type = _data_type(op.compute_type, rewriter)
    modes = _mode(op.mode_a, rewriter), _mode(op.mode_b, rewriter)
    desc, *matrices = rewriter.lowered_all([op.desc, op.spmat_a, op.spmat_b, op.spmat_c])
    return [desc, *modes, *matrices, compute_type]
