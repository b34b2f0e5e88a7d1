"""Imports point down, and heavy packages stay in their parts; checked in the source of every module."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.tools import ROOT

PACKAGE = ROOT / "gpuasync_lsp"

FLOORS = {
    "text": 0,
    "processes": 0,
    "safe_path": 0,
    "releases": 0,
    "output": 0,
    "stack": 0,
    "quick_dataclasses": 0,
    "float_formats": 0,
    "syntax": 1,
    "preconditions": 2,
    "analysis": 3,
    "lowering": 3,
    "exec": 3,
    "reporting": 3,
    "ide": 4,
    "lsp": 5,
    "commands": 5,
    "api": 5,
    "pytest_plugin": 6,
    "server": 6,
    "cli": 7,
    "__main__": 8,
}
"""The floor of each part; a part imports only itself and parts on lower floors."""

FACADES = {("analysis", "lowering"), ("lowering", "analysis"), ("exec", "lowering"), ("exec", "analysis")}
"""Pairs (importer, imported) on one floor that are allowed, through `__init__` only."""

LAYERS = {
    "analysis": ("model", "repairs", "rules"),
    "lowering": ("conversion", "passes", "pipeline", "llvm_ir"),
    "ide": (
        "runlines",
        "document",
        "dumps",
        "lookup",
        "streams",
        "features",
        "preview",
        "refactor",
        "run",
        "reduce",
    ),
}
"""The subfolders of a part, lowest first: each imports those to its left, and the files beside them."""

HOMES = {
    "xdsl": {"syntax", "preconditions", "analysis", "lowering", "exec", "ide"},
    "pygls": {"server", "lsp"},
    "lsprotocol": {"server", "lsp"},
    "cuda": {"exec"},
    "filecheck": {"ide"},
    "watchfiles": {"ide"},
    "llvmlite": {"exec", "lowering"},
    "numpy": {"exec", "api"},
}
"""The parts that may import a third-party package."""

LAZY = {"cuda", "filecheck", "llvmlite", "numpy", "watchfiles"}
"""Optional packages: imported only inside the functions that need them, or in `WORKER`."""

WORKER = PACKAGE / "exec" / "worker"
"""The folder that only the worker process imports, whose modules may import anything at the top."""

STANDARD_ONLY = {
    "text",
    "processes",
    "safe_path",
    "output",
    "stack",
    "reporting",
    "releases",
    "quick_dataclasses",
    "float_formats",
    "cli",
    "__main__",
    "commands",
}
"""Parts that import only the standard library."""


class Import(NamedTuple):
    """An import statement: file, line, imported module, and when it is executed."""

    file: Path
    line: int
    module: str
    lazy: bool
    typing_only: bool

    @property
    def importer(self) -> str:
        """The part of the package that contains the import."""
        return self.file.relative_to(PACKAGE).parts[0].removesuffix(".py")

    @property
    def top(self) -> str:
        """The top-level package that is imported."""
        return self.module.partition(".")[0]

    @property
    def part(self) -> str:
        """The imported part of our package, or an empty string."""
        return self.module.split(".")[1] if self.top == "gpuasync_lsp" and "." in self.module else ""

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {self.module}"


def imports_of(file: Path, source: str) -> Iterator[Import]:
    """Yield the imports of one module; `from gpuasync_lsp import name` counts as an import of that module."""

    def walk(node: ast.AST, lazy: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            inside = lazy or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            typed = typing_only or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(file, child.lineno, alias.name, lazy, typing_only)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{file}:{child.lineno}: imports are absolute here"
                base = child.module or ""
                names = (
                    [base] if base != "gpuasync_lsp" else [f"{base}.{alias.name}" for alias in child.names]
                )
                for name in names:
                    yield Import(file, child.lineno, name, lazy, typing_only)
            yield from walk(child, inside, typed)

    return walk(ast.parse(source), False, False)


@cache
def all_imports() -> list[Import]:
    """Return every import of every module of the package."""
    return [
        found for file in sorted(PACKAGE.rglob("*.py")) for found in imports_of(file, file.read_text("utf-8"))
    ]


def test_every_part_has_a_floor() -> None:
    parts = {
        path.name.removesuffix(".py")
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
    }
    assert parts - {"__init__"} <= set(FLOORS), "give the new part a floor, here and in docs/architecture.md"


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name, without `.__init__`."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in PACKAGE.rglob("*.py")
    }


@cache
def edges() -> dict[str, set[str]]:
    """Return the modules that each module imports, including lazy imports and those for type checking.

    `from package import name` counts as an import of `package.name` if that is a module, otherwise of
    `package`: a facade's reexports are imported from the facade.
    """
    files = modules()
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, file in files.items():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found[name].add(inner if inner in files else node.module)
            elif isinstance(node, ast.Import):
                found[name].update(alias.name for alias in node.names)
        found[name] &= files.keys()
    return found


def strongly_connected(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the import cycles, each as a list of modules."""
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        rest = {
            name: {m for m in used if m not in circle} for name, used in graph.items() if name not in circle
        }
        return [circle, *strongly_connected(rest)]
    return []


