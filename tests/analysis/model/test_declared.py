"""Memory effects declared by argument attributes, for callees whose body is missing or less precise."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

TEXT = TEXTS["TEXT"]


@pytest.mark.parametrize(
    "attribute",
    ["llvm.readonly", "llvm.readnone", 'bufferization.access = "read"', "bufferization.writable = false"],
)
def test_a_callee_that_only_reads_does_not_race_with_a_read(attribute: str) -> None:
    assert check_source(TEXT.replace("ATTRIBUTE", attribute), Config(22, ("GA3",))) == []


@pytest.mark.parametrize("attribute", ["llvm.noalias", "llvm.writeonly", 'bufferization.access = "write"'])
def test_one_that_may_write_does(attribute: str) -> None:
    found = check_source(TEXT.replace("ATTRIBUTE", attribute), Config(22, ("GA3",)))
    assert [finding.code for finding in found] == ["GA302"]
