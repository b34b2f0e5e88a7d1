"""The examples have the findings in their README, their fixes repair them, and the real tools agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.fix_all import fix_all
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.text import Finding, LineIndex, Safety, Severity
from tests.support.tools import ROOT, mlir_opt

EXAMPLES = ROOT / "examples"

EXPECTED = {
    "two_dependencies": ["12 GA101"],
    "destroyed_twice": ["13 GA201"],
    "leaking_join": ["5 GA402", "8 GA402"],
    "yielded_stream": ["19 GA205"],
    "launch_dependencies": ["15 GA101"],
    "sync_alloc": ["6 GA102", "10 GA102"],
    "region_pass": ["8 GA101"],
}
"""Line and code of all errors and warnings of each broken example."""

NOT_LOWERED = {"two_dependencies", "sync_alloc", "region_pass", "launch_dependencies"}
"""Examples whose broken form mlir-opt 22 rejects, or lowers with remaining gpu ops."""

HOST_OP = re.compile(r"\bgpu\.(alloc|dealloc|memcpy|memset|wait)\b")


def check(path: Path) -> tuple[Checker, str, list[Finding]]:
    text = path.read_text("utf-8")
    checker = Checker(SettingsResolver().resolve(path, text))
    return checker, text, loud(checker.check(text))


def loud(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if f.severity <= Severity.WARNING]


def test_every_example_is_listed_in_both_halves_and_in_the_readme() -> None:
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    for half in ("broken", "sound"):
        assert {path.stem for path in (EXAMPLES / half).glob("*.mlir")} == set(EXPECTED)
    for name, findings in EXPECTED.items():
        row = next(line for line in readme.splitlines() if line.startswith(f"| [{name}]"))
        assert set(re.findall(r"GA\d+", row)) == {f.split()[1] for f in findings}


def test_links_in_the_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", EXAMPLES / "README.md", *(ROOT / "docs").glob("*.md")]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
    ]
    assert links
    assert [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", EXPECTED)
def test_broken_examples_say_what_is_wrong(name: str) -> None:
    _, text, found = check(EXAMPLES / "broken" / f"{name}.mlir")
    index = LineIndex(text)
    assert [f"{index.position(f.span.start)[0] + 1} {f.code}" for f in found] == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_sound_examples_are_silent(name: str) -> None:
    _, _, found = check(EXAMPLES / "sound" / f"{name}.mlir")
    assert found == []


@pytest.mark.parametrize("name", EXPECTED)
def test_broken_examples_can_be_repaired(name: str) -> None:
    checker, text, found = check(EXAMPLES / "broken" / f"{name}.mlir")
    fixed = fix_all(text, found, checker.check, {Safety.SAFE, Safety.UNSAFE})
    assert fixed.applied
    assert loud(fixed.findings) == []


@pytest.mark.parametrize("name", sorted(NOT_LOWERED))
def test_the_real_tool_refuses_the_broken_and_lowers_the_repaired(name: str) -> None:
    checker, text, found = check(EXAMPLES / "broken" / f"{name}.mlir")
    assert not lowers(text)
    assert lowers(fix_all(text, found, checker.check, {Safety.SAFE, Safety.UNSAFE}).text)


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - NOT_LOWERED))
def test_the_real_tool_says_nothing_of_the_others(name: str) -> None:
    assert lowers((EXAMPLES / "broken" / f"{name}.mlir").read_text("utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_real_tool_of_its_version_lowers_the_sound(name: str) -> None:
    path = EXAMPLES / "sound" / f"{name}.mlir"
    text = path.read_text("utf-8")
    version = SettingsResolver().resolve(path, text).target.version
    assert lowers(text, version)


def lowers(text: str, version: int = 22) -> bool:
    """Return whether the real mlir-opt of `version` succeeds and leaves no gpu op in the host code."""
    # A launch with memref arguments is verified against the kernel, so kernels are lowered first.
    kernels = mlir_opt(22)(text, "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))")
    assert kernels.code == 0, kernels.err
    done = mlir_opt(version)(kernels.out, "--gpu-to-llvm")
    return done.code == 0 and not HOST_OP.search(done.out)
