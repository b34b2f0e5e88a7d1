"""Lists every place in the package that starts a process, loads a library or imports by name.

A place that is not listed fails the test. Each entry says why workspace content cannot reach it;
docs/security.md says what may be started.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.support.tools import ROOT

PACKAGE = ROOT / "gpuasync_lsp"

KNOWN = {
    ("processes.py", "subprocess"): "the one place: takes a Command, whose origin is checked",
    ("processes.py", "os.fork"): "of this process; nothing is started in it",
    ("processes.py", "multiprocessing"): "copies of this process, by fork; nothing is started in them",
    ("processes.py", "multiprocessing.connection"): "their pipes",
    ("processes.py", "multiprocessing.process"): "their type",
    ("syntax/checks/__init__.py", "importlib"): "a module of a table, below gpuasync_lsp.syntax.checks",
    ("syntax/dialects/__init__.py", "importlib"): "a module of a table, below gpuasync_lsp.syntax.dialects",
    (
        "lowering/passes/canonicalize/__init__.py",
        "importlib",
    ): "a module of a table, below gpuasync_lsp.lowering",
    (
        "lowering/passes/gpu_to_llvm/__init__.py",
        "importlib",
    ): "a module of a table, below gpuasync_lsp.lowering",
    ("lowering/passes/dialects_to_llvm.py", "importlib"): "a module of a table, below gpuasync_lsp.lowering",
    ("syntax/extensions.py", "sys.path"): "looks there for texts that name entry points, which are data",
    ("lsp/wiring.py", "importlib"): "a module of the tables in server.py, below gpuasync_lsp.lsp.answers",
    ("syntax/ods/table.py", "importlib.resources"): "the table of ops, a file of this package",
    ("syntax/release_names.py", "importlib.resources"): "the names of types, a file of this package",
    ("api.py", "allow_pickle"): "False: a file that a worker wrote",
    ("syntax/extensions.py", "importlib.metadata"): "entry points of packages that the user installed",
    ("exec/worker/untyped.py", "importlib"): "llvmlite and cuda-python",
    ("exec/worker/cpu/arena.py", "ctypes.CDLL"): "the process itself",
    ("exec/worker/crash.py", "ctypes.CDLL"): "the process itself",
    ("exec/worker/cuda/backend.py", "ctypes.CDLL"): "the driver, by its name alone",
    ("exec/worker/cuda/driver.py", "ctypes.CDLL"): "the driver, by its name alone",
    ("exec/worker/cuda/driver.py", "importlib.metadata"): "the version of cuda-bindings, which is installed",
    ("ide/document/finding_cache.py", "importlib.metadata"): "the version of xdsl, which is installed",
    ("exec/worker/host/library.py", "ctypes.CDLL"): "the process itself",
    ("exec/worker/output.py", "ctypes.CDLL"): "the process itself",
    ("lsp/collection.py", "ctypes.CDLL"): "the process itself, to ask its C library for memory back",
    ("exec/client.py", "subprocess"): "types, and the exception of a wait; see the test below",
    ("exec/worker/cuda/ptx.py", "sys.path"): "looks there for libdevice, which is data",
    ("exec/worker/values.py", "allow_pickle"): "False",
    ("quick_dataclasses.py", "exec"): "text of `dataclasses`, which compiles it the same way",
    ("quick_dataclasses.py", "compile"): "the same text",
    ("safe_path.py", "sys.path"): "takes the current folder off it",
}

MODULES = frozenset(
    [
        "code",
        "codeop",
        "concurrent.futures.process",
        "imp",
        "importlib",
        "marshal",
        "multiprocessing",
        "pdb",
        "pickle",
        "pkgutil",
        "popen2",
        "pty",
        "runpy",
        "shelve",
        "site",
        "subprocess",
        "webbrowser",
        "zipimport",
    ]
)
"""Modules that start processes, or import or execute their input."""

CALLS = frozenset({"__import__", "eval", "exec", "compile", "breakpoint", "ProcessPoolExecutor"})
"""Names of functions and classes that start processes or execute code, from any module."""

ATTRIBUTES = frozenset(
    [
        "CDLL",
        "OleDLL",
        "PyDLL",
        "WinDLL",
        "LoadLibrary",
        "cdll",
        "windll",
        "oledll",
        "pydll",
        "find_library",
        "create_subprocess_exec",
        "create_subprocess_shell",
        "subprocess_exec",
        "subprocess_shell",
        "load_library_permanently",
        "add_dll_directory",
        "allow_pickle",
    ]
)
"""Attribute and keyword names that start processes or load libraries, on any object."""

OF_OS = ("exec", "spawn", "fork", "posix_spawn", "system", "popen", "startfile")
"""Prefixes of the os functions that start processes."""


def starts(source: str) -> Iterator[tuple[str, int]]:
    """Yield each expression in a module that starts a process, loads a library or imports by name, with
    its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names if _is_known(alias.name))
            case ast.ImportFrom(module=str(module), names=names):
                if _is_known(module):
                    yield module, node.lineno
                for alias in names:
                    if _is_known(f"{module}.{alias.name}") and not _is_known(module):
                        yield f"{module}.{alias.name}", node.lineno
                    if alias.name in ATTRIBUTES | CALLS or (module == "os" and alias.name.startswith(OF_OS)):
                        yield f"{module}.{alias.name}", node.lineno
                    if module == "sys" and alias.name in ("path", "meta_path", "path_hooks"):
                        yield f"sys.{alias.name}", node.lineno
            case ast.Name(id=name) if name in CALLS:
                yield name, node.lineno
            case ast.keyword(arg="allow_pickle"):
                yield "allow_pickle", node.value.lineno
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name.startswith(OF_OS):
                yield f"os.{name}", node.lineno
            case ast.Attribute(value=ast.Name(id="sys"), attr="path" | "meta_path" | "path_hooks" as name):
                yield f"sys.{name}", node.lineno
            case ast.Attribute(attr=name) if name in ATTRIBUTES:
                owner = node.value.id if isinstance(node.value, ast.Name) else "*"
                yield f"{owner}.{name}", node.lineno
            case ast.Constant(value="subprocess" | "__import__" | "multiprocessing" as name):
                yield name, node.lineno
            case _:
                pass


