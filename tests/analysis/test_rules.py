"""Every rule against its fixture, and every fix against its expected text and the real tool.

The fixture of a rule is `fixtures/rules/NAME.mlir`, where NAME is the rule's module. Comments at its top:

    // RUN-LLVM: 22 24          the versions that have the marked findings; by default the newest
    // RUN-PIPELINE: passes     passes before gpu-to-llvm, separated by commas

Markers as in MLIR's own tests give the findings of the rule: `// expected-error @+1 {{part of the message}}`,
also `expected-warning`, `expected-remark` (information) and `expected-note` (hint). `@+2`, `@-1`, `@above`
and `@below` are line offsets; without `@` the finding is on the marker's line. `// -----` begins a new
compilation unit. Functions whose name begins with `fires` must have a finding, those with `silent` none.

`NAME.fixed.mlir` is the text after all fixes of the rule, including unsafe ones, in the first version; it
exists only if the rule has fixes. GPUASYNC_UPDATE=1 rewrites markers and fixed texts: review the diff.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import RULES, Config, Rule, check_source
from gpuasync_lsp.ide.document.fix_all import Fixed, fix_all
from gpuasync_lsp.releases import NEWEST
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.text import Edit, Finding, Fix, LineIndex, Safety, Severity, apply_edits
from tests.support.thinning import thinned
from tests.support.tools import FIXTURES, mlir_opt

FOLDER = FIXTURES / "rules"
UPDATE = os.environ.get("GPUASYNC_UPDATE") == "1"
TOOLS = (16, 19, 22, 24)

WORDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "remark",
    Severity.HINT: "note",
}
MARKER = re.compile(
    r"//\s*expected-(error|warning|remark|note)\s*(?:@([+-]\d+|above|below))?\s*\{\{(.*?)\}\}"
)
FUNCTION = re.compile(r"func\.func @(\w+)")


@dataclass(frozen=True)
class Fixture:
    """One rule's fixture file."""

    rule: Rule
    path: Path
    text: str

    @property
    def versions(self) -> tuple[int, ...]:
        found = re.search(r"// RUN-LLVM: ([\d ]+)", self.text)
        return tuple(int(v) for v in found[1].split()) if found else (NEWEST,)

    @property
    def pipeline(self) -> tuple[str, ...] | None:
        found = re.search(r"// RUN-PIPELINE: (\S+)", self.text)
        return tuple(found[1].split(",")) if found else None

    @property
    def fixed(self) -> Path:
        return self.path.with_suffix(".fixed.mlir")

    def config(self, version: int, *, all_rules: bool = False) -> Config:
        return Config(version, ("ALL",) if all_rules else (self.rule.code,), pipeline=self.pipeline)


def module_name(rule: Rule) -> str:
    for name, module in sys.modules.items():
        ours = getattr(module, "RULE", None) if name.startswith("gpuasync_lsp.analysis.rules.") else None
        if isinstance(ours, Rule) and ours.code == rule.code:
            return name.rpartition(".")[2]
    raise AssertionError(f"no module has {rule.code}")


@cache
def fixture(rule: Rule) -> Fixture:
    path = FOLDER / f"{module_name(rule)}.mlir"
    return Fixture(rule, path, path.read_text())


def rule_id(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}"


all_rules = pytest.mark.parametrize(
    "rule", [r for r in RULES if r.code not in ("GA008", "GA010", "GA011")], ids=rule_id
)
"""All rules except timeouts, which no file of reasonable size triggers (test_took_too_long.py), and unused
suppressions, which depend on all other rules (test_suppressions.py)."""


def expected(text: str) -> list[tuple[int, str, str]]:
    """Return (0-based line, severity word, part of the message) for each marker."""
    found: list[tuple[int, str, str]] = []
    for number, line in enumerate(text.split("\n")):
        for word, where, part in MARKER.findall(line):
            offset = {"above": -1, "below": 1, "": 0}.get(where)
            found.append((number + (int(where) if offset is None else offset), word, part))
    return found


def seen(text: str, found: list[Finding]) -> list[tuple[int, str, str]]:
    index = LineIndex(text)
    return [(index.position(f.span.start)[0], WORDS[f.severity], f.message) for f in found]


