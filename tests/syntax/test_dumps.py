"""User dialects from TableGen dumps: parsed, printed, verified, documented; and files that are not dumps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.completion import completions
from gpuasync_lsp.ide.features.signature_help import signature_at
from gpuasync_lsp.ide.lookup.op_docs import op_documentation
from gpuasync_lsp.syntax import ExtensionError, dumped_dialects, module_of, parse_source, use_dialects
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import Names, print_module
from tests.support.markers import Found, disagreements
from tests.support.marks import at_cursor
from tests.support.tools import ROOT

DUMP = ROOT / "tests" / "fixtures" / "dialects" / "mine.json"
"""The output of llvm-tblgen 22 for `mine.td`, without records that its ops do not use."""
SYSTOLIC = DUMP.with_name("systolic.json")
"""The output for `systolic.td`: an accelerator with every kind of constraint, and LLVM intrinsics."""


@pytest.fixture(autouse=True)
def _only_our_dialects() -> Iterator[None]:
    yield
    use_dialects(())


def function(body: str) -> str:
    return f"func.func @f(%m: memref<4xf32>, %i: index, %a: i32, %d: f64) {{\n  {body}\n  return\n}}\n"


def messages(body: str, version: int = 22) -> list[str]:
    return [finding.message for finding in check_source(function(body), Config(llvm=version))]


def test_ops_are_read_and_verified_by_their_definition() -> None:
    use_dialects((), dumped_dialects(DUMP))
    right = "%t = mine.load_tile %m[%i] depth 3 : memref<4xf32> -> !mine.tile"
    ops = [
        op for placed in parse_source(function(right)).items for top in placed.item.ops for op in top.walk()
    ]
    assert "mine.load_tile" in [op.name for op in ops]
    for version in (16, 22, 24):
        assert messages(right, version) == []
        assert messages("%e = mine.add %d, %d : f64", version) == [
            "'mine.add' op operand #0 must be 32-bit signless integer or 32-bit float, but got 'f64'"
        ]
    assert messages("%t = mine.load_tile %m[%i] depth 0 : memref<4xf32> -> !mine.tile") == [
        "'mine.load_tile' op attribute 'depth' failed to satisfy constraint: 64-bit signless integer "
        "attribute whose value is positive"
    ]
    assert messages("mine.strange foo %a") == []
    assert messages("%t = mine.load_tyle %m[%i] depth 3 : memref<4xf32> -> !mine.tile") == [
        "custom op 'mine.load_tyle' is unknown (did you mean 'mine.load_tile'?)"
    ]


def test_a_dialect_of_every_kind_of_constraint_is_read_printed_and_verified() -> None:
    use_dialects((), dumped_dialects(SYSTOLIC))
    text = SYSTOLIC.with_suffix(".mlir").read_text()
    (chunk,) = parse_source(text).chunks
    printed = print_module(module_of(chunk), Names.SOURCE)
    for each in (text, printed):
        assert [finding.message for finding in check_source(each, Config(llvm=22))] == []
    # Each op is there as it was written, but for the group of results, which has the names of its parts.
    body = [line.strip() for line in printed.splitlines()]
    missing = [
        line
        for line in text.splitlines()
        if line.strip().startswith("systolic.") and line.strip() not in body
    ]
    assert [line.strip() for line in missing] == [
        "systolic.config_st %s {activation = 1 : i64, scale = 2.0 : f32} : i64",
        "systolic.yield",
    ]
    ops = [op for item, _ in parse_source(printed).items for top in item.ops for op in top.walk()]
    assert not any(isinstance(op, OpaqueOp) for op in ops)


def test_what_is_wrong_with_its_ops_is_said_in_the_words_of_mlir() -> None:
    use_dialects((), dumped_dialects(SYSTOLIC))
    text = SYSTOLIC.with_name("systolic_wrong.mlir").read_text()
    found = [
        Found(each.severity, each.span, each.code, each.message)
        for each in check_source(text, Config(llvm=22, select=("GA001", "GA002", "GA003")))
    ]
    assert disagreements(text, found) == []


def test_ops_are_documented_and_completed() -> None:
    use_dialects((), dumped_dialects(DUMP))
    said = op_documentation("mine.load_tile")
    assert said is not None
    assert said.startswith(
        "Loads a tile from memory.\n\nLoads a tile of the memref at the indices.\n\n```mlir\n"
    )
    assert "%tile = mine.load_tile $base [$indices] (depth $depth)?" in said
    assert said.endswith("Defined at `Mine.td:17`")
    state, offset = at_cursor(function("mine.lo<|>"))
    assert [c.label for c in completions(state, offset)] == ["mine.load_tile"]
    state, offset = at_cursor(function("%t = mine.load_tile %m[%i] <|>"))
    assert "depth" in [c.label for c in completions(state, offset)]
    state, offset = at_cursor(function("%t = mine.add %a, <|>"))
    signature = signature_at(state.source, offset)
    assert signature is not None
    start, end = signature.parameters[signature.active]
    assert signature.label[start:end] == "$rhs"


def test_ops_of_mlir_are_documented_and_completed() -> None:
    said = op_documentation("nvvm.fence.proxy")
    assert said is not None
    assert "https://mlir.llvm.org/docs/Dialects/NVVMDialect/" in said
    state, offset = at_cursor(function("transform.structured.til<|>"))
    assert "transform.structured.tile_using_for" in [c.label for c in completions(state, offset)]


WRONG = {
    "{}": "this is not the output of `llvm-tblgen --dump-json`",
    "[" * 100_000: "nested too deep",
    "{": "invalid JSON",
    '{"!instanceof": {}, "!tablegen_json_version": 2}': "version 2 of TableGen's JSON is not supported",
    '{"!instanceof": {}, "!tablegen_json_version": 1}': "no op of a dialect of your own",
    '{"!instanceof": {"Op": ["x"]}, "!tablegen_json_version": 1}': "invalid TableGen records",
    '{"!instanceof": 7, "!tablegen_json_version": 1}': "invalid TableGen records",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_file_that_is_no_dump_is_one_problem_at_the_setting(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.json").write_text(text)
    (tmp_path / "gpuasync.toml").write_text('dialects = ["mine.json"]\n')
    (problem,) = SettingsResolver().resolve(tmp_path / "a.mlir", "").problems
    assert WRONG[text] in str(problem)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text(" " * (8 * 2**20 + 1))
    with pytest.raises(ExtensionError, match="larger than the limit of 8 MiB"):
        dumped_dialects(path)


def test_records_that_refer_to_themselves_end(tmp_path: Path) -> None:
    records = json.loads(DUMP.read_text())
    looped = {"!name": "Loop", "!superclasses": ["OpVariable"], "constraint": {"def": "Loop"}}
    both = [{"def": "Twice"}, {"def": "Twice"}]
    twice = {"!name": "Twice", "!superclasses": [], "kind": {"def": "PredCombinerAnd"}, "children": both}
    of_twice = {
        "!name": "Of",
        "!superclasses": ["TypeConstraint"],
        "predicate": {"def": "Twice"},
        "summary": "s",
    }
    records |= {"Loop": looped, "Twice": twice, "Of": of_twice}
    records["Mine_AddOp"]["arguments"]["args"] = [[{"def": "Loop"}, "lhs"], [{"def": "Of"}, "rhs"]]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(records))
    assert "mine" in dumped_dialects(path)
