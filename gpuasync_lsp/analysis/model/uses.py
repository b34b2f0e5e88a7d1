"""The uses of a buffer in its function and their access modes, if all uses are known."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.context import FileContext
from gpuasync_lsp.analysis.model.kernels import RUNNER_READS
from gpuasync_lsp.analysis.model.memory.elements import ASKING
from gpuasync_lsp.analysis.model.symbols import callee_of, kernel_symbol
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, Mode, effects_of, points

_MOST = 500
"""The maximum number of views followed per buffer: each of a thousand buffers may have a thousand views."""
_SILENT = ASKING | {"memref.dealloc", "gpu.dealloc", "gpu.host_register", "gpu.host_unregister"}


class Use(NamedTuple):
    """A use that reads or writes a buffer, or a view of it."""

    op: Operation
    mode: Mode


class Uses(NamedTuple):
    """All uses of a buffer."""

    touching: tuple[Use, ...]
    returned: Operation | None
    """The op that returns the buffer; None if no op does."""


def uses_of(value: SSAValue, context: FileContext) -> Uses | None:
    """Return the uses of the memory of `value`; None if one of them is unknown."""
    views, seen, touching = [value], {value}, list[Use]()
    returned: Operation | None = None
    for view in views:
        for use in view.uses:
            op = use.operation
            if op.name in ALIASES or op.name in PARTS:
                if use.index or len(seen) > _MOST:
                    return None
                views += [result for result in op.results if points(result.type) and result not in seen]
                seen.update(op.results)
            elif op.name == "func.return":
                returned = op
            elif op.name not in _SILENT:
                modes = _modes(op, use.index, context)
                if modes is None:
                    return None
                touching += [Use(op, mode) for mode in modes]
    return Uses(tuple(touching), returned)


def _modes(op: Operation, index: int, context: FileContext) -> set[Mode] | None:
    if isinstance(op, LaunchFuncOp):
        symbol = kernel_symbol(op)
        kernel = context.kernels.get(symbol) if symbol is not None else None
        number = index - (len(op.operands) - len(op.kernel_operands) - (op.async_object is not None))
        if kernel is None or kernel.modes is None or not 0 <= number < len(kernel.modes):
            return None
        mode = kernel.modes[number]
        return set() if mode is None else None if mode is Mode.MAY else {mode}
    callee = callee_of(op)
    if callee is not None:
        return {Mode.READ} if callee.startswith(RUNNER_READS) else None
    effects = effects_of(op)
    if effects is None or op.regions:
        return None
    found = {effect.mode for effect in effects if effect.operand == index}
    return found if found and found <= {Mode.READ, Mode.WRITE, Mode.BOTH, Mode.ATOMIC} else None
