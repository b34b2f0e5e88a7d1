"""Explanations of discardable attributes, which a dialect defines for ops of any dialect.

The sources are the dialects' documentation at https://mlir.llvm.org/docs/Dialects/ and, for the translation
of an attribute to LLVM IR or PTX, `mlir/lib/Target/LLVMIR/Dialect`. ODS has no table of these attributes.
"""

from __future__ import annotations

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.assembly import words_of
from gpuasync_lsp.text import Span

_LONGEST_LINE = 20_000
"""The maximum number of characters of a line that are searched for a name."""

_ARGUMENT = "An LLVM argument attribute: "

_MEANINGS = {
    "acc.declare": "The variable is in an OpenACC declare directive with this clause.",
    "async.allowed_to_block": "async-to-async-runtime keeps the blocking waits of this function.",
    "bufferization.access": "Whether the function reads this tensor argument, writes it, or both.",
    "bufferization.buffer_layout": "The layout of the buffer that this tensor argument becomes.",
    "bufferization.manual_deallocation": "The program frees the memory that this op allocates; the "
    "deallocation passes ignore it.",
    "bufferization.writable": "Whether the buffer of this tensor argument may be written in place.",
    "dlti.dl_spec": "The data layout: sizes and alignments of types, used by passes that lower to LLVM.",
    "dlti.target_system_spec": "The devices of the target, with their properties.",
    "func.varargs": "The LLVM function that this function is lowered to is variadic.",
    "gpu.container_module": "The module contains gpu.module ops whose kernels are launched. Without this "
    "attribute the verifier rejects each gpu.launch_func in the module. gpu-kernel-outlining sets it.",
    "gpu.kernel": "The function is a kernel, which gpu.launch_func can launch. In a gpu.func, the keyword "
    "`kernel` has this effect.",
    "gpu.known_block_size": "The block size (x, y, z) with which the kernel is always launched. It is passed "
    "on by the lowering to NVVM and ROCDL, and makes gpu.block_dim constant.",
    "gpu.known_cluster_size": "The cluster size (x, y, z), in blocks, with which the kernel is always "
    "launched.",
    "gpu.known_grid_size": "The grid size (x, y, z) with which the kernel is always launched; it makes "
    "gpu.grid_dim constant.",
    "llvm.align": f"{_ARGUMENT}the pointer is a multiple of this number of bytes.",
    "llvm.alignstack": f"{_ARGUMENT}its address on the stack is a multiple of this number of bytes.",
    "llvm.allocalign": f"{_ARGUMENT}the alignment of the memory that the function allocates.",
    "llvm.allocptr": f"{_ARGUMENT}the pointer that the function frees or reallocates.",
    "llvm.bareptr": "The function is lowered with bare pointers instead of memref descriptors.",
    "llvm.byref": f"{_ARGUMENT}a pointer to a value of this type that the callee does not write.",
    "llvm.byval": f"{_ARGUMENT}the callee gets a copy of the pointee. Kernel parameters that are structures "
    "are passed in this way.",
    "llvm.data_layout": "The data layout of the module, as a string in LLVM's syntax.",
    "llvm.dereferenceable": f"{_ARGUMENT}the pointer is dereferenceable for this number of bytes.",
    "llvm.dereferenceable_or_null": f"{_ARGUMENT}the pointer is null, or dereferenceable for this number of "
    "bytes.",
    "llvm.elementtype": f"{_ARGUMENT}the pointee type.",
    "llvm.emit_c_interface": "The lowering adds a function with the prefix `_mlir_ciface_` that C can call; "
    "it takes pointers to memref descriptors.",
    "llvm.inalloca": f"{_ARGUMENT}the caller allocates the argument's memory on the stack.",
    "llvm.inreg": f"{_ARGUMENT}passed in a register, if the target supports that.",
    "llvm.intel_reqd_sub_group_size": "The subgroup size that the kernel requires on Intel devices.",
    "llvm.linkage": "The linkage of the LLVM function that this function is lowered to.",
    "llvm.nest": f"{_ARGUMENT}the static chain of a nested function.",
    "llvm.noalias": f"{_ARGUMENT}during the call, memory that is accessed through the pointer is accessed in "
    "no other way.",
    "llvm.nocapture": f"{_ARGUMENT}the callee does not keep the pointer beyond the call.",
    "llvm.nofree": f"{_ARGUMENT}the callee does not free the pointee.",
    "llvm.nonnull": f"{_ARGUMENT}the pointer is never null.",
    "llvm.noundef": f"{_ARGUMENT}the value is never undefined.",
    "llvm.preallocated": f"{_ARGUMENT}the argument's memory is set up before the call.",
    "llvm.range": f"{_ARGUMENT}the integer is in this range.",
    "llvm.readnone": "No memory is read or written: for a function, none at all; for an argument, none "
    "through the pointer.",
    "llvm.readonly": f"{_ARGUMENT}nothing is written through the pointer.",
    "llvm.returned": f"{_ARGUMENT}the function returns this argument.",
    "llvm.signext": f"{_ARGUMENT}sign-extended to the width of a register.",
    "llvm.sret": f"{_ARGUMENT}the function's result is written to the pointee.",
    "llvm.target_triple": "The target that the module is compiled for: architecture, vendor, system.",
    "llvm.workgroup_attribution": "The argument stands for a workgroup buffer of the kernel; the value is "
    "the buffer's size.",
    "llvm.writeonly": f"{_ARGUMENT}nothing is read through the pointer.",
    "llvm.zeroext": f"{_ARGUMENT}zero-extended to the width of a register.",
    "nvvm.blocksareclusters": "Launches specify the grid size in clusters instead of blocks: "
    "`.blocksareclusters` in PTX.",
    "nvvm.cluster_dim": "The cluster size (x, y, z) in blocks: `.reqnctapercluster` in PTX.",
    "nvvm.cluster_max_blocks": "The maximum number of blocks per cluster: `.maxclusterrank` in PTX.",
    "nvvm.grid_constant": "The kernel does not write this parameter, so its address can be taken without a "
    "copy.",
    "nvvm.kernel": "The function is a kernel: `.entry` in PTX.",
    "nvvm.maxnreg": "The maximum number of registers per thread: `.maxnreg` in PTX.",
    "nvvm.maxntid": "The maximum block size (x, y, z): `.maxntid` in PTX. Launches with larger blocks fail.",
    "nvvm.minctasm": "The minimum number of blocks that fit on a multiprocessor: `.minnctapersm` in PTX.",
    "nvvm.reqntid": "The required block size (x, y, z): `.reqntid` in PTX. Launches with a different size "
    "fail.",
    "omp.declare_target": "OpenMP's declare target: the function or variable is on the device, the host or "
    "both.",
    "omp.is_gpu": "Whether the OpenMP module is compiled for a GPU.",
    "omp.is_target_device": "Whether the OpenMP module is compiled for the device.",
    "omp.target_triples": "The devices for which OpenMP target regions are compiled.",
    "rocdl.cluster_dims": "The cluster size (x, y, z) in workgroups.",
    "rocdl.flat_work_group_size": "The minimum and maximum number of work items per workgroup: "
    "`amdgpu-flat-work-group-size` in LLVM IR.",
    "rocdl.ignore_denormal_mode": "The atomic may flush denormals regardless of the function's mode.",
    "rocdl.kernel": "The function is a kernel: the calling convention `amdgpu_kernel` in LLVM IR.",
    "rocdl.last_use": "The load is the last use of the loaded memory: `amdgpu.last.use` in LLVM IR.",
    "rocdl.max_flat_work_group_size": "The maximum number of work items per workgroup; with the minimum 1, "
    "`amdgpu-flat-work-group-size` in LLVM IR.",
    "rocdl.no_fine_grained_memory": "The atomic does not access fine-grained memory.",
    "rocdl.no_remote_memory": "The atomic does not access memory of a different device.",
    "rocdl.reqd_work_group_size": "The required workgroup size (x, y, z): `reqd_work_group_size` in LLVM IR.",
    "rocdl.uniform_work_group_size": "Whether the grid is a multiple of the workgroup size: "
    "`uniform-work-group-size` in LLVM IR.",
    "rocdl.unsafe_fp_atomics": "Atomics on floats may use instructions with different rounding or flushing: "
    "`amdgpu-unsafe-fp-atomics` in LLVM IR.",
    "rocdl.waves_per_eu": "The requested number of waves per execution unit: `amdgpu-waves-per-eu` in LLVM "
    "IR.",
    "spirv.entry_point_abi": "The function is an entry point, with these workgroup and subgroup sizes.",
    "spirv.interface_var_abi": "The descriptor set, the binding and the storage class of this parameter.",
    "spirv.target_env": "The version, capabilities, extensions and limits of the SPIR-V target.",
    "transform.consumed": "The handle is invalid after the sequence.",
    "transform.readonly": "The handle stays valid after the sequence.",
    "transform.target_tag": "A name with which transform sequences find this op.",
    "transform.with_named_sequence": "The module contains transform.named_sequence ops, which the "
    "interpreter runs.",
}


def about_discardable(state: FileState, offset: int) -> tuple[str, Span] | None:
    """Return Markdown about the discardable attribute whose name is at `offset`, and its span; or None."""
    lines = state.lines
    line = lines.position(offset)[0]
    start, end = lines.starts[line], lines.line_end(line)
    if end - start > _LONGEST_LINE:
        return None
    word = next((w for w in words_of(state.text[start:end]) if w.start <= offset - start < w.end), None)
    meaning = None if word is None else _MEANINGS.get(word.text.strip('"'))
    if word is None or meaning is None:
        return None
    name = word.text.strip('"')
    text = f"`{name}`: a discardable attribute of the dialect `{name.split('.')[0]}`\n\n{meaning}"
    return text, Span(start + word.start, start + word.end)
