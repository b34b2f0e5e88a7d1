"""The passes that convert one dialect to llvm (`convert-index-to-llvm`, `finalize-memref-to-llvm`, ...).

This includes `convert-to-llvm`, which converts all these dialects. gpu-to-llvm has the same patterns.

Source: the output of mlir-opt 16, 19 and 22.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.driver import Leftover, Legality, always, convert, never
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.arith_expand import arith_expand
from gpuasync_lsp.releases import Profile

DIALECTS: Mapping[str, tuple[str, ...]] = {
    "convert-index-to-llvm": ("index",),
    "convert-arith-to-llvm": ("arith",),
    "convert-math-to-llvm": ("math",),
    "convert-complex-to-llvm": ("complex",),
    "convert-ub-to-llvm": ("ub",),
    "convert-cf-to-llvm": ("cf",),
    "finalize-memref-to-llvm": ("memref",),
    "convert-func-to-llvm": ("func",),
    "convert-to-llvm": ("func", "arith", "cf", "memref", "index", "math", "ub", "complex", "vector", "nvvm"),
    "convert-nvvm-to-llvm": ("nvvm",),
}
"""Maps each pass to the dialects that it converts."""

_MODULES = {"ub": "math", "vector": "vector_print"}
"""Maps a dialect to the module in gpu_to_llvm/host with its patterns, if their names differ."""


def dialect_to_llvm(root: Operation, name: str, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Convert the ops inside `root` in place, like the pass `name`; return the unlowered ops.

    Raises LegalizationError if the pass fails in the release."""
    dialects = DIALECTS[name]
    if name == "convert-func-to-llvm" and profile.functions_with_bodies:
        dialects = (*dialects, "arith", "cf")
    if name == "convert-func-to-llvm" and profile.functions_with_data_layout:
        root.attributes.setdefault("llvm.data_layout", StringAttr(""))
    if profile.expands_rounding_divisions and "arith" in dialects:
        arith_expand(root, profile)
    types = TypeConverter(
        bare_pointers=options.use_bare_pointers_for_host, index_bits=options.index_bits, async_types=False
    )
    rewriter = ConversionRewriter(types, profile.but(converts_index_and_complex=True), options)
    rewriter.functions_convert = "func" in dialects
    rewriter.branches_convert = "cf" in dialects or not profile.functions_need_entry_only
    only_branches = name == "convert-cf-to-llvm" and profile.branches_must_convert
    legality: dict[type[Operation], Callable[[Operation], bool]] = {}
    if only_branches:
        # Make all other ops legal, so that the driver does not fold them.
        legality |= dict.fromkeys((type(op) for op in root.walk()), always)
    if only_branches or name == "convert-index-to-llvm":
        legality |= _strict(dialects)
    return convert(rewriter, root, _patterns(dialects), legality, in_place=True)


def _strict(dialects: Sequence[str]) -> Legality:
    """Return a legality table in which each op with a pattern is illegal."""
    return dict.fromkeys((op for each in _found(dialects) for op in each.op_types), never)


@cache
def _patterns(dialects: Sequence[str]) -> Patterns:
    return Patterns(_found(dialects))


def _found(dialects: Sequence[str]) -> list[AnyPattern]:
    found: list[AnyPattern] = []
    for dialect in dialects:
        module = _MODULES.get(dialect, dialect)
        patterns: Sequence[AnyPattern] = import_module(
            f"gpuasync_lsp.lowering.passes.gpu_to_llvm.host.{module}"
        ).PATTERNS
        found += (each for each in patterns if each.op_types[0].name.startswith(f"{dialect}."))
    return found
