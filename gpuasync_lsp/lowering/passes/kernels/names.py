"""Looks up op classes by name, since several modules define ops for the kernel patterns."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, var_operand_def, var_result_def

from gpuasync_lsp.syntax.dialects import context
from gpuasync_lsp.syntax.ods import operation as ods


@cache
def op_class(name: str) -> type[Operation]:
    """Return the parser's class for the op `name`; if no dialect defines it, create a bare class."""
    found = _context().get_optional_op(name)
    if found is not None and not issubclass(found, UnregisteredOp):
        return found
    if (known := ods.op_class(name)) is not None:
        return known
    plain: type[IRDLOperation] = type(
        name.title().replace(".", "").replace("_", "") + "Op",
        (IRDLOperation,),
        {"name": name, "__module__": __name__, "operands_": var_operand_def(), "results_": var_result_def()},
    )
    return irdl_op_definition(plain)


@cache
def _context() -> Context:
    return context()
