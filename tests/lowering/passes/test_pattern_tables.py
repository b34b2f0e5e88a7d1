"""Each pattern and folder accepts the ops of the class that is its key in the table.

The tables declare the op parameter as `Any`, so that a pattern can declare a class, which is checked here."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import UnionType
from typing import Any

import pytest
from xdsl.ir import Operation

LOWERING = "gpuasync_lsp.lowering"
TABLES = [
    *(
        (f"{LOWERING}.passes.canonicalize.patterns.{dialect}", "PATTERNS")
        for dialect in [
            "affine",
            "arith",
            "bufferization",
            "cf",
            "func",
            "gpu",
            "linalg",
            "memref",
            "scf",
            "vector",
        ]
    ),
    *((f"{LOWERING}.conversion.folders.{name}", "FOLDERS") for name in ["affine", "arith", "gpu", "memref"]),
    (f"{LOWERING}.passes.lower_affine", "_LOWERINGS"),
    (f"{LOWERING}.passes.expand_strided_metadata", "_PATTERNS"),
    (f"{LOWERING}.passes.convert_vector_to_llvm.accesses", "SINGLE_ELEMENTS"),
]


@pytest.mark.parametrize(("module", "name"), TABLES, ids=lambda each: each.rpartition(".")[2])
def test_patterns_take_the_ops_of_their_table(module: str, name: str) -> None:
    table: Mapping[type[Operation], Any] = getattr(import_module(module), name)
    typed = 0
    for kind, patterns in table.items():
        for pattern in patterns if isinstance(patterns, Iterable) else (patterns,):
            taken = _first(pattern)
            typed += taken is not Any
            assert taken is Any or issubclass(kind, taken), f"{kind.name}: {pattern.__name__}"
    assert typed


def _first(pattern: Any) -> Any:
    """Return the type of the first parameter: a class, a union, or Any."""
    annotation = next(iter(inspect.signature(pattern).parameters.values())).annotation
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    found = eval(annotation, inspect.unwrap(pattern).__globals__)
    return found if isinstance(found, type | UnionType) else Any
