"""A buffer that is deallocated twice.

## What happens
The second cuMemFree gets an address that is no longer allocated, or that now belongs to another buffer.

## What it does not report
- A callee that frees under a condition that does not follow from its arguments, such as a loaded value or a
  loop.
- Buffers of several loop iterations that are live at the same time.
- Memory of memref.alloca, which must not be deallocated at all: GA307.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32>
%t3 = gpu.dealloc async [%t2] %p : memref<4xf32>
gpu.wait [%t3]
```
Use instead:
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32>
gpu.wait [%t2]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Race
from gpuasync_lsp.analysis.model.memory.scopes import ends_scope
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span, same_memory
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find frees of a buffer that may have been freed."""
    if not function.analyzed:
        return
    for race in function.races:
        if race.first.mode is not Mode.FREE or race.second.mode is not Mode.FREE:
            continue
        if ends_scope(race.second.op):
            continue  # No dealloc is right for memory of memref.alloca: GA307 reports it.
        where = f" {race.path}" if race.path else ""
        same = same_memory(function, race.first, race.second)
        fixes = () if same else tuple(_fixes(function, race))
        why = "" if fixes else sentence_of(_obstacle(function, race, shared=bool(same)))
        yield Draft(
            op_span(function, race.second.op),
            f"{function.span_name(race.second.buffer.value)} is freed again here{where}.\n"
            f"Free it once, after its last use.{same}{why}",
            at_op(function, race.first.op, "first freed here"),
            fixes,
        )


def _obstacle(function: AsyncFunction, race: Race, *, shared: bool) -> str:
    """Explain why neither dealloc can just be removed."""
    if shared:
        return "other callers may pass distinct buffers, which both need a dealloc"
    if race.path:
        return "on another path this is the only dealloc"
    if race.second.op.name not in _DEALLOCATORS.values():
        return "a callee frees it here"
    return "other ops depend on the token of this dealloc"


def _fixes(function: AsyncFunction, race: Race) -> Iterator[Fix]:
    op = _surplus(race)
    info = function.by_op.get(op)
    if race.path or op.name not in _DEALLOCATORS.values() or op not in function.spans.ops:
        return
    editor = Editor(function)
    if info is not None and info.token is not None:
        if len(info.deps) > 1 or (info.token.uses and not info.deps):
            return
        if info.deps:
            editor.replace_uses(info.token, function.span_name(info.deps[0]))
    editor.remove(op)
    title = "Remove this dealloc" if op is race.second.op else f"Remove the earlier {op.name}"
    yield Fix(title, Safety.SAFE, editor.done())


_DEALLOCATORS = {"gpu.alloc": "gpu.dealloc", "memref.alloc": "memref.dealloc"}


def _surplus(race: Race) -> Operation:
    """Return the dealloc to remove: the second one, unless the first is wrong for this kind of memory."""
    owner = race.second.buffer.op
    right = None if owner is None else _DEALLOCATORS.get(owner.name)
    is_second_right = right is not None and race.second.op.name == right
    # Both are known to run equally often only if they are in one block.
    in_order = race.first.op.parent is race.second.op.parent
    return race.first.op if is_second_right and in_order and race.first.op.name != right else race.second.op


RULE = Rule("GA304", "double-dealloc", Severity.ERROR, check)