def _is_known(module: str) -> bool:
    return any(module == known or module.startswith(known + ".") for known in MODULES)


def test_every_place_is_known() -> None:
    found = {
        (str(file.relative_to(PACKAGE)), what): line
        for file in sorted(PACKAGE.rglob("*.py"))
        for what, line in starts(file.read_text("utf-8"))
    }
    new = [f"{file}:{line} uses {what}" for (file, what), line in found.items() if (file, what) not in KNOWN]
    assert not new, "say in this test why that is safe, or go through processes.py:\n" + "\n".join(new)
    assert KNOWN.keys() <= found.keys(), "these are gone: take them out of the table"


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import subprocess", "subprocess"),
        ("def f():\n  from subprocess import run", "subprocess"),
        ("from concurrent.futures import ProcessPoolExecutor", "concurrent.futures.ProcessPoolExecutor"),
        ("import multiprocessing.pool", "multiprocessing.pool"),
        ("import asyncio\nasyncio.create_subprocess_exec", "asyncio.create_subprocess_exec"),
        ("import os\nos.execv('a', [])", "os.execv"),
        ("import os\nos.posix_spawn", "os.posix_spawn"),
        ("from os import fork", "os.fork"),
        ("import os\nos.system('a')", "os.system"),
        ("from importlib import import_module", "importlib"),
        ("import importlib.metadata", "importlib.metadata"),
        ("__import__('a')", "__import__"),
        ("eval('a')", "eval"),
        ("import runpy", "runpy"),
        ("import ctypes\nctypes.CDLL('a')", "ctypes.CDLL"),
        ("from ctypes import CDLL", "ctypes.CDLL"),
        ("import ctypes\nctypes.cdll.LoadLibrary('a')", "*.LoadLibrary"),
        ("import sys\nsys.path.append('a')", "sys.path"),
        ("import numpy\nnumpy.load('a', allow_pickle=True)", "allow_pickle"),
    ],
)
def test_the_reader_sees_what_it_should(source: str, what: str) -> None:
    assert what in [name for name, _ in starts(source)]


def test_import_by_name_stays_in_the_package() -> None:
    """The argument of each import_module call is a constant, or begins with this package's name."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or "import_module" not in ast.unparse(node.func):
                continue
            name = node.args[0]
            head = name.values[0] if isinstance(name, ast.JoinedStr) else name
            assert isinstance(head, ast.Constant), f"{file}:{node.lineno}"
            fixed = not isinstance(name, ast.JoinedStr)
            assert fixed or str(head.value).startswith("gpuasync_lsp."), f"{file}:{node.lineno}"


def test_the_client_of_a_worker_takes_types_from_subprocess_only() -> None:
    source = (PACKAGE / "exec" / "client.py").read_text("utf-8")
    used = {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "subprocess"
    }
    assert used <= {"Popen", "TimeoutExpired"}
    assert "Popen(" not in source


def test_pickles_are_never_loaded() -> None:
    sources = [file.read_text("utf-8") for file in PACKAGE.rglob("*.py")]
    assert not any("allow_pickle=True" in source for source in sources)
