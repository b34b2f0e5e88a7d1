"""An op of a dialect that is not known. Said only where the settings name this rule.

## What happens
The op is taken as opaque: what it uses and contains is seen, what it does is not. Whether a token that it
takes is waited for, or memory is written, is not judged. mlir-opt without the dialect stops at the op.

To have its ops known, load the dialect: list a TableGen dump (what `llvm-tblgen --dump-json` writes) or an
IRDL file in the setting `dialects`, or install a Python package that brings it. To have this rule speak,
name it in `select`, or give it a severity: `severity = {GA007 = "information"}`.

## Where it is silent
- Everywhere, unless the settings name it.
- Ops within a line that does not parse.

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
    """Find the ops whose dialect nobody described."""
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
                f"dialect '{dialect}' is not known: its ops are taken as opaque; load it by a "
                "TableGen dump or an IRDL file in the setting 'dialects', or by a Python package",
            )


RULE = Rule("GA007", "unknown-dialect", Severity.INFORMATION, check_unit=check_unit, only_named=True)
