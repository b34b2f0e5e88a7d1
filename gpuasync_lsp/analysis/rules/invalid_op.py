"""An op that MLIR's verifier rejects, in the verifier's words.

## What happens
mlir-opt verifies before the first pass and stops: nothing is lowered.

## Example
```mlir
%t1 = gpu.memcpy async [%t0] %dst, %bytes : memref<4xf32>, memref<4xi8>
```
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.gpu import AllocOp, DeallocOp, LaunchFuncOp, MemcpyOp, MemsetOp, WaitOp
from gpuasync_lsp.syntax.dialects.gpu.checks import check_alloc, check_memcpy, check_memset
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.text import Edit, Fix, Related, Safety, Severity

_UNDEFINED = re.compile(r"use of undeclared SSA value name|undeclared|undefined")
_NAME = re.compile(r"%[\w$.-]+")


def problems(code: str) -> Callable[[Unit], Iterator[Draft]]:
    """Return a check that passes on what the parser says under `code`."""

    def check_unit(unit: Unit) -> Iterator[Draft]:
        for problem in unit.item.problems:
            if problem.code == code:
                yield Draft(
                    problem.span,
                    problem.message,
                    tuple(Related(span, message) for span, message in problem.related),
                    tuple(_meant(unit, problem.span.of(unit.item.text), problem.span))
                    if code == "GA002"
                    else (),
                )

    return check_unit


def _meant(unit: Unit, word: str, span: object) -> Iterator[Fix]:
    names = {name.partition("#")[0] for _, name in unit.item.spans.values.values()}
    if not _NAME.fullmatch(word) or word in names:
        return
    close = get_close_matches(word, sorted(names), 1, 0.6)
    if close:
        edit = Edit(span, close[0])  # type: ignore[arg-type]
        yield Fix(f"Change it to {close[0]}", Safety.UNSAFE, (edit,), "it is a guess from the spelling")


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Verify the ops of the gpu and async dialects, and pass on what the parser says."""
    yield from problems("GA003")(unit)
    for op in unit.ops():
        if isinstance(op, OpaqueOp) or not op.name.startswith(("gpu.", "async.")):
            continue
        unknown = _unknown(op, unit.profile)
        if unknown:
            yield Draft(unit.item.spans.name(op), f"{unit.profile.label} does not parse this: {unknown}")
            continue
        try:
            _verify(op, unit)
        except VerifyException as error:
            message = str(error).strip().split("\n")[0]
            if any(d.span == unit.item.spans.name(op) for d in problems("GA003")(unit)):
                continue
            said = message if message.startswith("'") else f"'{op.name}' op {message}"
            yield Draft(unit.item.spans.name(op), said)


def _verify(op: Operation, unit: Unit) -> None:
    """Verify one op. Raises VerifyException.

    Custom assembly cannot say what the operand constraints forbid, so that for the common ops their own check
    is enough: it is a tenth of the cost.
    """
    if unit.item.text.startswith('"', unit.item.spans.name(op).start):
        op.verify(verify_nested_ops=False)
    elif isinstance(op, MemcpyOp):
        check_memcpy(op.dst.type, op.src.type)
    elif isinstance(op, MemsetOp):
        check_memset(op.dst.type, op.value.type)
    elif isinstance(op, AllocOp):
        check_alloc(op.memref.type, len(op.dynamic_sizes), len(op.symbol_operands))
    elif not isinstance(op, WaitOp | DeallocOp | LaunchFuncOp):
        op.verify(verify_nested_ops=False)


def _unknown(op: Operation, profile: Profile) -> str:
    """Return what of `op` the version's parser does not know."""
    if op.name in profile.missing_ops:
        return f"custom op '{op.name}' is unknown"
    if not isinstance(op, LaunchFuncOp):
        return ""
    if op.async_object is not None and not profile.async_object:
        return "a launch takes no explicit stream `<..>`"
    if op.cluster_size_x is not None and not profile.launch_clusters:
        return "a launch has no `clusters in`"
    if not isinstance(op.grid_size_x.type, IndexType) and not profile.launch_integer_sizes:
        return "the sizes of a launch are of type index"
    return ""


def versions(profile: Profile) -> str:
    """Say which ops the version's parser does not know."""
    missing = len(profile.missing_ops)
    return f"{missing} ops of the gpu dialect are unknown" if missing else "every op is known"


RULE = Rule("GA003", "invalid-op", Severity.ERROR, check_unit=check_unit, versions=versions)
