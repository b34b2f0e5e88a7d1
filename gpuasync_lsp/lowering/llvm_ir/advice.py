"""What to write instead of an op that gpu-to-llvm leaves for the number of its dependencies.

Facts: the output of mlir-opt 16, 19, 22 and 24. `gpu-async-region` gives a dependency to an op that has none,
and leaves or adds to those that are there: it mends the first only.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from gpuasync_lsp.lowering.pipeline.pipeline import Step
from gpuasync_lsp.lowering.result import Message
from gpuasync_lsp.preconditions import WRONG_COUNT
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, LaunchFuncOp

_JOIN = " Join the tokens before it, `%joined = gpu.wait async [...]`, and depend on %joined alone."
_REGION = " A pass for synchronous ops is gpu-async-region: name it in the `pipeline`."


def advice(module: ModuleOp, refusal: Message, version: int, passes: Sequence[Step]) -> str:
    """Return what helps the op that LLVM `version` refused, with a space before it; empty for other reasons.

    It stands in `module` as `passes` and those before the refusal left it."""
    op = _refused(module, refusal)
    if op is None:
        return ""
    most = profile(version).launch_max_dependencies if isinstance(op, LaunchFuncOp) else 1
    if most is not None and len(op.async_dependencies) > most:
        return _JOIN
    runs_it = any(step.name == "gpu-async-region" for step in passes)
    return _REGION if refusal.text == WRONG_COUNT and not runs_it else ""


def _refused(module: ModuleOp, refusal: Message) -> AsyncOpInterface | None:
    for op in module.walk():
        if isinstance(op, AsyncOpInterface) and (op.name, op.location) == (refusal.op_name, refusal.location):
            return op
    return None
