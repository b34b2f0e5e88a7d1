"""`gpu-async-region`: the gpu ops of a function become asynchronous, with one chain of tokens per block.

Source: the output of mlir-opt 16, 19 and 22 `--gpu-async-region`, which is identical. In each block the
pass threads a token through the gpu ops: each op gets it as its *first* dependency, before existing
ones, and returns the next token. A blocking gpu.wait is inserted before the terminator and before every
other op with side effects. A wait at the end of an async.execute moves to the ops that await the
async.execute, and a token that an async.execute returns is duplicated if it has several uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator, get_effects

from gpuasync_lsp.lowering.conversion.edits import block_of, erase, replace
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.syntax.dialects import async_dialect as async_ops
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.assembly import i32_array, integers
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, AsyncTokenType

TOKEN = AsyncTokenType()


def gpu_async_region(function: Operation) -> None:
    """Make the gpu ops in `function` asynchronous, in place.

    Raises PassError for a gpu.launch, which must be outlined first."""
    for block in list(_blocks_inside_out(function)):
        _thread_token(block)
    _defer_waits(function)
    for execute in [op for op in function.walk() if isinstance(op, async_ops.ExecuteOp)]:
        _repeat_tokens(execute)


def _blocks_inside_out(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _blocks_inside_out(inner)
            yield block


# Threads one token through each block.


def _thread_token(block: Block) -> None:
    token: SSAValue | None = None
    for op in list(block.ops):
        if isinstance(op, gpu.LaunchOp):
            raise PassError(op, f"'{op.name}' op replace with gpu.launch_func first")
        if isinstance(op, gpu.WaitOp):
            if token is not None:
                _add_dependency(op, token)
            token = op.async_token
        elif isinstance(op, AsyncOpInterface):
            token = _make_async(op, token)
        elif token is not None and _stops_the_host(op):
            _insert_before(op, gpu.WaitOp([token]), op)
            token = None


def _make_async(op: AsyncOpInterface, token: SSAValue | None) -> SSAValue:
    """Make `op` depend on `token`, or on a new token; return the token of `op`."""
    if token is None:
        wait = _insert_before(op, gpu.WaitOp(is_async=True), op)
        token = wait.results[0]
    _add_dependency(op, token)
    if op.async_token is not None:
        return op.async_token
    regions = [op.detach_region(region) for region in list(op.regions)]
    new = type(op).create(
        operands=list(op.operands),
        result_types=[*op.result_types, TOKEN],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    _insert_before(op, new, op)
    _replace(op, new.results[:-1])
    return new.results[-1]


def _add_dependency(op: AsyncOpInterface, token: SSAValue) -> None:
    if token in op.async_dependencies:
        return
    sizes = op.properties.get("operandSegmentSizes")
    op.operands = [token, *op.operands]
    if sizes is not None:
        first, *others = integers(sizes)
        op.properties["operandSegmentSizes"] = i32_array([first + 1, *others])


def _stops_the_host(op: Operation) -> bool:
    return op.has_trait(IsTerminator) or _has_side_effects(op)


def _has_side_effects(op: Operation) -> bool:
    effects = get_effects(op)
    return effects is None or bool(effects)


# Moves the blocking wait at the end of an async.execute to the ops that await the result.


def _defer_waits(function: Operation) -> None:
    waits: list[gpu.WaitOp] = []
    for op in _walk_inside_out(function):
        if isinstance(op, async_ops.ExecuteOp) and _is_only_awaited(op):
            last = _last_wait(op)
            if last is not None:
                waits.append(last)
    for wait in waits:  # The loop extends `waits`.
        execute = wait.parent_op()
        assert isinstance(execute, async_ops.ExecuteOp)
        dependencies = list(wait.async_dependencies)
        erase(wait)
        execute = _add_results(execute, dependencies)
        tokens = execute.results[len(execute.results) - len(dependencies) :]
        for user in _users(execute.token):
            later = _wait_after(user, tokens)
            if later is not None:
                waits.append(later)


def _walk_inside_out(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _walk_inside_out(inner)
    yield op


def _is_only_awaited(execute: async_ops.ExecuteOp) -> bool:
    users = _users(execute.token)
    return bool(users) and all(isinstance(user, async_ops.ExecuteOp | async_ops.AwaitOp) for user in users)


def _last_wait(execute: async_ops.ExecuteOp) -> gpu.WaitOp | None:
    """Return the blocking gpu.wait at the end of the body, if no op with side effects follows it."""
    for op in reversed(list(execute.body_region.block.ops)[:-1]):
        if isinstance(op, gpu.WaitOp):
            return op if op.async_token is None else None
        if _has_side_effects(op):
            return None
    return None


def _wait_after(user: Operation, tokens: Sequence[SSAValue]) -> gpu.WaitOp | None:
    """Make the first gpu op or op with side effects after `user` wait for `tokens`.

    `user` waits for the async.execute that returns the tokens. Returns the new blocking wait if it is
    at the end of another async.execute and must be moved further."""
    if isinstance(user, async_ops.AwaitOp):
        awaited: list[SSAValue] = []
        place: Operation = user
        for token in tokens:
            place = _insert_after(place, async_ops.AwaitOp(token), user)
            awaited.append(place.results[0])
        start = place.next_op
    else:
        assert isinstance(user, async_ops.ExecuteOp)
        awaited = _add_body_operands(user, tokens)
        start = user.body_region.block.first_op
    op = start
    while op is not None and not _stops_the_host(op):
        op = op.next_op
    assert op is not None, "a block has a terminator"
    if isinstance(op, AsyncOpInterface):
        for token in awaited:
            _add_dependency(op, token)
        return None
    wait = gpu.WaitOp(awaited)
    _insert_before(op, wait, user)
    execute = op.parent_op()
    if op.next_op is None and isinstance(execute, async_ops.ExecuteOp) and _is_only_awaited(execute):
        return wait
    return None


def _add_body_operands(execute: async_ops.ExecuteOp, tokens: Sequence[SSAValue]) -> list[SSAValue]:
    body = execute.body_region.block
    sizes = [len(execute.dependencies), len(execute.body_operands) + len(tokens)]
    execute.operands = [*execute.operands, *tokens]
    execute.properties["operandSegmentSizes"] = i32_array(sizes)
    return [body.insert_arg(TOKEN, len(body.args)) for _ in tokens]


def _add_results(execute: async_ops.ExecuteOp, values: Sequence[SSAValue]) -> async_ops.ExecuteOp:
    """Add `values` to the yielded values of `execute`; return the new op."""
    end = execute.body_region.block.last_op
    assert isinstance(end, async_ops.YieldOp)
    end.operands = [*end.operands, *values]
    types: list[Attribute] = [async_ops.ValueType(value.type) for value in values]
    new = async_ops.ExecuteOp.create(
        operands=list(execute.operands),
        result_types=[*execute.result_types, *types],
        properties=dict(execute.properties),
        attributes=dict(execute.attributes),
        regions=[execute.detach_region(execute.body_region)],
    )
    _insert_before(execute, new, execute)
    _replace(execute, new.results[: len(new.results) - len(values)])
    return new


# Duplicates a token that an async.execute returns and that has several uses.


def _repeat_tokens(execute: async_ops.ExecuteOp) -> None:
    shared = [
        index
        for index, result in enumerate(execute.results)
        if _is_token(result) and len(list(result.uses)) > 1
    ]
    for index in shared:
        end = execute.body_region.block.last_op
        assert end is not None
        repeated = len(list(execute.results[index].uses)) - 1
        execute = _add_results(execute, [end.operands[index - 1]] * repeated)
        # The first use keeps the result, the second use gets the first copy. MLIR intends to give each
        # further use its own copy, but loses its position in the use list. xDSL's use lists have MLIR's
        # order.
        use = list(execute.results[index].uses)[1]
        use.operation.operands[use.index] = execute.results[len(execute.results) - repeated]


def _is_token(value: SSAValue) -> bool:
    return isinstance(value.type, async_ops.ValueType) and value.type.value_type == TOKEN


# Inserts and replaces ops.


def _insert_before(place: Operation, op: Operation, source: Operation) -> Operation:
    op.location = source.location
    block_of(place).insert_op_before(op, place)
    return op


def _insert_after(place: Operation, op: Operation, source: Operation) -> Operation:
    op.location = source.location
    block_of(place).insert_op_after(op, place)
    return op


def _replace(op: Operation, values: Sequence[SSAValue]) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name_hint = old.name_hint
    replace(op, values)


def _users(value: SSAValue) -> list[Operation]:
    return [use.operation for use in value.uses]
