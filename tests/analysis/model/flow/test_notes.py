"""The faults that `Notes` records: all of them, or only the requested one."""

from __future__ import annotations

from dataclasses import replace

from gpuasync_lsp.analysis.model.flow.notes import Notes
from gpuasync_lsp.analysis.model.function import Fault
from gpuasync_lsp.analysis.model.goal import Goal
from tests.analysis.model.flow.sample import built


def goal(number: int = 0) -> Goal:
    (op,) = built("gpu.wait").returns
    return Goal(Fault.LEAKED, op, number)


def test_what_may_have_happened_is_gathered() -> None:
    notes, leak = Notes(), goal()
    notes.fault(leak, 0b01)
    notes.fault(leak, 0b10)
    assert notes.found == {leak: 0b11}
    assert notes.reached == 0


def test_while_something_is_looked_for_nothing_else_is_noted() -> None:
    notes, leak = Notes(), goal()
    notes.look_for(leak)
    notes.fault(replace(leak, operand=1), 0b10)
    assert notes.report
    assert (notes.found, notes.reached) == ({}, 0)
    notes.fault(leak, 0b10)
    assert (notes.found, notes.reached) == ({}, 0b10)
    notes.look_for(None)
    assert not notes.report


def test_a_certain_wait_has_to_be_to_blame() -> None:
    notes, leak = Notes(), goal()
    notes.look_for(replace(leak, site=0b100))
    notes.fault(leak, 0b010)
    assert notes.reached == 0
    notes.fault(leak, 0b110)
    assert notes.reached == 0b110
