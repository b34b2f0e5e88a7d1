"""Two device accesses to one buffer, one of them a write, without order between them.

## What happens
Ops on one stream run in order; ops on different streams run at the same time unless an event or a host wait
orders them. `gpu.wait async [%a]` covers what was on the stream when %a was *defined*, not what was put
there later.

Effects are known for gpu.memcpy, gpu.memset and gpu.dealloc, and for a launch from its kernel's body: an
argument that is only read is a read. An unknown kernel reads and writes what it is given. Nothing is said
where two memrefs are not known to be one buffer; disjoint constant subviews do not conflict.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%b = gpu.memcpy async [%t1] %src, %dst : memref<4xf32>, memref<4xf32>
gpu.wait [%a, %b]
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%join = gpu.wait async [%t1, %a]
%b = gpu.memcpy async [%join] %src, %dst : memref<4xf32>, memref<4xf32>
gpu.wait [%a, %b, %t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.edits import Editor
from gpuasync_lsp.analysis.model import AsyncFunction, Kind, Mode, Race
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.streams import dominates
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find unordered pairs of device accesses."""
    if not function.analysed:
        return
    for race in function.races:
        first, second = race.first, race.second
        if first.host or second.host or Mode.FREE in (first.mode, second.mode):
            continue
        where = f" {race.path}" if race.path else ""
        name = function.span_name(second.buffer.value)
        yield Draft(
            op_span(function, second.op),
            f"This {second.op.name} {second.mode.value} {name} while the {first.op.name} that "
            f"{first.mode.value} it may still run{where}.\n"
            "Nothing orders the two: depend on its token, or wait for it.",
            at_op(function, first.op, "the other access"),
            tuple(_fixes(function, race)),
        )


def _fixes(function: AsyncFunction, race: Race) -> Iterator[Fix]:
    """Join the first access's token into the stream of the second."""
    first, second = function.by_op.get(race.first.op), function.by_op.get(race.second.op)
    if first is None or second is None or first.token is None or second.token is None or race.path:
        return
    handle = second.handle
    if handle is None or handle.kind is not Kind.STREAM or len(second.deps) != 1 or second.rejections:
        return
    dep, token = second.deps[0], first.token
    source = function.tokens[token]
    if (
        source.kind is not Kind.STREAM
        or not dominates(function, token, second.op)
        or not dominates(function, dep, second.op)
    ):
        return
    waits = [w for w in handle.waits if w.blocking and w.op.parent is second.op.parent]
    later = [w for w in source.waits if w.blocking]
    if not waits or not later or function.order[later[0].op] < second.order:
        return
    old = function.span_name(dep)
    others = [e for e in handle.enqueues if e.order > second.order and function.tokens[e.deps[0]] is handle]
    if any(
        e.deps[0] is not second.token and not _descends(function, e.deps[0], second.token) for e in others
    ):
        return
    if waits[-1].value is not second.token and not _descends(function, waits[-1].value, second.token):
        return
    editor = Editor(function)
    joined = editor.fresh("join")
    editor.before(second.op, f"{joined} = gpu.wait async [{old}, {function.span_name(token)}]")
    if editor.dependencies(second.op, [joined]) and editor.add_dependencies(waits[-1].op, [old]):
        title = f"Order it after {function.span_name(token)}"
        yield Fix(title, Safety.UNSAFE, editor.done(), "the two no longer run at the same time")


def _descends(function: AsyncFunction, value: SSAValue, ancestor: SSAValue) -> bool:
    """Tell whether the token `value` comes from `ancestor` by a chain of first dependencies."""
    while value is not ancestor:
        info = function.by_op.get(value.owner) if isinstance(value.owner, Operation) else None
        if info is None or not info.deps:
            return False
        value = info.deps[0]
    return True


RULE = Rule("GA301", "data-race", Severity.WARNING, check)
