"""Users' own dialects: IRDL files listed in the settings, and installed Python packages.

An IRDL file is data: ops, operands, results and constraints, parsed by xDSL; it may be in a workspace.
A Python dialect is code, so it comes only from a package that the user installed and that lists a
function in the entry-point group `gpuasync_lsp.dialects`; the function takes no arguments and returns
an xDSL `Dialect`. No file in a workspace can specify one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import ParseError

from gpuasync_lsp.text.files import MOST_OF_IRDL, read_text

ENTRY_POINTS = "gpuasync_lsp.dialects"
MOST_IRDL_OPS = 10_000
"""Maximum number of IRDL ops in one file; parsing them takes two seconds. A dialect of 100 ops has about
1,000."""
MOST_CONSTRAINTS = 1_000
"""Maximum expanded number of constraints of one IRDL value; a shared constraint counts once per use."""


class ExtensionError(ValueError):
    """Raised if a user's dialect cannot be loaded; the message names the dialect and the reason."""


def irdl_dialects(path: Path) -> list[Dialect]:
    """Return the dialects that the IRDL file at `path` defines.

    xDSL supports a subset of IRDL. A constraint that it cannot check, such as a C++ predicate, accepts
    anything; an op that it would parse wrongly, such as one with optional operands, is omitted and thus
    remains opaque. Raises ExtensionError, with the file and line, if the file cannot be read, is too
    large, or defines no dialect.
    """
    from xdsl.dialects.irdl import IRDL, DialectOp
    from xdsl.interpreters.irdl import make_dialect

    try:
        text = read_text(path, MOST_OF_IRDL)
    except OSError as error:
        raise ExtensionError(f"{path}: cannot read this IRDL file: {error.strerror or error}") from error
    if text.count("irdl.") > MOST_IRDL_OPS:
        raise ExtensionError(f"{path}: more than {MOST_IRDL_OPS} ops of IRDL are not supported")
    # Reject aliases: IRDL does not need them, and nested ones can expand to a terabyte.
    if any(line.lstrip().startswith(("!", "#")) for line in text.split("\n")):
        raise ExtensionError(f"{path}: aliases are not supported in IRDL files")
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(IRDL)
    try:
        module = Parser(context, text, str(path)).parse_module()
        _check_constraints(module)
        module.verify()
        _leave_out_what_xdsl_lacks(module)
        found = [make_dialect(op) for op in module.walk() if isinstance(op, DialectOp)]
    except ParseError as error:
        line = text.count("\n", 0, error.span.start) + 1
        raise ExtensionError(f"{path}:{line}: {error.msg}") from error
    except KeyError as error:
        raise ExtensionError(f"{path}: a value is used before it is defined") from error
    except RecursionError as error:
        raise ExtensionError(f"{path}: it is nested too deeply") from error
    except Exception as error:
        # xDSL raises various exceptions for invalid text; only the first line is useful, since the file
        # follows.
        raise ExtensionError(f"{path}: {str(error).partition(chr(10))[0][:500]}") from error
    if not found:
        raise ExtensionError(f"{path}: no irdl.dialect in this file")
    return found


def _check_constraints(module: Operation) -> None:
    """Raise ValueError for a recursive constraint, or one that expands to more than `MOST_CONSTRAINTS`."""
    sizes: dict[SSAValue, int] = {}
    for op in module.walk():
        size = 1
        for value in op.operands:
            if value not in sizes:
                raise ValueError(f"{op.name} uses a value that is not defined before it")
            size += sizes[value]
        if size > MOST_CONSTRAINTS:
            raise ValueError(f"{op.name} expands to more than {MOST_CONSTRAINTS} constraints")
        sizes.update((result, size) for result in op.results)


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
    """Return the dialects of installed packages, and an error for each package that fails to load."""
    dialects: list[Dialect] = []
    errors: list[ExtensionError] = []
    if not _may_be_installed():
        return dialects, errors
    # Imported lazily: the import takes a tenth of the startup time of a check, and such packages are rare.
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        try:
            dialect = point.load()()
        except Exception as error:  # noqa: BLE001 - a third-party package may raise anything
            errors.append(ExtensionError(f"dialect {point.name} ({point.value}): {error!r}"))
            continue
        if isinstance(dialect, Dialect):
            dialects.append(dialect)
        else:
            errors.append(ExtensionError(f"dialect {point.name} ({point.value}): returns no xDSL Dialect"))
    return dialects, errors


def register(context: Context, dialects: Iterable[Dialect]) -> None:
    """Register `dialects` with `context`, except those whose name is already registered."""
    for dialect in dialects:
        if dialect.name not in context.registered_dialect_names:
            context.register_dialect(dialect.name, lambda dialect=dialect: dialect)


def _may_be_installed() -> bool:
    """Return whether any installed package may have entry points of the group.

    True if `sys.path` contains a file, such as a zip archive, which is not searched."""
    for entry in sys.path:
        if os.path.isfile(entry):
            return True
        try:
            with os.scandir(entry or os.curdir) as found:
                names = [each.name for each in found]
        except OSError:
            continue
        for name in names:
            if name == "EGG-INFO" or name.endswith((".dist-info", ".egg-info")):
                path = Path(entry, name, "entry_points.txt")
            elif name.endswith(".egg"):
                path = Path(entry, name, "EGG-INFO", "entry_points.txt")
            else:
                continue
            try:
                if ENTRY_POINTS in path.read_text("utf-8", "replace"):
                    return True
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return True  # The real look-up reports the error.
    return False
