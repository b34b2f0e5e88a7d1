"""A value, block or symbol name that is not defined, or defined twice.

## What happens
mlir-opt stops at the first of these: `use of undeclared SSA value name`, `redefinition of SSA value`,
`reference to an undefined block`.

## Where it is silent
- A value that a line defines which does not parse.
- Symbols in what cannot be read, or in another part of a dump.

## Example
```mlir
gpu.wait [%missing]
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.ir import Attribute, Block, SSAValue

from gpuasync_lsp.analysis.rule import Rule, Unit
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span
from gpuasync_lsp.text.spelling import Guesses


def _guesses(unit: Unit) -> Callable[[Problem], Iterator[Fix]]:
    """Return what changes an undefined name to the closest one: of a value of its type, or of a block."""
    spans = unit.item.spans
    undefined: dict[Span, SSAValue] = {}
    names: dict[Attribute, list[str]] = {}
    for value, name in spans.named_values():
        # The parser gives a name that nothing defines an op that is not in the text.
        if isinstance(value.owner, Block) or value.owner in spans.ops:
            names.setdefault(value.type, []).append(name)
        elif (place := spans.result(value)) is not None:
            undefined[place] = value
    blocks = [span.of(spans.text) for span in spans.blocks.values()]
    guesses = Guesses()

    def meant(problem: Problem) -> Iterator[Fix]:
        word, value = problem.span.of(spans.text), undefined.get(problem.span)
        known = names.get(value.type, []) if value is not None else blocks if word.startswith("^") else []
        if _is_number(word):
            known = []  # A printer counts values: which one is missing says nothing of what was meant.
        if known and (close := guesses.closest(word, known)) is not None:
            places = [problem.span] if value is None else spans.uses(value)
            edits = tuple(Edit(span, close) for span in places)
            yield Fix(f"Change it to {close}", Safety.UNSAFE, edits, "it is a guess from the spelling")

    return meant


def _is_number(name: str) -> bool:
    return name[1:].isdecimal()


RULE = Rule("GA002", "undefined-value", Severity.ERROR, check_unit=problems("GA002", _guesses), stops=True)
