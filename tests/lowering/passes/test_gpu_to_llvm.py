"""Our gpu-to-llvm, compared with the real one, and properties of every lowering."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.lowering import lower, lower_chunk, print_with_places
from gpuasync_lsp.lowering.pipeline.explain import explain
from gpuasync_lsp.releases import PROFILES
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.provenance import module_of, source_span
from gpuasync_lsp.syntax.source import parse_source
from tests.differential import lowering as lowering_diff
from tests.differential.lowering import Comparison
from tests.support.releases import releases

EQUAL_CASES = {16: 278, 17: 271, 18: 261, 19: 327, 20: 326, 21: 323, 22: 327, 23: 327, 24: 313}
"""Minimum number of measured cases with equal output, by release; never lower it."""

STOPS = "this mlir-opt was built with assertions, and stops at one"
PRODUCTS = "two products are made in the order that the compiler of the tool chose"
DOUBLED = "a string that ends its line gets one more end of line"
UNREAD = "a spelling of a later release is refused in other words"
POINTERS = "vectors of pointers are written as the release that reads both texts does not read"
LATER = "ops that later releases brought: both refuse the text, by different ops of it"
STANDS_FOR_24 = "the tool that stands for 24 is older than the spelling of mma matrices"
EXCEPTIONS: dict[int, dict[str, str]] = {
    16: {"targets#0": UNREAD, "targets#1": UNREAD, "vector#23": POINTERS},
    17: {
        "targets#0": UNREAD,
        "targets#1": UNREAD,
        "vector_print#0": DOUBLED,
        "vector#23": POINTERS,
        "nvvm_barriers#0": LATER,
        "nvvm_calls#0": LATER,
    },
    18: {
        "nvvm_barriers#0": LATER,
        "nvvm_calls#0": LATER,
        "vector#23": POINTERS,
        "A_memset_f8E4M3FN_async_d1": "arguments of f8 stay, which the release that reads both texts refuses",
        "index_and_complex#1": PRODUCTS,
        "vector_print#0": DOUBLED,
    },
    19: {"vector#23": POINTERS},
    20: {
        "vector#23": POINTERS,
        "arith#17": "arith.ceildivsi is expanded by the signs of both",
        "left_behind#0": "descriptors of arguments stand in another order",
    },
    21: {
        "nvvm_calls#0": LATER,
        "H_bare_host_kernels_unranked": STOPS,
        "H_bare_host_unranked": STOPS,
        "H_bare_kernels_unranked": STOPS,
        "memref_ops#41": STOPS,
        "index_and_complex#1": PRODUCTS,
        "E_asyncfirst_yield_memset": "equal blocks of ops that are not known here are not merged",
    },
    22: {"nvvm_barriers#0": LATER},
    23: {},
    24: {"what_stays#2": STANDS_FOR_24},
}
"""The cases and parts of fixtures with different output, by release, with the reason."""


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(*PROFILES))
def test_equal_to_the_real_gpu_to_llvm_on_the_measured_cases(version: int) -> None:
    comparison = lowering_diff.compare(lowering_diff.load(version))
    report(comparison)
    assert comparison.equal >= EQUAL_CASES[version]
    assert set(comparison.different) <= set(EXCEPTIONS[version])


@pytest.mark.parametrize("version", releases(*PROFILES))
def test_equal_to_the_real_gpu_to_llvm_on_fixtures(version: int) -> None:
    comparison = lowering_diff.compare(lowering_diff.fixtures(version))
    report(comparison)
    assert comparison.compared
    assert set(comparison.different) <= set(EXCEPTIONS[version])


def report(comparison: Comparison) -> None:
    print(comparison)
    for name, (theirs, ours) in comparison.different.items():
        print(f"--- {name}\n{theirs}\n+++ ours\n{ours}")


FIXTURES = sorted(lowering_diff.FIXTURES.glob("*.mlir"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("version", releases(*PROFILES))
def test_item_by_item_gives_what_the_whole_module_gives(path: Path, version: int) -> None:
    chunk = parse_source(path.read_text()).chunks[0]
    whole = lower(module_of(chunk), version)
    parts = lower_chunk(chunk, version)
    assert parts.printed == print_with_places(whole.module, explained=explain(whole.module))
    assert [note.text for note in parts.notes] == [note.text for note in whole.notes]
    assert (parts.error and parts.error.text) == (whole.error and whole.error.text)


def test_an_edit_lowers_only_the_item_it_is_in() -> None:
    text = (lowering_diff.FIXTURES / "memref.mlir").read_text()
    before = parse_source(text)
    lower_chunk(before.chunks[0], 22)
    after = parse_source(text.replace("alignment = 64", "alignment = 32"), before)
    changed = [placed.item for placed in after.items if not placed.item.memo]
    assert len(changed) == 1
    assert "llvm.mlir.constant(32 : index)" in lower_chunk(after.chunks[0], 22).printed.text
    assert changed[0].memo


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("version", releases(19, 22, 24))
def test_lowering_changes_no_input_and_every_op_knows_its_source(path: Path, version: int) -> None:
    for chunk in parse_source(path.read_text()).chunks:
        module = module_of(chunk)
        before = print_module(module)
        sources = {source_span(op) for op in module.walk()}
        lowered = lower(module, version)
        assert print_module(module) == before
        for op in lowered.module.walk():
            assert source_span(op) in sources, op.name


def test_lines_lead_to_their_source() -> None:
    text = (lowering_diff.FIXTURES / "memory.mlir").read_text()
    printed = lower_chunk(parse_source(text).chunks[0], 22).printed
    calls = [row for row, line in enumerate(printed.text.splitlines()) if "call @mgpuMemcpy" in line]
    assert [printed.sources[row].of(text).count("gpu.memcpy") for row in calls] == [1] * text.count(
        "gpu.memcpy "
    )
