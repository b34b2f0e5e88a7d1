"""A memref in a memory space that the release's gpu-to-llvm cannot lower.

## What happens
gpu.memcpy and gpu.memset lower in every integer memory space since LLVM 17, gpu.alloc in LLVM 16 and since
LLVM 23 (in LLVM 17 to 22, only in space 0), and gpu.dealloc only in space 0 in every release: for other
spaces the pass emits code that does not verify, and fails. Only LLVM 16 accepts `#gpu.address_space<..>`:
later releases print an error, leave the op in place and still exit with status 0. A gpu.alloc with this
attribute crashes LLVM 18 and 19, and a launch argument with it is an error.

## What it does not report
- Unknown types.
- Memory spaces in kernels, which passes such as convert-gpu-to-nvvm handle.

## Example
```mlir
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32, #gpu.address_space<global>>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32, #gpu.address_space<global>>
```
Use instead: a memref in the default space, or a pass that maps address spaces to integers before.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span, operand_span, rejected
from gpuasync_lsp.preconditions import Unmet
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.memref_types import memory_space
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that are rejected because of a memory space."""
    profile = function.profile
    for op, rejection in rejected(function, "GA110"):
        result = op.op.results[0].type if op.name == "gpu.alloc" else None
        named = result is not None and not _is_numbered(result)
        if named and profile.gpu_address_space_alloc_crashes:
            message = f"{profile.label}'s gpu-to-llvm crashes here: {rejection.reason}."
        elif profile.rejects_loudly:
            message = f"{profile.label} produces invalid LLVM IR for this {op.name}: {rejection.reason}."
        elif op.name == "gpu.launch_func":
            message = f"{profile.label} fails to legalize this {op.name}: {rejection.reason}."
        elif _is_integer(op, rejection):
            begins = f"{profile.label} lowers this {op.name} to code that"
            if any(other.code != rejection.code for other in op.rejections):
                begins = f"Once lowered, this {op.name} becomes code that"
            message = f"{begins} does not verify: {rejection.reason}."
        else:
            message = (
                f"{profile.label} silently leaves this {op.name} unlowered (exit status 0): "
                f"{rejection.reason}."
            )
        span = op_span(function, op.op)
        if rejection.operand is not None and rejection.operand >= 0:
            span = operand_span(function, op.op, rejection.operand)
        is_integer = _is_integer(op, rejection)
        instead = "cast the memref to it" if is_integer else "map memory spaces to integers first"
        yield Draft(span, f"{message}\nUse the default memory space, or {instead}.")


def _is_integer(op: AsyncOp, rejection: Unmet) -> bool:
    at = rejection.operand
    assert at is not None, "GA110 is about an operand or, with -1, the result"
    memref = op.op.results[0] if at < 0 else op.op.operands[at]
    return _is_numbered(memref.type)


def _is_numbered(kind: Attribute) -> bool:
    """Return whether the memory space of a memref type is the default one or an integer."""
    return not is_memref(kind) or memory_space(kind) is not None


def versions(profile: Profile) -> str:
    """Describe the integer memory spaces that lower."""

    named = "yes" if profile.gpu_address_space_lowers else "no"
    copy, alloc = ("all" if each else "0" for each in (profile.copy_in_any_space, profile.alloc_in_any_space))
    return f"memcpy, memset: {copy}; alloc: {alloc}; dealloc: 0; #gpu.address_space: {named}"


RULE = Rule("GA110", "memory-space", Severity.ERROR, check, versions=versions)
