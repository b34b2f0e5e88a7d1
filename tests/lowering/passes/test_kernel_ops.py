"""Each op of arith and math in a kernel, on each type, lowers as in the real tool."""

from __future__ import annotations

import pytest

from tests.differential.kernel_ops import programs
from tests.differential.passes import compare_texts


@pytest.mark.slow
@pytest.mark.parametrize("version", [16, 22])
def test_all_ops_of_kernels(version: int) -> None:
    comparison = compare_texts(version, "convert-gpu-to-nvvm", programs(version))
    assert comparison.compared > 700
    assert not comparison.different
