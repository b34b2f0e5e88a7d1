"""Lowers a whole program to LLVM IR for execution: kernels completely, the host like a given release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region

from gpuasync_lsp.lowering.conversion.defects import reporting_defects
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.lowering.conversion.views import compute_views
from gpuasync_lsp.lowering.llvm_ir.module import SiteOf, host_ir, kernel_ir
from gpuasync_lsp.lowering.llvm_ir.program_text import KernelText, LLVMProgram
from gpuasync_lsp.lowering.llvm_ir.reading import int_list
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.arith_expand import arith_expand
from gpuasync_lsp.lowering.passes.convert_scf_to_cf import convert_scf_to_cf
from gpuasync_lsp.lowering.passes.gpu_kernel_outlining import gpu_kernel_outlining
from gpuasync_lsp.lowering.passes.gpu_to_llvm import mentions_nvvm
from gpuasync_lsp.lowering.passes.gpu_to_llvm.verify import frees
from gpuasync_lsp.lowering.pipeline.pipeline import (
    DEFAULT_STAGE,
    Pipeline,
    Step,
    run_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import typed
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType, LLVMStructType
from gpuasync_lsp.syntax.opaque import written_name
from gpuasync_lsp.text.defects import is_defect

BLOB = "gpuasync:{}\0"
"""The blob of a kernel module in the host program: the module's name, which the runtime looks up."""

ANNOTATION = "gpuasync.blob"
"""The attribute of a gpu.module that contains its blob; an attribute of the nvvm dialect would load NVVM."""


def to_llvm_program(
    module: ModuleOp, version: int, options: LoweringOptions, site_of: SiteOf, passes: Sequence[Step] = ()
) -> LLVMProgram:
    """Lower `module` in place, as LLVM `version` does, and translate it.

    `passes` run first, on the unchanged module. `site_of` returns an op's site number, with which its
    instructions are marked. Raises `Untranslatable`, with the op or its location, for anything that
    cannot be lowered.
    """
    try:
        return reporting_defects(
            module,
            "the lowering for execution",
            lambda: _program(module, version, options, site_of, passes),
            Untranslatable,
        )
    except (LegalizationError, PassError) as error:
        raise Untranslatable(str(error), error.op) from error


def _program(
    module: ModuleOp, version: int, options: LoweringOptions, site_of: SiteOf, passes: Sequence[Step]
) -> LLVMProgram:
    if passes:
        before = run_pipeline(module, Pipeline(tuple(passes)), version, options)
        if before.error is not None:
            message = f"{before.failed_pass} of LLVM {version} fails: {before.error.text}"
            raise Untranslatable(message, location=before.error.location)
        module = before.module
    _expand_linalg_and_tensor_maps(module)
    gpu_kernel_outlining(module)
    _lower_affine(module, version)
    _replace_rocdl(module)
    _expand_narrow_floats(module)
    loaded = options.nvvm_loaded or mentions_nvvm(module)
    kernels = tuple(_kernels(module, version, options, site_of))
    _expand_vectors(module)
    _outline_bodies(module)
    convert_scf_to_cf(module)
    compute_views(module)
    arith_expand(module)
    options = replace(options, nvvm_loaded=loaded, gpu_binary_annotation=ANNOTATION, keeps_branches=True)
    lowered = run_pipeline(module, stage_pipeline(DEFAULT_STAGE), version, options)
    if lowered.error is not None:
        error = lowered.error
        reason = error.text
        if not is_defect(reason):
            reason = f"LLVM {version} does not lower the program: {reason}"
        raise Untranslatable(reason, location=error.location)
    if lowered.diagnostics:
        raise Untranslatable(f"LLVM {version} reports: {lowered.diagnostics[0]}")
    for note in lowered.notes:
        reason = note.text
        if not is_defect(reason):
            reason = f"LLVM {version} does not lower this {note.op_name}: {reason}"
        raise Untranslatable(reason, location=note.location)
    for op in lowered.module.walk():
        if op.name == "llvm.inline_asm" and not _is_in_kernel(op):
            raise Untranslatable("inline assembly on the host is not supported", op)
    host = host_ir(
        lowered.module,
        lambda name: BLOB.format(name).encode(),
        load_per_launch=profile(version).module_per_launch,
        site_of=site_of,
        tells_bodies=True,
    )
    return LLVMProgram(host, kernels)


# Imported on demand: without such ops, importing their dialects would take a third of the time.


def _dialects(module: ModuleOp) -> set[str]:
    return {op.name.partition(".")[0] for op in module.walk()}


def _expand_linalg_and_tensor_maps(module: ModuleOp) -> None:
    dialects = _dialects(module)
    if "linalg" in dialects:
        from gpuasync_lsp.lowering.passes.linalg_to_loops import linalg_to_loops_to_run

        linalg_to_loops_to_run(module)
    if "nvgpu" in dialects:
        from gpuasync_lsp.lowering.passes.kernels.tensor_maps import tensor_maps_as_memrefs

        tensor_maps_as_memrefs(module)


