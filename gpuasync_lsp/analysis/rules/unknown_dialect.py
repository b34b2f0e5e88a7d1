"""An op of an unknown dialect. Reported only if the settings name this rule.

## What happens
The op is treated as opaque: its operands and regions are known, its effects are not. It is unknown whether
the op waits for its token operands, or writes memory. An mlir-opt without the dialect stops at the op.

To describe its ops to this tool, load the dialect: list a TableGen dump (the output of `llvm-tblgen
--dump-json`) or an IRDL file in the setting `dialects`, or install a Python package that defines it. To
enable this rule, name it in `select`, or give it a severity: `severity = {GA007 = "information"}`.

## What it does not report
- Anything, unless the settings name this rule.
- Ops in a line that does not parse.

## Example
```mlir
"mine.work"(%t0) : (!gpu.async.token) -> ()
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import UnregisteredOp

from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.syntax import OpaqueOp, known_dialects
from gpuasync_lsp.text import Severity


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Find the ops of dialects that are neither built in nor described by the user."""
    known = known_dialects()
    for op in unit.ops():
        if isinstance(op, OpaqueOp) and not op.is_error:
            name = op.op_name
        elif isinstance(op, UnregisteredOp):
            name = op.op_name.data
        else:
            continue
        dialect, dot, _ = name.partition(".")
        if dot and dialect not in known:
            yield Draft(
                unit.item.spans.name(op),
                f"dialect '{dialect}' is unknown: its ops are treated as opaque; load a TableGen dump or "
                "an IRDL file with the setting 'dialects', or install a Python package that defines it",
            )


RULE = Rule("GA007", "unknown-dialect", Severity.INFORMATION, check_unit=check_unit, only_named=True)
