"""`convert-xegpu-to-xevm`: one lane's block accesses and matrix products become xevm ops.

Sources: mlir/lib/Conversion/XeGPUToXeVM/XeGPUToXeVM.cpp, and the output of mlir-opt 22 and 23. For an
op that mlir-opt converts and this pass does not, the error names the op.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion import structural
from gpuasync_lsp.lowering.conversion.driver import Leftover, always, convert, never
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, OwnLimit, own_limit
from gpuasync_lsp.lowering.conversion.patterns import Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm import blocks, lanes, products
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.types import XeVMTypes, materialize
from gpuasync_lsp.lowering.passes.gpu_to_llvm.verify import verify_by_rules
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith

_LEGAL = ("arith.", "gpu.", "index.", "llvm.", "memref.", "vector.", "xevm.")
_MISSING = ("xegpu.atomic_rmw",)
_PATTERNS = Patterns((*blocks.patterns(), *lanes.patterns(), *products.patterns(), *structural.PATTERNS))


def convert_xegpu_to_xevm(root: Operation, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Convert the xegpu ops inside `root` in place.

    Raises LegalizationError for an op that no pattern of the release converts, OwnLimit for one that
    this pass does not support."""
    ops = [op for op in root.walk() if op is not root]
    for op in ops:
        if op.name in _MISSING:
            raise OwnLimit(op, f"this tool does not convert {op.name}")
    types = XeVMTypes(index_bits=options.index_bits)
    rewriter = ConversionRewriter(types, profile, options)
    rewriter.functions_convert = rewriter.branches_convert = False
    legality: dict[type[Operation], Callable[[Operation], bool]] = {
        type(op): always if op.name.startswith(_LEGAL) else never
        for op in ops
        if op.name.startswith((*_LEGAL, "xegpu."))
    }
    if profile.xegpu_converts_floats:
        for kind in (arith.ExtFOp, arith.TruncFOp):
            legality[kind] = _keeps_floats
    try:
        convert(rewriter, root, _PATTERNS, legality | structural.legality(types))
    except LegalizationError as error:
        raise own_limit(error) from error
    rewriter.values.materialize(partial(materialize, types=types))
    for op in root.walk():
        if op.name.startswith("xevm."):
            verify_by_rules(op, profile)
    return []


def _keeps_floats(op: Operation) -> bool:
    return not products.converts_floats(op)
