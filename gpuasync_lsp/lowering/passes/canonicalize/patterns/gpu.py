"""The patterns of the gpu dialect. Source: mlir/lib/Dialect/GPU/IR/GPUDialect.cpp.

- An unused `gpu.wait async` and an empty blocking wait are erased; `%x` replaces `gpu.wait async [%x]`;
  an operand that is a `gpu.wait async` without dependencies is dropped.
- A gpu.memcpy into a buffer that is otherwise only deallocated is erased.
- gpu.memcpy and gpu.memset skip memref.casts of their operands.
- Ids of a gpu.launch in a dimension of size 1 are 0.
- Reductions at the top level of a gpu.launch are marked as uniform.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import OpResult, SSAValue

from gpuasync_lsp.lowering.conversion.edits import erase, insert_before, replace
from gpuasync_lsp.lowering.conversion.folders import constant_int
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, gpu, memref


def _erase_lost_copy(copy: gpu.MemcpyOp, _: Profile) -> bool:
    """Erase a copy into a buffer that is otherwise only deallocated."""
    if not isinstance(copy.dst.owner, gpu.AllocOp | memref.AllocOp | memref.AllocaOp):
        return False
    users = {use.operation for use in copy.dst.uses}
    if not all(user is copy or isinstance(user, gpu.DeallocOp | memref.DeallocOp) for user in users):
        return False
    if len(copy.async_dependencies) != (0 if copy.async_token is None else 1):
        return False
    return replace(copy, list(copy.async_dependencies))


def _drop_fresh_tokens(wait: gpu.WaitOp, _: Profile) -> bool:
    """Drop dependencies of a wait that are new tokens, on which no work has been enqueued."""
    kept = [token for token in wait.async_dependencies if not _is_fresh(token)]
    if len(kept) == len(wait.async_dependencies):
        return False
    wait.operands = kept
    return True


def _is_fresh(token: SSAValue) -> bool:
    return isinstance(token, OpResult) and isinstance(token.op, gpu.WaitOp) and not token.op.operands


def _simplify_wait(wait: gpu.WaitOp, _: Profile) -> bool:
    token, dependencies = wait.async_token, wait.async_dependencies
    if token is None:
        return not dependencies and replace(wait, [])
    if len(dependencies) == 1:
        return replace(wait, [dependencies[0]])
    if token.first_use is not None:
        return False
    return erase(wait)


def _fold_launch_ids(launch: gpu.LaunchOp, _: Profile) -> bool:
    """Replace the ids of a launch with 0 in dimensions of size 1."""
    entry = launch.body.blocks[0]
    ids = [
        *zip(entry.args[0:3], launch.grid_size, strict=True),
        *zip(entry.args[3:6], launch.block_size, strict=True),
    ]
    known = [argument for argument, size in ids if argument.first_use and constant_int(size) == 1]
    if not known or entry.first_op is None:
        return False
    zero = insert_before(entry.first_op, arith.ConstantOp(IntegerAttr(0, IndexType())))
    zero.location = launch.location
    for argument in known:
        argument.replace_all_uses_with(zero.results[0])
    return True


PATTERNS: Patterns = {
    gpu.MemcpyOp: (_erase_lost_copy,),
    gpu.WaitOp: (_drop_fresh_tokens, _simplify_wait),
    gpu.LaunchOp: (_fold_launch_ids,),
}
