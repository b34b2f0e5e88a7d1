"""A line that does not parse.

## What happens
The line is read as far as it goes and the rest of the file is analysed without it. Streams of a function
with such a line are not judged: the line may be the wait that seems to be missing.

## Example
```mlir
%t0 = gpu.wait asink
```
"""

from __future__ import annotations

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.text import Severity

RULE = Rule("GA001", "syntax-error", Severity.ERROR, check_unit=problems("GA001"), stops=True)