def update_markers(case: Fixture) -> str:
    """Return the fixture with markers for the current findings; the message parts are common to all
    versions."""
    old = case.text.split("\n")
    is_marker = [re.fullmatch(r"\s*" + MARKER.pattern + r"\s*", line) is not None for line in old]
    lines = [line for line, drop in zip(old, is_marker, strict=True) if not drop]
    where = {n: position for position, n in enumerate(n for n, drop in enumerate(is_marker) if not drop)}
    found = {v: seen(case.text, check_source(case.text, case.config(v))) for v in case.versions}
    placed: Counter[int] = Counter()
    for line, word, message in sorted(found[case.versions[0]], reverse=True):
        first, _, second = message.partition("\n")
        parts = (re.sub(r"^LLVM \d+('s)? ", "", first), first.partition(": ")[2], second)
        others = [[m for n, w, m in found[v] if (n, w) == (line, word)] for v in case.versions]
        part = next(p for p in parts if p and all(any(p in m for m in messages) for messages in others))
        at = where[line]
        placed[line] += 1
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at, f"{indent}// expected-{word} @+{placed[line]} {{{{{part}}}}}")
    return "\n".join(lines)


@all_rules
def test_findings_are_where_the_markers_say(rule: Rule) -> None:
    case = fixture(rule)
    if UPDATE:
        case.path.write_text(update_markers(case))
        fixture.cache_clear()
        case = fixture(rule)
    missing: list[str] = []
    for version in case.versions:
        found = seen(case.text, check_source(case.text, case.config(version)))
        for line, word, part in expected(case.text):
            hit = next((f for f in found if f[:2] == (line, word) and part in f[2]), None)
            if hit is None:
                missing.append(f"LLVM {version}: {case.path.name}:{line + 1}: no {word} with {part!r}")
            else:
                found.remove(hit)
        missing += [f"LLVM {version}: {case.path.name}:{n + 1}: unexpected {w}: {m}" for n, w, m in found]
    assert missing == []


@all_rules
def test_functions_fire_or_stay_silent_as_they_are_called(rule: Rule) -> None:
    case = fixture(rule)
    starts = [(m.start(), m[1]) for m in FUNCTION.finditer(case.text)]
    names = [name for _, name in starts]
    assert any(n.startswith("fires") for n in names)
    for version in case.versions:
        hit: set[str] = set()
        for finding in check_source(case.text, case.config(version)):
            hit.add([name for start, name in starts if start <= finding.span.start][-1])
        assert {n for n in names if n.startswith("fires")} <= hit, f"LLVM {version}"
        assert not {n for n in hit if n.startswith("silent")}, f"LLVM {version}"


@all_rules
def test_messages_are_two_lines_and_have_a_place_to_go(rule: Rule) -> None:
    case = fixture(rule)
    for version in case.versions:
        for finding in check_source(case.text, case.config(version)):
            assert finding.message.count("\n") <= 1, finding.message
            assert finding.span.start < finding.span.end
            for fix in finding.fixes:
                assert re.match(r"[A-Z]\w+ ", fix.title), f"{fix.title!r} is no verb phrase"
                assert fix.edits
                assert fix.reason or fix.safety.value != "unsafe", (
                    f"{fix.title!r} does not say why it is unsafe"
                )


def bare(text: str) -> str:
    """Return `text` without markers."""
    return re.sub(r"^[^\S\n]*" + MARKER.pattern + r"[^\S\n]*\n", "", text, flags=re.MULTILINE)


def repair(text: str, config: Config) -> Fixed:
    """Return `text` after all safe and unsafe fixes."""
    allowed = {Safety.SAFE, Safety.UNSAFE}
    return fix_all(text, check_source(text, config), lambda t: check_source(t, config), allowed)


@all_rules
def test_all_fixes_together_give_the_fixed_text(rule: Rule) -> None:
    case = fixture(rule)
    config = case.config(case.versions[0])
    text = bare(case.text)
    fixed = repair(text, config)
    if not fixed.applied:
        assert not case.fixed.exists()
        return
    if UPDATE:
        case.fixed.write_text(fixed.text)
    assert fixed.text == case.fixed.read_text()
    assert len(parse_source(fixed.text).problems()) <= len(parse_source(text).problems())


def single_fixes(case: Fixture, version: int) -> Iterator[tuple[Finding, Fix, str, str]]:
    """Yield every fix of the fixture's findings, with the text before and after it."""
    text = bare(case.text)
    for finding in check_source(text, case.config(version)):
        for fix in finding.fixes:
            yield finding, fix, text, apply_edits(text, fix.edits)


