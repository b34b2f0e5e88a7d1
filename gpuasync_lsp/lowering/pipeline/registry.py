"""The passes that this tool supports, under mlir-opt's names, with their anchors, options and functions.

To add a pass, write it in a separate file and add a line to `PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.driver import Leftover
from gpuasync_lsp.lowering.option_values import is_set, mistake, number
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.attach_target import OPTIONS as TARGET_OPTIONS
from gpuasync_lsp.lowering.passes.attach_target import attach_target
from gpuasync_lsp.lowering.passes.canonicalize import canonicalize
from gpuasync_lsp.lowering.passes.convert_scf_to_cf import convert_scf_to_cf
from gpuasync_lsp.lowering.passes.cse import cse
from gpuasync_lsp.lowering.passes.gpu_async_region import gpu_async_region
from gpuasync_lsp.lowering.passes.gpu_kernel_outlining import gpu_kernel_outlining
from gpuasync_lsp.lowering.passes.gpu_map_parallel_loops import (
    OUTERMOST_FIRST,
    POLICIES,
    gpu_map_parallel_loops,
)
from gpuasync_lsp.lowering.passes.gpu_module_to_binary import DEFAULT_FORMAT, Serialize, gpu_module_to_binary
from gpuasync_lsp.lowering.passes.gpu_to_llvm import gpu_to_llvm
from gpuasync_lsp.lowering.passes.kernels.left import modules_to_convert
from gpuasync_lsp.lowering.passes.reconcile_unrealized_casts import reconcile_unrealized_casts
from gpuasync_lsp.lowering.passes.symbol_dce import symbol_dce
from gpuasync_lsp.lowering.pipeline.pass_names import real_passes, releases_of
from gpuasync_lsp.lowering.pipeline.text import MissingPass, PipelineError, Step
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.data_layout import index_bits
from gpuasync_lsp.syntax.dialects.gpu import GPUModuleOp
from gpuasync_lsp.text.spelling import closest

MAPPING_POLICY = "mapping-policy"
MODULE, FUNCTION, KERNELS, ANY = "builtin.module", "func.func", "gpu.module", ""


@dataclass
class Invocation:
    """The state of a running pipeline: the release, the global options, and the diagnostics."""

    profile: Profile
    options: LoweringOptions
    left: list[Leftover] = field(default_factory=list[Leftover])
    diagnostics: list[str] = field(default_factory=list[str])
    serialize: Serialize | None = None
    """The compiler for kernels, or None."""
    pipeline: tuple[str, ...] = ()
    """The names of all passes in the pipeline, whose dialects are loaded before the first pass runs."""


@dataclass(frozen=True)
class Pass:
    """A pass of mlir-opt that this tool supports."""

    runs_on: str
    """The op on which the pass runs; empty for any op."""
    run: Callable[[Any, Step, Invocation], None]
    """Runs the pass; the first parameter is an op of kind `runs_on`."""
    options: frozenset[str] = frozenset()
    """The names of the options that this tool supports."""
    ignored: frozenset[str] = frozenset()
    """The names of options without an effect on the output."""
    loads_nvvm: bool = False
    """Whether the pass loads the NVVM dialect; this happens when the pipeline starts, and affects
    async.yield."""
    needs_whole_module: bool = False
    """Whether the pass changes top-level ops other than the one on which it runs."""
    converts_bodies: Callable[[Profile], bool] = lambda profile: False
    """Whether the pass converts arith ops, including those in the unprinted bodies of linalg's named ops."""


def check(name: str, options: Mapping[str, str]) -> Pass:
    """Return the pass `name` after checking `options`. Raises PipelineError."""
    found = PASSES.get(name)
    if found is None:
        raise missing(name)
    for option, value in options.items():
        if option not in found.options | found.ignored:
            known = ", ".join(sorted(found.options | found.ignored)) or "none"
            raise PipelineError(f"{name} has no option {option!r}; it has {known}")
        if option == "runtime" and value not in ("unknown", "HIP", "OpenCL"):
            raise PipelineError(f"{name}: the runtime must be unknown, HIP or OpenCL, not {value}")
        if wrong := mistake(option, value):
            raise PipelineError(f"{name}: {wrong}")
        if option == MAPPING_POLICY and value not in POLICIES:
            raise PipelineError(f"{name}: {option} must be {' or '.join(POLICIES)}, not {value}")
        if option == "index-bitwidth" and number(value) not in (0, 32, 64):
            raise PipelineError(f"{name}: the index bitwidth must be 0, 32 or 64, not {value}")
    return found


