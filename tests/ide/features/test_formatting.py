"""Formatting changes lines as expected and never changes the meaning."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from benchmarks.generate import module
from gpuasync_lsp.ide.features.formatting import broken_regions, format_edits, formatted, indentation
from gpuasync_lsp.ide.lookup import pieces
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.text import LineIndex, apply_edits
from tests.ide.document.test_incremental import TEXTS
from tests.support.tools import ROOT, cases, missing, mlir_opt


def spaced(text: str) -> str:
    """Format `text` without parsing it, as if it had no errors."""
    return apply_edits(text, list(format_edits(LineIndex(text))))


UGLY = """\
module attributes {gpu.container_module}  {
func.func @f( %m : memref<4xf32> ,%n: index )->index {
      %t=gpu.wait   async   // keep  this
  %a,%b  = gpu.alloc async[%t] ( %n ) : memref<?xf32>
  // a remark

    cf.br ^bb1
    ^bb1 :
    "t.op"() {a=1,b = "x  ,y"} : () -> ()
      wasmssa.block :{
 wasmssa.block_return
      } > ^bb1
        %u = gpu.memcpy async
  [%t] %m,
     %m : memref<4xf32>, memref<4xf32>
  return %n:index
}
}
"""

NEAT = """\
module attributes {gpu.container_module} {
  func.func @f(%m: memref<4xf32>, %n: index) -> index {
    %t = gpu.wait async   // keep  this
    %a, %b = gpu.alloc async [%t] (%n) : memref<?xf32>
    // a remark

    cf.br ^bb1
  ^bb1:
    "t.op"() {a = 1, b = "x  ,y"} : () -> ()
    wasmssa.block : {
      wasmssa.block_return
    }> ^bb1
    %u = gpu.memcpy async
        [%t] %m,
        %m : memref<4xf32>, memref<4xf32>
    return %n : index
  }
}
"""


def test_spaces_and_indentation() -> None:
    assert formatted(UGLY) == NEAT


def test_regions_on_one_line() -> None:
    """Ops are separated from braces by spaces, and symbols from keywords; line breaks remain."""
    text = """\
module{func.func@f(%a:i32)->i32{return %a:i32}
func.func@g(%a:i32){"t.op"() ({}) {transform.readonly} : () -> ()
call@f(%a){b}:(i32)->i32
return}}
"""
    wanted = """\
module { func.func @f(%a: i32) -> i32 { return %a : i32 }
  func.func @g(%a: i32) { "t.op"() ({}) {transform.readonly} : () -> ()
    call @f(%a) {b} : (i32) -> i32
    return}}
