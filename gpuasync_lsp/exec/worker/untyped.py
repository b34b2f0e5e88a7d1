"""Access to untyped libraries, in one place so that the other modules stay type-checked."""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Any


def llvm_binding() -> Any:
    """Return llvmlite's binding of LLVM."""
    return import_module("llvmlite.binding")


def cuda_driver() -> Any:
    """Return cuda-python's driver API. Raises ImportError."""
    return import_module("cuda.bindings.driver")


def memory(address: int, size: int) -> Any:
    """Return `size` bytes at `address` as a buffer for NumPy."""
    return (ctypes.c_char * size).from_address(address)