def missing(name: str) -> PipelineError:
    """Create the error for a pass that this tool lacks: MissingPass if some release has the pass."""
    releases = releases_of(name)
    if releases:
        return MissingPass(
            f"this tool has no pass {name!r}, which {releases} has; it has {', '.join(PASSES)}"
        )
    close = closest(name, (*PASSES, *real_passes()))
    meant = f"; did you mean {close!r}?" if close is not None else ""
    return PipelineError(f"no release of LLVM has a pass {name!r}{meant}")


def is_true(step: Step, option: str) -> bool:
    """Return whether a boolean option of a step is true, according to LLVM's rules."""
    return is_set(step.options, option)


def with_options(step: Step, options: LoweringOptions) -> LoweringOptions:
    """Return `options` updated with the options of a gpu-to-llvm step."""
    for name in _FLAGS:
        if is_true(step, name):
            options = replace(options, **{name.replace("-", "_"): True})
    annotation = step.options.get("gpu-binary-annotation")
    return options if annotation is None else replace(options, gpu_binary_annotation=annotation)


_FLAGS = ("use-bare-pointers-for-host", "use-bare-pointers-for-kernels", "intersperse-sizes-for-kernels")


def _outline(op: ModuleOp, step: Step, invocation: Invocation) -> None:
    gpu_kernel_outlining(op, invocation.profile)


def _async_region(op: Operation, step: Step, invocation: Invocation) -> None:
    gpu_async_region(op)


