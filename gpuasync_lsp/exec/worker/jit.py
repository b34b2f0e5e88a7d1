"""Compiles LLVM IR to machine code in the worker, with llvmlite's ORC."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gpuasync_lsp.exec.worker import small_floats
from gpuasync_lsp.exec.worker.untyped import Library, LibraryBuilder, Machine, Module, llvm_binding
from gpuasync_lsp.text.cached_property import cached_property

llvm = llvm_binding()

_SMALL_FLOAT = re.compile(r"\b(?:bfloat|half)\b")


class CompileError(Exception):
    """LLVM rejects the IR; the message is LLVM's."""


class Jit:
    """Links modules into this process."""

    def __init__(self) -> None:
        self._lljit = llvm.create_lljit_compiler(host_machine())
        self._libraries: list[Library] = []
        self._count = 0

    def link(self, ir: str, exports: Sequence[str], imports: Mapping[str, int]) -> dict[str, int]:
        """Compile and link `ir`, run its constructors, return the addresses of `exports`.

        Raises `CompileError`."""
        helpers = self._conversions if _SMALL_FLOAT.search(ir) else {}
        return self._link(llvm.JITLibraryBuilder().add_ir(ir), exports, {**helpers, **imports})

    def link_object(self, code: bytes, exports: Sequence[str], imports: Mapping[str, int]) -> dict[str, int]:
        """Do what `link` does, with the result of `to_object`; each call creates new global variables."""
        helpers = self._conversions if any(name.encode() in code for name in small_floats.NAMES) else {}
        return self._link(llvm.JITLibraryBuilder().add_object_img(code), exports, {**helpers, **imports})

    @cached_property
    def _conversions(self) -> dict[str, int]:
        """The addresses of conversions to 16-bit floats, which LLVM calls by name if the processor lacks
        them."""
        return self._link(llvm.JITLibraryBuilder().add_ir(small_floats.IR), small_floats.NAMES, {})

    def _link(
        self, builder: LibraryBuilder, exports: Sequence[str], imports: Mapping[str, int]
    ) -> dict[str, int]:
        builder.add_current_process()
        for name, address in imports.items():
            builder.import_symbol(name, address)
        for name in exports:
            builder.export_symbol(name)
        self._count += 1
        try:
            library = builder.link(self._lljit, f"library{self._count}")
        except RuntimeError as error:
            raise CompileError(str(error)) from error
        self._libraries.append(library)
        return {name: int(library[name]) for name in exports}

    def unlink_last(self) -> None:
        """Unlink the most recently linked library; llvmlite cannot run its destructors."""
        self._libraries.pop().close()


@cache
def host_machine(level: int = 2) -> Machine:
    """Return the target machine of this host."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        opt=level, jit=True, cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten()
    )


def parse(ir: str) -> Module:
    """Parse and verify IR for this machine. Raises `CompileError`."""
    machine = host_machine()
    try:
        module: Module = llvm.parse_assembly(ir)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()
    except RuntimeError as error:
        raise CompileError(str(error)) from error
    return module


def optimize(module: Module, level: int = 2) -> None:
    """Run LLVM's standard pipeline, which also splits coroutines."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(host_machine(), options)
    builder.getModulePassManager().run(module, builder)


def to_object(module: Module) -> bytes:
    """Return the machine code of an optimized module, for `Jit.link_object`."""
    return host_machine().emit_object(module)


def inline_marked(module: Module) -> None:
    """Inline the functions marked `alwaysinline` and give every value a name."""
    machine = host_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    manager = llvm.create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.run(module, builder)


def function(address: int, result: Any, *parameters: Any) -> Any:
    """Return a callable for compiled code, which runs without the interpreter lock."""
    return ctypes.CFUNCTYPE(result, *parameters)(address)
