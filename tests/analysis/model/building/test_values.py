"""Values that alias: through select, loops and block arguments."""

from __future__ import annotations

import pytest

from tests.analysis.model.building.function import TOKEN, Sample

BRANCH = f"%t = gpu.wait async\ncf.br ^next(%t : {TOKEN})\n^next(%x: {TOKEN}):\ngpu.wait [%x]"


@pytest.mark.parametrize(("version", "stands"), [(19, "%x"), (22, "%t")])
def test_a_block_argument_of_one_value_is_that_value_where_the_greedy_rewrite_runs(
    version: int, stands: str
) -> None:
    sample = Sample(BRANCH, version)
    assert sample.values().resolve(sample["%x"]) is sample[stands]


@pytest.mark.parametrize(("version", "folded"), [(19, False), (22, True)])
def test_a_use_is_folded_where_what_it_becomes_is(version: int, folded: bool) -> None:
    sample = Sample(BRANCH, version)
    assert sample.values().is_folded_use(sample.op("cf.br"), sample["%t"]) is folded


@pytest.mark.parametrize("version", [16, 22])
def test_a_select_of_one_value_folds_always(version: int) -> None:
    sample = Sample(f"%t = gpu.wait async\n%x = arith.select %c, %t, %t : {TOKEN}", version)
    assert sample.values().resolve(sample["%x"]) is sample["%t"]


def test_a_select_of_two_values_is_a_value_of_its_own() -> None:
    sample = Sample(f"%t = gpu.wait async\n%x = arith.select %c, %t, %e : {TOKEN}")
    values = sample.values()
    assert values.resolve(sample["%x"]) is sample["%x"]
    assert values.incoming[sample["%x"]] == [sample["%t"], sample["%e"]]


@pytest.mark.parametrize(("given", "stands"), [("%e", "%e"), ("%y", "%y")])
def test_a_loop_folds_where_each_round_yields_what_it_began_with(given: str, stands: str) -> None:
    sample = Sample(
        f"%r = scf.for %i = %n to %n step %n iter_args(%y = %e) -> ({TOKEN}) {{\n"
        f"  scf.yield {given} : {TOKEN}\n}}"
    )
    assert sample.values().resolve(sample["%y"]) is sample[stands]


def test_values_that_stand_for_each_other_end() -> None:
    sample = Sample("%t = gpu.wait async")
    values = sample.values()
    values.stand_for(sample["%t"], sample["%e"])
    values.stand_for(sample["%e"], sample["%t"])
    assert values.resolve(sample["%t"]) in (sample["%t"], sample["%e"])
