"""Pipelines: parses them, expands named ones, selects the passes for a stage of a preview, and runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.defects import reporting_defects
from gpuasync_lsp.lowering.conversion.errors import (
    LegalizationError,
    OwnLimit,
    PassCrash,
    PassError,
    stop_where_known,
)
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.gpu_module_to_binary import COMPILED, DEFAULT_FORMAT, FORMATS, Serialize
from gpuasync_lsp.lowering.passes.gpu_to_llvm import mentions_nvvm
from gpuasync_lsp.lowering.passes.gpu_to_llvm.verify import kernels_of, verify_lowered, verify_tables
from gpuasync_lsp.lowering.pipeline.registry import MODULE, PASSES, Invocation, check
from gpuasync_lsp.lowering.pipeline.text import MissingPass, PipelineError, Step, missing_option, parse_steps
from gpuasync_lsp.lowering.result import Lowered, Message
from gpuasync_lsp.releases import profile
from gpuasync_lsp.releases.passes import has_pass
from gpuasync_lsp.syntax.printer import spell_for
from gpuasync_lsp.text.spelling import closest

__all__ = [
    "DEFAULT_STAGE",
    "PIPELINES",
    "STAGES",
    "MissingPass",
    "Pipeline",
    "PipelineError",
    "Step",
    "invoked",
    "parse_pipeline",
    "parse_steps",
    "run_pipeline",
    "run_steps",
    "stage_pipeline",
]

SOURCE, LOWERED, LLVM_IR, PTX = "source", "lowered", "llvm-ir", "ptx"
DEFAULT_STAGE = "gpu-to-llvm"
STAGES: tuple[str, ...] = (SOURCE, *PASSES, LOWERED, LLVM_IR, PTX)
"""The stages of a preview, in order: the source, the output of each pass, the lowered host and kernels,
LLVM IR, and the PTX of kernels."""

TRANSLATIONS = (LLVM_IR, PTX)
"""Stages that are not MLIR."""

TRANSLATED = (
    "gpu-kernel-outlining,convert-scf-to-cf,expand-strided-metadata,lower-affine,gpu.module(convert-gpu-to-nvvm),"
    "gpu-to-llvm,reconcile-unrealized-casts"
)
"""The pipeline for host and kernels; a user's passes are merged into it."""
TO_BINARY = "gpu-module-to-binary"
"""The pass whose stage shows PTX, since ptxas is not run."""
FOR_KERNELS = ("gpu-kernel-outlining", "convert-gpu-to-nvvm")
"""The passes in TRANSLATED that have no effect without kernels."""


@dataclass(frozen=True)
class Pipeline:
    """A checked sequence of passes."""

    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()
    """Remarks on deviations from mlir-opt, such as parts of the text that it would reject."""

    whole_kernels: bool = False
    """Whether kernels are translated, including ops that mlir-opt's kernel passes leave unlowered."""

    @property
    def loads_nvvm(self) -> bool:
        """Whether a pass loads the NVVM dialect."""
        return any(PASSES[step.name].loads_nvvm for step in self.steps)

    def without_kernels(self) -> Pipeline:
        """Return the pipeline for a source without kernels, on which the passes for kernels have no effect.

        They are removed, since one of them would load the NVVM dialect, which changes how tokens lower."""
        return replace(self, steps=tuple(step for step in self.steps if step.name not in FOR_KERNELS))

    def up_to(self, name: str) -> Pipeline:
        """Return the pipeline up to and including its pass `name`. Raises PipelineError if it has none."""
        names = [step.name for step in self.steps]
        if name not in names:
            raise PipelineError(f"the pipeline has no {name}: it has {', '.join(names)}")
        return replace(self, steps=self.steps[: names.index(name) + 1])

    def __str__(self) -> str:
        return f"builtin.module({','.join(map(str, self.steps))})"


