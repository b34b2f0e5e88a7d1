"""A function that takes or returns `!async.token` or `!async.value`.

## What happens
gpu-to-llvm turns functions into llvm.func, and these types are not LLVM types: `'llvm.func' op entry block
argument #0 is not of LLVM type`, exit status 1, in every release. For a function with
`llvm.emit_c_interface` mlir-opt crashes, in every release.

## What it does not report
- Functions without a body.
- Types that contain such a type, such as a tuple.

## Example
```mlir
func.func @wait(%value: !async.value<!gpu.async.token>) {
  %token = async.await %value : !async.value<!gpu.async.token>
  gpu.wait [%token]
  return
}
```
Use instead: await in the caller, and pass the awaited value.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import FunctionType

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Severity

_CRASH = (
    "crashes here (segmentation fault): it cannot create a C interface (`llvm.emit_c_interface`) for a "
    "function with async types in its signature"
)
"""The end of the message about the crash, which was measured in every release."""
_TYPES = frozenset({"async.token", "async.value", "async.group"})


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find arguments and results with types of the async dialect, in functions with a body."""
    kind = function.op.properties.get("function_type")
    if not isinstance(kind, FunctionType):
        return
    label = function.profile.label
    crash = _CRASH if "llvm.emit_c_interface" in function.op.attributes else ""
    blocks = function.op.regions[0].blocks if function.op.regions else ()
    for number, argument in enumerate(blocks[0].args if blocks else ()):
        if argument.type.name in _TYPES:
            words = f"'llvm.func' op entry block argument #{number} is not of LLVM type"
            yield Draft(
                function.spans.result(argument) or op_span(function, function.op),
                f"{label} {crash or f'fails: {words}'}.\n"
                f"Await it in the caller, and pass the result instead of {attribute_text(argument.type)}.",
            )
    for number, result in enumerate(kind.outputs.data if blocks else ()):
        if result.name in _TYPES:
            words = f"'llvm.return' op operand #{number} must be LLVM dialect-compatible type"
            yield Draft(
                op_span(function, function.op),
                f"{label} {crash or f'fails: {words}'}.\n"
                f"Await it before the return; {result} cannot be returned.",
            )


RULE = Rule("GA111", "async-type-in-signature", Severity.ERROR, check)
