"""Dialects that users bring: IRDL files by setting, and Python packages that they installed.

An IRDL file is data: ops, operands, results and constraints, read by xDSL; it may stand in a workspace. A
Python dialect is code, so it comes only from a package that the user installed and that names a function in
the entry-point group `gpuasync_lsp.dialects`; the function takes nothing and returns an xDSL `Dialect`. No
file of a workspace can name one.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Dialect, Operation
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import InterpretationError, ParseError, PyRDLError, VerifyException

ENTRY_POINTS = "gpuasync_lsp.dialects"


class ExtensionError(ValueError):
    """A dialect of the user's cannot be loaded; the message says which and why."""


def irdl_dialects(path: Path) -> list[Dialect]:
    """Return the dialects that the IRDL file at `path` defines.

    xDSL knows a part of IRDL. A constraint that it cannot check, as a predicate in C++, is taken for any; an
    op that it would get wrong, one with optional operands for instance, is left out and so stays opaque.
    Raises ExtensionError, with the file and line, where it cannot be read or defines no dialect.
    """
    from xdsl.dialects.irdl import IRDL, DialectOp
    from xdsl.interpreters.irdl import make_dialect

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ExtensionError(f"{path}: cannot read this IRDL file: {error}") from error
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(IRDL)
    try:
        module = Parser(context, text, str(path)).parse_module()
        module.verify()
        _leave_out_what_xdsl_lacks(module)
        found = [make_dialect(op) for op in module.walk() if isinstance(op, DialectOp)]
    except ParseError as error:
        line = text.count("\n", 0, error.span.start) + 1
        raise ExtensionError(f"{path}:{line}: {error.msg}") from error
    except (InterpretationError, PyRDLError, VerifyException) as error:
        # Behind the first line, xDSL prints the whole file.
        raise ExtensionError(f"{path}: {str(error).partition(chr(10))[0]}") from error
    if not found:
        raise ExtensionError(f"{path}: no irdl.dialect in this file")
    return found


def _leave_out_what_xdsl_lacks(module: Operation) -> None:
    from xdsl.dialects.irdl import AnyOp, OperandsOp, OperationOp, ResultsOp, VariadicityEnum

    def is_exact(op: Operation) -> bool:
        if isinstance(op, OperandsOp | ResultsOp):
            return all(v.data == VariadicityEnum.SINGLE for v in op.variadicity.value)
        return op.name not in ("irdl.attributes", "irdl.regions")

    for op in list(module.walk()):
        inexact = isinstance(op, OperationOp) and not all(map(is_exact, op.body.ops))
        if inexact or op.name == "irdl.attribute":
            op.detach()
            op.erase()
    for op in list(module.walk()):
        of_any = op.name == "irdl.any_of" and any(isinstance(v.owner, AnyOp) for v in op.operands)
        if of_any or op.name in ("irdl.all_of", "irdl.base", "irdl.c_pred"):
            Rewriter.replace_op(op, AnyOp())


def installed_dialects() -> tuple[list[Dialect], list[ExtensionError]]:
    """Return the dialects of installed packages, and an error for each one that does not load."""
    dialects: list[Dialect] = []
    errors: list[ExtensionError] = []
    for point in entry_points(group=ENTRY_POINTS):
        try:
            dialect = point.load()()
        except Exception as error:  # noqa: BLE001 - somebody else's package may raise anything
            errors.append(ExtensionError(f"dialect {point.name} ({point.value}): {error!r}"))
            continue
        if isinstance(dialect, Dialect):
            dialects.append(dialect)
        else:
            errors.append(ExtensionError(f"dialect {point.name} ({point.value}): returns no xDSL Dialect"))
    return dialects, errors


def register(context: Context, dialects: Iterable[Dialect]) -> None:
    """Make `dialects` known to `context`; one that is known already is replaced by nothing and stays."""
    for dialect in dialects:
        if dialect.name not in context.registered_dialect_names:
            context.register_dialect(dialect.name, lambda dialect=dialect: dialect)