def parse_pipeline(text: str) -> Pipeline:
    """Parse a pipeline in mlir-opt's syntax, including named pipelines.

    Raises PipelineError for passes and options that this tool lacks."""
    steps: list[Step] = []
    remarks: list[str] = []
    explicit = text.lstrip().startswith(f"{MODULE}(")
    written = parse_steps(text)
    remarks += (_LEAVES_KERNELS.format(step.name) for step in written if _leaves_kernels(step))
    remarks += (_HOST_ONLY.format(step.name) for step in written if step.name == TO_XEVM)
    for step in _expanded(written):
        wanted = check(step.name, step.options).runs_on
        at = step.anchors[-1] if step.anchors else MODULE
        if wanted and wanted != at:
            if step.anchors or wanted == MODULE:
                raise PipelineError(f"{step.name} runs on {wanted}: it cannot be nested in {at}")
            if explicit:
                remarks.append(f"mlir-opt expects {wanted}({step.name}) here: the pass runs on {wanted}")
            step = replace(step, anchors=(wanted,))
        steps.append(step)
    return Pipeline(tuple(steps), tuple(remarks))


def steps_of(text: str) -> tuple[str, ...]:
    """Return the passes of a pipeline in mlir-opt's syntax, each as a string.

    Named pipelines are expanded, unless the pipeline has a pass that this tool lacks, which GA115
    reports. Raises PipelineError for a pipeline that mlir-opt rejects.
    """
    try:
        return tuple(map(str, parse_pipeline(text).steps))
    except MissingPass:
        return tuple(map(str, parse_steps(text)))


def stage_pipeline(stage: str, before: Sequence[Step] = ()) -> Pipeline:
    """Return the pipeline for `stage`; `before` contains the passes of the user's pipeline.

    The stage of a pass ends with that pass. If the pass is in `before`, the pipeline is `before` up to
    that pass; otherwise, the pass follows the passes of `before` that precede it in PASSES. Raises
    PipelineError for an unknown stage.
    """
    if stage == SOURCE:
        return Pipeline(())
    if stage == LOWERED or stage in TRANSLATIONS:
        named = {step.name for step in before}
        if stage == LOWERED and "convert-gpu-to-rocdl" in named:
            named.add("convert-gpu-to-nvvm")
        others = [step for step in parse_pipeline(TRANSLATED).steps if step.name not in named]
        steps = sorted([*before, *others], key=lambda step: _rank(step.name))
        return Pipeline(tuple(steps), whole_kernels=stage in TRANSLATIONS)
    if stage not in PASSES:
        raise PipelineError(f"unknown stage {stage!r}; expected one of {', '.join(STAGES)}{_meant(stage)}")
    names = [step.name for step in before]
    if stage == TO_BINARY and stage not in names:
        whole = stage_pipeline(LOWERED, before).steps
        return Pipeline((*whole, *parse_pipeline(f"{TO_BINARY}{{format=isa}}").steps))
    if stage in names:
        return Pipeline(tuple(before[: names.index(stage) + 1]))
    main = parse_pipeline(DEFAULT_STAGE).steps if _rank(stage) > _rank(DEFAULT_STAGE) else ()
    missing = tuple(step for step in main if step.name not in names)
    earlier = tuple(step for step in before if _rank(step.name) < _rank(stage))
    return Pipeline((*earlier, *missing, *parse_pipeline(stage).steps))


def run_pipeline(
    module: ModuleOp,
    pipeline: Pipeline,
    version: int,
    options: LoweringOptions | None = None,
    serialize: Serialize | None = None,
) -> Lowered:
    """Run `pipeline` as LLVM `version` does on a clone of `module`; `options` apply to all passes.

    `serialize` compiles kernels for gpu-module-to-binary, which fails without it. After an error, the result
    contains the module before the failed pass."""
    clone = module.clone()
    spell_for(clone, version)
    invocation = invoked(module, pipeline, version, options)
    invocation.serialize = serialize
    for number, step in enumerate(pipeline.steps):
        try:
            run_steps(clone, (step,), invocation)
        except (LegalizationError, PassError) as error:
            given = run_pipeline(
                module, replace(pipeline, steps=pipeline.steps[:number]), version, options, serialize
            )
            return replace(
                given,
                diagnostics=(*invocation.diagnostics, *error.diagnostics),
                error=Message.about(error.op, str(error)),
                failed_pass=step.name,
                advice=_advice(error),
                is_own_limit=isinstance(error, OwnLimit),
            )
    notes = tuple(Message.about(left.op, left.reason) for left in invocation.left)
    return Lowered(clone, version, notes, tuple(invocation.diagnostics))


def _advice(error: LegalizationError | PassError) -> str:
    if isinstance(error, LegalizationError):
        return error.reason[:1].upper() + error.reason[1:]
    return error.advice if isinstance(error, PassCrash) else ""


