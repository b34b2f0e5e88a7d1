"""Which work is ordered before an op, and which may still be running."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Action, AsyncFunction
from tests.analysis.model.flow.sample import built

TWO = (
    "%p, %t = gpu.alloc async [%e] () : memref<4xf32>\n"
    "%x = gpu.memset async [%t] %p, %f : memref<4xf32>, f32\n"
)


def races(function: AsyncFunction) -> list[tuple[str, str]]:
    """Run the first node; return the pair of op names for each race found by its steps."""
    flow = Flow(function)
    state = flow.start()
    flow.notes.report = True
    for step in function.nodes[0].steps:
        flow.step(step, state)
    return [(goal.first_op.name, goal.op.name) for goal in flow.notes.found if goal.first_op is not None]


def test_work_of_one_stream_is_in_order() -> None:
    assert races(built(TWO + "%y = gpu.memset async [%x] %p, %f : memref<4xf32>, f32")) == []


def test_work_of_another_stream_races() -> None:
    other = "%s = gpu.wait async\n%y = gpu.memset async [%s] %p, %f : memref<4xf32>, f32"
    assert races(built(TWO + other)) == [("gpu.memset", "gpu.memset")]


def test_the_host_knows_what_it_has_waited_for() -> None:
    load = "%v = memref.load %p[%n] : memref<4xf32>"
    assert races(built(TWO + load)) == [("gpu.memset", "memref.load")]
    assert races(built(f"{TWO}gpu.wait [%x]\n{load}")) == []


def test_what_the_host_finds_pending_is_kept() -> None:
    function = built(TWO + "%v = memref.load %p[%n] : memref<4xf32>")
    races(function)
    (load,) = (op for op in function.order if op.name == "memref.load")
    (memset,) = (access for access in function.accesses if access.op.name == "gpu.memset")
    assert function.pending[load] == 1 << memset.bit


def test_an_op_of_no_stream_is_done_when_the_host_goes_on() -> None:
    function = built("gpu.memset %m, %f : memref<4xf32>, f32\n%v = memref.load %m[%n] : memref<4xf32>")
    steps = [step.action for step in function.nodes[0].steps]
    assert Action.COMPLETE in steps
    assert races(function) == []
