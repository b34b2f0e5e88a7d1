"""Ops of unknown dialects: ignored by default, reported at each op if the settings enable the rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuasync_lsp.ide.document.settings import from_mapping
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.processes import Origin
from gpuasync_lsp.syntax import use_dialects
from gpuasync_lsp.text import LineIndex, Severity
from tests.syntax.test_extensions import IRDL

TEXT = """\
func.func @f() {
  "mine.work"() : () -> ()
  mine.pretty
  return
}
"""


def found(values: dict[str, Any]) -> list[tuple[str, Severity, str]]:
    """Return code, severity and position of the findings with these editor settings."""
    settings = from_mapping(values, lambda key, message: pytest.fail(message), Origin.USER_FILE)
    state = file_state(LineIndex(TEXT), None, SettingsResolver(settings))
    return [(f.code, f.severity, f.span.of(TEXT)) for f in state.all_findings()]


BOTH = [("GA007", Severity.INFORMATION, '"mine.work"'), ("GA007", Severity.INFORMATION, "mine.pretty")]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        ({"select": ["ALL"]}, []),
        ({"select": ["GA0"]}, []),
        ({"select": ["ALL", "GA007"]}, BOTH),
        ({"select": ["unknown-dialect"]}, BOTH),
        ({"severity": {"GA007": "information"}}, BOTH),
        ({"severity": {"ALL": "information"}}, []),
        ({"severity": {"GA007": "off"}, "select": ["GA007"]}, []),
        ({"severity": {"GA007": "information"}, "ignore": ["GA007"]}, []),
    ],
)
def test_it_speaks_where_the_settings_name_it(values: dict[str, Any], expected: list[Any]) -> None:
    assert found(values) == expected


def test_a_dialect_that_was_loaded_is_known(tmp_path: Path) -> None:
    path = tmp_path / "mine.irdl"
    path.write_text(IRDL.replace("tiny", "mine"))
    try:
        assert found({"select": ["GA007"], "dialects": [str(path)]}) == []
    finally:
        use_dialects([])
