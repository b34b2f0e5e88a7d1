"""Messages of single findings."""

from __future__ import annotations

from gpuasync_lsp.analysis import Config, check_source


def test_a_name_as_long_as_a_file_is_not_said_in_full() -> None:
    (found,) = check_source("x" * 100_000, Config(22))
    assert found.message.startswith("custom op 'xxx")
    assert len(found.message) < 5_000
