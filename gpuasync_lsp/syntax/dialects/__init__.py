"""The dialects that sources may use: a table of the functions that load each dialect, by name.

A dialect's Python module is imported when an op, type or attribute of it is first parsed, so that a
file pays only for the dialects it uses. `OURS` replaces dialects that xDSL lacks or parses differently
from MLIR; the rest is xDSL's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect, Operation

from gpuasync_lsp.syntax.dialects.collect import collected
from gpuasync_lsp.syntax.shared_context import SharedContext

Factory = Callable[[], Dialect]


def context() -> SharedContext:
    """Return a new context: every dialect is registered, and only `builtin` is loaded."""
    fresh = SharedContext()
    for name, factory in DIALECTS.items():
        fresh.register_dialect(name, factory)
    fresh.load_registered_dialect("builtin")
    return fresh


def _ours(name: str, *modules: str) -> Factory:
    """Return a function that loads the dialect `name` from `modules` of this package (default: the module
    `name`)."""

    def load() -> Dialect:
        imported = [import_module(f"gpuasync_lsp.syntax.dialects.{module}") for module in modules or (name,)]
        return collected(name, imported, _XDSL_FACTORIES[name]() if name in COMPLETED else None)

    return load


COMPLETED = ("complex", "bufferization")
"""Dialects of xDSL to which this package adds missing ops and MLIR's syntax."""

OURS: dict[str, Factory] = {
    "scf": _ours("scf"),
    "memref": _ours("memref"),
    "arith": _ours("arith"),
    "cf": _ours("cf"),
    "func": _ours("func"),
    "async": _ours("async", "async_dialect"),
    "gpu": _ours("gpu"),
    "index": _ours("index"),
    "affine": _ours("affine"),
    "vector": _ours("vector"),
    "linalg": _ours("linalg"),
    "complex": _ours("complex"),
    "bufferization": _ours("bufferization"),
    "nvgpu": _ours("nvgpu"),
    "llvm": _ours("llvm", "llvm", "llvm_attributes"),
    "nvvm": _ours("nvvm"),
    "rocdl": _ours("rocdl"),
    "xevm": _ours("xevm"),
}
"""Functions that load the dialects implemented here, which use MLIR's own syntax."""


@cache
def operations(name: str) -> tuple[type[Operation], ...]:
    """Return the op classes of the dialect `name`, which must be in `OURS`."""
    return tuple(OURS[name]().operations)


XDSL = (
    "builtin",
    "math",
    "tensor",
    "ub",
)
"""Dialects of upstream MLIR for which xDSL's classes are used unchanged."""

_XDSL_FACTORIES = get_all_dialects()

DIALECTS: dict[str, Factory] = {name: _XDSL_FACTORIES[name] for name in XDSL} | OURS
"""Functions that load the dialects, by name; ops of all other dialects are parsed as opaque ops."""
