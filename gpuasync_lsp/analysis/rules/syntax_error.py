"""A line that does not parse.

## What happens
The parser parses as much of the line as it can, and the rest of the file is analyzed without the line. The
streams of a function with such a line are not checked, because the line may be the wait that seems to be
missing.

The prefix of a dialect may be omitted only directly inside `func.func` and `module`: in a branch or a loop,
write `func.call`. The fix inserts the prefix.

## What it does not report
- Anything after the first mistake in a line.
- Ops of unknown dialects, whose syntax is unknown: GA007 reports them.

## Example
```mlir
scf.if %cond {
  call @f() : () -> ()
}
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuasync_lsp.analysis.rule import Rule, Unit
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def _prefixes(unit: Unit) -> Callable[[Problem], Iterator[Fix]]:
    """Return a function that yields the fix for a missing dialect prefix."""
    item = unit.item

    def whole(problem: Problem) -> Iterator[Fix]:
        word = problem.span.of(item.spans.text)
        op = item.spans.innermost(item.ops, problem.span.start) if word[:1].isalpha() else None
        if op is None or isinstance(op, OpaqueOp) or item.spans.name(op) != problem.span:
            return
        if op.name.endswith(f".{word}"):
            yield Fix(f"Write {op.name}", Safety.SAFE, (Edit(problem.span, op.name),))

    return whole


RULE = Rule("GA001", "syntax-error", Severity.ERROR, check_unit=problems("GA001", _prefixes), stops=True)
