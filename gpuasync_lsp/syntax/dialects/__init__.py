"""The dialects that sources may use: one explicit table from dialect name to the function that loads it.

A dialect's Python module is imported when an op, type or attribute of it is first parsed, so that a file
pays for what it uses. `OURS` replaces what xDSL lacks or parses differently from MLIR; the rest is xDSL's.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect

from gpuasync_lsp.syntax.shared_context import SharedContext

Factory = Callable[[], Dialect]


def context() -> SharedContext:
    """Return a fresh context in which every dialect is registered and only `builtin` is loaded."""
    fresh = SharedContext()
    for name, factory in DIALECTS.items():
        fresh.register_dialect(name, factory)
    fresh.load_registered_dialect("builtin")
    return fresh


def _func() -> Dialect:
    from gpuasync_lsp.syntax.dialects.func import FUNC

    return FUNC


def _cf() -> Dialect:
    from gpuasync_lsp.syntax.dialects.cf import CF

    return CF


def _arith() -> Dialect:
    from gpuasync_lsp.syntax.dialects.arith import ARITH

    return ARITH


def _memref() -> Dialect:
    from gpuasync_lsp.syntax.dialects.memref import MEMREF

    return MEMREF


def _scf() -> Dialect:
    from gpuasync_lsp.syntax.dialects.scf import SCF

    return SCF


def _async() -> Dialect:
    from gpuasync_lsp.syntax.dialects.async_dialect import ASYNC

    return ASYNC


def _gpu() -> Dialect:
    from gpuasync_lsp.syntax.dialects.gpu import GPU

    return GPU


def _llvm() -> Dialect:
    from gpuasync_lsp.syntax.dialects.llvm import LLVM

    return LLVM


def _nvvm() -> Dialect:
    from gpuasync_lsp.syntax.dialects.nvvm import NVVM

    return NVVM


def _rocdl() -> Dialect:
    from gpuasync_lsp.syntax.dialects.rocdl import ROCDL

    return ROCDL


def _index() -> Dialect:
    from gpuasync_lsp.syntax.dialects.index import INDEX_DIALECT

    return INDEX_DIALECT


def _vector() -> Dialect:
    from gpuasync_lsp.syntax.dialects.vector import VECTOR

    return VECTOR


def _affine() -> Dialect:
    from gpuasync_lsp.syntax.dialects.affine import AFFINE

    return AFFINE


def _math() -> Dialect:
    from gpuasync_lsp.syntax.dialects.math import MATH

    return MATH


def _complex() -> Dialect:
    from gpuasync_lsp.syntax.dialects.complex import COMPLEX

    return COMPLEX


def _tensor() -> Dialect:
    from gpuasync_lsp.syntax.dialects.tensor import TENSOR

    return TENSOR


def _bufferization() -> Dialect:
    from gpuasync_lsp.syntax.dialects.bufferization import BUFFERIZATION

    return BUFFERIZATION


def _nvgpu() -> Dialect:
    from gpuasync_lsp.syntax.dialects.nvgpu import NVGPU

    return NVGPU


def _linalg() -> Dialect:
    from gpuasync_lsp.syntax.dialects.linalg import LINALG

    return LINALG


def _xevm() -> Dialect:
    from gpuasync_lsp.syntax.dialects.xevm import XEVM

    return XEVM


OURS: dict[str, Factory] = {
    "scf": _scf,
    "memref": _memref,
    "arith": _arith,
    "cf": _cf,
    "func": _func,
    "async": _async,
    "gpu": _gpu,
    "index": _index,
    "affine": _affine,
    "vector": _vector,
    "linalg": _linalg,
    "math": _math,
    "complex": _complex,
    "tensor": _tensor,
    "bufferization": _bufferization,
    "nvgpu": _nvgpu,
    "llvm": _llvm,
    "nvvm": _nvvm,
    "rocdl": _rocdl,
    "xevm": _xevm,
}
"""Dialects written here, in MLIR's own syntax."""

XDSL = (
    "builtin",
    "ub",
)
"""Dialects of upstream MLIR that are taken from xDSL as they are."""

_XDSL_FACTORIES = get_all_dialects()

DIALECTS: dict[str, Factory] = {name: _XDSL_FACTORIES[name] for name in XDSL} | OURS
"""Every dialect by name; what is not here parses as an opaque op."""