def invoked(
    module: ModuleOp, pipeline: Pipeline, version: int, options: LoweringOptions | None = None
) -> Invocation:
    """Return the `Invocation` with which to run `pipeline` on `module`; `options` apply to all passes."""
    options = options or LoweringOptions()
    if pipeline.loads_nvvm or mentions_nvvm(module):
        options = replace(options, nvvm_loaded=True)
    if pipeline.whole_kernels:
        options = replace(options, whole_kernels=True)
    return Invocation(profile(version), options, pipeline=tuple(step.name for step in pipeline.steps))


def run_steps(module: ModuleOp, steps: Iterable[Step], invocation: Invocation) -> None:
    """Run passes on `module` in place; an error leaves it partly lowered.

    Raises LegalizationError or PassError."""
    spell_for(module, invocation.profile.version)
    for step in steps:
        name, version = step.pipeline or step.name, invocation.profile.version
        if not (has_pass(step.name, version) and has_pass(name, version)):
            raise PassError(module, f"'{name}' does not refer to a registered pass or pass pipeline")
        missing = missing_option(step, version)
        if missing is not None:
            raise PassError(module, f"<Pass-Options-Parser>: no such option {missing}")
        reporting_defects(module, step.name, lambda step=step: _run_step(module, step, invocation))


def _run_step(module: ModuleOp, step: Step, invocation: Invocation) -> None:
    for op in list(anchored(module, step.anchors)):
        stop_where_known(op, step.name, invocation.pipeline, invocation.profile.version)
        PASSES[step.name].run(op, step, invocation)
    if not invocation.options.whole_kernels:
        _verify(module, step, invocation)


def _verify(module: ModuleOp, step: Step, invocation: Invocation) -> None:
    """Verify the output of a pass, as mlir-opt does after each pass. Raises PassError."""
    if step.name != DEFAULT_STAGE:
        # gpu-to-llvm verifies its own output, including the kernels of the surrounding module.
        converts = PASSES[step.name].converts_bodies(invocation.profile)
        verify_lowered(module, invocation.profile, kernels_of(module.ops), contractions=converts)
    verify_tables(module, invocation.profile)


def anchored(op: Operation, anchors: Sequence[str]) -> Iterator[Operation]:
    """Yield the ops on which a pass nested in `anchors` runs, or only `op` if there are no anchors."""
    if not anchors:
        yield op
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.ops):
                if inner.name == anchors[0]:
                    yield from anchored(inner, anchors[1:])


