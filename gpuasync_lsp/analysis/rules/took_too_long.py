"""A function of which what can be said takes too long to find out.

## What happens
What tokens, streams and memory of a function do is followed on every way through it, which for some shapes
takes time that grows faster than the text: hundreds of streams and buffers that each of hundreds of branches
and loops may exchange for others. After half a million steps, and five more for each character, the
analysis of the function is given up, and the rest of the file goes on. What was found by then is said; that
nothing is said proves nothing.

The number of steps does not depend on the machine. Behind it stands a limit of ten seconds of the processor.

## Where it is silent
- Lowering, previews and runs, which have limits of their own and say so there.

## Example
```mlir
func.func @everything() {
  // hundreds of branches, loops and streams
  %t0 = gpu.wait async
  gpu.wait [%t0]
  return
}
```
Use instead: several functions, each with the streams that it needs.
"""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.text import Severity


def at(op: Operation, item: Item) -> Draft:
    """Return what is said at `op` of `item`, whose analysis was given up."""
    return Draft(
        item.spans.name(op),
        "This took too long to analyse: what is said of its tokens, streams and memory is not complete.\n"
        "Take it apart into several functions.",
    )


RULE = Rule("GA008", "took-too-long", Severity.WARNING)
