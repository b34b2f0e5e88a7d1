"""Aliases that name the one before twice: forty of them spell a terabyte."""

from __future__ import annotations

import re

import pytest

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
    if kind == "locations":
        assert problems == []  # nobody needs to spell them out
    else:
        (problem,) = problems
        assert "too long when spelled out" in problem.message
        assert re.fullmatch(r"[!#]a\d+", problem.span.of(text))


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_aliases_of_aliases(kind: str) -> None:
    assert parse_source(program(kind, 5)).problems() == []


def test_a_long_alias_is_used_by_another() -> None:
    text = f"#a = dense<{list(range(9_000))}> : tensor<9000xi32>\n#b = {{l = #a, r = #a}}\n"
    assert parse_source(text + "func.func @f() attributes {u.x = #b} {\n  return\n}\n").problems() == []
