"""A value, block or symbol name that is not defined, or defined twice.

## What happens
mlir-opt stops at the first of these: `use of undeclared SSA value name`, `redefinition of SSA value`,
`reference to an undefined block`.

## Example
```mlir
gpu.wait [%missing]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from xdsl.ir import Block, SSAValue

from gpuasync_lsp.analysis.rule import Rule, Unit
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def _meant(unit: Unit, problem: Problem) -> Iterator[Fix]:
    """Change a name that nothing defines to the closest one: of a value of its type, or of a block."""
    spans, word = unit.item.spans, problem.span.of(unit.item.text)
    places = [problem.span]
    known: set[str] = set()
    if word.startswith("^"):
        known = {span.of(spans.text) for span in spans.blocks.values()}
    for value, (place, _) in spans.values.items():
        if place == problem.span and not _is_defined(unit, value):
            places = spans.uses(value)
            known = {n for v, (_, n) in spans.values.items() if v.type == value.type and _is_defined(unit, v)}
            break
    close = get_close_matches(word, sorted(known - {word}), 1, 0.6)
    if close:
        edits = tuple(Edit(span, close[0]) for span in places)
        yield Fix(f"Change it to {close[0]}", Safety.UNSAFE, edits, "it is a guess from the spelling")


def _is_defined(unit: Unit, value: SSAValue) -> bool:
    # The parser gives a name that nothing defines an op that is not in the text.
    return isinstance(value.owner, Block) or value.owner in unit.item.spans.ops


RULE = Rule("GA002", "undefined-value", Severity.ERROR, check_unit=problems("GA002", _meant), stops=True)
