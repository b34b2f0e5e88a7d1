"""Caches are limited, and cleared when their document is closed."""

from __future__ import annotations

from typing import Any

import pytest

from gpuasync_lsp.analysis import FileContext, analyze, file_contexts
from gpuasync_lsp.ide.preview.preview import preview
from gpuasync_lsp.lsp.caches import Caches
from gpuasync_lsp.releases import PROFILES, profile
from gpuasync_lsp.syntax import Item, parse_source
from gpuasync_lsp.syntax.dialects import context
from gpuasync_lsp.syntax.shared_context import MOST_NAMES
from gpuasync_lsp.text.recent import PER_ITEM, Recent

SOURCE = "func.func @f() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n"


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    kept: Recent[str] = Recent(2)
    kept.keep("a", "A")
    kept.keep("b", "B")
    assert kept.get("a") == "A"
    kept.keep("c", "C")
    assert kept.values() == ["A", "C"]
    assert kept.get("b") is None


def test_weights_count_and_the_newest_stays_whatever_it_weighs() -> None:
    kept: Recent[str] = Recent(10)
    for name in "abc":
        kept.keep(name, name, weight=4)
    assert kept.values() == ["b", "c"]
    kept.keep("d", "d", weight=99)
    assert kept.values() == ["d"]
    kept.keep("d", "d", weight=1)
    kept.keep("e", "e", weight=9)
    assert kept.values() == ["d", "e"]


@pytest.fixture
def item() -> tuple[Item, FileContext]:
    (chunk,) = parse_source(SOURCE).chunks
    ((placed, around),) = file_contexts(chunk)
    return placed.item, around


def test_an_item_keeps_the_models_of_a_few_releases(item: tuple[Item, FileContext]) -> None:
    for version in PROFILES:
        analyze(*item, profile(version))
    assert len(item[0].memo["analysis.models"]) == PER_ITEM
    newest = max(PROFILES)
    assert analyze(*item, profile(newest)) is analyze(*item, profile(newest))


def test_an_item_keeps_a_few_of_what_it_is_lowered_to(state_of: Any) -> None:
    state = state_of(SOURCE)
    for version in PROFILES:
        preview(state, version)
    (placed,) = state.source.items
    assert len(placed.item.memo["lowered"]) == PER_ITEM


@pytest.fixture
def state_of() -> Any:
    from gpuasync_lsp.ide.document.settings import Settings
    from gpuasync_lsp.ide.document.state import file_state
    from gpuasync_lsp.ide.document.targets import SettingsResolver
    from gpuasync_lsp.text import LineIndex

    return lambda text: file_state(LineIndex(text), None, SettingsResolver(Settings()))


def test_a_closed_document_takes_its_part_along() -> None:
    caches = Caches()
    for number in range(16):
        caches.show("file:///a", f"gpuasync:/{number}")
        caches.tokens.keep(str(number), ("file:///a" if number else "file:///b", []))
    assert len(caches.shown("file:///a")) == 8
    caches.closed("file:///a")
    assert caches.shown("file:///a") == []
    assert caches.tokens.values() == [("file:///b", [])]


def test_names_that_nobody_knows_are_not_remembered_for_good() -> None:
    fresh = context()
    loaded = len(list(fresh.loaded_ops))
    for number in range(10):
        name = f"gpu.nothing{number}"
        assert fresh.get_optional_op(name) is fresh.get_optional_op(name)
    assert sum("nothing" in op.name for op in fresh.loaded_ops) == 0
    assert len(list(fresh.loaded_ops)) >= loaded
    fresh.symbols.update({str(number): None for number in range(MOST_NAMES + 1)})
    fresh.trim()
    assert not fresh.symbols
