"""gpuasync-lsp: what `mlir-opt --gpu-to-llvm` does to `!gpu.async.token`s, told while you type.

As a library: `check`, `lower`, `run` and `assert_clean`, see `gpuasync_lsp.api`, which is imported when one
of them is first asked for.
"""

# Nothing is imported here, `typing` neither: with `-m` the current folder would be looked into first.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuasync_lsp.api import NotUsable, Problem, Ran, assert_clean, check, lower, run

__version__ = "0.1.0"
__all__ = ["NotUsable", "Problem", "Ran", "assert_clean", "check", "lower", "run"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpuasync_lsp import api

    return getattr(api, name)
