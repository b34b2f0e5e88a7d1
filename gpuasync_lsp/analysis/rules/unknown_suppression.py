"""A `// gpuasync:` comment that does nothing, because a word of it is not known.

## What happens
A comment that names no rule silences nothing, and one that is misspelt names no LLVM version. The finding
that it was written for is still reported, or the file is checked for another release than its author thinks.

A fix writes the word that is spelt most like it, where there is one.

## Where it is silent
- Comments of prose: words in front of which no known one stands, without brackets or `=`.
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
