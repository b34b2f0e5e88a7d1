"""MLIR's C++ and trait verifiers, including handwritten op classes: mlir-opt's messages, per release."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.support.tools import mlir_opt

WRONG = {
    "llvm.func @f(i32 {llvm.noalias})": '"llvm.noalias" attribute attached to non-pointer LLVM type',
    "llvm.func @f(!llvm.ptr {llvm.align = 4.0 : f32})": '"llvm.align" should be an integer attribute',
    "llvm.func @f() -> (!llvm.ptr {llvm.byval = i32})": '"llvm.byval" is not a valid result attribute',
    "func.func @f() attributes {nvvm.kernel} { return }": (
        "'nvvm.kernel' attribute attached to unexpected op"
    ),
    "func.func @f() attributes {gpu.known_block_size = 3 : i32} { return }": (
        "'func.func' op gpu.known_block_size must be a dense i32 array"
    ),
    "func.func @f(%a: index) { %0 = arith.extsi %a : index to i64 return }": (
        "'arith.extsi' op operand #0 must be signless-fixed-width-integer-like, but got 'index'"
    ),
    "func.func @f(%a: vector<[4]xi32>) { %0 = arith.trunci %a : vector<[4]xi32> to vector<4xi8> return }": (
        "'arith.trunci' op requires the same shape for all operands and results"
    ),
    "func.func @f(%a: f16) { %0 = arith.bitcast %a : f16 to f32 return }": (
        "'arith.bitcast' op operand type 'f16' and result type 'f32' are cast incompatible"
    ),
    "func.func @f() { nvvm.setmaxregister decrease 51 return }": (
        "'nvvm.setmaxregister' op new register size must be multiple of 8"
    ),
    "func.func @f(%a: vector<2x3xi32>, %b: vector<3xi32>) {\n"
    "%0:2 = vector.scan <add>, %a, %b {inclusive = true, reduction_dim = 5} : vector<2x3xi32>,"
    " vector<3xi32>\n"
    "return }": "'vector.scan' op reduction dimension 5 has to be less than 2",
    "func.func @f(%m: memref<?xf32>, %x: index) { affine.for %i = 0 to 9 {\n"
    "%1 = arith.muli %i, %x : index\n%c = affine.load %m[%1] : memref<?xf32> } return }": (
        "'affine.load' op operand cannot be used as a dimension id"
    ),
}


def messages(text: str, version: int) -> list[str]:
    return [finding.message for finding in check_source(text, Config(llvm=version))]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_in_the_words_of_mlir(text: str) -> None:
    assert messages(text, 22) == [WRONG[text]]


def test_what_releases_differ_in_is_said_for_those_that_refuse_it() -> None:
    load = (
        "func.func @f(%m: memref<?xi8>, %i: index) {\n"
        "  %0 = vector.load %m[%i] : memref<?xi8>, vector<16x16xi8>\n  return\n}\n"
    )
    wanted = "'vector.load' op destination memref has lower rank than the result vector"
    assert messages(load, 22) == [wanted]
    assert messages(load, 19) == []


OTHERWISE_SAID = {
    "func.func @f(%c: i1, %n: index) -> index { %r = scf.if %c -> (index) { scf.yield %n : index } "
    "else { scf.yield } return %r : index }": (
        "'scf.if' op region control flow edge from Region #1 to parent results: "
        "source has 0 operands, but target successor needs 1"
    ),
    "func.func @f(%c: i1, %x: f32) -> index { %r = scf.if %c -> (index) { scf.yield %x : f32 } "
    "else { scf.yield %x : f32 } return %r : index }": (
        "'scf.if' op along control flow edge from Region #0 to parent results: "
        "source type #0 'f32' should match input type #0 'index'"
    ),
    "func.func @f() { %m = memref.alloc() : memref<?xf32> return }": (
        "'memref.alloc' op dimension operand count does not equal memref dynamic dimension count"
    ),
}


@pytest.mark.parametrize("text", OTHERWISE_SAID)
def test_a_release_has_words_of_its_own(text: str) -> None:
    assert messages(text, 21) == [OTHERWISE_SAID[text]]
    said = mlir_opt(21)(text)
    assert OTHERWISE_SAID[text] in said.err
    assert messages(text, 22) != [OTHERWISE_SAID[text]] != []


def test_what_is_right_is_silent() -> None:
    text = (
        "llvm.func @f(!llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, i32 {llvm.signext})"
        " -> (i1 {llvm.zeroext})\n"
        "func.func @g(%m: memref<?xf32>, %x: index, %p: memref<4xf32> {llvm.noalias}) {\n"
        "  %0 = arith.addi %x, %x : index\n"
        "  affine.for %i = 0 to 9 {\n"
        "    %1 = affine.load %m[%i + symbol(%0)] : memref<?xf32>\n  }\n  return\n}\n"
    )
    assert messages(text, 22) == []
    assert messages(text, 19) == []


def test_an_unknown_op_may_be_a_table_of_symbols() -> None:
    inner = "func.func @g() { return }\nfunc.func @f() { call @g() : () -> ()\nreturn }\n"
    assert messages('"other.table"() ({\n' + inner + "}) : () -> ()\n", 22) == []
    assert messages("func.func @f() { call @g() : () -> ()\nreturn }\n", 22) != []


def test_elements_that_are_bits_are_read() -> None:
    bits = "0F" * 32
    text = f'func.func @f() {{\n  %0 = arith.constant dense<"0x{bits}"> : tensor<256xi1>\n  return\n}}\n'
    assert messages(text, 22) == []


def test_the_spelling_that_reads_more_of_the_text_is_the_one_that_was_meant() -> None:
    text = (
        "func.func @f(%d: !llvm.ptr, %s: !llvm.ptr<3>, %c: i32) {\n"
        "  nvvm.cp.async.bulk.tensor.global.shared.cta %d, %s, box[%c] : !llvm.ptr, !llvm.ptr<3>, i32\n"
        "  return\n}\n"
    )
    assert messages(text, 19) == []
    assert "in this release is:" in messages(text, 22)[0]