def _affine(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily, as in _gpu_to_nvvm: few programs have affine ops.
    from gpuasync_lsp.lowering.passes.lower_affine import lower_affine

    invocation.left += lower_affine(op, invocation.profile)


def _inline(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily, as in _gpu_to_nvvm: few pipelines have this pass.
    from gpuasync_lsp.lowering.passes.inline import inline

    inline(op, invocation.profile)


def _linalg_to_loops(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily: few programs have linalg ops.
    from gpuasync_lsp.lowering.passes.linalg_to_loops import Kind, convert_linalg_to_loops

    kinds = {"parallel-loops": Kind.PARALLEL, "affine-loops": Kind.AFFINE, "loops": Kind.SCF}
    kind = kinds[step.name.removeprefix("convert-linalg-to-")]
    convert_linalg_to_loops(op, invocation.profile, kind)


def _map_parallel_loops(op: Operation, step: Step, invocation: Invocation) -> None:
    gpu_map_parallel_loops(op, step.options.get(MAPPING_POLICY, OUTERMOST_FIRST))


def _parallel_loops_to_gpu(op: Operation, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.convert_parallel_loops_to_gpu import convert_parallel_loops_to_gpu

    invocation.diagnostics += convert_parallel_loops_to_gpu(op, invocation.profile)


def _nvgpu_to_nvvm(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily: few programs have nvgpu ops, and nvvm is large.
    from gpuasync_lsp.lowering.passes.convert_nvgpu_to_nvvm import convert_nvgpu_to_nvvm

    options = replace(invocation.options, index_bits=64)
    invocation.left += convert_nvgpu_to_nvvm(op, invocation.profile, options)


def _vector_to_scf(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily: few programs have vector transfers.
    from gpuasync_lsp.lowering.passes.convert_vector_to_scf import Options, convert_vector_to_scf

    options = Options(
        full_unroll=is_true(step, "full-unroll"),
        target_rank=number(step.options.get("target-rank", "1")) or 0,
        lower_tensors=is_true(step, "lower-tensors"),
    )
    convert_vector_to_scf(op, invocation.profile, options)


def _vector_to_llvm(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily: this pass lowers few programs.
    from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import Options, convert_vector_to_llvm

    def flag(name: str, default: bool = False) -> bool:
        return is_true(step, name) if name in step.options else default

    options = Options(
        reassociate_fp_reductions=flag("reassociate-fp-reductions"),
        force_32bit_vector_indices=flag("force-32bit-vector-indices", True),
        use_vector_alignment=flag("use-vector-alignment"),
        vector_contract_lowering=step.options.get("vector-contract-lowering", "dot"),
        vector_transpose_lowering=step.options.get("vector-transpose-lowering", "eltwise"),
    )
    invocation.left += convert_vector_to_llvm(op, invocation.profile, options, invocation.options)


def _scf_to_cf(op: Operation, step: Step, invocation: Invocation) -> None:
    convert_scf_to_cf(op, invocation.profile)


def _strided_metadata(op: Operation, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.expand_strided_metadata import expand_strided_metadata

    expand_strided_metadata(op, invocation.profile)


def _attach_target(op: ModuleOp, step: Step, invocation: Invocation) -> None:
    options = step.options
    if step.name == "nvvm-attach-target" and step.pipeline and invocation.profile.pipeline_names_ptx:
        options = {"features": _PIPELINE_FEATURES, **options}
    attach_target(op, step.name.partition("-")[0], options)


def _gpu_to_nvvm(op: ModuleOp, step: Step, invocation: Invocation) -> None:
    options = replace(invocation.options, has_redux=is_true(step, "has-redux"))
    if is_true(step, "use-bare-ptr-memref-call-conv"):
        options = replace(options, use_bare_pointers_for_kernels=True)
    options = replace(options, index_bits=number(step.options.get("index-bitwidth", "0")) or 64)
    # The kernel pass walks the gpu.module, and visits the gpu.module itself first.
    if not modules_to_convert(op, invocation.profile, options):
        return
    # Imported lazily, as in _gpu_to_rocdl: the dialects are large, and gpu-to-llvm does not need them.
    from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm import convert_gpu_to_nvvm

    invocation.left += convert_gpu_to_nvvm(op, invocation.profile, options)


def _gpu_to_rocdl(op: ModuleOp, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.convert_gpu_to_rocdl import convert_gpu_to_rocdl

    options = invocation.options
    if is_true(step, "use-bare-ptr-memref-call-conv"):
        options = replace(options, use_bare_pointers_for_kernels=True)
    options = replace(options, index_bits=number(step.options.get("index-bitwidth", "0")) or 64)
    runtime = step.options.get("runtime", "unknown")
    invocation.left += convert_gpu_to_rocdl(op, invocation.profile, options, runtime)


def _gpu_to_llvm_spv(op: Operation, step: Step, invocation: Invocation) -> None:
    # Imported lazily, as in _gpu_to_nvvm: few programs are for Intel's GPUs.
    from gpuasync_lsp.lowering.passes.convert_gpu_to_llvm_spv import convert_gpu_to_llvm_spv

    options = replace(invocation.options, index_bits=64 if is_true(step, _WIDE_INDEX) else 32)
    invocation.left += convert_gpu_to_llvm_spv(op, invocation.profile, options)


def _math_to_xevm(op: Operation, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.convert_math_to_xevm import convert_math_to_xevm

    arith = is_true(step, "convert-arith") or "convert-arith" not in step.options
    invocation.left += convert_math_to_xevm(op, invocation.profile, invocation.options, arith=arith)


def _xegpu_to_xevm(op: Operation, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm import convert_xegpu_to_xevm

    narrow = _WIDE_INDEX in step.options and not is_true(step, _WIDE_INDEX)
    options = replace(invocation.options, index_bits=32 if narrow else 64)
    invocation.left += convert_xegpu_to_xevm(op, invocation.profile, options)


def _xevm_to_llvm(op: Operation, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.convert_xevm_to_llvm import convert_xevm_to_llvm

    invocation.left += convert_xevm_to_llvm(op, invocation.profile, invocation.options)


def _gpu_to_llvm(op: ModuleOp, step: Step, invocation: Invocation) -> None:
    done = gpu_to_llvm(op, invocation.profile, with_options(step, invocation.options))
    invocation.left += done.left
    invocation.diagnostics += done.diagnostics


def _to_binary(op: Operation, step: Step, invocation: Invocation) -> None:
    written = step.options.get("format", DEFAULT_FORMAT)
    section = step.options.get("section", "")
    if step.pipeline == "gpu-lower-to-xevm-pipeline":
        invocation.left += _kernel_ops_left(op)
    gpu_module_to_binary(op, invocation.profile, written, section, invocation.serialize)


_OF_INTEL = {
    "gpu": "convert-gpu-to-llvm-spv",
    "math": "convert-math-to-xevm",
    "xegpu": "convert-xegpu-to-xevm",
    "xevm": "convert-xevm-to-llvm",
}
"""Maps each dialect to the pass that lowers it in the kernels of Intel's pipeline, which this tool omits."""
_AROUND = frozenset({"gpu.module", "gpu.func", "gpu.return"})


def _kernel_ops_left(module: Operation) -> Iterator[Leftover]:
    """Yield the first kernel op of each name that an omitted pass of Intel's pipeline would lower."""
    seen: set[str] = set()
    for kernels in module.walk():
        for op in kernels.walk() if isinstance(kernels, GPUModuleOp) else ():
            missing = _OF_INTEL.get(op.name.partition(".")[0])
            if missing is not None and op.name not in _AROUND and op.name not in seen:
                seen.add(op.name)
                yield Leftover(op, f"this pipeline does not lower kernels: {missing} lowers this op")


def _reconcile(op: Operation, step: Step, invocation: Invocation) -> None:
    reconcile_unrealized_casts(op, invocation.profile)


def _dialect_to_llvm(op: Operation, step: Step, invocation: Invocation) -> None:
    from gpuasync_lsp.lowering.passes.dialects_to_llvm import dialect_to_llvm

    options = invocation.options
    if is_true(step, "use-bare-ptr-memref-call-conv"):
        options = replace(options, use_bare_pointers_for_host=True)
    by_layout = index_bits(op) if step.name in _ASK_DATA_LAYOUT else None
    width = number(step.options.get("index-bitwidth", "0")) or by_layout or 64
    options = replace(options, index_bits=width)
    invocation.left += dialect_to_llvm(op, step.name, invocation.profile, options)


def _cse(op: Operation, step: Step, invocation: Invocation) -> None:
    cse(op, invocation.profile)


def _symbol_dce(op: Operation, step: Step, invocation: Invocation) -> None:
    symbol_dce(op)


def _keep_locations(op: Operation, step: Step, invocation: Invocation) -> None:
    """Do nothing, instead of stripping locations: they are not printed, and link lines to their sources."""


def _canonicalize(op: Operation, step: Step, invocation: Invocation) -> None:
    canonicalize(op, invocation.profile)


def _always(profile: Profile) -> bool:
    return True


VECTOR_TO_LLVM_OPTIONS = frozenset(
    {
        *("reassociate-fp-reductions", "force-32bit-vector-indices", "use-vector-alignment"),
        *("vector-contract-lowering", "vector-transpose-lowering"),
    }
)
VECTOR_TO_LLVM_IGNORED = frozenset(
    {
        *("enable-amx", "enable-arm-neon", "enable-arm-sme", "enable-arm-sve", "enable-arm-i8mm"),
        *("enable-arm-bf16", "enable-x86vector", "use-opaque-pointers"),
    }
)
_ASK_DATA_LAYOUT = frozenset({"finalize-memref-to-llvm", "convert-func-to-llvm"})
"""The passes that use the index width of the module's data layout. Measured in LLVM 16 to 23."""
_WIDE_INDEX = "use-64bit-index"
_PIPELINE_FEATURES = "+ptx60"
_INDEX_WIDTH = frozenset({"index-bitwidth"})
_OPAQUE_POINTERS = frozenset({"use-opaque-pointers"})
"""An option of LLVM 17 that is ignored: opaque pointers are the default, typed ones are not supported."""

PASSES: Mapping[str, Pass] = {
    "convert-linalg-to-parallel-loops": Pass(ANY, _linalg_to_loops),
    "convert-linalg-to-loops": Pass(ANY, _linalg_to_loops),
    "convert-linalg-to-affine-loops": Pass(ANY, _linalg_to_loops),
    "gpu-map-parallel-loops": Pass(FUNCTION, _map_parallel_loops, frozenset({MAPPING_POLICY})),
    "convert-parallel-loops-to-gpu": Pass(ANY, _parallel_loops_to_gpu),
    "lower-affine": Pass(ANY, _affine),
    "convert-vector-to-scf": Pass(
        ANY, _vector_to_scf, frozenset({"full-unroll", "lower-tensors", "target-rank"})
    ),
    "convert-nvgpu-to-nvvm": Pass(
        ANY, _nvgpu_to_nvvm, ignored=_OPAQUE_POINTERS, loads_nvvm=True, needs_whole_module=True
    ),
    "gpu-kernel-outlining": Pass(
        MODULE, _outline, ignored=frozenset({"data-layout-str"}), needs_whole_module=True
    ),
    "gpu-async-region": Pass(FUNCTION, _async_region),
    "convert-scf-to-cf": Pass(ANY, _scf_to_cf, ignored=frozenset({"allow-pattern-rollback"})),
    "expand-strided-metadata": Pass(ANY, _strided_metadata),
    "nvvm-attach-target": Pass(
        MODULE,
        _attach_target,
        TARGET_OPTIONS["nvvm"],
        frozenset({"ptxas-cmd-options"}),
        loads_nvvm=True,
    ),
    "convert-gpu-to-nvvm": Pass(
        KERNELS,
        _gpu_to_nvvm,
        frozenset({"use-bare-ptr-memref-call-conv", "index-bitwidth", "has-redux"}),
        _OPAQUE_POINTERS | {"allow-pattern-rollback"},
        loads_nvvm=True,
    ),
    "rocdl-attach-target": Pass(MODULE, _attach_target, TARGET_OPTIONS["rocdl"]),
    "convert-gpu-to-rocdl": Pass(
        KERNELS,
        _gpu_to_rocdl,
        frozenset({"use-bare-ptr-memref-call-conv", "index-bitwidth", "runtime"}),
        _OPAQUE_POINTERS | {"chipset"},
    ),
    "convert-math-to-xevm": Pass(ANY, _math_to_xevm, frozenset({"convert-arith"}), needs_whole_module=True),
    "convert-xegpu-to-xevm": Pass(ANY, _xegpu_to_xevm, frozenset({_WIDE_INDEX})),
    "convert-gpu-to-llvm-spv": Pass(ANY, _gpu_to_llvm_spv, frozenset({_WIDE_INDEX}), needs_whole_module=True),
    "convert-xevm-to-llvm": Pass(ANY, _xevm_to_llvm, needs_whole_module=True),
    "xevm-attach-target": Pass(MODULE, _attach_target, TARGET_OPTIONS["xevm"]),
    "gpu-to-llvm": Pass(
        MODULE,
        _gpu_to_llvm,
        frozenset({*_FLAGS, "gpu-binary-annotation"}),
        _OPAQUE_POINTERS,
    ),
    "gpu-module-to-binary": Pass(
        ANY,
        _to_binary,
        frozenset({"format", "section"}),
        frozenset({"opts", "toolkit"}),
        loads_nvvm=True,
        needs_whole_module=True,
    ),
    "convert-index-to-llvm": Pass(ANY, _dialect_to_llvm, _INDEX_WIDTH),
    "convert-arith-to-llvm": Pass(ANY, _dialect_to_llvm, _INDEX_WIDTH, converts_bodies=_always),
    "convert-math-to-llvm": Pass(ANY, _dialect_to_llvm),
    "convert-complex-to-llvm": Pass(ANY, _dialect_to_llvm),
    "convert-ub-to-llvm": Pass(ANY, _dialect_to_llvm, _INDEX_WIDTH),
    "convert-nvvm-to-llvm": Pass(ANY, _dialect_to_llvm, loads_nvvm=True),
    "convert-vector-to-llvm": Pass(
        ANY, _vector_to_llvm, VECTOR_TO_LLVM_OPTIONS, VECTOR_TO_LLVM_IGNORED, needs_whole_module=True
    ),
    "convert-cf-to-llvm": Pass(ANY, _dialect_to_llvm, _INDEX_WIDTH, _OPAQUE_POINTERS),
    "finalize-memref-to-llvm": Pass(
        MODULE, _dialect_to_llvm, _INDEX_WIDTH, _OPAQUE_POINTERS, needs_whole_module=True
    ),
    "convert-func-to-llvm": Pass(
        MODULE,
        _dialect_to_llvm,
        _INDEX_WIDTH | {"use-bare-ptr-memref-call-conv"},
        _OPAQUE_POINTERS,
        needs_whole_module=True,
        converts_bodies=lambda profile: profile.functions_with_bodies,
    ),
    "convert-to-llvm": Pass(
        ANY,
        _dialect_to_llvm,
        ignored=frozenset({"allow-pattern-rollback"}),
        needs_whole_module=True,
        converts_bodies=_always,
    ),
    "reconcile-unrealized-casts": Pass(ANY, _reconcile),
    "canonicalize": Pass(
        ANY,
        _canonicalize,
        ignored=frozenset({"top-down", "max-iterations", "max-num-rewrites", "test-convergence"}),
    ),
    "cse": Pass(ANY, _cse),
    "inline": Pass(MODULE, _inline, ignored=frozenset({"max-iterations"}), needs_whole_module=True),
    "symbol-dce": Pass(ANY, _symbol_dce, needs_whole_module=True),
    "strip-debuginfo": Pass(ANY, _keep_locations),
}
"""Maps the name of each pass to the pass, in the order in which a program is lowered."""
