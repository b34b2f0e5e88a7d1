"""Explanations of discardable attributes, which a dialect defines for ops of any dialect.

The sources are the dialects' documentation at https://mlir.llvm.org/docs/Dialects/ and, for the translation
of an attribute to LLVM IR or PTX, `mlir/lib/Target/LLVMIR/Dialect`. ODS has no table of these attributes.
"""

from __future__ import annotations

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.assembly import words_of
from gpuasync_lsp.text import Span

_LONGEST_LINE = 20_000
"""The most characters of a line in which a name is searched."""

_ARGUMENT = "An attribute of LLVM's for an argument: "

_MEANINGS = {
    "acc.declare": "The variable is in an OpenACC declare directive, with this clause.",
    "async.allowed_to_block": "async-to-async-runtime leaves the blocking waits of this function as they "
    "are.",
    "bufferization.access": "Whether the function reads, writes, or does both to this tensor argument.",
    "bufferization.buffer_layout": "The layout of the buffer that this tensor argument becomes.",
    "bufferization.manual_deallocation": "What it allocates is freed by the program: the deallocation "
    "passes leave it alone.",
    "bufferization.writable": "Whether the buffer of this tensor argument may be written in place.",
    "dlti.dl_spec": "The data layout: sizes and alignments of types, as passes that lower to LLVM ask for"
    " them.",
    "dlti.target_system_spec": "The devices of the target, and what is known of each.",
    "func.varargs": "The function that this one is lowered to takes more arguments than those that it names.",
    "gpu.container_module": "The module holds gpu.module ops whose kernels are launched. Without it the "
    "verifier rejects each gpu.launch_func in it. gpu-kernel-outlining sets it.",
    "gpu.kernel": "The function is a kernel: gpu.launch_func can start it. A gpu.func says so by `kernel`.",
    "gpu.known_block_size": "The threads of a block along x, y and z with which the kernel is always "
    "launched. The lowering to NVVM and ROCDL hands them on, and gpu.block_dim has a constant value.",
    "gpu.known_cluster_size": "The blocks of a cluster along x, y and z with which the kernel is always "
    "launched.",
    "gpu.known_grid_size": "The blocks of the grid along x, y and z with which the kernel is always "
    "launched: gpu.grid_dim has a constant value.",
    "llvm.align": f"{_ARGUMENT}the pointer is a multiple of this many bytes.",
    "llvm.alignstack": f"{_ARGUMENT}its place on the stack is a multiple of this many bytes.",
    "llvm.allocalign": f"{_ARGUMENT}the alignment of what the function allocates.",
    "llvm.allocptr": f"{_ARGUMENT}the pointer that the function frees or reallocates.",
    "llvm.bareptr": "The function is lowered with bare pointers for memrefs, not with descriptors.",
    "llvm.byref": f"{_ARGUMENT}a pointer to a value of this type that the callee does not write.",
    "llvm.byval": f"{_ARGUMENT}the callee gets a copy of what the pointer leads to. Parameters of kernels "
    "that are structures are passed so.",
    "llvm.data_layout": "The data layout of the module in LLVM IR, as text.",
    "llvm.dereferenceable": f"{_ARGUMENT}this many bytes can be read through the pointer.",
    "llvm.dereferenceable_or_null": f"{_ARGUMENT}null, or this many bytes can be read through the pointer.",
    "llvm.elementtype": f"{_ARGUMENT}the type of what the pointer leads to.",
    "llvm.emit_c_interface": "The lowering adds `_mlir_ciface_` and the function's name, which takes "
    "pointers to the descriptors of memrefs, so that C calls it.",
    "llvm.inalloca": f"{_ARGUMENT}the argument's memory is allocated by the caller on the stack.",
    "llvm.inreg": f"{_ARGUMENT}passed in a register, where the target can.",
    "llvm.intel_reqd_sub_group_size": "The size of a subgroup that the kernel needs on Intel's devices.",
    "llvm.linkage": "The linkage of the function that this one is lowered to.",
    "llvm.nest": f"{_ARGUMENT}the static chain of a nested function.",
    "llvm.noalias": f"{_ARGUMENT}nothing else reaches the memory that it points to while the function runs.",
    "llvm.nocapture": f"{_ARGUMENT}the pointer does not outlive the call.",
    "llvm.nofree": f"{_ARGUMENT}the callee does not free what it points to.",
    "llvm.nonnull": f"{_ARGUMENT}the pointer is never null.",
    "llvm.noundef": f"{_ARGUMENT}the value is never undefined.",
    "llvm.preallocated": f"{_ARGUMENT}the argument's memory is set up before the call.",
    "llvm.range": f"{_ARGUMENT}the integer is in this range.",
    "llvm.readnone": "Reads and writes no memory: of a function, none at all; of an argument, none "
    "through it.",
    "llvm.readonly": f"{_ARGUMENT}nothing is written through the pointer.",
    "llvm.returned": f"{_ARGUMENT}the function returns this argument.",
    "llvm.signext": f"{_ARGUMENT}extended by its sign to the width of a register.",
    "llvm.sret": f"{_ARGUMENT}the result is written to where the pointer leads.",
    "llvm.target_triple": "The target that the module is compiled for: architecture, vendor, system.",
    "llvm.workgroup_attribution": "The pointer that stands for memory of the kernel's blocks, and its size.",
    "llvm.writeonly": f"{_ARGUMENT}nothing is read through the pointer.",
    "llvm.zeroext": f"{_ARGUMENT}extended by zeros to the width of a register.",
    "nvvm.blocksareclusters": "The grid of a launch is counted in clusters, not in blocks: "
    "`.blocksareclusters` in PTX.",
    "nvvm.cluster_dim": "The blocks of a cluster along x, y and z: `.reqnctapercluster` in PTX.",
    "nvvm.cluster_max_blocks": "The most blocks of a cluster: `.maxclusterrank` in PTX.",
    "nvvm.grid_constant": "The parameter of the kernel is not written, so that its address may be taken "
    "without a copy.",
    "nvvm.kernel": "The function is a kernel: `.entry` in PTX.",
    "nvvm.maxnreg": "The most registers of a thread: `.maxnreg` in PTX.",
    "nvvm.maxntid": "The most threads of a block along x, y and z: `.maxntid` in PTX. Launches of more fail.",
    "nvvm.minctasm": "The blocks that are to fit on a multiprocessor at least: `.minnctapersm` in PTX.",
    "nvvm.reqntid": "The threads of a block along x, y and z, exactly: `.reqntid` in PTX. Other launches "
    "fail.",
    "omp.declare_target": "The function or variable is on the device, the host or both, by OpenMP's "
    "declare target.",
    "omp.is_gpu": "Whether the module is compiled for a GPU, by OpenMP.",
    "omp.is_target_device": "Whether the module is compiled for the device, by OpenMP.",
    "omp.target_triples": "The devices that target regions are compiled for, by OpenMP.",
    "rocdl.cluster_dims": "The workgroups of a cluster along x, y and z.",
    "rocdl.flat_work_group_size": "The fewest and the most work items of a workgroup: `amdgpu-flat-work-"
    "group-size` in LLVM IR.",
    "rocdl.ignore_denormal_mode": "The atomic may flush denormals regardless of the function's mode.",
    "rocdl.kernel": "The function is a kernel: the calling convention `amdgpu_kernel` in LLVM IR.",
    "rocdl.last_use": "The load is the last of what it reads: `amdgpu.last.use` in LLVM IR.",
    "rocdl.max_flat_work_group_size": "The most work items of a workgroup: `amdgpu-flat-work-group-size` "
    "from 1 on in LLVM IR.",
    "rocdl.no_fine_grained_memory": "The atomic does not touch fine-grained memory.",
    "rocdl.no_remote_memory": "The atomic does not touch memory of another device.",
    "rocdl.reqd_work_group_size": "The work items of a workgroup along x, y and z, exactly: "
    "`reqd_work_group_size` in LLVM IR.",
    "rocdl.uniform_work_group_size": "Whether the grid is a multiple of the workgroup's size: `uniform-"
    "work-group-size` in LLVM IR.",
    "rocdl.unsafe_fp_atomics": "Atomics on floats may use instructions that round or flush otherwise: "
    "`amdgpu-unsafe-fp-atomics` in LLVM IR.",
    "rocdl.waves_per_eu": "The waves that are to run on an execution unit: `amdgpu-waves-per-eu` in LLVM IR.",
    "spirv.entry_point_abi": "The function is an entry point, with these sizes of workgroup and subgroup.",
    "spirv.interface_var_abi": "The descriptor set, the binding and the storage class of this parameter.",
    "spirv.target_env": "The version, capabilities, extensions and limits of the target that is lowered for.",
    "transform.consumed": "The handle is not valid any more after the sequence.",
    "transform.readonly": "The handle stays valid after the sequence.",
    "transform.target_tag": "A name by which transform sequences find this op.",
    "transform.with_named_sequence": "The module holds transform.named_sequence ops, which the "
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
