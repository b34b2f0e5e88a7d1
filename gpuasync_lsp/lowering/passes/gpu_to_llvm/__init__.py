"""`gpu-to-llvm`: lowers host code with gpu ops to llvm ops and calls to the GPU runtime.

Sources: mlir/lib/Conversion/GPUCommon/GPUToLLVMConversion.cpp of LLVM 16, 19, 22 and 24, and the measured
behavior of those releases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from gpuasync_lsp.lowering.conversion.driver import Leftover, Legality, convert, never
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError
from gpuasync_lsp.lowering.conversion.folders.vector import TRANSFERS
from gpuasync_lsp.lowering.conversion.greedy import simplify
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter, Symbols
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.arith_expand import arith_expand
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu import (
    alloc,
    copy,
    device,
    launch_func,
    launch_kernel,
    sparse,
    wait,
)
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import arith, async_dialect, cf, func, memref
from gpuasync_lsp.lowering.passes.gpu_to_llvm.verify import (
    Kernels,
    kernels_of,
    verify_calls,
    verify_given,
    verify_lowered,
    verify_tables,
)
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.releases.passes import has_option
from gpuasync_lsp.syntax.dialects import async_dialect as async_ops
from gpuasync_lsp.syntax.dialects import gpu, operations
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.printer import spell_for


@dataclass
class Conversion:
    """The result of running the pass: unlowered ops, errors, and added declarations."""

    left: list[Leftover]
    """The unlowered ops of kinds that the release can lower."""

    diagnostics: list[str]
    """Errors that the release prints without failing."""

    declared: list[Operation]
    """The functions and globals added to the module, in order."""


@dataclass(frozen=True)
class Surroundings:
    """Facts about the whole module that are needed to lower some of its ops."""

    kernels: Kernels
    symbols: Symbols
    """All symbols of the module."""


def gpu_to_llvm(
    module: ModuleOp, profile: Profile, options: LoweringOptions, around: Surroundings | None = None
) -> Conversion:
    """Lower `module` in place, like `profile`'s release.

    `around` describes the whole module if `module` is only a part of it. Raises LegalizationError or
    PassError if the release exits with status 1."""
    if missing := missing_options(options, profile.version):
        # mlir-opt reports the first unknown option on the command line; here their order is unknown.
        raise PassError(module, f"<Pass-Options-Parser>: no such option {missing[0]}")
    spell_for(module, profile.version)
    verify_given(module, profile)
    kernels = kernels_of(module.ops) if around is None else around.kernels
    if not options.nvvm_loaded:
        options = replace(options, nvvm_loaded=mentions_nvvm(module))
    if profile.greedy_prepass:
        simplify(
            module,
            profile,
            merge_blocks=not options.keeps_branches,
            rewrite=_transfers_of(module, profile),
        )
    if profile.expands_rounding_divisions:
        arith_expand(module, profile)
    types = TypeConverter(
        bare_pointers=options.use_bare_pointers_for_host, any_memory_space=profile.gpu_address_space_lowers
    )
    rewriter = ConversionRewriter(types, profile, options)
    if around is not None:
        rewriter.take_symbols(module, around.symbols)
    table = patterns(profile.annotated_binaries, profile.converts_math)
    try:
        left = convert(rewriter, module, table, _legality(rewriter))
        verify_lowered(module, profile, kernels)
        if options.use_bare_pointers_for_host:
            verify_calls(module, rewriter.declared)
        if not options.whole_kernels:
            verify_tables(module, profile)
    except (LegalizationError, PassError) as error:
        error.diagnostics = list(types.complaints)
        raise
    return Conversion(left, list(types.complaints), rewriter.declared)


def _transfers_of(module: ModuleOp, profile: Profile) -> Callable[[Operation], bool] | None:
    """Return the rewrite that lowers vector transfers; None if `module` has no transfers."""
    if not any(op.name in TRANSFERS for op in module.walk()):
        return None
    from gpuasync_lsp.lowering.passes.gpu_to_llvm.transfers import lower_transfer

    return partial(lower_transfer, splats=not profile.broadcasts_scalars)


def missing_options(options: LoweringOptions, version: int) -> list[str]:
    """Return the `options` that gpu-to-llvm of LLVM `version` lacks."""
    return [name for name in options.given_in_order if not has_option("gpu-to-llvm", name, version)]


def mentions_nvvm(root: Operation) -> bool:
    """Return whether parsing `root` loads the NVVM dialect, because `root` contains its ops or attributes."""
    return any(_of_nvvm(op) for op in root.walk())


def _of_nvvm(op: Operation) -> bool:
    if op.name.startswith("nvvm."):
        return True
    for name, attribute in (*op.attributes.items(), *op.properties.items()):
        if name.startswith("nvvm.") or _holds_nvvm(attribute):
            return True
    return False


def _holds_nvvm(attribute: Attribute) -> bool:
    if attribute.name.startswith("nvvm."):
        return True
    if is_array(attribute):
        return any(_holds_nvvm(inner) for inner in attribute)
    if isinstance(attribute, DictionaryAttr):
        return any(name.startswith("nvvm.") or _holds_nvvm(value) for name, value in attribute.data.items())
    if isinstance(attribute, ParametrizedAttribute):
        return any(_holds_nvvm(inner) for inner in attribute.parameters)
    return False


_COMMON: Sequence[AnyPattern] = (
    wait.Wait(),
    alloc.Alloc(),
    alloc.Dealloc(),
    copy.Memcpy(),
    copy.Memset(),
    device.HostRegister(),
    device.HostUnregister(),
    device.SetDefaultDevice(),
    async_dialect.ConvertExecute(),
    async_dialect.ConvertAwait(),
    async_dialect.YieldEvents(),
    async_dialect.YieldTypes(),
    *func.PATTERNS,
    *cf.PATTERNS,
    *sparse.PATTERNS,
    *arith.PATTERNS,
    *memref.PATTERNS,
)

LATER = {
    "complex": "complex",
    "index": "index",
    "math": "math",
    "nvvm": "nvvm",
    "ub": "math",
    "vector": "vector_print",
}
"""Maps dialects that few programs use to the modules in `host` that contain their patterns."""


@cache
def patterns(expands_launches: bool, converts_math: bool) -> Patterns:
    """Return the patterns of a release.

    Through LLVM 18 they expand launches; later releases expand launches in the translation to LLVM IR."""
    launches: Sequence[AnyPattern] = (
        (launch_kernel.LaunchKernel(), launch_kernel.EraseModule())
        if expands_launches
        else (launch_func.LegalizeLaunchFunc(),)
    )
    later = {
        dialect: partial(_patterns_in, module)
        for dialect, module in LATER.items()
        if converts_math or dialect != "math"
    }
    return Patterns((*_COMMON, *launches), later)


def _patterns_in(module: str) -> Sequence[AnyPattern]:
    return import_module(f"gpuasync_lsp.lowering.passes.gpu_to_llvm.host.{module}").PATTERNS


def _legality(rewriter: ConversionRewriter) -> Legality:
    """Map each op class that may have illegal ops to a predicate that returns whether an op is legal."""
    legality: dict[type[Operation], Callable[[Operation], bool]] = {}
    if rewriter.profile.rejects_loudly:
        legality |= dict.fromkeys(operations("gpu"), never)
    else:
        legality[gpu.LaunchFuncOp] = lambda op: launch_func.is_legal(op, rewriter)
    if rewriter.profile.keeps_targeted_launches:
        legality[gpu.GPUModuleOp] = launch_kernel.has_targets
    for op_type in (async_ops.ExecuteOp, async_ops.AwaitOp, async_ops.YieldOp):
        legality[op_type] = lambda op: async_dialect.is_legal(op, rewriter)
    return legality
