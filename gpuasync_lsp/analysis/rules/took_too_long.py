"""A function that takes too long to analyze.

## What happens
The analysis follows tokens, streams and memory along every path through a function. For some functions, such
as those with hundreds of branches and loops that may swap hundreds of streams and buffers, the time grows
faster than the size. After half a million steps plus five per character, the analysis of the function stops;
the rest of the file is analyzed. Findings up to that point are reported, and the absence of findings proves
nothing.

The number of steps does not depend on the machine. As a backstop there is also a limit of ten seconds of
CPU time.

## What it does not report
- Lowering, previews and `run`, which have their own limits and report them.

## Example
```mlir
func.func @everything() {
  // hundreds of branches, loops and streams
  %t0 = gpu.wait async
  gpu.wait [%t0]
  return
}
```
Use instead: several functions, each with only the streams that it needs.
"""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.text import Severity


def at(op: Operation, item: Item) -> Draft:
    """Return the finding at `op` of `item`, a function that took too long to analyze."""
    return Draft(
        item.spans.name(op),
        "The analysis of this function took too long and was stopped: findings about its tokens, streams "
        "and memory are incomplete.\nSplit it into several functions.",
    )


RULE = Rule("GA008", "took-too-long", Severity.WARNING)
