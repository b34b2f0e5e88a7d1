"""Parsing of RUN lines, and the programs and files that they may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.ide.runlines.closest import closest, literal
from gpuasync_lsp.ide.runlines.plan import Stage, Tool, plan
from gpuasync_lsp.ide.runlines.script import Script, read_script
from gpuasync_lsp.ide.runlines.shell import parse
from gpuasync_lsp.ide.runlines.substitution import Paths, substituted
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.text import LineIndex

NAMES = frozenset({"mlir-opt"})


def script(text: str) -> Script:
    return read_script(LineIndex(text))


def paths(folder: Path) -> Paths:
    return Paths(str(folder / "a.mlir"), str(folder), str(folder / "tmp"))


def stages(command: str, folder: Path) -> list[Stage]:
    """Return the stages of the only pipeline in a RUN line."""
    (pipeline,) = plan(script(f"// RUN: {command}\n").runs[0], paths(folder), NAMES)
    return list(pipeline.stages)


def test_continuations_are_one_command_with_the_line_that_it_begins_in() -> None:
    found = script(
        "\n// RUN: mlir-opt %s \\\n// RUN:   --cse | \\\r\n; RUN: FileCheck %s\r\n// RUN: mlir-opt\n"
    )
    assert [(run.line, run.last, run.command) for run in found.runs] == [
        (2, 4, "mlir-opt %s    --cse |  FileCheck %s"),
        (5, 5, "mlir-opt"),
    ]


def test_what_lit_defines_is_what_it_stands_for() -> None:
    found = script(
        "// DEFINE: %{pass} = --cse\n// DEFINE: %{all} = mlir-opt %s %{pass}\n// RUN: %{all}\n"
        "// REDEFINE: %{pass} = --inline\n// RUN: %{all} %%\n"
    )
    commands = [substituted(run.command, run.definitions) for run in found.runs]
    here = Paths("/x y/a.mlir", "/x y", "/tmp/t")
    assert [[here.filled(word) for word in parse(each)[0].calls[0].words] for each in commands] == [
        ["mlir-opt", "/x y/a.mlir", "--cse"],
        ["mlir-opt", "/x y/a.mlir", "--inline", "%"],
    ]


def test_keywords_count_as_in_lit() -> None:
    found = script(
        "// XFAIL: *\n// REQUIRES: asserts\n// RUN: a %(line-2) %(line)\n// END.\n// RUN: what is not read\n"
    )
    assert found.fails
    assert found.conditions == ("REQUIRES: asserts",)
    assert [run.command for run in found.runs] == ["a 1 3"]


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("%s", "/d/a.mlir"),
        ("%S/b", "/d/b"),
        ("%p", "/d"),
        ("%t", "/tmp/t/a.mlir.tmp"),
        ("%t2.o", "/tmp/t/a.mlir.tmp2.o"),
        ("%T", "/tmp/t"),
        ("%{s:stem}", "a"),
        ("%{s:basename}", "a.mlir"),
        ("%basename_t", "a.mlir"),
        ("100%%", "100%"),
    ],
)
def test_substitutions(word: str, wanted: str) -> None:
    assert Paths("/d/a.mlir", "/d", "/tmp/t").filled(substituted(word, {})) == wanted


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]),
        ("a -p='x(y)' b'c'\"d\"", ["a", "-p=x(y)", "bcd"]),
        (r'a "x\"y\\z\n\$w" $v', ["a", r'x"y\z\n$w', "$v"]),
        ("a ''", ["a", ""]),
    ],
)
def test_words_are_those_of_lits_shell(command: str, words: list[str]) -> None:
    assert list(parse(command)[0].calls[0].words) == words


def test_pipes_and_redirections() -> None:
    found = parse("a < b 2>&1 | c 2> /dev/null && d >>e ; f || g")
    assert [(each.after, [call.words for call in each.calls]) for each in found] == [
        ("", [("a",), ("c",)]),
        ("&&", [("d",)]),
        (";", [("f",)]),
        ("||", [("g",)]),
    ]
    redirections = [
        (r.operator, r.descriptor, r.target) for each in found for c in each.calls for r in c.redirections
    ]
    assert redirections == [("<", None, "b"), (">&", 2, "1"), (">", 2, "/dev/null"), (">>", None, "e")]


def test_stages_name_the_tools_and_what_is_turned_round(tmp_path: Path) -> None:
    found = stages(
        "not --crash mlir-opt %s | not FileCheck -check-prefix A %s --dump-input=fail | count 0", tmp_path
    )
    source = str(tmp_path / "a.mlir")
    assert [(each.tool, each.arguments, each.negated, each.crashes) for each in found] == [
        (Tool.MLIR_OPT, (source,), True, True),
        (Tool.FILECHECK, ("--check-prefix=A", source), True, False),
        (Tool.COUNT, ("0",), False, False),
    ]


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("mlir-runner %s", "mlir-runner"),
        ("mlir-opt %s | sed s/a/b/", "sed"),
        ("FOO=1 mlir-opt %s", "FOO=1"),
        ("%mlir_opt %s", "%mlir_opt"),
        ("mlir-opt %{what}", "%{what}"),
        ("FileCheck --implicit-check-not=x %s", "--implicit-check-not"),
        ("mlir-opt %s |& FileCheck %s", "&"),
        ("mlir-opt %s |", "no command after"),
        ("mlir-opt 'x", "quote"),
        ("not", "not"),
    ],
)
def test_what_is_not_run_is_named(tmp_path: Path, command: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named.replace("{", r"\{")):
        stages(command, tmp_path)


def test_the_closest_line_is_the_one_with_the_most_in_common() -> None:
    assert literal(" %[[A:.*]] = arith.addi {{.*}} : i32").split() == ["%", "=", "arith.addi", ":", "i32"]
    lines = ["module {", "  %c = arith.constant 3 : i32", "  %0 = arith.muli %a, %b : i32", "}"]
    assert closest(" [[X:%.+]] = arith.addi {{.*}} : i32", lines) == 2
    assert closest(" arith.constant 4 : i32", lines) == 1
    assert closest(" gpu.launch_func", lines) is None
    assert closest(" {{.*}}", lines) is None
