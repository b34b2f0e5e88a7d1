"""Findings, compared with the outcome of the real mlir-opt for every measured case, per LLVM version.

Two things are compared. *Rejected*: the ops that mlir-opt rejects or does not lower must have an error,
and no other op may have one. *Hazards*: the faults in the lowered calls must be found, and nothing
else. The printed table (`pytest -s`) has recall and precision per kind and version.

Cases that begin with other passes are run through these with the real mlir-opt first, so that the
findings are about the same IR; without mlir-opt they are skipped, and their number is printed.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.text import Finding, Severity
from tests.support.tools import cases, real_tool

VERSIONS = (16, 19, 22, 24)
FLOOR = 0.98
"""Minimum recall and precision over all cases of a version."""

MODELED = ("--convert-scf-to-cf", "--nvvm-attach-target")
"""Passes before gpu-to-llvm that the analysis models."""

HAZARDS = {
    "double destroy": ("GA201", "GA206"),
    "use after destroy": ("GA202",),
    "confused handle": ("GA203", "GA204", "GA205"),
    "null token": ("GA209",),
    "dropped object": ("GA207",),
    "ignored layout": ("GA208",),
    "leak": ("GA401", "GA402"),
}
KINDS = ("refused", *HAZARDS)

REFUSALS = ("GA0", "GA10", "GA110", "GA111", "GA112", "GA113")
"""Prefixes of the rule codes for ops that do not lower."""

SKIPPED = {
    "H_convert_to_llvm": "lowered by --convert-to-llvm, not by gpu-to-llvm",
    "E_asyncfirst_yield_memset": "async-to-async-runtime runs first; its coroutine ops are not modeled",
    "I_module_no_target_lower_binary": "fails in gpu-module-to-binary, after gpu-to-llvm",
    "E_pipe_yield_launch": "the same source as E_yield_launch, with passes after gpu-to-llvm",
    "E_pipe_yield_memset": "the same source as E_yield_memset, with passes after gpu-to-llvm",
}

UNRELATED = (
    "Unknown command line argument",  # The version has no such pass.
    "Couldn't find the binary holding the kernel",  # Kernels were not serialized, which is another pass.
    "missing nvvm.cubin attribute",
    "missing gpu.binary attribute",
)
"""Parts of messages that make an outcome irrelevant to gpu-to-llvm.

