"""A dependency that the other dependencies already imply.

## What happens
Ops on one stream run in order. If an op depends on two tokens of one stream, the later one is enough: the
earlier one costs at most an event, and misleads the reader.

## What it does not report
- Blocking waits: GA201 reports them.
- Dependencies that another dependency implies through an event or a join instead of on the same stream.
- Ops that do not lower, and tokens whose stream is unknown.

## Example
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%other = gpu.wait async
%join = gpu.wait async [%t0, %a, %other]
```
Use instead:
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%other = gpu.wait async
%join = gpu.wait async [%a, %other]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, Kind
from gpuasync_lsp.analysis.repairs.dependencies import needed
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, operand_span
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find dependencies of joins that are implied by another dependency on the same stream."""
    for op in function.ops:
        if op.rejections or op.erased or len(op.deps) < 2 or (op.name == "gpu.wait" and op.token is None):
            continue
        keep = needed(function, op.deps)
        kept: set[object] = set()
        for number, dep in enumerate(op.deps):
            if function.tokens[dep].kind is not Kind.STREAM:
                continue
            if dep in keep and dep not in kept:
                kept.add(dep)
                continue
            handle = function.tokens[dep]
            other = next(k for k in keep if function.tokens[k] is handle)
            if op.name == "gpu.launch_func" and number == 0:
                continue
            name = function.span_name(dep)
            editor = Editor(function)
            fixed = editor.drop_dependency(op.op, number)
            yield Draft(
                operand_span(function, op.op, number),
                f"{name} adds no order: {function.span_name(other)} is later on the same stream.\nRemove it.",
                defined_at(function, other, f"{function.span_name(other)} is defined here"),
                (Fix(f"Remove {name} from the dependencies", Safety.SAFE, editor.done()),) if fixed else (),
                ("unnecessary",),
            )


RULE = Rule("GA502", "redundant-dependency", Severity.HINT, check)
