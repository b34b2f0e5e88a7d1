"""Frozen objects can still be freed."""

from __future__ import annotations

import gc
import platform
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.lsp import collection as module
from gpuasync_lsp.lsp.collection import IDLE, LITTLE, MUCH, Collection
from gpuasync_lsp.text.collector import no_collection


class Node:
    """An object that only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collection() -> Iterator[Collection]:
    thresholds, callbacks = gc.get_threshold(), gc.callbacks.copy()
    gc.collect()
    gc.freeze()  # What other tests have made does not count.
    yield Collection()
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    gc.callbacks[:] = callbacks


def test_no_collection_looks_at_what_is_kept(collection: Collection) -> None:
    node = Node()
    alive = weakref.ref(node)
    collection.keep()
    del node
    gc.collect()
    assert alive() is not None


def test_nothing_is_collected_while_anything_is_built() -> None:
    with no_collection():
        with no_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_garbage_that_is_frozen_stays_until_the_rest_is_looked_at(collection: Collection) -> None:
    with no_collection():
        gone = weakref.ref(Node())
        collection.freeze()
    gc.collect()
    assert gone() is not None
    collection.collect()
    assert gone() is None


def test_what_was_given_up_is_freed_and_the_rest_frozen_again(collection: Collection) -> None:
    given_up, kept = Node(), Node()
    collection.keep()
    gone, alive = weakref.ref(given_up), weakref.ref(kept)
    del given_up
    collection.collect()
    assert gone() is None
    del kept
    gc.collect()
    assert alive() is not None


def test_much_that_a_collection_has_left_is_not_looked_at_again(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.collect()
    few, many = [Node() for _ in range(10)], list[Node]()
    gc.collect()
    assert few[0] in gc.get_objects()
    monkeypatch.setattr(module, "LONG", len(gc.get_objects()) + 1_000)
    many += [Node() for _ in range(2_000)]
    gc.collect()
    assert few[0] not in gc.get_objects()
    assert collection.delay(left=100 * MUCH) is None
    gone = weakref.ref(many[0])
    few.clear()
    many.clear()
    monkeypatch.setattr(module, "MOST_LEFT", 1_500)
    assert collection.delay(left=100 * MUCH) == 0
    collection.collect()
    assert gone() is None
    assert collection.delay(left=100 * MUCH) is None


def test_it_is_due_when_much_was_given_up(collection: Collection) -> None:
    collection.give_up(MUCH)
    assert collection.delay(left=100 * MUCH) is None
    collection.give_up(1)
    assert collection.delay(left=100 * MUCH) == 0
    collection.collect()
    assert collection.delay(left=0) is None


def test_it_is_due_when_it_was_much_beside_what_is_left(collection: Collection) -> None:
    collection.give_up(LITTLE)
    assert collection.delay(left=0) is None
    collection.give_up(1)
    assert collection.delay(left=2 * LITTLE) == IDLE
    assert collection.delay(left=3 * LITTLE) is None


def test_what_nobody_can_reach_is_not_kept(collection: Collection) -> None:
    node = Node()
    gone = weakref.ref(node)
    del node
    collection.keep()
    assert gone() is None


def _resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be asked to give memory back")
def test_the_system_gets_back_what_is_free_between_what_is_not(collection: Collection) -> None:
    blocks = [bytes(1000) for _ in range(64_000)]
    last = blocks[-1]
    before = _resident()
    del blocks
    still = _resident()
    collection.collect()
    assert last
    assert before - still < 1 << 20
    assert before - _resident() > 32 << 20
