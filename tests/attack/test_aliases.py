"""Aliases that each use the previous one twice: expanding forty of them would take a terabyte."""

from __future__ import annotations

import pytest

from gpuasync_lsp.lowering import lower_chunk
from gpuasync_lsp.syntax import parse_source
from tests.attack.test_time import within
from tests.support.marks import state_of

DEFINITIONS = {
    "tuples": ("!a0 = tuple<i32>", "!a{n} = tuple<!a{m}, !a{m}>", "(%x: !a39)"),
    "functions": ("!a0 = () -> i32", "!a{n} = (!a{m}, !a{m}) -> !a{m}", "(%x: !a39)"),
    "types of unknown dialects": ("!a0 = !u.t<i32>", "!a{n} = !u.t<!a{m}, !a{m}>", "(%x: !a39)"),
    "arrays": ("#a0 = [1]", "#a{n} = [#a{m}, #a{m}]", "() attributes {u.x = #a39}"),
    "dictionaries": ("#a0 = {}", "#a{n} = {{l = #a{m}, r = #a{m}}}", "() attributes {u.x = #a39}"),
    "locations": ('#a0 = loc("a")', "#a{n} = loc(fused[#a{m}, #a{m}])", "()"),
}


def program(kind: str, count: int) -> str:
    first, next_one, signature = DEFINITIONS[kind]
    lines = [first, *(next_one.format(n=n, m=n - 1) for n in range(1, count))]
    at = f" loc(#a{count - 1})" if kind == "locations" else ""
    signature = signature.replace("a39", f"a{count - 1}")
    return "\n".join([*lines, f"func.func @f{signature} {{", f"  return{at}", "}"]) + "\n"


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_aliases_that_double(kind: str) -> None:
    text = program(kind, 40)
    with within(10):
        problems = parse_source(text).problems()
        state_of(text)
    assert problems == []  # Nothing expands the aliases.


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_aliases_of_aliases(kind: str) -> None:
    assert parse_source(program(kind, 5)).problems() == []


def test_a_long_alias_is_used_by_another() -> None:
    text = f"#a = dense<{list(range(9_000))}> : tensor<9000xi32>\n#b = {{l = #a, r = #a}}\n"
    assert parse_source(text + "func.func @f() attributes {u.x = #b} {\n  return\n}\n").problems() == []


def test_a_chain_of_type_descriptors_is_lowered() -> None:
    text = '#t0 = #llvm.tbaa_root<id = "root">\n' + "".join(
        f'#t{n} = #llvm.tbaa_type_desc<id = "c{n}", members = {{<#t{n - 1}, 0>, <#t{max(n - 2, 0)}, 8>}}>\n'
        for n in range(1, 60)
    )
    text += """#tag = #llvm.tbaa_tag<base_type = #t59, access_type = #t59, offset = 0>
llvm.func @f(%p: !llvm.ptr) -> i32 {
  %0 = llvm.load %p {tbaa = [#tag]} : !llvm.ptr -> i32
  llvm.return %0 : i32
}
"""
    with within(10):
        source = parse_source(text)
        lowered = lower_chunk(source.chunks[0], 22)
        again = parse_source(lowered.printed.text)
    assert source.problems() == again.problems() == []
    assert len(lowered.printed.text) < 2 * len(text)
    assert "#t59 = " in lowered.printed.text
