"""Types of unknown dialects are equal if they differ only in insignificant white space."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)


@pytest.mark.parametrize("name", TEXTS)
def test_spaces_part_words_only(name: str) -> None:
    found = check_source(TEXTS[name], Config(22))
    assert [finding.code for finding in found] == ([] if name == "SAME" else ["GA003"])
