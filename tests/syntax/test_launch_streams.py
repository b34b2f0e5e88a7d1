"""Explicit streams on gpu.launch, and dependencies without a token: each release's errors."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)
NOT_THERE = "custom op 'gpu.launch' expected 'blocks'"
SAID = {
    ("EXPLICIT", 22): NOT_THERE,
    ("EXPLICIT", 23): NOT_THERE,
    ("EXPLICIT", 24): "",
    ("ASYNC", 22): NOT_THERE,
    ("ASYNC", 23): NOT_THERE,
    ("ASYNC", 24): NOT_THERE,
    ("TWELVE", 22): "size mismatch in attribute conversion: 12 vs 11",
    ("TWELVE", 23): "size mismatch in attribute conversion: 12 vs 11",
    ("TWELVE", 24): "'gpu.launch' op dependency operands require the dependency-based async model",
    ("ELEVEN", 22): "",
    ("ELEVEN", 23): "",
    ("ELEVEN", 24): "size mismatch in attribute conversion: 11 vs 12",
}


@pytest.mark.parametrize(("name", "version"), SAID, ids=lambda each: str(each))
def test_it_is_said_what_the_release_says(name: str, version: int) -> None:
    found = check_source(TEXTS[name], Config(version, ("GA001", "GA003")))
    words = SAID[name, version]
    assert [words in finding.message for finding in found] == [True] * bool(words)


@pytest.mark.parametrize(("name", "version"), SAID, ids=lambda each: str(each))
def test_the_real_tool_says_it(name: str, version: int) -> None:
    done = mlir_opt(version)(TEXTS[name], *["--gpu-to-llvm"] * (version == 24))
    assert (done.code != 0) == bool(SAID[name, version])
    assert SAID[name, version] in done.err
