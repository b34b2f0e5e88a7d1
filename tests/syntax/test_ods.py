"""The ODS tables: their content, its differences by release, and that they can be generated again."""

from __future__ import annotations

import pytest
from xdsl.irdl import IRDLOperation, VariadicDef

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.dialects import OURS
from gpuasync_lsp.syntax.ods.by_table import ByTable
from gpuasync_lsp.syntax.ods.formats import FormatError, parse_format
from gpuasync_lsp.syntax.ods.operation import op_class, with_assembly
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.table import absence, dialect_names, entry, ops_of
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.source import parse_item


def messages(text: str, version: int) -> list[str]:
    return [finding.message for finding in check_source(text, Config(llvm=version))]


def test_every_format_is_read() -> None:
    """An op with an invalid format would silently become opaque."""
    broken: list[str] = []
    formats = 0
    for name in (name for dialect in sorted(dialect_names()) for name in ops_of(dialect)):
        found = entry(name)
        assert found is not None
        for variant in found.variants:
            if variant.format:
                formats += 1
                try:
                    parse_format(variant.format)
                except FormatError:
                    broken.append(name)
    assert formats > 3_000
    assert broken == []


def test_most_ops_have_their_assembly() -> None:
    names = [name for dialect in dialect_names() for name in ops_of(dialect)]
    read = [name for name in names if (kind := op_class(name)) is not None and kind.has_assembly]
    assert len(names) > 2_600
    assert len(read) > 2_100


def test_an_op_is_unknown_before_the_release_that_brought_it() -> None:
    text = (
        "func.func @f(%l: index) {\n  gpu.warp_execute_on_lane_0(%l)[32] {\n    gpu.yield\n  }\n  return\n}\n"
    )
    (message, *_) = messages(text, 19)
    assert "custom op 'gpu.warp_execute_on_lane_0' is unknown" in message
    missing = absence("gpu.warp_execute_on_lane_0")
    assert missing is not None
    assert 19 in missing.releases
    assert 22 not in missing.releases


@pytest.mark.parametrize(("op", "last"), [("nvvm.barrier0", 22), ("nvvm.mbarrier.init.shared", 21)])
def test_an_op_is_unknown_after_the_release_that_had_it_last(op: str, last: int) -> None:
    missing = absence(op)
    assert missing is not None
    assert [missing.is_in(version) for version in range(last, 25)] == [True] + [False] * (24 - last)


def test_a_spelling_of_another_release_is_refused() -> None:
    text = (
        "llvm.func @f(%p: !llvm.ptr<3>, %d: !llvm.ptr<1>) {\n"
        "  nvvm.cp.async.shared.global %p, %d, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>\n"
        "  nvvm.mbarrier.init %p, %c, predicate = %b : !llvm.ptr<3>, i32, i1\n  llvm.return\n}\n"
    ).replace("(%p", "(%c: i32, %b: i1, %p")
    assert messages(text, 22) == []
    assert messages(text, 19) == []
    assert any("'nvvm.mbarrier.init'" in message for message in messages(text, 16))


def test_a_wrong_operand_is_said_in_the_words_of_mlir() -> None:
    text = "func.func @f(%a: i32) {\n  %0 = tosa.abs %a : (i32) -> tensor<4xf32>\n  return\n}\n"
    wanted = "'tosa.abs' op operand #0 must be tosa-conformant tensor of number values, but got 'i32'"
    assert messages(text, 22) == [wanted]


def test_what_nobody_translated_holds() -> None:
    type = parse_item("func.func @f(%a: tensor<4xf32>) { return }").ops[0].regions[0].blocks[0].args[0].type
    assert holds(["?"], type) is None
    assert holds(["and", ["is", "tensor"], ["?"]], type) is None
    assert holds(["or", ["is", "tensor"], ["?"]], type) is True
    assert holds(["not", ["is", "tensor"]], type) is False
    assert holds(["element", ["is", "f32"]], type) is True


def test_dialects_that_are_written_by_hand_are_in_the_tables() -> None:
    """A handwritten op that no release has would be a mistake."""
    invented: list[str] = []
    for name, factory in OURS.items():
        for operation in factory().operations:
            if entry(operation.name) is None:
                invented.append(operation.name)
        assert ops_of(name), name
    assert sorted(invented) == sorted(NOT_IN_THE_TABLES)


def test_operands_are_in_the_order_of_the_tables() -> None:
    """Inherited fields follow those of the class, which affects only the generic form."""
    wrong: list[str] = []
    for factory in OURS.values():
        for operation in factory().operations:
            found = entry(operation.name)
            if found is None or not issubclass(operation, IRDLOperation):
                continue
            ours = [_plain(name) for name, _ in operation.get_irdl_definition().operands]
            for variant in found.variants:
                theirs = [_plain(name) for name, _ in variant.operands]
                if [name for name in theirs if name in ours] != [name for name in ours if name in theirs]:
                    wrong.append(f"{operation.name}: {ours}, but {theirs}")
    assert not wrong


NO_RESULT_ONCE = "memref.assume_alignment"
"""An op that has no result up to LLVM 20."""


def test_classes_with_assembly_from_the_tables_have_the_fields_of_the_tables() -> None:
    """Operands, results and regions have the same groups, and every attribute is in the ODS tables."""
    wrong: list[str] = []
    for factory in OURS.values():
        for operation in factory().operations:
            if not issubclass(operation, ByTable):
                continue
            found, fields = entry(operation.name), operation.get_irdl_definition()
            assert found is not None
            newest = found.variants[-1]
            if with_assembly(operation.name) is None and "parse" not in vars(operation):
                wrong.append(f"{operation.name}: no assembly")
            for ours, theirs in ((fields.operands, newest.operands), (fields.results, newest.results)):
                kinds = [isinstance(each, VariadicDef) for _, each in ours]
                if kinds != [bool(each.variadic) for _, each in theirs] and operation.name != NO_RESULT_ONCE:
                    wrong.append(f"{operation.name}: {[name for name, _ in ours]}")
            if len(fields.regions) != len(newest.regions):
                wrong.append(f"{operation.name}: regions")
            named = {*fields.properties} - {"operandSegmentSizes", "resultSegmentSizes"}
            invented = named - {name for each in found.variants for name in each.attributes}
            if invented:
                wrong.append(f"{operation.name}: {invented}")
    assert wrong == []


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


NOT_IN_THE_TABLES = {
    "llvm.intr.canonicalize",
    "llvm.intr.maximumnum",
    "llvm.intr.minimumnum",
}
"""Ops added to LLVM's main branch after the build whose bindings are in the ODS tables."""


def test_an_attribute_with_a_default_is_written_without_its_name() -> None:
    """LLVM 22 prints both spellings of the attribute as `<tail>`."""
    line = '%0 = llvm.inline_asm tail_call_kind = {} asm_dialect = att "x", "=r,r" %arg0 : (i32) -> i32'
    for written in ("<tail>", "#llvm.tailcallkind<tail>"):
        text = f"llvm.func @f(%arg0: i32) {{\n{line.format(written)}\nllvm.return\n}}"
        assert messages(text, 22) == []
        assert line.format("<tail>") in print_module(module_of(parse_source(text).chunks[0]))