def _expanded(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        named = PIPELINES.get(step.name)
        if named is None:
            yield step
        elif step.anchors:
            raise PipelineError(f"{step.name} runs on {MODULE}: it cannot be nested in {step.anchors[-1]}")
        else:
            given = tuple(step.options)
            for each in parse_steps(named(step)):
                yield replace(each, pipeline=step.name, pipeline_options=given)


def _gpu_lower_to_nvvm(step: Step) -> str:
    """Return the passes of `gpu-lower-to-nvvm-pipeline` that this tool supports, as pipeline text.

    Source: `--dump-pass-pipeline` of mlir-opt 19, 21 and 22. For formats that need ptxas, kernels are
    not compiled and remain readable; a remark reports this.
    """
    options = step.options
    for name in options:
        if name not in TO_NVVM_OPTIONS:
            raise PipelineError(f"{step.name} has no option {name!r}; it has {', '.join(TO_NVVM_OPTIONS)}")
    target = " ".join(
        f"{ours}={options[theirs]!r}" for theirs, ours in _OF_TARGET.items() if theirs in options
    )
    kernel, host = (options.get(flag, "false") for flag in _BARE_POINTERS)
    index = options.get("index-bitwidth", "64")
    form = options.get(FORMAT, DEFAULT_FORMAT)
    binary = "" if _leaves_kernels(step) else f"gpu-module-to-binary{{format={form}}},"
    return (
        "convert-nvgpu-to-nvvm,gpu-kernel-outlining,convert-vector-to-scf,convert-scf-to-cf,"
        f"convert-nvvm-to-llvm,convert-func-to-llvm,expand-strided-metadata,nvvm-attach-target{{{target}}},"
        f"lower-affine,convert-arith-to-llvm,convert-index-to-llvm{{index-bitwidth={index}}},canonicalize,cse,"
        f"gpu.module(convert-gpu-to-nvvm{{use-bare-ptr-memref-call-conv={kernel} index-bitwidth={index}}},"
        "canonicalize,cse,reconcile-unrealized-casts),"
        f"gpu-to-llvm{{use-bare-pointers-for-host={host} use-bare-pointers-for-kernels={kernel}}},"
        f"{binary}convert-math-to-llvm,canonicalize,cse,reconcile-unrealized-casts"
    )


def _gpu_lower_to_xevm(step: Step) -> str:
    """Return the host passes of `gpu-lower-to-xevm-pipeline` (the same in LLVM 22 and 23), as text.

    Source: `--dump-pass-pipeline` of mlir-opt 22 and 23. The passes for kernels are omitted: this tool
    lacks xegpu-*, which distribute kernels to lanes; the others can be run separately. Kernels become
    binaries first instead of last, so that no other pass sees partly lowered kernels.
    """
    options = step.options
    for name in options:
        if name not in TO_XEVM_OPTIONS:
            raise PipelineError(f"{step.name} has no option {name!r}; it has {', '.join(TO_XEVM_OPTIONS)}")
    target = " ".join(
        f"{ours}={options[theirs]!r}" for theirs, ours in _OF_XEVM_TARGET.items() if theirs in options
    )
    kernel, host = (options.get(flag, "false") for flag in _BARE_POINTERS)
    form = options.get("binary-format", DEFAULT_FORMAT)
    return (
        f"xevm-attach-target{{{target}}},gpu-module-to-binary{{format={form}}},cse,convert-vector-to-scf,"
        "lower-affine,func.func(gpu-async-region),convert-scf-to-cf,expand-strided-metadata,"
        f"gpu-to-llvm{{use-bare-pointers-for-host={host} use-bare-pointers-for-kernels={kernel}}},"
        "lower-affine,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts"
    )


_OF_XEVM_TARGET = {
    "zebin-chip": "chip",
    "zebin-triple": "triple",
    "opt-level": "O",
    "xevm-module-matcher": "module",
    "igc-cmd-options": "cmd-options",
}
FORMAT = "cubin-format"
_OF_TARGET = {
    "cubin-chip": "chip",
    "cubin-features": "features",
    "cubin-triple": "triple",
    "opt-level": "O",
}
_BARE_POINTERS = ("kernel-bare-ptr-calling-convention", "host-bare-ptr-calling-convention")
TO_NVVM_OPTIONS = (
    *_OF_TARGET,
    *_BARE_POINTERS,
    *(FORMAT, "ptxas-cmd-options", "allow-pattern-rollback", "index-bitwidth"),
)
"""The options of gpu-lower-to-nvvm-pipeline in any release."""
TO_XEVM_OPTIONS = (
    *_OF_XEVM_TARGET,
    *_BARE_POINTERS,
    *("binary-format", "use-64bit-index", "xegpu-op-level"),
)
"""The options of gpu-lower-to-xevm-pipeline."""
_LEAVES_KERNELS = (
    f"{{}} without gpu-module-to-binary: for this {FORMAT} mlir-opt runs ptxas, which this tool does not; "
    f"{FORMAT}=isa shows PTX, {FORMAT}=llvm bitcode"
)


_HOST_ONLY = (
    "{} for the host only: this tool lacks the passes xegpu-*, and leaves the objects of kernels empty; run "
    "convert-math-to-xevm, convert-xegpu-to-xevm, convert-gpu-to-llvm-spv and convert-xevm-to-llvm separately"
)


def _leaves_kernels(step: Step) -> bool:
    """Return whether a step is gpu-lower-to-nvvm-pipeline with a format that needs ptxas."""
    return (
        step.name == TO_NVVM
        and not step.anchors
        and FORMATS.get(step.options.get(FORMAT, DEFAULT_FORMAT)) in COMPILED
    )


TO_NVVM = "gpu-lower-to-nvvm-pipeline"
TO_XEVM = "gpu-lower-to-xevm-pipeline"
PIPELINES: Mapping[str, Callable[[Step], str]] = {
    TO_NVVM: _gpu_lower_to_nvvm,
    TO_XEVM: _gpu_lower_to_xevm,
}
"""Maps named pipelines to the functions that expand them into pipeline text."""


def _rank(name: str) -> int:
    return STAGES.index(name)


def _meant(stage: str) -> str:
    close = closest(stage, STAGES)
    return f"; did you mean {close!r}?" if close is not None else ""
