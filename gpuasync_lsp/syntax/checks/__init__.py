"""Verifiers that MLIR implements in C++, in addition to an op's definition: one module per dialect, with
LLVM 22's messages.

A check gets a `View` of the op and returns an error or None. Checks that MLIR makes before the
constraints of the definition are in tables named FIRST: functions of the op that raise a
VerifyException.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from xdsl.ir import Operation

from gpuasync_lsp.syntax.checks.attributes import attribute_error
from gpuasync_lsp.syntax.checks.branches import branch_error
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View

Check = Callable[[View], "str | VerifierError | None"]

_DIALECTS = frozenset(
    {
        "affine",
        "amdgpu",
        "arith",
        "async",
        "bufferization",
        "builtin",
        "cf",
        "complex",
        "func",
        "gpu",
        "index",
        "linalg",
        "llvm",
        "memref",
        "nvgpu",
        "nvvm",
        "scf",
        "tensor",
        "vector",
        "xegpu",
        "xevm",
    }
)
"""The dialects with a module or package of checks."""


def verifier_error(op: Operation, view: View | None = None) -> VerifierError | None:
    """Return the error for `op`; None if it is valid or if that is unknown.

    `view`, if given, must be a view of `op`; it records which parts the check reads."""
    found = attribute_error(op) or (branch_error(op) if op.successors else None)
    if found is not None:
        return _full(op, found)
    dialect = op.dialect_name()
    check = _checks(dialect).get(op.name) if dialect in _DIALECTS else None
    if check is None:
        return None
    try:
        error = check(view or View(op))
    except NotKnown:
        return None
    if error is None:
        return None
    return _full(op, VerifierError(error) if isinstance(error, str) else error)


def _full(op: Operation, error: VerifierError) -> VerifierError:
    if error.bare:
        return error
    name = (error.at or op).name
    words, earlier = (f"'{name}' op {each}" if each else "" for each in (error.words, error.earlier))
    return error._replace(words=words, earlier=earlier)


def first_rules(name: str) -> Callable[[Operation], None] | None:
    """Return the check of ops called `name` that precedes the constraints of their definition, or None.

    The check raises a VerifyException, as `fail` does."""
    dialect = name.partition(".")[0]
    return getattr(_module(dialect), "FIRST", {}).get(name) if dialect in _DIALECTS else None


def _checks(dialect: str) -> Mapping[str, Check]:
    return getattr(_module(dialect), "CHECKS", {})


@cache
def _module(dialect: str) -> ModuleType:
    name = "async_dialect" if dialect == "async" else dialect
    return import_module(f"gpuasync_lsp.syntax.checks.{name}")
