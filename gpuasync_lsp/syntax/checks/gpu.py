"""gpu: matrices of a subgroup, and what a warp yields."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import View
from gpuasync_lsp.syntax.dialects.memref_checks import strided


def _unit_stride(view: View, name: str, words: str) -> str | None:
    type = view.type(name)
    if not isinstance(type, MemRefType):
        return None
    layout = strided(cast("MemRefType[Attribute]", type))
    return words if layout is not None and layout.strides and layout.strides[-1] != 1 else None


def _load(view: View) -> str | None:
    return _unit_stride(view, "srcMemref", "expected source memref most minor dim must have unit stride")


def _store(view: View) -> str | None:
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


CHECKS = {
    "gpu.subgroup_mma_load_matrix": _load,
    "gpu.subgroup_mma_store_matrix": _store,
    "gpu.warp_execute_on_lane_0": _warp,
}
