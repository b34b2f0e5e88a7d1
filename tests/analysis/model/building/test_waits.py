"""The handles that ops destroy, and the events by which they join streams."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis.model.building.waits import Waits
from gpuasync_lsp.analysis.model.function import Action
from tests.analysis.model.building.function import TOKEN, Sample


def waits_of(sample: Sample) -> Waits:
    tokens = sample.tokens()
    waits = Waits(tokens, sample.values(), first_event=0)
    for info in sample.function.ops:
        if info.token is not None:
            info.handle = tokens.handle(info.token)
        waits.add(info)
    return waits


def test_a_blocking_wait_destroys_each_of_its_operands() -> None:
    sample = Sample("%t = gpu.wait async\ngpu.wait [%t, %e]")
    waits = waits_of(sample)
    last = sample.function.ops[-1].op
    assert [(w.operand, w.blocking, w.site) for w in waits.of[last]] == [(0, True, 0), (1, True, 1)]
    assert waits.joins == {}


def test_an_asynchronous_wait_joins_streams_and_destroys_events() -> None:
    sample = Sample("%t = gpu.wait async\n%j = gpu.wait async [%t, %e]")
    waits = waits_of(sample)
    first, last = (info.op for info in sample.function.ops)
    assert [(w.operand, w.blocking) for w in waits.of[last]] == [(1, False)]
    (record,), (join,) = waits.records[first], waits.joins[last]
    assert (record.action, join.action) == (Action.RECORD, Action.AWAIT_EVENT)
    assert record.event == join.event == 0
    assert waits.events == 1


@pytest.mark.parametrize(("version", "where"), [(19, "arith.select"), (22, "gpu.wait")])
def test_an_event_is_recorded_behind_what_defines_the_operand_as_the_pass_sees_it(
    version: int, where: str
) -> None:
    sample = Sample(
        f"%t = gpu.wait async\n%x = arith.select %c, %t, %t : {TOKEN}\n%j = gpu.wait async [%x]", version
    )
    assert [op.name for op in waits_of(sample).records] == [where]
