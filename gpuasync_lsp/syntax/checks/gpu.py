"""gpu: matrices of a subgroup, and what a warp yields."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerType, MemRefType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import Refusal, View, has_unit_stride


def _unit_stride(view: View, name: str, words: str) -> Refusal | None:
    type = view.type(name)
    if not isinstance(type, MemRefType) or has_unit_stride(cast("MemRefType[Attribute]", type)):
        return None
    return Refusal(words, bare=True)


def _load(view: View) -> Refusal | None:
    return _unit_stride(view, "srcMemref", "expected source memref most minor dim must have unit stride")


def _store(view: View) -> Refusal | None:
    return _unit_stride(view, "dstMemref", "expected destination memref most minor dim must have unit stride")


def _warp(view: View) -> str | None:
    blocks = list(view.op.regions[0].blocks) if view.op.regions else []
    last = blocks[0].last_op if len(blocks) == 1 else None
    if last is None or last.name not in ("gpu.yield", "vector.yield"):
        return None
    given, results = last.operands, view.op.results
    if len(given) != len(results):
        return "expected same number of yield operands and return values."
    arguments, inputs = blocks[0].args, view.values("args")
    if len(arguments) != len(inputs):
        return "expected same number op arguments and block arguments."
    return None


def _known_size(view: View) -> Refusal | None:
    size = view.op.properties.get("known_block_size")
    if size is None or (
        isinstance(size, DenseArrayBase) and len(cast("DenseArrayBase[IntegerType]", size)) == 3
    ):
        return None
    words = (
        "attribute 'known_block_size' failed to satisfy constraint: i32 dense array attribute with 3 elements"
    )
    return Refusal(f"{words} (if present)", since=19)


def _function(view: View) -> Refusal | None:
    """The unit attribute `kernel` makes a kernel from LLVM 23 on; any attribute before (mlir-opt 22)."""
    type = view.op.properties.get("function_type")
    if "kernel" not in view.op.properties or not isinstance(type, FunctionType) or not type.outputs.data:
        return _known_size(view)
    return Refusal("expected void return type for kernel function", since=23)


CHECKS = {
    "gpu.func": _function,
    "gpu.subgroup_mma_load_matrix": _load,
    "gpu.subgroup_mma_store_matrix": _store,
    "gpu.warp_execute_on_lane_0": _warp,
}
