"""A value, block or symbol name that is not defined, or defined twice.

## What happens
mlir-opt stops at the first of these: `use of undeclared SSA value name`, `redefinition of SSA value`,
`reference to an undefined block`.

## Example
```mlir
gpu.wait [%missing]
```
"""

from __future__ import annotations

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.analysis.rules.invalid_op import problems
from gpuasync_lsp.text import Severity

RULE = Rule("GA002", "undefined-value", Severity.ERROR, check_unit=problems("GA002"))