@all_rules
def test_each_fix_parses_ends_its_finding_and_brings_no_new_one(rule: Rule) -> None:
    case = fixture(rule)
    for version in case.versions:
        for finding, fix, text, after in single_fixes(case, version):
            told = f"LLVM {version}, {fix.title!r} for {finding.message!r}"
            problems_before = len(parse_source(text).problems())
            assert len(parse_source(after).problems()) <= problems_before, told
            before = check_source(text, case.config(version, all_rules=True))
            left = check_source(after, case.config(version, all_rules=True))
            count = Counter(f.code for f in left)
            old = Counter(f.code for f in before)
            assert count[rule.code] < old[rule.code], f"{told}: the finding is still there"
            new = [f for f in left if f.severity <= finding.severity and count[f.code] > old[f.code]]
            assert new == [], f"{told}: new findings"


LOWERS = re.compile(r"\bgpu\.(alloc|dealloc|memcpy|memset|wait|launch)\b")
KERNELS = re.compile(r"^(?P<indent> *)gpu\.module (?P<name>@\w+).*?^(?P=indent)}\n", re.M | re.S)
BINARY = r'\g<indent>gpu.binary \g<name> [#gpu.object<#nvvm.target, "BLOB">]\n'
BROKEN = ("GA0", "GA1")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", thinned([r for r in RULES if r.code not in ("GA008", "GA010", "GA011")], 4), ids=rule_id
)
def test_fixed_code_lowers_in_the_real_tool(rule: Rule) -> None:
    """Run mlir-opt on the repaired functions: gpu-to-llvm must lower all ops that it supports."""
    case = fixture(rule)
    for version in case.versions:
        if version in TOOLS and case.fixed.exists():
            assert_lowers(repair(bare(case.text), case.config(version)).text, case, version)


@pytest.mark.slow
@all_rules
def test_second_choices_lower_in_the_real_tool(rule: Rule) -> None:
    """Run mlir-opt on the result of each fix that fix-all does not choose."""
    case = fixture(rule)
    for version in case.versions:
        if version not in TOOLS:
            continue
        for finding, fix, _, after in single_fixes(case, version):
            if fix is not finding.fixes[0]:
                assert_lowers(after, case, version)


def assert_lowers(text: str, case: Fixture, version: int) -> None:
    text = without_broken(text, case.config(version, all_rules=True))
    assert "func.func @fires" in text, f"LLVM {version}: no function of the fixture was repaired"
    if case.rule.code.startswith("GA6"):  # These rules look into kernels, outlined or not.
        chunks = text.split("// -----")
        text = "// -----".join(mlir_opt(version)(chunk, "--gpu-kernel-outlining").out for chunk in chunks)
    # A kernel with memrefs has to be lowered first, by passes that are not ours to test: take it for
    # compiled.
    text = KERNELS.sub(BINARY, text)
    passes = ["--convert-scf-to-cf", "--gpu-to-llvm"]
    if version == 16:
        passes[1] = "--gpu-to-llvm=gpu-binary-annotation=nvvm.cubin"
    for chunk in text.split("// -----"):
        lowered = mlir_opt(version)(chunk, *passes)
        assert lowered.code == 0, f"LLVM {version}: {lowered.err}"
        assert LOWERS.findall(lowered.out) == [], f"LLVM {version}"


def without_broken(text: str, config: Config) -> str:
    """Return `text` without the functions that this version still rejects, since no fix exists."""
    left = [f for f in check_source(text, config) if f.code.startswith(BROKEN)]
    places = [f.span.start for f in left if f.severity is Severity.ERROR]
    broken = [i.span for i in parse_source(text).items if any(i.span.contains(place) for place in places)]
    return apply_edits(text, [Edit(span, "") for span in broken])


def test_every_rule_has_a_code_a_name_and_a_page_of_documentation() -> None:
    codes = [rule.code for rule in RULES]
    names = [rule.name for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)
    for rule in RULES:
        assert module_name(rule).replace("_", "-") == rule.name
        assert "## What happens" in rule.doc
        assert "## Example" in rule.doc


def test_capture_is_checked_by_default_where_nothing_waits() -> None:
    text = (FOLDER / "breaks_capture.mlir").read_text()
    lines = LineIndex(text)
    found = [lines.position(f.span.start)[0] for f in check_source(text, Config(22)) if f.code == "GA509"]
    named = [lines.position(f.span.start)[0] for f in check_source(text, Config(22, ("GA509",)))]
    waits = {n for n, line in enumerate(text.split("\n")) if re.fullmatch(r" *gpu\.wait \[%[e1]\]", line)}
    assert set(named) - set(found) == waits
