"""Recall and false positives on pairs and race-free programs; held-out programs are counted separately."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.analysis.hazards.dynamic import compare
from tests.analysis.hazards.measure import SETS, measure, programs
from tests.support.markers import Found, disagreements
from tests.support.releases import releases
from tests.support.thinning import thinned
from tests.support.tools import mlir_opt

VERSIONS = releases(19, 22, 24)
CALLEES = tuple(
    Path(__file__).parent / name
    for name in ("conditional_frees.mlir", "left_in_tasks.mlir", "left_running.mlir", "returned_tokens.mlir")
)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("which", thinned(SETS[1:] + SETS[:1], 3))
def test_hazards_are_found_and_nothing_else(version: int, which: str) -> None:
    chosen, free = programs(which)
    found = measure(chosen, free, version)
    print(f"\nLLVM {version}: {dict(found.hazards)}, missed {found.missed}, alarms {found.alarms}")
    assert len(chosen) >= 40
    assert found.recall >= 0.95
    assert found.precision >= 0.99
    assert found.per_thousand <= 0.2


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", CALLEES, ids=lambda path: path.stem)
def test_what_a_callee_does_is_told_at_its_callers(file: Path, version: int) -> None:
    # All programs and markers of these files are about memory.
    config = Config(version, ("GA3", "GA403"))
    for text in file.read_text("utf-8").split("// -----\n"):
        found = (Found(f.severity, f.span, f.code, f.message) for f in check_source(text, config))
        assert list(disagreements(text, found)) == []


@pytest.mark.slow
def test_programs_are_valid() -> None:
    if shutil.which("mlir-opt-22") is None:
        pytest.skip("mlir-opt-22 is not installed")
    for which in SETS:
        chosen, free = programs(which)
        texts = [text for pair in chosen for text in (pair.broken, pair.sound)]
        texts += [text for _, text in free]
        checked = mlir_opt(22)("// -----\n".join(texts), "--split-input-file")
        assert checked.code == 0, checked.err


@pytest.mark.slow
def test_a_run_sees_what_the_analysis_sees() -> None:
    pytest.importorskip("llvmlite")
    pairs = [pair for pair in programs("written")[0] if pair.name == "written/torch/residual_not_joined"]
    (compared,) = compare(pairs, 22)
    assert (compared.verdict, compared.dynamic, compared.alarms) == ("both", ("data-race",), ())
