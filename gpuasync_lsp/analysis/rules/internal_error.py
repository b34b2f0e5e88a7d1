"""A defect of this tool: a part of the analysis failed at this op, and its findings are missing.

## What happens
The parser, the verifier, the model or a rule raised an unexpected exception, so an op, a rule or a function
is skipped. All other findings of the file are reported. This finding does not mean that the program is
wrong.

Please report the defect, with the program if you can. `GPUASYNC_LSP_LOG=FILE gpuasync-lsp check ...` appends
the traceback to `FILE`; in an editor it is in the server's log.

## What it does not report
- Errors in lowering and in `run`, which report such errors themselves.

## Example
```mlir
// No program is known to trigger this: known defects are fixed.
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.syntax.parser.problem import DEFECT, Problem
from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.syntax.worked_on import worked_on
from gpuasync_lsp.text import Severity, Span


def at(item: Item, error: Exception, message: str, skipped: str) -> Problem:
    """Return the report of `error` at the op that was processed; `skipped` describes the missing results."""
    op = worked_on(error, item.spans.ops.__contains__) or next(iter(item.ops), None)
    is_placed = op is not None and op in item.spans.ops
    span = item.spans.name(op) if op is not None and is_placed else Span(0, len(item.text.partition("\n")[0]))
    return Problem(DEFECT, span, f"{message}.\n{skipped}")


def drafts(problems: Iterable[Problem]) -> Iterator[Draft]:
    """Yield a finding for each defect, leaving out repetitions."""
    for problem in dict.fromkeys(problems):
        yield Draft(problem.span, problem.message)


RULE = Rule(DEFECT, "internal-error", Severity.WARNING)
