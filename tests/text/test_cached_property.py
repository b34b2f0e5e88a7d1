"""A property that is computed once, without a lock."""

from __future__ import annotations

import re
import threading

from gpuasync_lsp.text.cached_property import cached_property
from tests.support.tools import ROOT


class Thing:
    def __init__(self, wait: threading.Event | None = None) -> None:
        self.wait = wait
        self.began = threading.Event()
        self.times = 0

    @cached_property
    def value(self) -> int:
        """What it is."""
        self.times += 1
        self.began.set()
        assert self.wait is None or self.wait.wait(10)
        return self.times


def test_it_is_computed_once() -> None:
    thing = Thing()
    assert (thing.value, thing.value, thing.times) == (1, 1, 1)
    assert Thing.value.__doc__ == "What it is."


def test_nobody_waits_for_that_of_another() -> None:
    go_on = threading.Event()
    slow = Thing(go_on)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.began.wait(10)
    assert Thing().value == 1
    assert thread.is_alive()
    go_on.set()
    thread.join(10)
    assert slow.times == 1


def test_it_is_the_one_that_is_used() -> None:
    other = re.compile(r"functools import [^\n]*cached_property|functools\.cached_property")
    files = (ROOT / "gpuasync_lsp").rglob("*.py")
    assert [path for path in files if other.search(path.read_text(encoding="utf-8"))] == []
