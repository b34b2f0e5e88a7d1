"""A launch whose kernel does not exist, is not a kernel, or takes different arguments.

## What happens
MLIR verifies the symbol of gpu.launch_func only against a gpu.module: the container and the function must
exist, the function must have `gpu.kernel` (the keyword `kernel` of a gpu.func), and a gpu.func must take as
many arguments as the launch passes. MLIR does not check the arguments of an llvm.func kernel; this rule does.
The contents of a gpu.binary are unknown. MLIR checks only launches that are directly in a function: inside a
region, such as an scf.if or an async.execute, the same mistake is a warning and lowering continues.

## What it does not report
- Kernels of a gpu.binary, and the arguments that a launch passes to them.
- A container or kernel that may be defined in unparsable text.

## Example
```mlir
gpu.launch_func @kernels::@missing blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from xdsl.dialects.builtin import SymbolRefAttr, UnrankedMemRefType
from xdsl.ir import Attribute

from gpuasync_lsp.analysis.model.context import KernelInfo
from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.memory.accesses import descriptor_width
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import listing, op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.ods.table import has_op
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Edit, Fix, Related, Safety, Severity, Span
from gpuasync_lsp.text.spelling import Guesses


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches whose symbol is not a kernel, or whose operands do not match the kernel."""
    guesses = Guesses()
    right: set[tuple[object, ...]] = set()
    for info in function.launches:
        op = info.op
        if not isinstance(op, LaunchFuncOp) or not isinstance(op.properties.get("kernel"), SymbolRefAttr):
            continue  # In the generic form, the attribute may be of any kind; the verifier rejects it.
        looked_at = _is_looked_at(function, op)
        # Launches of one kernel with the same types are all correct if one is. The parser reuses objects for
        # equal text, so compare their identities; hashing them would take long.
        key = (id(op.properties["kernel"]), looked_at, *[id(value.type) for value in op.kernel_operands])
        if key in right:
            continue
        drafts = list(_symbol(function, op, guesses))
        if not drafts:
            right.add(key)
        for draft in drafts:
            yield draft if looked_at else replace(draft, stops=False, severity=Severity.WARNING)


def _is_looked_at(function: AsyncFunction, op: LaunchFuncOp) -> bool:
    """Return whether mlir-opt verifies `op`: it verifies only launches directly in a function."""
    return op.parent_op() is function.op and function.op.name != "async.execute"


def _symbol(function: AsyncFunction, op: LaunchFuncOp, guesses: Guesses) -> Iterator[Draft]:
    context, profile = function.context, function.profile
    container, *names = (each.data for each in (op.kernel.root_reference, *op.kernel.nested_references.data))
    if container in context.hidden and container not in context.symbols:
        return  # The symbol may be defined in an unparsed part.
    span = _symbol_span(function, op, f"@{container}") or op_span(function, op)
    kind = context.containers.get(container)
    word = profile.container_word
    if kind == "gpu.binary" and has_op("gpu.binary", profile.version):
        return
    if kind != "gpu.module":
        known = list(context.kernel_modules)
        if kind is not None and word == "container":
            word = "module"
        yield Draft(
            span,
            f"'gpu.launch_func' op kernel {word} '{container}' is undefined\n{_define('gpu.module', known)}",
            fixes=tuple(_rename(guesses.closest(container, known), span)),
        )
        return
    symbol = "::".join(f"@{each}" for each in (container, *names))
    if not names:
        yield Draft(span, f"'gpu.launch_func' op referenced kernel '{symbol}' is not a function")
        return
    name = names[-1]
    kernel = context.kernels.get((container, name)) if len(names) == 1 else None
    if kernel is None and name in context.hidden:
        return
    if kernel is None:
        known = [k for c, k in context.kernels if c == container]
        place = _symbol_span(function, op, f"@{name}") or span
        yield Draft(
            place,
            f"'gpu.launch_func' op kernel function '{symbol}' is undefined\n{_define('gpu.func', known)}",
            fixes=tuple(_rename(guesses.closest(name, known), place)),
        )
        return
    related = (Related(kernel.span, "the kernel is here", f"@{container}"),)
    if kernel.op_name not in ("gpu.func", "llvm.func", "func.func"):
        message = f"referenced kernel '{symbol}' is not a function"
        yield Draft(span, f"'gpu.launch_func' op {message}", related)
    elif not kernel.is_kernel:
        message = "'gpu.launch_func' op kernel function is missing the 'gpu.kernel' attribute"
        message += "\nWrite the keyword `kernel` after the arguments of the gpu.func."
        yield Draft(span, message, related, tuple(_mark(name, container, kernel)))
    else:
        message, stops = _arguments(op, kernel), kernel.op_name == "gpu.func"
        if not _is_looked_at(function, op):
            message += (
                " mlir-opt does not report it: it checks only launches directly in the body of a function."
                if message
                else ""
            )
        elif not message:
            message, stops = _not_lowered(op, kernel, context.pipeline, profile), False
        if message:
            yield Draft(op_span(function, op), message, related, stops=stops)