Cases with pass options (such as `use-bare-pointers-for-host`) are also skipped: the analysis supports
none."""

DISAGREEMENTS: dict[tuple[str, int | None, str], str] = {
    ("C_wait_in_scf_for", None, "double destroy"): (
        "the table stops at the region; mlir-opt's output destroys S0 in the loop body, 4 times"
    ),
    ("D_funcarg_launch", None, "confused handle"): (
        "the table does not know what %ev is; the function uses it as a stream and as an event (rules.md)"
    ),
    ("D_funcarg_memset", None, "confused handle"): "as D_funcarg_launch",
    (
        "D_funcret_two",
        None,
        "leak",
    ): "the token is returned: what the unknown caller does with it is not known",
    ("D_scf_index_switch_lowered", 16, "confused handle"): (
        "scf-to-cf of 16 leaves scf.index_switch, so the table lost sight of the stream; it is one"
    ),
}
"""Why the finding and the table differ, and which is right, by (case, version or None for all, kind)."""


@dataclass(frozen=True)
class Case:
    """One measured case in one version."""

    name: str
    version: int
    outcome: str
    message: str
    hazards: tuple[str, ...]
    text: str
    pipeline: tuple[str, ...]


@cache
def measured() -> tuple[tuple[Case, ...], int]:
    """Return all comparable cases, and the number of those that need a missing tool."""
    folder = cases()
    found: list[Case] = []
    missing = 0
    for name, entry in json.loads((folder / "outcomes.json").read_text()).items():
        if name in SKIPPED:
            continue
        for version in VERSIONS:
            result = entry["versions"].get(str(version))
            if result is None:
                continue
            text = source_of(folder, name, version)
            before = list(entry.get("pre", []))
            whole = " ".join(entry.get("lower", []))
            if "gpu-kernel-outlining" in whole:
                before.append("--gpu-kernel-outlining")
            if entry.get("opts") or any(said in result["message"] for said in UNRELATED):
                continue
            unknown = [step for step in before if step not in MODELED]
            if unknown:
                prepared = run_before(text, version, before)
                if prepared is None:
                    missing += 1
                    continue
                text, before = prepared, ["--convert-gpu-to-nvvm"] if "convert-gpu-to-nvvm" in whole else []
            found.append(
                Case(
                    name,
                    version,
                    result["outcome"],
                    result["message"],
                    tuple(result["hazards"]),
                    text,
                    tuple(step.removeprefix("--") for step in before),
                )
            )
    return tuple(found), missing


def source_of(folder: Path, name: str, version: int) -> str:
    written = (f"{name}.llvm{version}.mlir", f"{name}.mlir", f"{name}.llvm22.mlir")
    return next(folder / file for file in written if (folder / file).exists()).read_text()


def run_before(text: str, version: int, passes: list[str]) -> str | None:
    """Run the passes before gpu-to-llvm with the real tool; return `text` unchanged if they fail.

    Returns None without the tool."""
    tool = f"mlir-opt-{22 if version == 24 else version}"
    if shutil.which(tool) is None:
        return None
    done = real_tool(tool)(text, *passes)
    return done.out if done.code == 0 and done.out.strip() else text


def findings(case: Case) -> list[Finding]:
    return check_source(case.text, Config(llvm=case.version, pipeline=case.pipeline))


def refused_ops(case: Case, found: list[Finding]) -> Counter[str]:
    """Count the ops by name that have an error about their lowering."""
    names: dict[int, str] = {}
    spans: list[tuple[int, int, str]] = []
    for placed in parse_source(case.text).items:
        for op, where in placed.item.spans.ops.items():
            spans.append((where.whole.start + placed.offset, where.whole.end + placed.offset, op.name))
    for finding in found:
        if not finding.code.startswith(("GA10", "GA110", "GA004")) or finding.code == "GA109":
            continue
        inside = [s for s in spans if s[0] <= finding.span.start and finding.span.end <= s[1]]
        if inside:
            start, _, name = max(inside, key=lambda s: (s[0], -s[1]))
            names[start] = name
    return Counter(names.values())


def left_ops(case: Case) -> Counter[str]:
    """Return the gpu ops that the measured message lists as not lowered, counted by name."""
    left = re.search(r"left: ([^;]*)", case.message)
    found: Counter[str] = Counter()
    for name, count in re.findall(r"(gpu\.\w+) x(\d+)", left[1] if left else ""):
        if name != "gpu.terminator":
            found[name] += int(count)
    return found


def hazards_of(case: Case) -> dict[str, bool]:
    """Return for each kind of hazard whether the measured hazards contain it."""
    text = "\n".join(case.hazards)
    used = re.findall(r"USE AFTER DESTROY: (\w+)\(", text)
    return {
        "double destroy": "DOUBLE DESTROY" in text,
        "use after destroy": any(not u.endswith(("Synchronize", "WaitEvent")) for u in used),
        "confused handle": "TYPE CONFUSION" in text,
        "null token": "opaque value null" in text,
        "dropped object": "ASYNC OBJECT DROPPED" in text,
        "ignored layout": "DST LAYOUT IGNORED" in text,
        "leak": bool(re.search(r"LEAK: S\d+ never", text)),
    }


LOWERED = ("success", "partial_silent", "ok_nongpu_left", "translate_error", "reconcile_error")


def compare(case: Case) -> Iterator[tuple[str, bool, bool]]:
    """Yield (kind, measured, found) for each kind that the case has data on."""
    found = findings(case)
    codes = {f.code for f in found}
    if case.outcome in ("success", "ok_nongpu_left", "reconcile_error", "partial_silent"):
        left, refused = left_ops(case), refused_ops(case, found)
        for name in left.keys() | refused.keys():
            for number in range(max(left[name], refused[name])):
                yield "refused", number < left[name], number < refused[name]
        if not left and not refused:
            yield "refused", False, False
    else:
        yield (
            "refused",
            True,
            any(f.code.startswith(REFUSALS) and f.severity <= Severity.WARNING for f in found),
        )
    if case.outcome not in LOWERED:
        return
    explained = bool(refused_ops(case, found)) or codes & {"GA203", "GA204", "GA205"}
    for kind, present in hazards_of(case).items():
        said = bool(codes & set(HAZARDS[kind]))
        # The stream leaks because of a rejected op or a confused handle, and the finding for that is
        # sufficient.
        if kind == "leak" and present and not said and explained:
            continue
        yield kind, present, said


def table(rows: dict[tuple[str, int], Counter[tuple[bool, bool]]]) -> str:
    lines = [f"{'':20}" + "".join(f"{'LLVM ' + str(v):>24}" for v in VERSIONS)]
    for kind in KINDS:
        cells = []
        for version in VERSIONS:
            c = rows[kind, version]
            hit, missed, wrong = c[True, True], c[True, False], c[False, True]
            recall = hit / (hit + missed) if hit + missed else 1.0
            precision = hit / (hit + wrong) if hit + wrong else 1.0
            cells.append(f"{f'R {recall:.3f} P {precision:.3f} ({hit})':>24}")
        lines.append(f"{kind:20}" + "".join(cells))
    return "\n".join(lines)


@pytest.mark.slow
def test_findings_agree_with_the_measured_outcomes() -> None:
    known, missing = measured()
    rows: dict[tuple[str, int], Counter[tuple[bool, bool]]] = defaultdict(Counter)
    unexplained: list[str] = []
    for case in known:
        for kind, present, said in compare(case):
            if present != said and excused(case, kind):
                continue
            rows[kind, case.version][present, said] += 1
            if present != said:
                unexplained.append(f"{case.name} {case.version} {kind}: measured {present}, found {said}")
    print(f"\n{len(known)} cases compared, {missing} need mlir-opt for passes before\n{table(rows)}")
    print("\n".join(unexplained))
    for version in VERSIONS:
        total: Counter[tuple[bool, bool]] = Counter()
        for kind in KINDS:
            total += rows[kind, version]
        hit = total[True, True]
        assert hit, f"nothing was compared for LLVM {version}"
        assert hit / (hit + total[True, False]) >= FLOOR, f"recall for LLVM {version}"
        assert hit / (hit + total[False, True]) >= FLOOR, f"precision for LLVM {version}"


ABOUT_THE_PROGRAM = {
    "GA211": "16 and 19 do unload the module under a running kernel, whatever the source says",
    "GA210": "a gpu.wait without operands lowers well, to nothing",
    "GA307": "a dealloc of host memory lowers well, to a call that fails",
    "GA601": "a launch with other sizes than its kernel declares lowers well",
    "GA403": "many cases never free what they allocate; they lower well",
}
"""Rules of warning severity or above that may apply to a case that lowers correctly, with the reason."""
LEAKED_EVENTS = frozenset({"C_waitasync_in_scf_if"})
"""Cases in which GA402 may report an event that is created before a branch and destroyed in it.

The measured outcomes count only streams, so they have no leak for these."""


@pytest.mark.slow
def test_cases_that_lower_well_have_no_warning() -> None:
    wrong: list[str] = []
    clean = 0
    for case in measured()[0]:
        if case.outcome != "success" or case.hazards or case.message:
            continue
        clean += 1
        for finding in findings(case):
            if finding.code == "GA402" and case.name in LEAKED_EVENTS:
                assert finding.message.startswith("The event for")
            elif finding.severity <= Severity.WARNING and finding.code not in ABOUT_THE_PROGRAM:
                wrong.append(f"{case.name} {case.version} {finding.code} {finding.message}")
    print(f"\n{clean} cases lower well")
    assert clean > 300
    assert wrong == []


def excused(case: Case, kind: str) -> bool:
    return (case.name, case.version, kind) in DISAGREEMENTS or (case.name, None, kind) in DISAGREEMENTS


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(DISAGREEMENTS, key=str))
def test_listed_disagreements_still_exist(key: tuple[str, int | None, str]) -> None:
    name, version, kind = key
    relevant = [c for c in measured()[0] if c.name == name and version in (None, c.version)]
    assert any(k == kind and present != said for c in relevant for k, present, said in compare(c))
