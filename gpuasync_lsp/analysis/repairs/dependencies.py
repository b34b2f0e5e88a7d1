"""Repairs of dependencies: which ones to drop, how to join the rest, and where to destroy streams."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.computing import only_computes
from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Kind, Wait
from gpuasync_lsp.analysis.model.guards import reached_from
from gpuasync_lsp.analysis.repairs.edits import Editor

NAMES = {
    "gpu.memcpy": "copy",
    "gpu.memset": "set",
    "gpu.alloc": "alloc",
    "gpu.dealloc": "dealloc",
    "gpu.launch_func": "launch",
    "gpu.launch": "launch",
}
"""Base names of new tokens, by the name of the op that defines them."""

_PURE = ("arith.", "math.", "index.")
_VIEWS = frozenset({"memref.cast", "memref.dim", "memref.reinterpret_cast", "memref.subview", "memref.view"})


def is_pure(op: Operation) -> bool:
    """Return whether the host op `op` has no side effects, so waits and device work can move across it."""
    return op.name.startswith(_PURE) or op.name in _VIEWS or (bool(op.regions) and only_computes(op))


def needed(function: AsyncFunction, deps: Sequence[SSAValue]) -> list[SSAValue]:
    """Return the dependencies that imply all other dependencies: the last one on each stream, in order."""
    last: dict[Handle, SSAValue] = {}
    for dep in deps:
        handle = function.tokens[dep]
        known = last.get(handle)
        if known is None or _position(function, dep) >= _position(function, known):
            last[handle] = dep
    return [dep for dep in dict.fromkeys(deps) if last[function.tokens[dep]] is dep]


def _position(function: AsyncFunction, value: SSAValue) -> int:
    owner = value.owner
    return function.order.get(owner, -1) if isinstance(owner, Operation) else -1


def dominates(function: AsyncFunction, value: SSAValue, op: Operation) -> bool:
    """Return whether the definition of `value` dominates `op`."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    inner: Operation | None = op
    while inner is not None and inner.parent is not None:
        if inner.parent is block:
            return isinstance(owner, Block) or function.is_before(owner, inner)
        region = inner.parent.parent
        if region is not None and block is not None and block.parent is region:
            return block is region.blocks[0]
        inner = inner.parent_op()
    return False


def runs_once_for(made: Block | None, op: Operation) -> bool:
    """Return whether no loop repeats `op` within one execution of the block `made`."""
    inner = op
    while inner.parent is not made:
        around = inner.parent_op()
        if made is None or around is None or inner.parent is None:
            return False
        if inner.parent.parent is made.parent:
            last = inner.parent.last_op
            return last is None or inner.parent not in reached_from(last.successors)
        if around.name not in ("scf.if", "scf.index_switch", "scf.execute_region"):
            return False
        inner = around
    return True


def can_join(function: AsyncFunction, dep: SSAValue) -> bool:
    """Return whether `gpu.wait async` can wait on `dep`: a stream, or an event without other uses.

    The wait destroys an event, and would treat a stream that is not known to be one as an event (GA203)."""
    handle = function.tokens[dep]
    alone = sum(len(list(token.uses)) for token in handle.tokens) == 1
    is_event = handle.kind is Kind.OPAQUE and not handle.is_passed_stream
    return handle.is_stream or (is_event and alone)


def join(function: AsyncFunction, editor: Editor, op: AsyncOp, deps: Sequence[SSAValue]) -> str:
    """Join `deps` into a new stream before `op`, and return the name of its token.

    The last blocking wait on the token of `op` also waits on the streams of `deps`."""
    name = editor.fresh("join")
    names = [function.span_name(dep) for dep in deps]
    editor.before(op.op, f"{name} = gpu.wait async [{', '.join(names)}]")
    wait = final_wait(op)
    if wait is not None:
        release = [dep for dep in deps if releasable(function, op, dep, wait)]
        if release:
            editor.add_dependencies(wait.op, [function.span_name(dep) for dep in release])
    return name


def final_wait(op: AsyncOp) -> Wait | None:
    """Return the last blocking wait on the token of `op` in the block of `op`; None if there is none."""
    if op.handle is None:
        return None
    waits = [w for w in op.handle.waits if w.blocking and w.op.parent is op.op.parent]
    return waits[-1] if waits else None


def releasable(function: AsyncFunction, op: AsyncOp, dep: SSAValue, wait: Wait) -> bool:
    """Return whether `wait` can also wait on the stream of `dep`, which is joined before `op`.

    The stream must be created in the block of `wait`, have no other wait, and no later work."""
    handle = function.tokens[dep]
    if handle.kind is not Kind.STREAM or handle.op is None or handle.waits or handle.goes_on:
        return False
    later = (
        [e for e in handle.enqueues if e.op is not op.op and not function.is_before(e.op, wait.op)]
        if all(e.op.parent is wait.op.parent for e in handle.enqueues)
        else [op]
    )
    return handle.op.parent is wait.op.parent and dominates(function, dep, wait.op) and not later


def stream_before(editor: Editor, op: Operation) -> str:
    """Insert a line that creates a stream before `op`; return the name of its token."""
    name = editor.fresh("stream")
    editor.before(op, f"{name} = gpu.wait async")
    return name
