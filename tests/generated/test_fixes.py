"""Fix-all over generated programs, most of them wrong: it terminates, the text stays valid, and the result
lowers.

Programs that keep an error for lack of a fix are skipped; they must be few.
"""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.ide.document.fix_all import fix_all
from gpuasync_lsp.text import Finding, Safety, Severity
from tests.generated.real import gpu_to_llvm
from tests.generated.sample import sample, structured
from tests.support.releases import releases
from tests.support.tools import mlir_opt

LEFT = re.compile(r"\bgpu\.(?:alloc|dealloc|memcpy|memset|wait)\b")
NOT_LOWERED = ("GA0", "GA1")
ALLOWED = {Safety.SAFE, Safety.UNSAFE}


def unlowered(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if f.code.startswith(NOT_LOWERED) and f.severity is Severity.ERROR]


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize(
    "count",
    [
        5,
        pytest.param(40, marks=pytest.mark.slow),
        pytest.param(150, marks=pytest.mark.campaign),
    ],
)
def test_what_is_fixed_lowers(version: int, count: int) -> None:
    config = Config(version)
    kept = applied = 0
    for program in sample(count):
        if not structured(version, program):
            continue
        text = program.text(version)
        before = check_source(text, config)
        fixed = fix_all(text, before, lambda t: check_source(t, config), ALLOWED)
        applied += len(fixed.applied)
        assert [f for f in fixed.findings if f.code in ("GA001", "GA002", "GA003")] == [], fixed.text
        if unlowered(fixed.findings):
            kept += 1
            continue
        scf_to_cf = mlir_opt(min(version, 22))(fixed.text, "--convert-scf-to-cf")
        assert scf_to_cf.code == 0, f"{scf_to_cf.err}\n{fixed.text}"
        done = mlir_opt(version)(scf_to_cf.out, gpu_to_llvm(version))
        assert done.code == 0, f"{done.err}\n{fixed.text}"
        assert LEFT.findall(done.out) == [], fixed.text
    assert applied > count
    assert kept <= 0.25 * count