def _lower_affine(module: ModuleOp, version: int) -> None:
    """Lower affine ops left or created by the passes.

    This includes index ops, some of which lower-affine skips through LLVM 19."""
    if "affine" in _dialects(module):
        from gpuasync_lsp.lowering.passes.lower_affine import lower_affine

        lower_affine(module, profile(version).but(expands_affine_indices=True, expands_delinearization=True))


def _replace_rocdl(module: ModuleOp) -> None:
    if "rocdl" in _dialects(module):
        from gpuasync_lsp.lowering.passes.kernels.rocdl_as_nvvm import rocdl_as_nvvm

        rocdl_as_nvvm(module)


def _expand_narrow_floats(module: ModuleOp) -> None:
    """Expand ops on floats of eight bits in kernels; on the host, the release's lowering rejects them."""
    for kernels in list(module.ops):
        if isinstance(kernels, gpu.GPUModuleOp) and any(
            getattr(value.type, "element_type", value.type).name.startswith("f8E")
            for op in kernels.walk()
            for value in (*op.operands, *op.results)
        ):
            from gpuasync_lsp.lowering.passes.expand_narrow_floats import expand_narrow_floats

            expand_narrow_floats(kernels)


def _expand_vectors(module: ModuleOp) -> None:
    if "vector" in _dialects(module):
        from gpuasync_lsp.lowering.passes.expand_vectors import expand_vectors

        expand_vectors(module)


def _outline_bodies(module: ModuleOp) -> None:
    if "async" in _dialects(module):
        from gpuasync_lsp.lowering.passes.outline_structured_bodies import outline_structured_bodies

        outline_structured_bodies(module)


_OF_HARDWARE = tuple(
    f"nvvm.{name}"
    for name in ("cp.async.bulk", "elect", "inline_ptx", "ldmatrix", "mbarrier", "mma", "prefetch", "wgmma")
)
"""Prefixes of the ops that a GPU executes, but a CPU only after a rewrite, or not at all."""

_AROUND = frozenset({"gpu.func", "gpu.return", "builtin.unrealized_conversion_cast"})
"""Ops that remain only if other ops remain."""


def _kernels(
    module: ModuleOp, version: int, options: LoweringOptions, site_of: SiteOf
) -> Iterator[KernelText]:
    if not any(isinstance(op, gpu.GPUModuleOp | gpu.BinaryOp) for op in module.ops):
        return
    from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm import convert_gpu_to_nvvm

    options = replace(options, whole_kernels=True, keeps_branches=True)

    def lower(module: ModuleOp, options: LoweringOptions) -> dict[str, str]:
        left = convert_gpu_to_nvvm(module, profile(version), options)
        if left:
            # A gpu.func with an unsupported argument type remains, too; prefer an op that uses the argument.
            op = next((each.op for each in left if each.op.name not in _AROUND), left[0].op)
            why = _why(op, module)
            raise Untranslatable(f"no lowering is known for {written_name(op)} in a kernel{why}", op)
        found: dict[str, str] = {}
        for op in module.ops:
            if isinstance(op, gpu.GPUModuleOp):
                _reject_unverified(op, version)
                found[op.sym_name.data] = kernel_ir(op, site_of=site_of)
        return found

    for_gpu: dict[str, str] = {}
    if any(op.name.startswith(_OF_HARDWARE) for op in module.walk()):
        copy = module.clone()
        for op, original in zip(copy.walk(), module.walk(), strict=True):
            op.location = original.location
        for_gpu = lower(copy, options)
        try:
            irs = lower(module, replace(options, emulates_nvvm=True))
        except Untranslatable:  # Only a GPU runs it; the CPU reports what it lacks if the launch is reached.
            irs = for_gpu
            for op, lowered in zip(list(module.ops), list(copy.ops), strict=True):
                if isinstance(op, gpu.GPUModuleOp):
                    lowered.detach()
                    module.body.block.insert_op_before(lowered, op)
                    op.detach()
    else:
        irs = lower(module, replace(options, emulates_nvvm=True))
    for op in list(module.ops):
        if isinstance(op, gpu.GPUModuleOp):
            name = op.sym_name.data
            gpu_ir = _for_gpu(for_gpu.get(name, irs[name]), profile(version).atomics_order)
            yield KernelText(name, irs[name], str(op.targets), gpu_ir=gpu_ir if gpu_ir != irs[name] else None)
            _make_stubs(op)
        elif isinstance(op, gpu.BinaryOp):
            yield KernelText(op.sym_name.data, None, str(op.objects), tuple(op.objects.data))


