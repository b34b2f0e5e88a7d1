"""Conditional frees in helpers: a program has findings exactly if some arguments make it wrong."""

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.generated.guarded import Program


@pytest.mark.parametrize(
    ("seeds", "least"),
    [(range(40), 5), pytest.param(range(1_000, 1_400), 50, marks=pytest.mark.slow)],
)
def test_findings_are_where_some_input_is_wrong(seeds: range, least: int) -> None:
    config = Config(22, ("GA303", "GA304"))
    wrong = 0
    for seed in seeds:
        program = Program(seed)
        helpers = program.helpers
        if any(program.faults(helper.body, helper.conditions, helper.buffers) for helper in helpers):
            continue  # Reported in the helper.
        found = check_source(program.text, config)
        assert bool(found) is program.is_wrong, program.text
        wrong += program.is_wrong
    assert wrong >= least
