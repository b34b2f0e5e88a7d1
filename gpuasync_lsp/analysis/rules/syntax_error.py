"""A line that does not parse.

## What happens
The line is read as far as it goes and the rest of the file is analysed without it. Streams of a function
with such a line are not judged: the line may be the wait that seems to be missing.

The prefix of a dialect may be left out directly inside `func.func` and `module` only: in a branch or a loop
it is `func.call`, which the fix writes.

## Where it is silent
- What comes behind the first mistake of a line.
- Ops of dialects that are not known, whose syntax nobody described: GA007 tells them.

## Example
```mlir
scf.if %c {
  call @f() : () -> ()
}
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from gpuasync_lsp.analysis.rule import Rule, Unit
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def _prefixes(unit: Unit) -> Callable[[Problem], Iterator[Fix]]:
    """Return what writes the prefix of an op's dialect where it was left out and must not be."""
    place, text = unit.item.spans.name, unit.item.spans.text
    written = {problem.span.of(text) for problem in unit.item.problems}
    # Where ops stand is asked of few: an item may have thousands, and only one with an error.
    may_be_names = any(word[:1].isalpha() for word in written)
    named = {
        place(op): op.name
        for op in (unit.ops() if may_be_names else ())
        if not written.isdisjoint(_ends(op.name)) and not isinstance(op, OpaqueOp)
    }

    def whole(problem: Problem) -> Iterator[Fix]:
        name = named.get(problem.span, "")
        if problem.span.of(text) in _ends(name):
            yield Fix(f"Write {name}", Safety.SAFE, (Edit(problem.span, name),))

    return whole


@lru_cache(maxsize=1_024)
def _ends(name: str) -> frozenset[str]:
    """Return what may be left of the name of an op without its prefix."""
    words = name.split(".")
    return frozenset(".".join(words[number:]) for number in range(1, len(words)))


RULE = Rule("GA001", "syntax-error", Severity.ERROR, check_unit=problems("GA001", _prefixes), stops=True)
