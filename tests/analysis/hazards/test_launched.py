"""Pairs of launches on one buffer, compared with the elements that each thread accesses.

Conflicting launches are reported, and few others."""

from __future__ import annotations

import random

from tests.analysis.hazards.launched import is_told, program

COUNT = 120


def test_launches_that_meet_are_told_and_few_others_are() -> None:
    rng = random.Random("launched")
    alarms = free = 0
    for _ in range(COUNT):
        each = program(rng)
        told = is_told(each.text)
        assert told or not each.races, each.text
        alarms += told and not each.races
        free += not each.races
    assert free > COUNT / 2
    assert alarms < free / 8
