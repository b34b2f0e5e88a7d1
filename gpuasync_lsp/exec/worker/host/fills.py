"""Functions that fill a memref with one value, from LLVM's runners for Vulkan and for SPIR-V on the CPU.

They are `fillResource{1,2,3}D{Float,Int,Int8}` of mlir_vulkan_runtime, and `fillF32Buffer{1,2,3}D` and
`fillI32Buffer` of mlir_spirv_cpu_runtime (LLVM 22), each with expanded arguments and as a `_mlir_ciface_`
function. As with CUDA's runtime, a kernel can access a filled buffer only once it is registered, except in a
module with `spirv.target_env`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from gpuasync_lsp.exec.worker.untyped import Function

P, I64, I32, I8, F32 = ctypes.c_uint64, ctypes.c_int64, ctypes.c_int32, ctypes.c_int8, ctypes.c_float

Writable = Callable[[str, int, int, str], NDArray[Any] | None]

_FILLED: dict[str, tuple[str, int, Any]] = {
    **{
        f"fillResource{rank}D{suffix}": (element, rank, type)
        for rank in (1, 2, 3)
        for suffix, element, type in (("Float", "f32", F32), ("Int", "i32", I32), ("Int8", "i8", I8))
    },
    **{f"fillF32Buffer{rank}D": ("f32", rank, F32) for rank in (1, 2, 3)},
    "fillI32Buffer": ("i32", 1, I32),
}


def fill_functions(
    writable: Writable,
) -> dict[str, Function]:
    """Return the fill functions by name, with their types.

    Given an element type, a rank, the address of a descriptor and the calling function's name, `writable`
    returns a view of the memref, or None if the host must not write to it."""
    table: dict[str, Function] = {}
    for name, (element, rank, type) in _FILLED.items():
        fill = partial(_fill, writable, name, element, rank)
        table[f"_mlir_ciface_{name}"] = (None, (P, type), fill)
        table[name] = (None, (P, P, *[I64] * (1 + 2 * rank), type), partial(_expanded, fill))
    return table


def _fill(writable: Writable, name: str, element: str, rank: int, descriptor: int, value: float) -> None:
    view = writable(element, rank, descriptor, name)
    if view is not None:
        view[...] = value


def _expanded(fill: Callable[[int, float], None], *words: int) -> None:
    *shape, value = words
    descriptor = (ctypes.c_uint64 * len(shape))(*shape)
    fill(ctypes.addressof(descriptor), value)
