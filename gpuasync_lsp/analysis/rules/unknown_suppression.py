"""A `// gpuasync:` comment that has no effect because one of its words is unknown.

## What happens
A suppression that names an unknown rule suppresses nothing, and a misspelt LLVM release is ignored: the
finding is still reported, or the file is checked for a different release than its author intended.

The fix inserts the known word with the most similar spelling, if there is one.

## What it does not report
- Prose that begins with `gpuasync:` but contains no known word before the unknown one, no brackets and no
  `=`.
- Text in a string.

## Example
```mlir
%t0 = gpu.wait async // gpuasync: ignore[GA4O1]
gpu.wait [%t0]
```
Use instead:
```mlir
%t0 = gpu.wait async // gpuasync: ignore[GA401]
gpu.wait [%t0]
```
"""

from __future__ import annotations

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.text import Severity

RULE = Rule("GA009", "unknown-suppression", Severity.WARNING)
