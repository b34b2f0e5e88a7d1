"""Syntax that crashes the parser of mlir-opt and mlir-lsp-server.

## What happens
`%r = gpu.launch` without `async` crashes mlir-opt and mlir-lsp-server of LLVM 16 to 22: no diagnostic is
printed, and editors lose the server. LLVM 24 reports `gpu.launch requires 'async' keyword to return a value`.

## What it does not report
- The generic form, `"gpu.launch"(...)`, which does not crash.

## Example
```mlir
%t = gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
                threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
  gpu.terminator
}
```
Use instead: `%t = gpu.launch async ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span

_LAUNCH = re.compile(
    r"^(?P<result>[^\n/\"]*%[\w$.-]+\s*=\s*)(?P<op>gpu\.launch)(?=\s+(?!async\b)\S)", re.MULTILINE
)

_ANY_LAUNCH = re.compile(r"gpu\.launch\s")
"""A quick test, ten times as fast as `_LAUNCH`, that most files fail."""


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Find launches with a result and without `async`."""
    profile = unit.profile
    if _ANY_LAUNCH.search(unit.item.text) is None:
        return
    for match in _LAUNCH.finditer(unit.item.text):
        place = Span(*match.span("op"))
        if profile.launch_result_crashes_parser:
            text = (
                f"{profile.label}'s mlir-opt and mlir-lsp-server crash here: the launch has a result but "
                "no `async`.\nAdd `async`, or remove the result."
            )
        else:
            text = "gpu.launch requires 'async' keyword to return a value\nAdd `async`, or remove the result."
        fix = Fix("Add `async`", Safety.SAFE, (Edit(Span(place.end, place.end), " async"),))
        yield Draft(place, text, fixes=(fix,))


def versions(profile: Profile) -> str:
    """Describe what the parser does with a launch that this rule reports."""
    return "crash" if profile.launch_result_crashes_parser else "error text"


RULE = Rule("GA006", "parser-crash", Severity.ERROR, check_unit=check_unit, stops=True, versions=versions)
