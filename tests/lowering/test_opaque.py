"""Ops of unknown dialects are unchanged by a lowering."""

from __future__ import annotations

from gpuasync_lsp.lowering import lower
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

TEXT = TEXTS["TEXT"]


def lowered(text: str) -> str:
    return print_module(lower(module_of(parse_source(text).chunks[0]), 22).module)


def test_regions_stay_in_the_text_around_them() -> None:
    text = lowered(TEXT)
    assert (
        "%11 = acme.fused(%7, %0) attributes {x} {\n      acme.inner %9, %0 : index\n    } : memref<4xf32>"
        in text
    )
    assert "%12:2 = acme.for %arg6 = %0 to %0 iter(%arg7 = %11) {\n" in text
    assert (
        "acme.yield %20, %arg6\n    } else {\n    ^bb0(%arg6: f32):\n      acme.other %arg6\n    }\n" in text
    )


def test_results_have_the_types_of_their_uses() -> None:
    text = lowered(TEXT)
    assert "llvm.fadd %12#1, %11 : f32" in text
    assert "builtin.unrealized_conversion_cast %15 : !gpu.async.token to !llvm.ptr" in text
    assert "gpuasync." not in text


def test_attributes_of_several_lines_stay_in_the_head_of_the_module() -> None:
    text = lowered("module attributes {acme.target = #acme.target<[A,\n  B], c<\n  d = 1>>} {\n}\n")
    assert text.replace("\n", " ").startswith("module attributes {acme.target = #acme.target<[A,")
    assert text.count("{") == text.count("}")
