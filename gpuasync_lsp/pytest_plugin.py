"""The fixture `assert_clean`, for tests of programs that generate MLIR."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def assert_clean() -> Callable[..., None]:
    """Return `gpuasync_lsp.assert_clean`: `assert_clean(module, llvm=22, run=True)`."""
    from gpuasync_lsp.api import assert_clean

    return assert_clean