def _arguments(op: LaunchFuncOp, kernel: KernelInfo) -> str:
    given = [value.type for value in op.kernel_operands]
    expected = len(kernel.types)
    if kernel.op_name == "gpu.func":
        if len(given) != expected:
            message = f"'gpu.launch_func' op got {len(given)} kernel operands but expected {expected}"
            return f"{message}\n{_takes(kernel)}"
        for number, (have, want) in enumerate(zip(given, kernel.types, strict=True)):
            if have != want and not {"gpuasync.unknown"} & {have.name, want.name}:
                message = f"'gpu.launch_func' op type of function argument {number} does not match"
                return f"{message}\n{_takes(kernel)}"
        return ""
    if kernel.op_name != "llvm.func" or not (kernel.modes or expected or given):
        return ""
    if any(isinstance(kind, UnrankedMemRefType) or kind.name == "gpuasync.unknown" for kind in given):
        return ""
    fields = _fields(given)
    if kernel.modes is not None and len(kernel.modes) not in (fields, len(given)):
        return (
            f"The launch passes {fields} values (a memref counts as the fields of its descriptor), but the "
            f"kernel takes {len(kernel.modes)}.\nmlir-opt does not check this for an llvm.func."
        )
    return ""


def _takes(kernel: KernelInfo) -> str:
    types = ", ".join(attribute_text(kind) for kind in kernel.types)
    return f"The kernel takes ({types})." if types else "The kernel takes no arguments."


def _define(op: str, known: list[str]) -> str:
    """Describe how to define a missing symbol with an `op`, or which of the `known` symbols to use."""
    names = listing(f"@{name}" for name in known[:4])
    return f"Define it with {op}, or use one that exists: {names}." if names else f"Define it with {op}."


def _fields(types: Iterable[Attribute]) -> int:
    """Return the number of values after expanding each memref into the fields of its descriptor."""
    return sum(descriptor_width(kind) for kind in types)


def _not_lowered(
    op: LaunchFuncOp, kernel: KernelInfo, pipeline: tuple[str, ...] | None, profile: Profile
) -> str:
    """Return mlir-opt's error if the configured passes lower a launch, but not its kernel with memrefs.

    Returns an empty string if there is no such error."""
    if pipeline is None or not profile.launch_checked_after_conversion or kernel.op_name != "gpu.func":
        return ""
    before = takewhile(lambda step: not step.startswith("gpu-to-llvm"), pipeline)
    if any("gpu-module-to-binary" in step for step in before):
        return ""
    if any(step.startswith("convert-gpu-to-") or "(convert-gpu-to-" in step for step in pipeline):
        return ""
    fields = _fields(kernel.types)
    if fields == len(kernel.types):
        return ""
    return (
        f"'gpu.launch_func' op got {fields} kernel operands but expected {len(kernel.types)}\n"
        "Lower the kernel first: it is a gpu.func with memrefs, and no configured pass converts it."
    )


def _symbol_span(function: AsyncFunction, op: LaunchFuncOp, symbol: str) -> Span | None:
    if op not in function.spans.ops:
        return None
    start, end = function.spans.op(op)
    text = function.spans.text
    for spelt in (symbol, f'@"{symbol[1:]}"'):
        at = text.find(spelt, start, end)
        if at >= 0:
            return Span(at, at + len(spelt))
    return None


def _mark(name: str, container: str, kernel: KernelInfo) -> Iterator[Fix]:
    if kernel.mark is not None:
        word = "kernel" if kernel.op_name == "gpu.func" else "gpu.kernel"
        edit = kernel.mark._replace(within=f"@{container}")
        yield Fix(f"Mark @{name} with `{word}`", Safety.SAFE, (edit,))


def _rename(close: str | None, span: Span) -> Iterator[Fix]:
    if close is not None:
        edit = Edit(span, f"@{close}")
        yield Fix(f"Change it to @{close}", Safety.UNSAFE, (edit,), "this is guessed from the spelling")


RULE = Rule("GA004", "unknown-kernel", Severity.ERROR, check, stops=True)
