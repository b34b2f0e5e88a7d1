"""The rules' pages are current, and their examples are true: the example fires, its repair is silent."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.analysis import RULES, Config, Rule, check_source
from gpuasync_lsp.analysis.docs import pages
from gpuasync_lsp.releases import NEWEST
from gpuasync_lsp.text import defects, effort
from tests.support.tools import ROOT

BLOCK = re.compile(r"```mlir\n(.*?)```", re.DOTALL)

EXAMPLE_VERSION = {"GA105": 22, "GA106": 22, "GA110": 19, "GA112": 16, "GA205": 22, "GA211": 19, "GA006": 22}
"""Rules that are about some versions only: the version of their example."""

PIPELINE = {"GA507": ("gpu-async-region",)}

GIVEN = {
    "%dst": "memref<4xf32>",
    "%src": "memref<4xf32>",
    "%dst2": "memref<4xf32>",
    "%src2": "memref<4xf32>",
    "%part": "memref<3xf32>",
    "%bytes": "memref<4xi8>",
    "%byte": "i8",
    "%value": "f32",
    "%cond": "i1",
    "%n": "index",
    "%i": "i32",
    "%s": "!llvm.ptr",
}
"""What the examples use without defining it."""


def whole(example: str, code: str) -> str:
    """Put an example into a function with all that it uses, if it is not one."""
    if "func.func" in example:
        return example if example.startswith("module") else f"module {{\n{example}}}\n"
    arguments = ", ".join(f"{n}: {k}" for n, k in GIVEN.items() if not re.search(rf"{n}\b[^\n]* = ", example))
    lead = "%t0 = gpu.wait async\n" if "%t0" in example and "%t0 =" not in example else ""
    kernels = {
        "GA112": 'gpu.module @kernels attributes {nvvm.cubin = "B"} {\n gpu.func @a() kernel { gpu.return }\n'
        " gpu.func @b() kernel { gpu.return }\n}",
        "GA004": "gpu.module @kernels { gpu.func @k() kernel { gpu.return } }",
        "GA204": "",
    }.get(code, 'gpu.binary @kernels [#gpu.object<#nvvm.target, "BLOB">]')
    return (
        f"module attributes {{gpu.container_module}} {{\n{kernels}\n"
        f"func.func @main({arguments}) {{\n{lead}{example}return\n}}\n}}\n"
    )


def codes(example: str, rule: Rule) -> set[str]:
    version, pipeline = EXAMPLE_VERSION.get(rule.code, NEWEST), PIPELINE.get(rule.code)
    config = Config(version, ("ALL", rule.code), pipeline=pipeline)
    return {f.code for f in check_source(whole(example, rule.code), config)}


def test_pages_are_current() -> None:
    folder = ROOT / "docs" / "rules"
    assert {p.name for p in folder.iterdir()} == set(pages())
    for name, text in pages().items():
        assert (folder / name).read_text(encoding="utf-8") == text, f"run `make docs`: {name} is not current"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_example_fires_and_its_repair_does_not(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    if rule.code == "GA011":
        monkeypatch.setattr(defects, "at_boundary", lambda doing: 1 / 0)  # no program shows one
    if rule.code == "GA008":
        # What takes too long is too long for a page.
        monkeypatch.setattr(effort, "STEPS", -10_000)
        monkeypatch.setattr(effort, "PORTION", 1)
    examples = BLOCK.findall(rule.doc)
    assert 1 <= len(examples) <= 2
    assert rule.code in codes(examples[0], rule)
    for repaired in examples[1:]:
        assert rule.code not in codes(repaired, rule)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_page_is_readable_text(rule: Rule) -> None:
    for line in rule.doc.split("\n"):
        assert len(line) <= 110
    assert "\n## What it does not report\n- " in rule.doc
    summary = rule.doc.strip().split("\n")[0]
    assert summary.endswith("."), summary
