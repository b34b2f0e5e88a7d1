"""gpu: checks that MLIR implements in C++, for kernels and for the host."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr

from gpuasync_lsp.syntax.checks.gpu.device import DEVICE
from gpuasync_lsp.syntax.checks.gpu.host import HOST
from gpuasync_lsp.syntax.checks.gpu.targets import targets
from gpuasync_lsp.syntax.checks.view import First
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.assembly import fail


def _verify_launch(op: gpu.LaunchOp) -> None:
    buffers = 0 if op.workgroup_attributions is None else op.workgroup_attributions.value.data
    wanted = (12 if op.cluster_size_x is None else 18) + buffers
    if not op.body.blocks or len(op.body.blocks[0].args) < wanted:
        fail(op, "unexpected number of region arguments")


def _verify_gpu_module(op: gpu.GPUModuleOp) -> None:
    targets = None if op.targets is None else op.targets.data
    if targets == () or any(isinstance(each, IntegerAttr | StringAttr) for each in targets or ()):
        words = "array of GPU target attributes with at least 1 elements"
        fail(op, f"attribute 'targets' failed to satisfy constraint: {words}")


FIRST: First = {
    "gpu.launch": _verify_launch,
    "gpu.module": _verify_gpu_module,
}

CHECKS = {**DEVICE, **HOST, "gpu.module": targets}
