"""Async gpu ops: their dependencies, their stream, and their memory accesses."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from gpuasync_lsp.analysis.model.building.objects import Objects
from gpuasync_lsp.analysis.model.building.operands import Operands
from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.building.waits import Waits
from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.preconditions import unmet
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, LaunchFuncOp, LaunchOp
from gpuasync_lsp.syntax.forms import Form, form_of
from gpuasync_lsp.syntax.xdsl_speed import operands_of


def register(function: AsyncFunction, operands: Operands, dead: Container[object]) -> None:
    """Record the async gpu ops of `function`; those in `dead` are erased before the conversion."""
    alike: dict[Form, _Alike] = {}
    for op, order in function.order.items():
        # An op of another dialect may implement the interface, but gpu-to-llvm has no pattern for it.
        if not isinstance(op, AsyncOpInterface) or not op.name.startswith("gpu."):
            continue
        form = form_of(op)
        known = None if form is None else alike.get(form)
        if known is None:
            known = _alike(op)
            if form is not None:
                alike[form] = known
        deps = operands.all_of(op, operands_of(op)[: known.dependencies])
        token = None if known.token is None else op.results[known.token]
        info = AsyncOp(op, op.name, deps, token, order, erased=op in dead)
        if not info.erased and not known.lowers:
            info.rejections = unmet(op, function.profile)
            known.lowers = not info.rejections
        function.ops.append(info)
        function.by_op[op] = info
        if isinstance(op, LaunchFuncOp | LaunchOp):
            info.has_object = op.async_object is not None
            function.launches.append(info)


@dataclass(slots=True)
class _Alike:
    """Facts that all ops of one `Form` share."""

    dependencies: int
    """The number of leading operands that are dependencies."""
    token: int | None
    """The result number of the token; None if there is none."""
    lowers: bool = False
    """Whether an op of this form has been found to meet all preconditions of the conversion."""


def _alike(op: AsyncOpInterface) -> _Alike:
    token = op.async_token
    return _Alike(len(op.async_dependencies), None if token is None else token.index)


def resolve(info: AsyncOp, tokens: Tokens, objects: Objects, waits: Waits, memory: Memory) -> None:
    """Set the stream and the memory accesses of an async op, and record its waits."""
    is_wait = info.name == "gpu.wait"
    given = list(map(tokens.handle, info.deps))
    if info.token is not None:
        info.handle = tokens.handle(info.token)
    elif not is_wait and given and (len(set(given)) == 1 or not info.rejections):
        info.handle = given[0]
    if info.erased:
        return
    if info.has_object:
        objects.launched(info)
    if not is_wait:
        info.accesses = memory.device(info)
        memory.dependent(info)
        for access in (*info.accesses, *info.early, *info.late):
            access.handle = info.handle
        if info.handle is not None:
            info.handle.enqueues.append(info)
    if is_wait or (info.lowers and info.name == "gpu.launch_func"):
        waits.add(info)
