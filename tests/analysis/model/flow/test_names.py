"""Opaque handles, and the handles that they may alias."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.flow.names import Names
from gpuasync_lsp.analysis.model.state import State
from tests.analysis.model.flow.sample import TOKEN, built, handle

CHOSEN = f"%t = gpu.wait async\n%s = gpu.wait async\n%x = arith.select %c, %t, %s : {TOKEN}"


def test_a_select_may_be_a_name_for_both() -> None:
    function = built(CHOSEN)
    names = Names(function)
    t, s, x = (handle(function, name) for name in ("%t", "%s", "%x"))
    assert names.of(t.index) == names.of(s.index) == [x.index]
    assert names.of(x.index) == []


def test_a_name_is_the_same_as_what_it_surely_stands_for() -> None:
    function = built(CHOSEN)
    names = Names(function)
    t, s, x = (handle(function, name) for name in ("%t", "%s", "%x"))
    state = State(len(function.handles), 0, 0)
    state.holds[x.index] = 1 << t.index | 1 << s.index
    assert not names.is_one(names.things(x, state))
    assert names.same(t, state) == [t.index]
    state.holds[x.index] = 1 << t.index
    assert names.is_one(names.things(x, state))
    assert sorted(names.same(x, state)) == sorted(names.same(t, state)) == sorted([t.index, x.index])


def test_a_name_stays_with_the_earlier_one_when_a_stream_is_made_again() -> None:
    function = built(CHOSEN)
    names = Names(function)
    t, x = handle(function, "%t"), handle(function, "%x")
    state = State(len(function.handles), 0, 0)
    state.holds[x.index] = 1 << t.index
    assert names.is_held(t.index, state)
    names.renew(t.index, state)
    assert not names.is_held(t.index, state)
    assert not names.is_one(names.things(x, state))
    assert names.same(x, state) == [x.index]


def test_names_of_names_are_followed() -> None:
    function = built(f"{CHOSEN}\n%y = arith.select %c, %x, %e : {TOKEN}")
    names = Names(function)
    assert handle(function, "%y").index in names.of(handle(function, "%t").index)
