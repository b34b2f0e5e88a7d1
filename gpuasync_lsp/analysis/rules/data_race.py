"""Two device accesses to one buffer, one of them a write, without order between them.

## What happens
Ops on one stream run in order; ops on different streams run at the same time unless an event or a host wait
orders them. `gpu.wait async [%a]` covers what was on the stream when %a was *defined*, not what was put
there later.

Effects are known for gpu.memcpy, gpu.memset and gpu.dealloc, and for a launch from its kernel's body: an
argument that is only read is a read, and one that only atomic ops update does not conflict with another such
update. An unknown kernel reads and writes what it is given. Nothing is said where two memrefs are not known
to be one buffer; disjoint constant subviews do not conflict.

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

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.analysis.repairs.ordering import order_after
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Severity


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
            tuple(order_after(function, race)),
        )


RULE = Rule("GA301", "data-race", Severity.WARNING, check)
