"""A sync launch, which creates and destroys a stream each time.

## What happens
A gpu.launch_func without `async` and without an explicit stream creates a stream, launches, synchronizes, and
destroys the stream. In a loop, or for many small kernels, one stream for all launches is cheaper, and the
device need not wait for the host between them.

## What it does not report
- A launch that has an explicit stream or does not lower.

## Example
```mlir
gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead:
```mlir
%stream = gpu.wait async
%a = gpu.launch_func async [%stream] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
%b = gpu.launch_func async [%a] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
gpu.wait [%b]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.dependencies import NAMES, is_pure, stream_before
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find sync launches that have no stream."""
    seen: set[AsyncOp] = set()
    for launch in filter(_makes_a_stream, function.ops):
        # The fix of the first launch covers all consecutive ones.
        run = [] if launch in seen else _run(function, launch)
        seen.update(run)
        yield Draft(
            op_span(function, launch.op),
            "This launch creates, synchronizes and destroys a stream each time it runs.\nMake it `async` "
            "on a stream of your own, with one gpu.wait at the end.",
            fixes=tuple(_fixes(function, run)) if run else (),
        )


def _makes_a_stream(launch: AsyncOp) -> bool:
    op = launch.op
    return launch.token is None and isinstance(op, LaunchFuncOp) and launch.lowers and not launch.has_object


def _run(function: AsyncFunction, first: AsyncOp) -> list[AsyncOp]:
    """Return the sync launches from `first` up to the first op that may need their results."""
    found = [first]
    op = first.op.next_op
    while op is not None:
        launch = function.by_op.get(op)
        if launch is not None and _makes_a_stream(launch):
            found.append(launch)
        elif not is_pure(op):
            break
        op = op.next_op
    return found


def _fixes(function: AsyncFunction, run: Sequence[AsyncOp]) -> Iterator[Fix]:
    """Yield the fix that moves consecutive launches, or a loop of launches, to one stream with one wait."""
    ops = {launch.op for launch in run}
    if function.profile.module_per_launch or not ops <= function.spans.ops.keys():
        return  # The module would be unloaded while the async launch may be running (GA211).
    block, loop = run[0].op.parent, run[0].op.parent_op()
    if block is None or loop is None:
        return
    alone = all(op in ops or op is block.last_op or is_pure(op) for op in block.ops)
    in_loop = alone and loop.name == "scf.for" and loop in function.spans.ops
    if not in_loop and len(run) < 2:
        return
    editor = Editor(function)
    token = stream = stream_before(editor, loop if in_loop else run[0].op)
    for launch in run:
        if not editor.keywords(launch.op, True, [token]):
            return
        token = editor.name_result(launch.op, NAMES[launch.name])
    if in_loop:
        editor.after(loop, f"gpu.wait [{stream}]")
        title = "Put the loop's launches on one stream"
    else:
        editor.after(run[-1].op, f"gpu.wait [{token}]")
        title = f"Put these {len(run)} launches on one stream"
    yield Fix(title, Safety.UNSAFE, editor.done(), "the host waits once, after the last launch")


RULE = Rule("GA506", "sync-launch-stream", Severity.HINT, check)
