"""A use of a buffer after its dealloc, or a use that is not ordered with the dealloc.

## What happens
gpu.dealloc becomes cuMemFree, which is executed when the host reaches it, regardless of what is enqueued on
the stream. A later op that uses the buffer uses freed memory. An earlier op that is not ordered before the
dealloc by its tokens is safe only because cuMemFree, as a side effect, waits for the device. If a callee
frees the buffer, the call is reported. A function that returns memory that it has freed, or its own stack
memory (memref.alloca), returns invalid memory.

## What it does not report
- A callee that frees under a condition that does not follow from its arguments, such as a loaded value or a
  loop; an unknown callee.
- memref.dealloc while device work is pending: GA302 reports it.
- Cases that GA301 does not report: memory whose identity or position is unknown.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32>
%t3 = gpu.memcpy async [%t2] %p, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t3]
```
Use instead:
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t3 = gpu.memcpy async [%t1] %p, %src : memref<4xf32>, memref<4xf32>
%t2 = gpu.dealloc async [%t3] %p : memref<4xf32>
gpu.wait [%t2]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, Race
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.ordering import order_after
from gpuasync_lsp.analysis.repairs.waiting import reason, sentence_of, wait_by_event
from gpuasync_lsp.analysis.repairs.waiting_earlier import wait_earlier
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, earlier, op_span, operand_span, overlap, same_memory
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span

_ADVICE = "Make the dealloc depend on that op's token, or wait for it first."


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find uses after a free, and frees that are concurrent with a use."""
    if not function.analyzed:
        return
    for race in function.races:
        first, second = race.first, race.second
        name = function.span_name(second.buffer.value)
        where = f" {race.path}" if race.path else ""
        before = f" {earlier(race.path)}" if race.path else ""
        if second.mode is Mode.RETURN:
            yield _returned(function, race, name, where)
        elif first.mode is Mode.FREE and second.mode is not Mode.FREE:
            fixes = tuple(_free_later(function, race))
            yield Draft(
                op_span(function, second.op),
                f"This {second.op.name} uses {name} after it was freed{before}.\n"
                "Move the dealloc after the last use, and make it depend on that use."
                + same_memory(function, first, second)
                + ("" if fixes else sentence_of(_obstacle(function, race))),
                at_op(function, first.op, "freed here"),
                fixes,
            )
        elif second.is_device_free and first.mode is not Mode.FREE:
            moved = wait_earlier(function, race) if second.host else order_after(function, race)
            fixes = tuple(moved) or tuple(wait_by_event(function, race))
            why = "" if fixes else reason(function, race) or "there is no place to insert a wait"
            yield Draft(
                op_span(function, second.op),
                overlap(function, race, f"{name} is freed here", _ADVICE) + sentence_of(why),
                at_op(function, first.op, "the use that may still be running"),
                fixes,
            )


def _returned(function: AsyncFunction, race: Race, name: str, where: str) -> Draft:
    """Return the finding for memory that is returned after it is freed."""
    is_stack = race.first.op is race.second.op
    what = "stack memory whose lifetime ends here" if is_stack else f"which was freed{where}"
    advice = (
        "Allocate it with memref.alloc"
        if is_stack
        else (
            "Free it after its last use, in the caller. No automatic fix: the last use is not in this "
            "function"
        )
    )
    operand = next((n for n, v in enumerate(race.second.op.operands) if v is race.second.value), None)
    return Draft(
        operand_span(function, race.second.op, operand),
        f"This {race.second.op.name} returns {name}, {what}: the caller gets freed memory.\n{advice}.",
        () if is_stack else at_op(function, race.first.op, "freed here"),
    )


def _obstacle(function: AsyncFunction, race: Race) -> str:
    """Explain why the dealloc and the use cannot simply be swapped."""
    if race.path:
        return "which uses follow the dealloc depends on the path"
    if race.first.op not in function.by_op:
        return "a callee or the host frees it"
    if race.second.op not in function.by_op:
        return "the use is not on a stream and may depend on ops in between"
    return "other ops are between the two"


def _free_later(function: AsyncFunction, race: Race) -> Iterator[Fix]:
    """Yield the fix that swaps the dealloc with the next op on its stream, which is the use."""
    free, use = function.by_op.get(race.first.op), function.by_op.get(race.second.op)
    if free is None or use is None or free.op.next_op is not use.op or use.token is None or race.path:
        return
    if (
        free.token is None
        or len(free.deps) != 1
        or use.deps != (free.token,)
        or len(list(free.token.uses)) != 1
    ):
        return
    spans, text = function.spans, function.spans.text
    places = (spans.operand(free.op, 0), spans.operand(use.op, 0))
    if free.op not in spans.ops or use.op not in spans.ops or places[0] is None or places[1] is None:
        return
    before, name = function.span_name(free.deps[0]), function.span_name(use.token)
    editor = Editor(function)
    editor.edits.append(Edit(spans.op(free.op), _with(text, spans.op(use.op), places[1], before)))
    editor.edits.append(Edit(spans.op(use.op), _with(text, spans.op(free.op), places[0], name)))
    editor.replace_uses(use.token, function.span_name(free.token))
    title = f"Move the dealloc after the {use.op.name}"
    yield Fix(title, Safety.UNSAFE, editor.done(), "the two are swapped")


def _with(text: str, whole: Span, place: Span, name: str) -> str:
    """Return the op's text with `name` in place of one operand."""
    return text[whole.start : place.start] + name + text[place.end : whole.end]


RULE = Rule("GA303", "use-after-dealloc", Severity.ERROR, check)