_ALIGNMENT = ", align "
"""With an alignment of 1,024 bytes, a swizzle by address, as in a wgmma, is the same as one by place in a
tile, as in the expansion of a tensor map copy (`passes/kernels/tensor_maps.py`)."""


def _for_gpu(ir: str, atomics_order: bool) -> str:
    """Adapt a kernel module's IR to a run on a GPU, for which LLVM 22 compiles it to PTX.

    Fences around atomic updates replace their ordering, which LLVM 22 ignores. Updates of workgroup memory,
    which the expansion of mbarriers creates as well, always get them; those of global memory only if
    `atomics_order`, as a release without that fact ignores the ordering, too."""
    aligns = "wgmma" in ir
    lines: list[str] = []
    for line in ir.split("\n"):
        in_workgroup = " addrspace(3) " in line
        if aligns and line.startswith("@") and in_workgroup:
            line = f"{line.partition(_ALIGNMENT)[0]}{_ALIGNMENT}1024"
        is_ordered = " atomicrmw " in line and (" acq_rel" in line or " seq_cst" in line)
        if is_ordered and (in_workgroup or atomics_order):
            fence = '  fence syncscope("block") acq_rel' if in_workgroup else "  fence acq_rel"
            lines += [fence, line, fence]
        else:
            lines.append(line)
    return "\n".join(lines)


_NARROW = re.compile(r"\bf[468]E\w+")
"""Float types with at most eight bits."""


def _why(op: Operation, module: ModuleOp) -> str:
    """Return the reason why no lowering of an op is known, or advice; empty if there is neither."""
    types = [str(value.type) for value in (*op.operands, *op.results)]
    narrow = next((found[0] for each in types if (found := _NARROW.search(each))), None)
    if narrow is not None:
        return f": this tool does not execute operations on {narrow}"
    if op.name.startswith("rocdl."):
        return ": of the ops for AMD's GPUs, a run executes only ids, sizes and barriers"
    if not op.name.startswith("linalg."):
        return ""
    from gpuasync_lsp.lowering.passes.linalg_to_loops import has_schedule

    if not has_schedule(module):
        return ""
    return (
        ": the file's transform schedule divides it among threads, but this tool applies no schedule; "
        "`mlir-opt --transform-interpreter --test-transform-dialect-erase-schedule` does"
    )


def _reject_unverified(module: gpu.GPUModuleOp, version: int) -> None:
    """Reject what the verifier rejects after the conversion: an `llvm.cmpxchg` of floats, which
    generic_atomic_rmw becomes through LLVM 22, a `free` of a pointer in a memory space other than 0, and a
    descriptor of a workgroup buffer whose type does not have this memory space."""
    for op in module.walk():
        if isinstance(op, llvm.AtomicCmpXchgOp) and not isinstance(
            op.cmp.type, IntegerType | LLVMPointerType
        ):
            wrong = "operand #1 must be signless integer or LLVM pointer type"
            wrong = f"'llvm.cmpxchg' op {wrong}, but got {typed(op.cmp.type)} (LLVM 23 does)"
        elif isinstance(op, llvm.CallOp) and frees(op) and op.operands[0].type != PTR:
            given = typed(op.operands[0].type)
            wrong = f"'llvm.call' op operand type mismatch for operand 0: {given} != {typed(PTR)}"
        elif op.name == "llvm.insertvalue" and isinstance(op.operands[1].type, LLVMPointerType):
            whole, part = (operand.type for operand in op.operands)
            (first, *inner) = int_list(op, "position")
            if inner or not isinstance(whole, LLVMStructType) or whole.types.data[first] == part:
                continue
            wrong = f"'llvm.insertvalue' op Type mismatch: cannot insert {typed(part)} into {typed(whole)}"
        else:
            continue
        raise Untranslatable(f"LLVM {version} does not lower the kernel: {wrong}", op)


def _is_in_kernel(op: Operation) -> bool:
    above = op.parent_op()
    while above is not None and not isinstance(above, gpu.GPUModuleOp):
        above = above.parent_op()
    return above is not None


def _make_stubs(module: gpu.GPUModuleOp) -> None:
    """Replace a lowered gpu.module's kernels with their signatures, which the host's lowering needs."""
    for op in list(module.body_region.ops):
        if isinstance(op, llvm.LLVMFuncOp) and "gpu.kernel" in op.attributes:
            types = [argument.type for argument in op.body.blocks[0].args]
            stub = llvm.LLVMFuncOp.create(
                properties=dict(op.properties),
                attributes={"gpu.kernel": op.attributes["gpu.kernel"]},
                regions=[Region(Block([llvm.UnreachableOp.create()], arg_types=types))],
            )
            stub.location = op.location
            module.body_region.blocks[0].insert_op_before(stub, op)
        op.detach()
    module.attributes[ANNOTATION] = StringAttr(BLOB.format(module.sym_name.data))
