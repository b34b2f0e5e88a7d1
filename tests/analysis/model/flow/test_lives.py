"""The life mask of a stream or event after a step."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.flow.lives import TAKEN, destroyed_by
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Fault
from gpuasync_lsp.analysis.model.state import LIVE, State
from tests.analysis.model.flow.sample import MEMSET, TOKEN, built, handle


def after(function: AsyncFunction, last: Action, times: int = 1) -> tuple[Flow, State]:
    """Run the first node up to its `times`-th step with the action `last`; return the flow and the state."""
    flow = Flow(function)
    state = flow.start()
    flow.notes.report = True
    for step in function.nodes[0].steps:
        flow.step(step, state)
        times -= step.action is last
        if not times:
            break
    return flow, state


def test_a_stream_is_alive_until_a_wait_destroys_it() -> None:
    function = built("%t = gpu.wait async\ngpu.wait [%t]")
    index = handle(function, "%t").index
    _, made = after(function, Action.CREATE)
    assert made.life[index] == LIVE
    flow, gone = after(function, Action.BLOCK)
    assert gone.life[index] == destroyed_by(function.waits[0])
    assert gone.life[index] & flow.lives.gone
    assert flow.notes.found == {}


def test_a_wait_destroys_what_a_name_stands_for_as_an_event() -> None:
    function = built(
        f"%t = gpu.wait async\n%s = gpu.wait async\n%x = arith.select %c, %t, %s : {TOKEN}\ngpu.wait [%x]"
    )
    chosen, other, x = (handle(function, name).index for name in ("%t", "%s", "%x"))
    flow, before = after(function, Action.DEFINE, 2)
    (way,) = (e for e in function.nodes[0].edges if e.passes[0][1].index == chosen)
    state = flow.along(way, before)
    flow.through(way.target, state)
    assert state.life[x] & flow.lives.gone
    assert state.life[chosen] == TAKEN
    assert state.life[other] == LIVE


def test_work_on_a_destroyed_stream_is_a_fault() -> None:
    function = built(f"%t = gpu.wait async\ngpu.wait [%t]\n%x = {MEMSET.format('%t')}")
    flow, _ = after(function, Action.ENQUEUE)
    assert [goal.fault for goal in flow.notes.found] == [Fault.USED_AFTER_DESTROY]


def test_a_stream_that_nobody_waits_for_is_leaked_at_the_end() -> None:
    function = built("%t = gpu.wait async")
    flow, state = after(function, Action.CREATE)
    (end,) = function.returns
    flow.lives.leave(end, state)
    assert {goal.fault: mask for goal, mask in flow.notes.found.items()} == {Fault.LEAKED: LIVE}
