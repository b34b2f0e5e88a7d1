"""`canonicalize`, as far as programs of asynchronous gpu ops meet it.

Facts: the output of mlir-opt 16, 19 and 22 `--canonicalize`. The greedy driver is that of `greedy.py`; the
patterns of gpu.wait, gpu.memcpy and gpu.memset are here. Not here: the patterns and folders of other dialects
beyond what `folding.py` knows.

- An unused `gpu.wait async` and an empty blocking wait vanish; `gpu.wait async [%x]` becomes `%x`; an operand that
  is a `gpu.wait async` without dependencies is dropped.
- A gpu.memcpy into a buffer that is only deallocated vanishes.
- gpu.memcpy and gpu.memset look through memref.cast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.greedy import simplify
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import gpu, memref


def canonicalize(root: Operation, profile: Profile) -> None:
    """Rewrite what is inside `root` in place."""
    simplify(root, merge_blocks=profile.canonicalize_merges_blocks, rewrite=_rewrite)


def _rewrite(op: Operation) -> bool:
    return any(pattern(op) for pattern in _PATTERNS)


def _skip_cast(op: Operation) -> bool:
    """gpu.memcpy and gpu.memset take what a memref.cast was given."""
    if not isinstance(op, gpu.MemcpyOp | gpu.MemsetOp):
        return False
    changed = False
    for index, operand in enumerate(op.operands):
        cast = operand.owner
        if isinstance(cast, memref.CastOp) and isinstance(cast.source.type, MemRefType):
            op.operands[index] = cast.source
            changed = True
    return changed


def _drop_fresh_tokens(op: Operation) -> bool:
    """A wait for a token that nothing has been done on yet waits for nothing."""
    if not isinstance(op, gpu.WaitOp):
        return False
    kept = [token for token in op.async_dependencies if not _is_fresh(token)]
    if len(kept) == len(op.async_dependencies):
        return False
    op.operands = kept
    return True


def _is_fresh(token: SSAValue) -> bool:
    return isinstance(token, OpResult) and isinstance(token.op, gpu.WaitOp) and not token.op.operands


def _simplify_wait(op: Operation) -> bool:
    if not isinstance(op, gpu.WaitOp):
        return False
    token, dependencies = op.async_token, op.async_dependencies
    if token is None and not dependencies:
        return _replace(op, [])
    if token is not None and len(dependencies) == 1:
        return _replace(op, [dependencies[0]])
    if token is not None and not token.first_use:
        return _replace(op, [])
    return False


def _erase_lost_copy(op: Operation) -> bool:
    """Nobody reads what a copy writes if the buffer is only deallocated."""
    if not isinstance(op, gpu.MemcpyOp) or not isinstance(op.dst.owner, gpu.AllocOp | memref.AllocOp | memref.AllocaOp):
        return False
    users = {use.operation for use in op.dst.uses}
    if not all(user is op or isinstance(user, gpu.DeallocOp | memref.DeallocOp) for user in users):
        return False
    if len(op.async_dependencies) != (0 if op.async_token is None else 1):
        return False
    return _replace(op, list(op.async_dependencies))


def _replace(op: Operation, values: Sequence[SSAValue]) -> bool:
    for old, new in zip(op.results, values, strict=False):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
    return True


_PATTERNS: tuple[Callable[[Operation], bool], ...] = (
    _skip_cast,
    _erase_lost_copy,
    _drop_fresh_tokens,
    _simplify_wait,
)