"""
    assert spaced(text) == wanted
    assert spaced(wanted) == wanted


LAYOUT = """\
module attributes {
  gpu.container_module,
  a.b = {c = 1}
} {
  func.func @f(%m: memref<4xf32>,
      %n: index) attributes {a.kernel} {
    scf.index_switch %n
    case 2 {
      scf.yield
    }
    default {
      scf.yield
    }
    %r:2 = "t.op"(%m,
        %n) <{a = 1}> ({
    ^bb0(%x: f32,
        %y: f32):
      "t.end"(%x)[^bb1, ^bb1] : (f32) -> ()
    ^bb1:
      %0 = "t.inner"() ({
        "t.end"() : () -> ()
      }, {
      }) : () -> i32
    }) {b} : (memref<4xf32>, index) -> (i32, i32)
    linalg.map ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
      (%in: f32) {
        linalg.yield %in : f32
      }
    %u = t.match ops{["x"]} in %m
        {a = 1, b} : i32
    %v = arith.addf %x, %y fastmath<nnan,ninf> : f32
    cf.switch %i : i32, [
      default: ^bb1,
      42: ^bb1(%x : f32)
    ]
  ^bb1:
    return
  }
}
"""


@pytest.mark.parametrize("spoil", ["", "  ", "         ", "\t"])
def test_layout(spoil: str) -> None:
    """A layout as in mlir-opt is unchanged, regardless of its indentation."""
    spoiled = "".join(spoil + line.strip() + "\n" for line in LAYOUT.splitlines())
    assert spaced(spoiled) == spaced(LAYOUT) == LAYOUT


def test_typing_and_ranges_come_to_what_the_whole_comes_to() -> None:
    lines = LineIndex(LAYOUT)
    for number, line in enumerate(LAYOUT.splitlines()):
        assert indentation(lines, number) == len(line) - len(line.lstrip()), line
    spoiled = LineIndex("".join(line.strip() + "\n" for line in LAYOUT.splitlines()))
    for number, line in enumerate(LAYOUT.splitlines()):
        assert [edit.text for edit in format_edits(spoiled, number, number)] == [
            line[: -len(line.lstrip())]
        ] * line.startswith(" ")


@pytest.mark.parametrize(
    "text", ["{" * 30_000, "{\n" * 9_000, "[" * 20_000 + "1, " * 20_000, "}" * 30_000, '{"' * 9_999]
)
def test_brackets_without_end(text: str) -> None:
    assert len(spaced(text)) < 80 * len(text) + 512 * text.count("\n")


@pytest.mark.parametrize("one_in", [1, 4])
def test_pieces_come_to_what_the_whole_comes_to(monkeypatch: pytest.MonkeyPatch, one_in: int) -> None:
    rng = random.Random(one_in)
    for text in [*TEXTS, module(60, 20).replace("gpu.memset async", "gpu.memset asynk", 2)]:
        spoilt = re.sub("^  +", lambda _: " " * rng.randrange(4), text, flags=re.MULTILINE)
        lines = LineIndex(spoilt)
        broken = [*broken_regions(parse_source(spoilt), lines)]
        ends = sorted(rng.randrange(lines.line_count) for _ in range(2))
        asked = ((), (*ends, broken), (0, None, broken), (ends[0],))
        whole = [[*format_edits(lines, *each)] for each in asked]
        indents = [indentation(lines, ends[1], ends[0], modules) for modules in (0, 1)]
        with monkeypatch.context() as small:
            small.setattr(pieces, "_SHORT", 0)
            small.setattr(pieces, "_ONE_IN", one_in)
            assert whole == [[*format_edits(lines, *each)] for each in asked], spoilt
            assert indents == [indentation(lines, ends[1], ends[0], modules) for modules in (0, 1)], spoilt


def test_only_what_was_asked_for() -> None:
    lines = LineIndex(UGLY)
    text = apply_edits(UGLY, list(format_edits(lines, 2, 3)))
    assert text.splitlines()[2:4] == NEAT.splitlines()[2:4]
    assert text.splitlines()[:2] == UGLY.splitlines()[:2]
    assert text.splitlines()[4:] == UGLY.splitlines()[4:]


def test_chunk_separators_and_metadata_stay() -> None:
    text = "// -----\n\n{-#\n  dialect_resources: {\n   a : 1\n  }\n#-}\n"
    assert formatted(text) == text


def test_what_cannot_be_read_stays_and_disturbs_nothing() -> None:
    broken = "  func.func @f() {\n        %x = gpu.wait   async\n  gpu.wait [[%x\n"
    sound = "func.func @g(%n:index)->index {\nreturn %n:index\n}\n"
    text = "module {\n" + sound + broken + "\n" + sound.replace("@g", "@h") + "}\n"
    neat = "  func.func @g(%n: index) -> index {\n    return %n : index\n  }\n"
    assert formatted(text) == "module {\n" + neat + broken + "\n" + neat.replace("@g", "@h") + "}\n"


@pytest.mark.parametrize(
    "text",
    [
        '"t.op"() {a = #foo<a,b   ,c>, b = !bar<x:i32  >} : () -> ()\n',
        '"t.op"() {a = #foo<a,\n b   ,c>} : () -> ()\n',
        "   // -----\n",
        '%r:2 = "t.op"() : () -> (i32, i32)\n',
    ],
)
def test_what_spaces_belong_to_stays(text: str) -> None:
    """Texts that MLIR stores verbatim, comments that would begin a chunk, result counts."""
    assert formatted(text) == text


@pytest.mark.slow
def test_mlir_opt_reads_the_same(shared_tests: list[Path]) -> None:
    """Formatting does not change the generic form, or which programs are rejected; it changes only white
    space."""
    tool = mlir_opt(22)
    options = ("--mlir-print-op-generic", "--split-input-file", "--allow-unregistered-dialect")
    accepted = 0
    for path in shared_tests:
        text = path.read_bytes().decode()
        after = formatted(text)
        assert formatted(after) == after, path
        assert re.sub(r"\s", "", after) == re.sub(r"\s", "", text), path
        if after != text:
            first, second = tool(text, *options), tool(after, *options)
            assert second.out == first.out, path
            accepted += first.code == 0
    assert accepted > len(shared_tests) / 3


@pytest.fixture
def shared_tests() -> list[Path]:
    """A sample of LLVM's own tests, if they are next to this checkout."""
    found = sorted((cases().parent / "llvm-tests").rglob("*.mlir"))[7::29]
    return found or missing("LLVM's tests are not beside this checkout")


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("func.func @f() {\n", 2),
        ("func.func @f() {\n}", 0),
        ("module {\n  func.func @f() {\n    gpu.wait\n", 4),
        ("module {\n  func.func @f() {\n    gpu.wait [\n", 6),
        ("module {\n  func.func @f() {\n    gpu.wait async [%a,\n", 8),
        ('"builtin.module"() ({\n  "func.func"() ({\n', 4),
        ('"builtin.module"() ({\n  "func.func"() ({\n}', 2),
        ("func.func @f() {\n  cf.br ^a\n^a:\n", 2),
    ],
)
def test_a_new_line_is_indented_by_what_is_open(text: str, indent: int) -> None:
    lines = LineIndex(text)
    assert indentation(lines, lines.line_count - 1) == indent


def corpus() -> list[Path]:
    own = sorted((ROOT / "tests" / "fixtures").rglob("*.mlir")) + sorted((ROOT / "examples").rglob("*.mlir"))
    return [*own, *sorted(cases().glob("*.mlir"))[::6]]


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_formatting_keeps_the_meaning_and_is_done_at_once(every: int) -> None:
    def meaning(text: str) -> list[str]:
        return [print_module(module_of(chunk)) for chunk in parse_source(text).chunks]

    checked = 0
    for path in corpus()[::every]:
        text = path.read_bytes().decode()
        after = spaced(text)
        assert spaced(after) == after, path
        if not parse_source(text).problems():
            assert meaning(after) == meaning(text), path
            checked += 1
    assert checked > 100 / every


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--mlir-print-op-generic", "--mlir-print-op-generic=false"])
def test_what_mlir_opt_prints_is_formatted_already(form: str) -> None:
    """Except for double spaces in mlir-opt's output, and spaces at line ends."""
    tool = mlir_opt(22)

    def squeezed(text: str) -> str:
        return re.sub(r"(?<=\S) {2,}(?!//)", " ", re.sub(r" +$", "", text, flags=re.MULTILINE))

    compared = 0
    for path in sorted(cases().glob("*.mlir"))[::24]:
        printed = tool(path.read_text(), form, "--split-input-file", "--allow-unregistered-dialect").out
        if printed:
            assert spaced(squeezed(printed)) == squeezed(printed), path
            compared += 1
    assert compared > 10
