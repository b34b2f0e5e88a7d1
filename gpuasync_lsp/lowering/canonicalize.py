"""`canonicalize`, as far as programs of asynchronous gpu ops meet it.

Facts: the output of mlir-opt 16, 19 and 22 `--canonicalize`. The greedy driver is that of `greedy.py`; the
patterns of gpu.wait, gpu.memcpy and gpu.memset are here. Not here: the patterns and folders of other dialects
beyond what `folding.py` knows.

- An unused `gpu.wait async` and an empty blocking wait vanish; `gpu.wait async [%x]` becomes `%x`; an operand
  that is a `gpu.wait async` without dependencies is dropped.
- A gpu.memcpy into a buffer that is only deallocated vanishes.
- gpu.memcpy and gpu.memset look through memref.cast.
- Ids of a gpu.launch in a dimension of size 1 are 0.
- A block that only one cf.br leads to joins the block before it; cf.cond_br to one block becomes a cf.br of
  selected values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.folding import constant_int
from gpuasync_lsp.lowering.greedy import simplify
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import arith, cf, func, gpu, memref


def canonicalize(root: Operation, profile: Profile) -> None:
    """Rewrite what is inside `root` in place."""
    simplify(root, profile, merge_blocks=profile.canonicalize_merges_blocks, rewrite=_rewrite)


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
    if not isinstance(op, gpu.MemcpyOp) or not isinstance(
        op.dst.owner, gpu.AllocOp | memref.AllocOp | memref.AllocaOp
    ):
        return False
    users = {use.operation for use in op.dst.uses}
    if not all(user is op or isinstance(user, gpu.DeallocOp | memref.DeallocOp) for user in users):
        return False
    if len(op.async_dependencies) != (0 if op.async_token is None else 1):
        return False
    return _replace(op, list(op.async_dependencies))


def _erase_copy_to_itself(op: Operation) -> bool:
    if not isinstance(op, memref.CopyOp) or op.source is not op.target:
        return False
    return _replace(op, [])


def _erase_unread_alloc(op: Operation) -> bool:
    """Memory that is only freed is not needed."""
    if not isinstance(op, memref.AllocOp | memref.AllocaOp):
        return False
    users = {use.operation for use in op.memref.uses}
    if not users or not all(isinstance(user, memref.DeallocOp) for user in users):
        return False
    for user in users:
        _replace(user, [])
    return _replace(op, [])


def _call_directly(op: Operation) -> bool:
    """`func.call_indirect` of a func.constant is a call."""
    if not isinstance(op, func.CallIndirectOp) or not isinstance(op.callee.owner, func.ConstantOp):
        return False
    call = func.CallOp.create(
        operands=op.callee_operands,
        result_types=[result.type for result in op.results],
        properties={"callee": op.callee.owner.value},
        attributes=op.attributes,
    )
    call.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(call, op)
    return _replace(op, call.results)


def _fold_launch_ids(op: Operation) -> bool:
    """Where a dimension has size 1, its id is 0."""
    if not isinstance(op, gpu.LaunchOp):
        return False
    entry = op.body.blocks[0]
    ids = [
        *zip(entry.args[0:3], op.grid_size, strict=True),
        *zip(entry.args[3:6], op.block_size, strict=True),
    ]
    known = [argument for argument, size in ids if argument.first_use and constant_int(size) == 1]
    if not known:
        return False
    zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
    zero.location = op.location
    assert entry.first_op is not None
    entry.insert_op_before(zero, entry.first_op)
    for argument in known:
        argument.replace_all_uses_with(zero.result)
    return True


def _merge_into_predecessor(op: Operation) -> bool:
    """`cf.br` to a block that nothing else leads to: the blocks become one."""
    if not isinstance(op, cf.BranchOp):
        return False
    block, target = op.parent, op.successor
    if block is None or target is block or target.parent is None or target is target.parent.first_block:
        return False
    if len([p for b in target.parent.blocks for p in _successors(b.last_op) if p is target]) != 1:
        return False
    for argument, value in zip(list(target.args), list(op.operands), strict=True):
        argument.replace_all_uses_with(value)
    op.detach()
    op.erase()
    for inner in list(target.ops):
        inner.detach()
        block.add_op(inner)
    assert target.parent is not None
    target.parent.erase_block(target)
    return True


def _choose_values(op: Operation) -> bool:
    """`cf.cond_br` to one block either way is a branch with selected values."""
    if not isinstance(op, cf.ConditionalBranchOp) or op.then_block is not op.else_block:
        return False
    block = op.parent
    assert block is not None
    target = op.then_block
    if [b for b in _predecessors(target) if b is not op]:
        return False
    values: list[SSAValue] = []
    for if_true, if_false in zip(op.then_arguments, op.else_arguments, strict=True):
        if if_true is if_false:
            values.append(if_true)
            continue
        select = arith.SelectOp(op.cond, if_true, if_false)
        select.location = op.location
        block.insert_op_before(select, op)
        values.append(select.result)
    branch = cf.BranchOp(target, *values)
    branch.location = op.location
    block.insert_op_before(branch, op)
    op.detach()
    op.erase()
    return True


def _predecessors(block: Block) -> list[Operation]:
    region = block.parent
    assert region is not None
    ends = [other.last_op for other in region.blocks]
    return [end for end in ends if end is not None and any(to is block for to in end.successors)]


def _successors(op: Operation | None) -> Sequence[Block]:
    return () if op is None else op.successors


def _replace(op: Operation, values: Sequence[SSAValue]) -> bool:
    for old, new in zip(op.results, values, strict=False):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
    return True


_PATTERNS: tuple[Callable[[Operation], bool], ...] = (
    _skip_cast,
    _erase_lost_copy,
    _erase_copy_to_itself,
    _erase_unread_alloc,
    _call_directly,
    _drop_fresh_tokens,
    _simplify_wait,
    _fold_launch_ids,
    _choose_values,
    _merge_into_predecessor,
)
