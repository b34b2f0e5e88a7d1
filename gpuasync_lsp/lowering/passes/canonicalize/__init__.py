"""`canonicalize`, for the ops that occur in programs with asynchronous gpu ops.

Source: the output of mlir-opt 16, 19 and 22 `--canonicalize`. `conversion/` contains the greedy driver
and the folders of ops, `patterns/` the patterns of each dialect.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import cast

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.greedy import simplify
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Pattern, Patterns, is_well_formed
from gpuasync_lsp.releases import Profile

_DIALECTS = ("affine", "arith", "bufferization", "cf", "func", "gpu", "linalg", "memref", "scf", "vector")
"""The modules in `patterns/`; each is imported when an op of its dialect is first visited."""


def canonicalize(root: Operation, profile: Profile) -> None:
    """Rewrite the ops inside `root` in place."""

    def rewrite(op: Operation) -> bool:
        return is_well_formed(op) and any(pattern(op, profile) for pattern in _patterns(op))

    simplify(root, profile, merge_blocks=profile.canonicalize_merges_blocks, rewrite=rewrite)


def _patterns(op: Operation) -> Sequence[Pattern]:
    dialect = op.name.partition(".")[0]
    return _load(dialect).get(type(op), ()) if dialect in _DIALECTS else ()


@cache
def _load(dialect: str) -> Patterns:
    return cast(
        Patterns, import_module(f"gpuasync_lsp.lowering.passes.canonicalize.patterns.{dialect}").PATTERNS
    )
