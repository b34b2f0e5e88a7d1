"""gpuasync-lsp: what `mlir-opt --gpu-to-llvm` does to `!gpu.async.token`s, told while you type.

As a library: `check`, `lower`, `run` and `assert_clean`, see `gpuasync_lsp.api`, which is imported when one
of them is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuasync_lsp.api import NotUsable, Problem, Ran, assert_clean, check, lower, run

__version__ = "0.1.0"
__all__ = ["NotUsable", "Problem", "Ran", "assert_clean", "check", "lower", "run"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpuasync_lsp import api

    return getattr(api, name)
