from __future__ import annotations

import re

import pytest

from gpuasync_lsp.text.lazy_pattern import LazyPattern, lazy_pattern


def test_it_does_what_the_pattern_does() -> None:
    lazy, usual = lazy_pattern(r"(?P<word>A+)b?", re.IGNORECASE), re.compile(r"(?P<word>A+)b?", re.IGNORECASE)
    for text in ("", "aab", "xAB aaa"):
        assert [m.groupdict() for m in lazy.finditer(text)] == [m.groupdict() for m in usual.finditer(text)]
        assert (lazy.match(text) is None) == (usual.match(text) is None)
    assert (lazy.pattern, lazy.flags, lazy.sub("-", "baab")) == (usual.pattern, usual.flags, "b-")


def test_it_is_compiled_when_it_is_first_used() -> None:
    broken = lazy_pattern("(")
    assert isinstance(broken, LazyPattern)
    with pytest.raises(re.error, match="unterminated"):
        broken.match("")
