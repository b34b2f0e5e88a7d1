"""An op that the release lacks has one error."""

from __future__ import annotations

from pathlib import Path

from gpuasync_lsp.analysis import Config, check_source
from tests.support.markers import Found, disagreements

TEXT = Path(__file__).with_suffix(".mlir").read_text()


def test_an_unknown_op_has_one_error() -> None:
    found = check_source(TEXT, Config(22))
    assert disagreements(TEXT, [Found(f.severity, f.span, f.code, f.message) for f in found]) == []
