"""A `// gpuasync: ignore` comment that silences nothing.

## What happens
The finding is gone for which the comment was written, or it is on another line. The comment would hide the
next one that appears there.

The fix removes the comment, or the words of it that silence nothing. A comment that only another LLVM
release needs is no use for the release that the file is meant for: check such a file with `--ignore GA010`.

## Where it is silent
- Files with a syntax error, with an op that the verifier rejects, or whose analysis takes too long: what
  would be found there is not known.
- Comments that name a rule which the settings switch off.

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
