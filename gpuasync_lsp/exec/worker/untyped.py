"""Access to untyped libraries, confined to this module so that the other modules stay type-checked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

Signature = tuple[Any, tuple[Any, ...]]
"""Result type and parameter types: classes of ctypes."""
Function = tuple[Any, tuple[Any, ...], Callable[..., Any]]
"""Result type, parameter types, and the implementation."""


class Argument(Protocol):
    """An argument of a function of LLVM IR."""

    type: object


class GlobalValue(Protocol):
    """A function or variable of LLVM IR, as llvmlite represents it; a variable has no `arguments`."""

    name: str
    arguments: Iterable[Argument]
    linkage: str
    is_declaration: bool
    global_value_type: object


class Module(Protocol):
    """A module of LLVM IR; see llvmlite."""

    triple: str
    data_layout: str
    functions: Iterable[GlobalValue]
    global_variables: Iterable[GlobalValue]

    def verify(self) -> None: ...
    def get_function(self, name: str) -> GlobalValue: ...
    def link_in(self, other: Module) -> None: ...
    def as_bitcode(self) -> bytes: ...


class Library(Protocol):
    """Code that is linked into this process; see llvmlite."""

    def __getitem__(self, name: str) -> int: ...
    def close(self) -> None: ...


class LibraryBuilder(Protocol):
    def add_current_process(self) -> object: ...
    def import_symbol(self, name: str, address: int) -> object: ...
    def export_symbol(self, name: str) -> object: ...
    def link(self, jit: object, name: str) -> Library: ...


class DataLayout(Protocol):
    def get_abi_size(self, type: object) -> int: ...


class Machine(Protocol):
    """A target machine of LLVM; see llvmlite."""

    triple: str
    target_data: DataLayout

    def emit_assembly(self, module: Module) -> str: ...
    def emit_object(self, module: Module) -> bytes: ...


def llvm_binding() -> ModuleType:
    """Return llvmlite's binding of LLVM."""
    return import_module("llvmlite.binding")


def cuda_driver() -> ModuleType:
    """Return cuda-python's driver API. Raises ImportError."""
    return import_module("cuda.bindings.driver")


def memory(address: int, size: int) -> memoryview[int]:
    """Return `size` bytes at `address` as a buffer for NumPy."""
    bytes_there = memoryview((ctypes.c_char * size).from_address(address))
    return bytes_there.cast("B") if size else memoryview(bytearray())
