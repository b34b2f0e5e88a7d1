"""A value, block or symbol name that is not defined, or defined twice.

## What happens
mlir-opt stops at the first of these errors: `use of undeclared SSA value name`, `redefinition of SSA value`,
`reference to an undefined block`.

## What it does not report
- A value that is defined in a line that does not parse.
- Symbols that may be defined in unparsable text, or in another part of a dump.

## Example
```mlir
gpu.wait [%missing]
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.rule import Rule, Unit
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.text import Edit, Fix, Safety, Severity
from gpuasync_lsp.text.spelling import Guesses

_MOST_VALUES = 4_000
"""The maximum number of values whose names are compared, nearest first; a large function has far more."""


def _guesses(unit: Unit) -> Callable[[Problem], Iterator[Fix]]:
    """Return a function that yields the fix: the most similar name of a value of the same type, or a
    block."""
    item, spans = unit.item, unit.item.spans
    guesses = Guesses()

    def meant(problem: Problem) -> Iterator[Fix]:
        word = problem.span.of(spans.text)
        if word[1:].isdecimal():
            return  # Printers number values, so the missing number does not suggest any other value.
        op = spans.innermost(item.ops, problem.span.start)
        # For an undefined name the parser creates an op that is not in the text.
        taken = () if op is None else op.operands
        value = next((v for v in taken if v.owner not in spans.ops and spans.result(v) == problem.span), None)
        if op is not None and value is not None:
            near = islice(_nearest(op), _MOST_VALUES)
            known = [spans.value_name(v) for v in near if v.type == value.type and v in spans.values]
        else:
            known = [span.of(spans.text) for span in spans.blocks.values()] if word.startswith("^") else []
        if known and (close := guesses.closest(word, known)) is not None:
            places = [problem.span] if value is None else spans.uses(value)
            edits = tuple(Edit(span, close) for span in places)
            yield Fix(f"Change it to {close}", Safety.UNSAFE, edits, "this is guessed from the spelling")

    return meant


def _nearest(op: Operation | None) -> Iterator[SSAValue]:
    """Yield the values defined near `op`: before it, nearest first, then after it and in sibling blocks."""
    while op is not None and (block := op.parent) is not None:
        before, behind = op.prev_op, op.next_op
        while before is not None:
            yield from before.results
            before = before.prev_op
        yield from block.args
        while behind is not None:
            yield from behind.results
            behind = behind.next_op
        for beside in () if block.parent is None else block.parent.blocks:
            if beside is not block:
                yield from (*beside.args, *(result for other in beside.ops for result in other.results))
        op = block.parent_op()


RULE = Rule("GA002", "undefined-value", Severity.ERROR, check_unit=problems("GA002", _guesses), stops=True)
