"""Every driver call exists in cuda-python: function name, number of arguments, enumerators.

The calls are extracted from the source, so calls that no test executes are checked too.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import gpuasync_lsp.exec.worker as worker
from gpuasync_lsp.exec.worker.cuda.errors import ERRORS, STICKY
from tests.support.tools import REQUIRED

if REQUIRED and find_spec("cuda") is None:
    raise RuntimeError("cuda-bindings is not installed, and GPUASYNC_REQUIRE_TOOLS=1")
driver = pytest.importorskip("cuda.bindings.driver", reason="cuda-python is not installed")

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    *sorted((Path(worker.__file__).parent / "cuda").glob("*.py")),
    ROOT / "benchmarks" / "gpu_overhead.py",
)
BY_NAME = {"_value": 0, "value": 0, "call": 0, "destroy": 0, "blocking": 1, "enqueue": 3, "ask": 1}
"""Functions that take the name of a driver function, and the index of that argument.

The remaining arguments are those of the driver function."""
DRIVERS = ("driver", "driver.api", "api", "self._driver.api", "module")


def calls(source: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the driver functions that `source` calls, with the number of arguments and the location."""
    for node in ast.walk(ast.parse(source.read_text())):
        if not isinstance(node, ast.Call):
            continue
        where = f"{source.name}:{node.lineno}"
        owner, _, called = ast.unparse(node.func).rpartition(".")
        if owner in DRIVERS and called.startswith("cu"):
            yield called, len(node.args), where
        position = BY_NAME.get(called)
        if position is not None and len(node.args) > position:
            name, rest = node.args[position], node.args[position + 1 :]
            if isinstance(name, ast.Constant) and not any(isinstance(each, ast.Starred) for each in rest):
                yield str(name.value), len(rest), where


def enumerators(source: Path) -> Iterator[tuple[str, str, str]]:
    """Yield enumeration, name and location of each CUDA enumerator in `source`."""
    tree = ast.parse(source.read_text())
    renamed = {
        target.id: node.value.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
        for target in node.targets
        if isinstance(target, ast.Name) and node.value.attr.startswith("CU")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("CU_"):
            owner = ast.unparse(node.value).rsplit(".", 1)[-1]
            yield renamed.get(owner, owner), node.attr, f"{source.name}:{node.lineno}"


CALLS = [call for source in SOURCES for call in calls(source)]
ENUMERATORS = [each for source in SOURCES for each in enumerators(source)]


def test_the_calls_were_found() -> None:
    names = {name for name, _, _ in CALLS}
    assert {"cuInit", "cuLaunchKernel", "cuLaunchKernelEx", "cuMemcpyAsync", "cuModuleLoadDataEx"} <= names
    assert len(names) > 30
    assert ("CUstream_flags", "CU_STREAM_NON_BLOCKING") in {(owner, name) for owner, name, _ in ENUMERATORS}


@pytest.mark.parametrize(("name", "count", "where"), CALLS, ids=[f"{c[2]} {c[0]}" for c in CALLS])
def test_a_function_takes_these_arguments(name: str, count: int, where: str) -> None:
    function = getattr(driver, name, None)
    assert function is not None, f"{where}: cuda-python has no {name}"
    parameters = inspect.signature(function).parameters
    assert len(parameters) == count, f"{where}: {name} takes {', '.join(parameters) or 'nothing'}"


@pytest.mark.parametrize(("owner", "name", "where"), ENUMERATORS, ids=[e[2] for e in ENUMERATORS])
def test_an_enumerator_exists(owner: str, name: str, where: str) -> None:
    assert hasattr(getattr(driver, owner), name), f"{where}: cuda-python has no {owner}.{name}"


def test_errors_have_the_names_of_the_driver() -> None:
    for code, (name, _) in ERRORS.items():
        assert driver.CUresult(code).name == name
    assert {driver.CUresult(code).name for code in STICKY} >= {
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "CUDA_ERROR_MISALIGNED_ADDRESS",
        "CUDA_ERROR_ASSERT",
    }
    assert set(ERRORS) >= STICKY, "each is explained"


def test_a_cluster_launch_is_described_as_the_driver_reads_it() -> None:
    config, attribute = driver.CUlaunchConfig(), driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    attribute.value.clusterDim.x = 2
    config.gridDimX, config.hStream = 4, 0x1010
    config.attrs, config.numAttrs = [attribute], 1
    assert (config.gridDimX, int(config.hStream), config.attrs[0].value.clusterDim.x) == (4, 0x1010, 2)
