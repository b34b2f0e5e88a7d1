"""The facts of the releases, and the text of messages that depends on them."""

from __future__ import annotations

import json
import pickle
import re
import subprocess

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.lowering import LoweringOptions, lower
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.releases import (
    DEFAULT,
    NEWEST,
    PROFILES,
    RELEASES,
    SPAN,
    facts,
    known_version,
    profile,
)
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.ods.table import has_op
from gpuasync_lsp.syntax.printer import print_module
from tests.support.tools import ROOT

UNREGISTER = """
func.func @f(%m: memref<*xf32>) {
  gpu.host_register %m : memref<*xf32>
  gpu.host_unregister %m : memref<*xf32>
  return
}
"""
COPY = """
func.func @f(%d: memref<?x?xf32, 1>, %s: memref<?x?xf32>) {
  %t = gpu.wait async
  %c = gpu.memcpy async [%t] %d, %s : memref<?x?xf32, 1>, memref<?x?xf32>
  gpu.wait [%c]
  return
}
"""


def lowered(text: str, version: int, options: LoweringOptions | None = None) -> str:
    result = lower(module_of(parse_source(text).chunks[0]), version, options or LoweringOptions())
    return print_module(result.module) if result.error is None else f"error: {result.first_message}"


def test_what_was_run_is_called_measured() -> None:
    assert all(facts.facts_of == version for version, facts in PROFILES.items())
    assert profile(20).source == "measured"
    assert profile(NEWEST + 1).source == f"inferred from LLVM {NEWEST}"


@pytest.mark.parametrize(("version", "known"), [(16, False), (17, True), (18, True)])
def test_host_unregister_came_with_17(version: int, known: bool) -> None:
    codes = {finding.code for finding in check_source(parse_source(UNREGISTER), Config(version))}
    assert ("GA003" not in codes) == known


@pytest.mark.parametrize(
    ("op", "since"),
    [("gpu.binary", 18), ("gpu.create_bsr", 18), ("gpu.dynamic_shared_memory", 18), ("gpu.spmv", 17)],
)
def test_ops_are_missing_before_they_came(op: str, since: int) -> None:
    assert [version for version in PROFILES if not has_op(op, version)] == list(range(16, since))


@pytest.mark.parametrize("version", PROFILES)
def test_sizes_between_arguments_came_with_20(version: int) -> None:
    text = lowered(COPY, version, LoweringOptions(intersperse_sizes_for_kernels=True))
    assert text.startswith("error: ") == (version < 20)


@pytest.mark.parametrize("version", PROFILES)
def test_sizes_of_copies_and_poison_came_with_21(version: int) -> None:
    text = lowered(COPY, version)
    assert ("llvm.mlir.poison" in text) == (version >= 21)
    # Before 21, the element count is a stride times a size, without a product of sizes.
    assert ("[4, 0]" in text.split("mgpuStreamCreate")[1]) == (version < 21)


CLUSTERS = """
func.func @f() {
  %c = arith.constant 2 : index
  gpu.launch clusters(%a0, %a1, %a2) in (%b0 = %c, %b1 = %c, %b2 = %c)
             blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c)
             threads(%tx, %ty, %tz) in (%l = %c, %m = %c, %o = %c) {
    gpu.terminator
  }
  return
}
"""


@pytest.mark.parametrize("version", [version for version, facts in PROFILES.items() if facts.launch_clusters])
def test_known_sizes_of_clusters_came_with_23(version: int) -> None:
    module = module_of(parse_source(CLUSTERS).chunks[0])
    text = print_module(run_pipeline(module, parse_pipeline("gpu-kernel-outlining"), version).module)
    assert ("known_cluster_size = array<i32: 2, 2, 2>" in text) == (version >= 23)


def test_the_newest_release_is_the_default_and_main_the_newest_of_all() -> None:
    assert max(each.version for each in RELEASES if each.is_released) == DEFAULT
    assert known_version("main") == NEWEST == RELEASES[-1].version
    assert [known_version(text) for text in ("22", "22.1.8", "99", "", "x")] == [22, 22, None, None, None]


def test_every_fact_is_one_that_changes() -> None:
    assert [name for name, each in facts().items() if len(each.values()) == 1] == []


def test_a_profile_that_is_copied_or_sent_stays_what_it_is() -> None:
    changed = profile(22).but(greedy_prepass=False)
    for each in (profile(22), profile(25), changed):
        assert pickle.loads(pickle.dumps(each)) == each
    assert changed != profile(22)
    assert not changed.greedy_prepass
    with pytest.raises(KeyError):
        profile(22).but(no_such_fact=True)


def test_what_people_read_lists_the_releases_as_they_are() -> None:
    page = (ROOT / "docs" / "releases.md").read_text("utf-8")
    rows = re.findall(
        r"^\| (\d+)(?: \(default\))? \| ([^|]*?)(?:, not released yet)? \|$", page, re.MULTILINE
    )
    assert rows == [(str(each.version), each.measured_on) for each in RELEASES]
    versions = (ROOT / "vscode-extension" / "src" / "versions.ts").read_text("utf-8")
    shown = re.search(r"VERSIONS = \[([\d, ]+)\]", versions)
    assert shown is not None
    assert [int(each) for each in shown[1].split(",")] == sorted(PROFILES, reverse=True)
    settings = json.loads((ROOT / "vscode-extension" / "package.json").read_text("utf-8"))
    groups = settings["contributes"]["configuration"]
    known = {key: each for group in groups for key, each in group["properties"].items()}
    assert known["gpuasync.llvm"]["enum"] == [None, *PROFILES]


def test_no_text_names_all_releases_by_hand() -> None:
    """A handwritten span of releases would become wrong with the next one: rule pages are generated."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    generated = ("docs/rules/", "docs/history.md", "CHANGELOG.md")
    for name in files.decode().split("\0"):
        path = ROOT / name
        if name and path.suffix in TEXTS and not name.startswith(generated) and path.is_file():
            assert SPAN not in path.read_text("utf-8", "replace"), name


TEXTS = {".md", ".py", ".mlir", ".json", ".ts", ".sh", ".toml", ".txt", ".lua", ".el", ".mjs"}
