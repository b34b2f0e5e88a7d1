"""Recall and false alarms on pairs and race-free programs; those held back are counted apart."""

from __future__ import annotations

import shutil

import pytest

from tests.analysis.hazards.free import free_programs
from tests.analysis.hazards.measure import measure, pairs
from tests.support.tools import mlir_opt

VERSIONS = (19, 22, 24)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("held_back", [False, True])
def test_hazards_are_found_and_nothing_else(version: int, held_back: bool) -> None:
    chosen = [pair for pair in pairs() if pair.is_held_back is held_back]
    found = measure(chosen, () if held_back else free_programs(), version)
    print(f"\nLLVM {version}: {dict(found.hazards)}, missed {found.missed}, alarms {found.alarms}")
    assert len(chosen) > 40
    assert found.recall >= 0.95
    assert found.precision >= 0.99
    assert found.per_thousand <= 0.2


def test_programs_are_valid() -> None:
    if shutil.which("mlir-opt-22") is None:
        pytest.skip("mlir-opt-22 is not installed")
    texts = [text for pair in pairs() for text in (pair.broken, pair.sound)]
    texts += [text for _, text in free_programs()]
    checked = mlir_opt(22)("// -----\n".join(texts), "--split-input-file")
    assert checked.code == 0, checked.err
