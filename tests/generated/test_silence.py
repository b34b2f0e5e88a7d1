"""No warnings or errors for the correct examples, nor for measured cases that lower correctly.

`tests/package/test_examples.py` checks the examples in the version that each names, and
`tests/analysis/test_cases_outcomes.py` the cases. Here, examples without a version are checked in all
releases that know their ops, along with every generated program whose lowered code has no fault by the
checker.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.text import Finding, Severity
from tests.generated.agreement import PIPELINE
from tests.generated.checker import functions, judge
from tests.generated.sample import MORE, lowered, sample
from tests.support.releases import releases
from tests.support.tools import ROOT

SOUND = sorted((ROOT / "examples" / "sound").glob("*.mlir"))

ABOUT_MEMORY = ("GA210", "GA211", "GA30", "GA403")
"""Rules about more than handles.

A generated program copies between arbitrary buffers, may leak some, and may contain an empty wait; LLVM
16 and 19 unload the module under every running kernel."""

NAMED = "// gpuasync: llvm="
"""The comment of examples that are correct only in the given version."""


def loud(text: str, version: int) -> list[Finding]:
    config = Config(version, pipeline=PIPELINE)
    return [f for f in check_source(text, config) if f.severity <= Severity.WARNING]


@pytest.mark.parametrize("version", [19, 22, 24])
@pytest.mark.parametrize(
    "path", [p for p in SOUND if NAMED not in p.read_text("utf-8")], ids=lambda p: p.stem
)
def test_sound_examples_are_silent_in_every_version(path: Path, version: int) -> None:
    assert [f for f in loud(path.read_text("utf-8"), version) if f.code != "GA211"] == []


@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
def test_generated_programs_without_fault_are_silent(version: int) -> None:
    wrong: list[str] = []
    clean = 0
    for program, low in zip(sample(MORE), lowered(version, MORE), strict=True):
        if low.error:
            continue
        function = next(functions(low.text))
        verdict = judge(function)
        if function.left or verdict.faults or verdict.yielded or not verdict.complete:
            continue
        clean += 1
        found = [f for f in loud(program.text(version), version) if not f.code.startswith(ABOUT_MEMORY)]
        wrong += [f"{f.code} {f.message}\n{program.text(version)}" for f in found]
    print(f"\nLLVM {version}: {clean} programs without fault")
    assert clean >= 10
    assert wrong == []