def test_no_circle_of_imports_anywhere() -> None:
    assert strongly_connected(edges()) == []


def test_a_circle_would_be_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}
    assert sorted(sorted(set(circle)) for circle in strongly_connected(graph)) == [["b", "c"], ["d"]]


@pytest.mark.parametrize("part", sorted(LAYERS))
def test_folders_of_a_part_import_those_below_them(part: str) -> None:
    layers = LAYERS[part]
    folders = {path.name for path in (PACKAGE / part).iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders == set(layers), "give the new folder its place, here and in docs/architecture.md"
    prefix = f"gpuasync_lsp.{part}."
    wrong = [
        f"{name} imports {used}"
        for name, names in edges().items()
        for used in names
        if name.startswith(prefix)
        and used.startswith(prefix)
        and (own := name.split(".")[2]) in layers
        and (other := used.split(".")[2]) in layers
        and layers.index(other) > layers.index(own)
    ]
    assert not wrong, "\n".join(sorted(wrong))


def test_imports_point_down() -> None:
    wrong = [
        found
        for found in all_imports()
        if found.part in FLOORS
        and found.importer in FLOORS
        and found.part != found.importer
        and FLOORS[found.part] >= FLOORS[found.importer]
        and not ((found.importer, found.part) in FACADES and found.module.count(".") == 1)
    ]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("package", sorted(HOMES))
def test_packages_stay_at_home(package: str) -> None:
    wrong = [f for f in all_imports() if f.top == package and f.importer not in HOMES[package]]
    assert not wrong, "\n".join(map(str, wrong))


def test_optional_packages_are_imported_late() -> None:
    outside = [f for f in all_imports() if WORKER not in f.file.parents and not (f.lazy or f.typing_only)]
    wrong = [f for f in outside if f.top in LAZY or f.module.startswith("gpuasync_lsp.exec.worker")]
    assert not wrong, "\n".join(map(str, wrong))


def test_light_parts_use_the_standard_library_only() -> None:
    wrong = [
        f
        for f in all_imports()
        if f.importer in STANDARD_ONLY and f.top not in sys.stdlib_module_names and f.top != "gpuasync_lsp"
    ]
    assert not wrong, "\n".join(map(str, wrong))


def test_commands_are_quick_to_import() -> None:
    """The imports of `--help` and `--stdio` before the command is known contain no other part of the
    package."""
    early = [f for f in all_imports() if f.importer in {"cli", "commands"} and not (f.lazy or f.typing_only)]
    modules = {f.module for f in early}

    def is_early(file: Path) -> bool:
        # Modules that a command imports only when it runs may have further imports.
        command = file.parent.name == "commands" and "def add_parser" in file.read_text("utf-8")
        return command or file.stem == "cli" or f"gpuasync_lsp.commands.{file.stem}" in modules

    light = {"", "__version__", "cli", "commands", "output"}
    wrong = [f for f in early if f.part not in light and is_early(f.file)]
    assert not wrong, "\n".join(map(str, wrong))


def test_the_command_line_starts_light() -> None:
    heavy = sorted({*HOMES, "tomllib", "subprocess", "asyncio"})
    code = f"import sys, gpuasync_lsp.cli; print(*(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_run_loads_the_modules_that_it_needs() -> None:
    """The dialects for kernels, vectors and complex numbers would take a quarter of a small run's start."""
    heavy = [
        f"gpuasync_lsp.syntax.dialects.{name}" for name in ("index", "linalg", "nvgpu", "nvvm", "vector")
    ]
    heavy += ["xdsl.dialects.arith", "xdsl.dialects.complex", "xdsl.dialects.ub"]
    heavy += ["gpuasync_lsp.ide.preview.preview"]
    heavy += [f"gpuasync_lsp.analysis.model.{name}" for name in ("building", "conclusions")]
    heavy += [f"gpuasync_lsp.lowering.passes.{name}" for name in ("expand_strided_metadata", "inline")]
    code = (
        "import sys; from gpuasync_lsp.exec.prepare import prepare\n"
        "from gpuasync_lsp.ide.run.passes import run_passes; from gpuasync_lsp.text import LineIndex\n"
        "prepare('func.func @main() { return }', 22, '', *reversed(run_passes(None, LineIndex(''))))\n"
        f"print(*(m for m in {heavy} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_worker_loads_no_parser() -> None:
    """xDSL would take two thirds of a worker's start."""
    code = (
        "import sys, gpuasync_lsp.exec.worker.session, gpuasync_lsp.exec.worker.cpu.backend\n"
        "print(*(m for m in sys.modules if m in ('xdsl', 'gpuasync_lsp.syntax', 'gpuasync_lsp.lowering')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_reader_of_imports_sees_what_it_should() -> None:
    source = (
        "import numpy\n"
        "from gpuasync_lsp import server\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from pygls import uris\n"
        "def late():\n    import cuda.bindings.driver\n"
    )
    found = list(imports_of(PACKAGE / "text" / "probe.py", source))
    assert [(f.module, f.lazy, f.typing_only) for f in found] == [
        ("numpy", False, False),
        ("gpuasync_lsp.server", False, False),
        ("typing", False, False),
        ("pygls", False, True),
        ("cuda.bindings.driver", True, False),
    ]
    assert found[1].part == "server"
    assert found[0].importer == "text"


def test_the_floors_are_documented() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    missing = [part for part in FLOORS if not any(form in page for form in (f"`{part}/`", f"`{part}.py`"))]
    assert not missing, f"docs/architecture.md does not name {missing}"


def test_the_folders_are_documented() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    missing = [
        f"{part}/{name}/" for part, names in LAYERS.items() for name in names if f"`{name}/`" not in page
    ]
    assert not missing, f"docs/architecture.md does not name {missing}"


def test_what_the_page_names_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", page)
    missing = [name for name in named if not ((PACKAGE / name).exists() or (ROOT / name).exists())]
    assert named
    assert not missing, f"docs/architecture.md names {missing}"


def defined_in(file: Path) -> set[str]:
    """Return the names that a module defines: functions, classes, `Class.method`, variables, and
    dictionary keys."""
    found: set[str] = set()

    def walk(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.update((child.name, within + child.name))
                walk(child, f"{child.name}.")
            elif isinstance(child, ast.Assign | ast.AnnAssign):
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                found.update(target.id for target in targets if isinstance(target, ast.Name))
                if isinstance(child.value, ast.Dict):
                    keys = (key for key in child.value.keys if isinstance(key, ast.Constant))
                    found.update(str(key.value) for key in keys)

    walk(ast.parse(file.read_text("utf-8")), "")
    return found


def strangers(walk: str) -> list[str]:
    """Return the missing files that `walk` names, and the names that no file of the same step defines.

    A file without a folder is next to the previous one.
    """
    found: list[str] = []
    folder = PACKAGE
    for step in re.split(r"\n(?=\d+\. )", walk):
        words = re.findall(r"`([^`]+)`", step)
        known: set[str] = set()
        for word in (word for word in words if word.endswith(".py")):
            file = PACKAGE / word if "/" in word or (PACKAGE / word).exists() else folder / word
            folder = file.parent
            if file.exists():
                known |= defined_in(file)
            else:
                found.append(word)
        names = [word for word in words if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)?", word)]
        found += [name for name in names if not name.endswith(".py") and name not in known]
    return found


def test_the_walk_names_functions_where_they_are() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    _, walk = page.split("## One gpu.memcpy", 1)
    walk = walk.split("\n## ", 1)[0]
    assert walk.count("\n1. ") == 1
    assert len(re.findall(r"`[\w/]+\.py`", walk)) > 30
    assert strangers(walk) == []


def test_a_name_that_has_moved_would_be_seen() -> None:
    right = "1. `did_change` of `lsp/wiring.py` has `Session.changed` (`lsp/session.py`)"
    assert strangers(right) == []
    assert strangers(right.replace("session", "sessions")) == ["lsp/sessions.py", "Session.changed"]
    assert strangers(right.replace("changed", "altered")) == ["Session.altered"]
