"""gpuasync-lsp shows what `mlir-opt --gpu-to-llvm` does to `!gpu.async.token`s, as you type.

The functions `check`, `fix`, `lower`, `run`, `streams`, `passes` and `assert_clean` are defined in
`gpuasync_lsp.api`, which is imported on first use.
"""

# No imports here, not even `typing`: with `-m`, Python would search the current folder first.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuasync_lsp.api import (
        Loc,
        Lowered,
        NotClean,
        NotUsable,
        PassDone,
        Problem,
        ProblemFix,
        Problems,
        Ran,
        Streams,
        UnusedIgnoreWarning,
        assert_clean,
        check,
        fix,
        lower,
        passes,
        run,
        streams,
    )

__version__ = "0.2.0"
__all__ = [
    "Loc",
    "Lowered",
    "NotClean",
    "NotUsable",
    "PassDone",
    "Problem",
    "ProblemFix",
    "Problems",
    "Ran",
    "Streams",
    "UnusedIgnoreWarning",
    "assert_clean",
    "check",
    "fix",
    "lower",
    "passes",
    "run",
    "streams",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpuasync_lsp import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
