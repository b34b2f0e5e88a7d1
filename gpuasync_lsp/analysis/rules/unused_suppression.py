"""A `// gpuasync: ignore` comment that suppresses nothing.

## What happens
The finding that the comment suppressed no longer exists, or is on another line. The comment would hide the
next finding on its line.

The fix removes the comment, or its codes that suppress nothing. A comment that is needed only for a different
LLVM release counts as unused for the release of the file. Check such a file with `--ignore GA010`.

## What it does not report
- Files with a syntax error, with an op that the verifier rejects, or whose analysis takes too long: their
  findings are incomplete.
- Comments that name a rule disabled by the settings.

## Example
```mlir
%t0 = gpu.wait async
gpu.wait [%t0] // gpuasync: ignore[GA401]
```
Use instead:
```mlir
%t0 = gpu.wait async
gpu.wait [%t0]
```
"""

from __future__ import annotations

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.text import Severity

RULE = Rule("GA010", "unused-suppression", Severity.INFORMATION)
