"""A stream that the host destroys while a task of async.execute may still enqueue work on it.

## What happens
The body of an async.execute runs concurrently with the code after it. A blocking gpu.wait outside the body
destroys the stream as soon as the host reaches it; if the task runs later, it enqueues work on a destroyed
stream and fails with CUDA_ERROR_INVALID_HANDLE or crashes.

## What it does not report
- A task whose token is used by anything other than async.await, such as a group, another task or a return.
- A task that is awaited before the gpu.wait on some path.

## Example
```mlir
%s = gpu.wait async
%task = async.execute {
  %a = gpu.memcpy async [%s] %dst, %src : memref<4xf32>, memref<4xf32>
  async.yield
}
gpu.wait [%s]
async.await %task : !async.token
```
Use instead:
```mlir
%s = gpu.wait async
%task = async.execute {
  %a = gpu.memcpy async [%s] %dst, %src : memref<4xf32>, memref<4xf32>
  async.yield
}
async.await %task : !async.token
gpu.wait [%s]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Wait
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span, stream_name
from gpuasync_lsp.syntax.captures import ancestors
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits outside a task on a stream that the task uses, if the task is not awaited before them."""
    if not function.analyzed or not any(op.name == "async.execute" for op in function.order):
        return
    for handle in function.streams:
        for wait in handle.waits:
            if wait.blocking and function.is_reached(wait.op):
                yield from _used_later(function, handle, wait)


def _used_later(function: AsyncFunction, handle: Handle, wait: Wait) -> Iterator[Draft]:
    reported: set[Operation] = set()
    for use in handle.enqueues:
        task = _task_of(use, wait)
        if task is None or task in reported or not function.is_before(task, wait.op):
            continue
        if _may_be_awaited(function, task, wait):
            continue
        reported.add(task)
        yield Draft(
            op_span(function, wait.op),
            f"This gpu.wait destroys {stream_name(function, handle)} while the async.execute above may "
            f"still enqueue its {use.name} on it.\nFirst await the async.execute with async.await.",
            at_op(function, use.op, "the work that may be enqueued later"),
        )


def _task_of(use: AsyncOp, wait: Wait) -> Operation | None:
    """Return the outermost async.execute that contains `use` but not `wait`."""
    around, found = set(ancestors(wait.op)), None
    for op in ancestors(use.op):
        if op in around:
            break
        if op.name == "async.execute":
            found = op
    return found


def _may_be_awaited(function: AsyncFunction, task: Operation, wait: Wait) -> bool:
    users = [use.operation for result in task.results for use in result.uses]
    return any(user.name != "async.await" or function.is_before(user, wait.op) for user in users)


RULE = Rule("GA212", "task-outlives-stream", Severity.ERROR, check)
