"""Completion of symbols of the kind that the op requires, with the arguments of a launch or call."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.completion.suggestion import Completion, CompletionKind
from gpuasync_lsp.ide.features.completion.values import sizes
from gpuasync_lsp.ide.features.completion.wanted import type_of_parameter
from gpuasync_lsp.ide.features.signature_help import parameter_texts
from gpuasync_lsp.ide.lookup.symbols import Definition, definitions, written
from gpuasync_lsp.syntax.printer import attribute_text

_FUNCTIONS = ("func.func", "llvm.func", "func", "async.func", "gpu.func")
_GLOBALS = ("memref.global", "llvm.mlir.global")
_TAKES = {
    "async.call": _FUNCTIONS,
    "func.call": _FUNCTIONS,
    "func.constant": _FUNCTIONS,
    "gpu.launch_func": ("gpu.func", "gpu.module", "gpu.binary", "llvm.func", "func.func"),
    "llvm.call": ("llvm.func",),
    "llvm.mlir.addressof": ("llvm.mlir.global", "llvm.func"),
    "memref.get_global": ("memref.global",),
}
"""Maps ops that refer to a symbol to the ops that may define it; other ops may refer to any symbol."""


def symbols(cursor: Cursor) -> Iterator[Completion]:
    """Yield the symbols that the op can refer to; functions only from the cursor's module."""
    span, state = cursor.span, cursor.state
    launches = cursor.name == "gpu.launch_func"
    takes = _TAKES.get(cursor.name)
    scope = _scope(cursor)
    line = state.lines.line_text(state.lines.position(span.start)[0])
    for found in definitions(state.source.chunk_at(span.start)):
        if takes is not None and found.op_name.removeprefix("builtin.") not in takes:
            continue
        if found.is_kernel and len(found.path) > 1:
            if takes is not None and not launches:
                continue
            reference = "::".join(map(written, found.path[-2:]))
            # If the launch already has its sizes, insert only the symbol.
            snippet = launch(cursor, found, reference) if launches and "blocks" not in line else ""
            detail = ", ".join(parameter_texts(found))
            yield Completion(
                reference, CompletionKind.KERNEL, span, reference, detail, 0 if launches else 100, snippet
            )
        elif found.op_name in ("gpu.module", "gpu.binary"):
            name = written(found.label)
            yield Completion(name, CompletionKind.MODULE, span, name, found.op_name, 20)
        elif found.op_name in _FUNCTIONS:
            # MLIR looks a function's symbol up in the innermost module around the use.
            if launches or (takes is not None and found.path[:-1] != scope[: len(found.path) - 1]):
                continue
            if takes is not None and len(found.path) - 1 < len(scope):
                continue
            name = written(found.label)
            yield Completion(name, CompletionKind.FUNCTION, span, name, ", ".join(parameter_texts(found)), 0)
        elif found.op_name in _GLOBALS:
            name = written(found.label)
            yield Completion(name, CompletionKind.VALUE, span, name, found.op_name, 10)


def kernels(cursor: Cursor) -> list[Definition]:
    """Return the kernels that a launch at the cursor can refer to."""
    found = definitions(cursor.state.source.chunk_at(cursor.span.start))
    return [each for each in found if each.is_kernel and len(each.path) > 1]


def _scope(cursor: Cursor) -> tuple[str, ...]:
    """Return the names of the modules around the cursor."""
    around = [
        d
        for d in definitions(cursor.state.source.chunk_at(cursor.span.start))
        if d.placed is cursor.placed and d.span.start <= cursor.span.start <= d.span.end
    ]
    return min((d.path[:-1] for d in around), key=len, default=())


def launch(cursor: Cursor, kernel: Definition, reference: str, first: int = 1) -> str:
    """Return the rest of a launch, with the nearest value of the right type for each kernel argument.

    `first` is the number of its first placeholder."""
    taken: set[SSAValue] = set()
    parts: list[str] = []
    for number, parameter in enumerate(parameter_texts(kernel), first + 2):
        type = type_of_parameter(parameter)
        name = next(
            (n for n, v in cursor.visible.items() if attribute_text(v.type) == type and v not in taken), None
        )
        if name is not None:
            taken.add(cursor.visible[name])
        else:
            name = parameter.partition(":")[0].strip() if type != parameter else f"%arg{number - first - 2}"
        parts.append(f"${{{number}:{name}}} : {type}")
    arguments = f" args({', '.join(parts)})" if parts else ""
    size = sizes(cursor)
    return f"{reference} blocks in (${{{first}:{size}}}) threads in (${{{first + 1}:{size}}}){arguments}"
