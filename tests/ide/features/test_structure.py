"""The structure of a file: outline, folding, selections, links, calls, semantic tokens."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.options import EditorOptions, editor_options
from gpuasync_lsp.ide.features import semantic_tokens
from gpuasync_lsp.ide.features.call_hierarchy import callable_at, incoming, outgoing
from gpuasync_lsp.ide.features.folding import folds
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.ide.features.lenses import lenses
from gpuasync_lsp.ide.features.links import links
from gpuasync_lsp.ide.features.outline import SymbolSort, flat, matches, outline
from gpuasync_lsp.ide.features.selection import selections
from gpuasync_lsp.ide.features.semantic_tokens import MODIFIERS, TYPES, numbers, segments
from gpuasync_lsp.ide.features.workspace import symbols_of
from gpuasync_lsp.lsp.capabilities import TOKEN_MODIFIERS, TOKEN_TYPES
from gpuasync_lsp.releases import DEFAULT
from gpuasync_lsp.text import Encoding, LineIndex, Span
from tests.lsp.examples import KERNEL, SEED
from tests.support.marks import at_cursor, edited, state_of
from tests.support.tools import FIXTURES

BROKEN = KERNEL.replace("    gpu.wait [%t1]\n", "    %oops = = ?\n    gpu.wait [%t1]\n")


@pytest.mark.parametrize("text", [KERNEL, BROKEN], ids=["sound", "broken"])
def test_outline(text: str) -> None:
    top = outline(state_of(text).source)
    assert [(e.name, e.sort) for e in top] == [("@kernels", SymbolSort.MODULE), ("@run", SymbolSort.FUNCTION)]
    (scale,) = top[0].children
    assert (scale.name, scale.sort, scale.container) == ("@scale", SymbolSort.KERNEL, "@kernels")


def test_the_outline_of_a_file_that_is_not_parsed_is_the_same() -> None:
    for text in (KERNEL, BROKEN, SEED, "// -----\n".join([SEED, KERNEL])):
        parsed = [(e.name, e.sort, e.name_span) for e in flat(outline(state_of(text).source))]
        quick = [(e.name, e.sort, e.name_span) for e in symbols_of(text)]
        assert quick == parsed


def test_the_outline_of_the_generic_form() -> None:
    text = """
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> ()}> ({
    "gpu.return"() : () -> ()
  }) {gpu.kernel, sym_name = "scale"} : () -> ()
}) : () -> ()
"memref.global"() <{sym_name = "data", type = memref<4xf32>}> : () -> ()
"""
    top = outline(state_of(text).source)
    assert [(e.name, e.sort) for e in top] == [("@kernels", SymbolSort.MODULE), ("@data", SymbolSort.GLOBAL)]
    assert [(e.name, e.sort, e.container) for e in top[0].children] == [
        ("@scale", SymbolSort.KERNEL, "@kernels")
    ]


def test_names_match_by_their_letters_in_order() -> None:
    assert matches("", "@scale")
    assert matches("SCL", "@scale")
    assert not matches("lcs", "@scale")


def test_folds() -> None:
    text = "// one\n// two\n" + KERNEL + "// -----\n" + SEED
    lines = LineIndex(text)
    found = {
        (lines.position(f.span.start)[0], lines.position(f.span.end)[0], f.kind)
        for f in folds(state_of(text).source, lines)
    }
    assert (0, 1, "comment") in found
    assert (2, 15, "region") in found
    assert (4, 6, "region") in found
    assert sum(kind == "region" for _, _, kind in found) == 8


def test_selections_grow_to_the_whole_file() -> None:
    state, offset = at_cursor(KERNEL.replace("async [%t0] @kernels", "async [%<|>t0] @kernels"))
    found = [s.of(state.text) for s in selections(state.source, state.lines, offset)]
    assert found[:2] == ["%t0", "[%t0]"]
    assert found[2].startswith("%t1 = gpu.launch_func")
    assert found[-2].startswith("func.func @run") or found[-1] == state.text
    assert all(small in large for small, large in pairwise(found))


def test_a_bracket_of_another_statement_hides_none_around() -> None:
    text = "func.func @f(%c: i1) {\n  %x = arith.addi [%c, %c : i1\n  scf.if %c {\n    return<|>\n  }\n}\n"
    state, offset = at_cursor(text)
    found = [s.of(state.text) for s in selections(state.source, state.lines, offset)]
    assert [text for text in found if text.startswith("{")] == [
        "{\n    return\n  }",
        state.text[state.text.index("{") :].rstrip(),
    ]


def test_links_lead_to_files_and_kernels(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("x = 1\n")
    text = KERNEL.replace("gpu.wait [%t1]", 'gpu.wait [%t1] loc("model.py":1:2)')
    found = list(links(state_of(text).source, tmp_path))
    (file,) = [link for link in found if link.path]
    assert (file.path, file.line, file.column) == (tmp_path / "model.py", 1, 2)
    (kernel,) = [link for link in found if link.target]
    assert kernel.span.of(text) == "@scale"
    assert kernel.target is not None
    assert kernel.target.of(text) == "@scale"


def test_calls_both_ways() -> None:
    state, offset = at_cursor(KERNEL.replace("@run(", "@r<|>un("))
    run = callable_at(state.source, offset)
    assert run is not None
    (launch,) = outgoing(state.source, run)
    assert launch.other.label == "scale"
    assert [place.of(state.text) for place in launch.places] == ["@scale"]
    (caller,) = incoming(state.source, launch.other)
    assert caller.other.label == "run"


LEAKY = """\
func.func @f() {
  %a = gpu.wait async
  %b = gpu.wait async [%a]
  gpu.wait [%b]
  return
}
"""


def decoded(text: str, encoding: Encoding = "utf-32") -> list[tuple[str, str, set[str]]]:
    """Return the semantic tokens of a text in readable form."""
    state = state_of(text)
    lines, found = LineIndex(text), list[tuple[str, str, set[str]]]()
    line = column = 0
    for first, tail in numbers(segments(state, encoding)):
        data = [*first, *tail.rest]
        for at in range(0, len(data), 5):
            delta, shift, length, kind, modifiers = data[at : at + 5]
            line, column = line + delta, shift + (0 if delta else column)
            start, end = lines.offset(line, column, encoding), lines.offset(line, column + length, encoding)
            words = {m for bit, m in enumerate(MODIFIERS) if modifiers >> bit & 1}
            found.append((text[start:end], TYPES[kind], words))
    return found


def test_semantic_tokens_know_leaked_and_joined_streams() -> None:
    found = decoded(LEAKY)
    assert ("@f", "function", {"declaration"}) in found
    assert ("%a", "variable", {"declaration", "async", "leaked", "joined"}) in found
    assert ("%b", "variable", {"async"}) in found
    assert ("gpu.wait", "keyword", set()) in found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", [KERNEL, BROKEN, SEED, '"t.a"() {n = "€😀"} : () -> i1\n' + LEAKY])
def test_semantic_tokens_are_words_of_the_text(text: str, encoding: Encoding) -> None:
    found = decoded(text, encoding)
    assert found
    assert all(word and " " not in word for word, _, _ in found)
    assert decoded(text, encoding) == decoded(text, "utf-32")


def test_an_edit_leaves_the_semantic_tokens_of_other_lines() -> None:
    body = "".join(f"  %n{n} = arith.constant {n} : index\n" for n in range(50))
    text = f"func.func @of_numbers() {{\n{body}  return\n}}\n"
    decoded(text)
    made = semantic_tokens._row.cache_info().misses  # pyright: ignore[reportPrivateUsage]
    edited = text.replace("constant 25 :", "constant 7 :").replace("  return", "\n  return")
    assert decoded(edited) == decoded(text)
    assert semantic_tokens._row.cache_info().misses - made <= 2  # pyright: ignore[reportPrivateUsage]


def test_the_legends_agree() -> None:
    assert (TYPES, MODIFIERS) == (TOKEN_TYPES, TOKEN_MODIFIERS)


def test_hints_name_streams_and_events() -> None:
    text = LEAKY.replace("@f()", "@f(%e: !gpu.async.token)").replace("[%b]", "[%b, %e]")
    state = state_of(text)
    whole = Span(0, len(text))
    found = [(text[: h.offset].split()[-1], h.text) for h in inlay_hints(state, whole, EditorOptions())]
    assert ("%a", ": stream 0") in found
    assert ("%b", ": stream 1") in found
    assert ("@f(%e", ": caller's event %e") in found
    none = EditorOptions(hint_streams=False)
    assert list(inlay_hints(state, whole, none)) == []


def test_hints_name_types_that_the_syntax_hides() -> None:
    body = "  %c = arith.cmpi eq, %a, %a : i32\n  %b = arith.addi %a, %a : i32\n"
    text = f"func.func @f(%a: i32) {{\n{body}  return\n}}\n"
    options = EditorOptions(hint_types=True)
    found = [h.text for h in inlay_hints(state_of(text), Span(0, len(text)), options)]
    assert found == [": i1"]


def test_the_type_of_a_literal_can_be_inserted() -> None:
    body = (
        "  %n = arith.constant 42\n  %x = arith.constant -1.5e3  // so\n  %c = arith.cmpi eq, %n, %n : i64\n"
    )
    text = f"func.func @f() {{\n{body}  %t = arith.constant true\n  return\n}}\n"
    options = EditorOptions(hint_types=True)
    state = state_of(text)
    found = list(inlay_hints(state, Span(0, len(text)), options))
    assert [h.text for h in found] == [": i64", ": f64", ": i1", ": i1"]
    written = edited(state, [edit for hint in found for edit in hint.edits])
    assert "%n = arith.constant 42 : i64\n  %x = arith.constant -1.5e3 : f64  // so\n" in written
    # Types that are now explicit have no hint, and the meaning is unchanged.
    again = state_of(written)
    assert [h.text for h in inlay_hints(again, Span(0, len(written)), options)] == [": i1", ": i1"]
    assert not again.all_findings()


def test_editor_options_take_what_they_can_use() -> None:
    assert editor_options({}) == EditorOptions()
    assert not editor_options({"inlayHints": False}).hint_streams
    assert editor_options({"inlayHints": {"types": True}}).hint_types
    assert editor_options({"inlayHints": "loud", "codeLens": 3}) == EditorOptions()


def test_lenses_say_what_can_be_done_with_a_function() -> None:
    found = list(lenses(state_of(KERNEL)))
    assert {lens.function for lens in found} == {"run"}
    assert [(lens.title, lens.device) for lens in found] == [
        (f"LLVM {DEFAULT}: 1 stream", ""),
        ("Run on GPU", "cuda"),
        ("Run on CPU", "cpu"),
        ("Preview", ""),
    ]


@pytest.mark.parametrize(
    ("function", "titles"),
    [
        ("func.func @f(%n: index) {\n  return\n}\n", ["Run on GPU", "Run on CPU", "Preview"]),
        ("module {\n  func.func @f() {\n    return\n  }\n}\n", ["Run on GPU", "Run on CPU", "Preview"]),
        ("func.func private @f(i32)\n", []),
        ("func.func @f(%t: tensor<4xf32>) {\n  return\n}\n", []),
        ("func.func @f() {\n  %a = = ?\n  return\n}\nfunc.func @g() {\n  return\n}\n", []),
        (
            "func.func @f() {\n  ?\n  return\n}\n// -----\nfunc.func @g() {\n  return\n}\n",
            ["Run on GPU", "Run on CPU", "Preview"],
        ),
        (
            "func.func @f(%t: !gpu.async.token) {\n  gpu.wait [%t]\n  return\n}\n",
            [f"LLVM {DEFAULT}: 1 event of the caller", "Run on GPU", "Run on CPU", "Preview"],
        ),
    ],
)
def test_only_functions_that_can_be_called_have_a_lens_to_run_them(function: str, titles: list[str]) -> None:
    assert [lens.title for lens in lenses(state_of(function))] == titles


def test_a_dump_has_a_lens_on_its_first_line() -> None:
    text = (FIXTURES.parents[1] / "examples" / "dumps" / "two_streams.txt").read_text()
    first = next(lenses(state_of(f"note: a line of the log\n{text}")))
    assert (first.command, first.span) == ("gpuasync.passes", Span(0, 0))
    assert all(lens.command != "gpuasync.passes" for lens in lenses(state_of(KERNEL)))


def test_the_tokens_of_a_very_long_line_are_not_kept() -> None:
    long = f"  %{'x' * 2_000} = arith.constant 1 : index\n"
    kept: list[tuple[int, int]] = []
    sizes: list[int] = []
    for line in ("", long):
        semantic_tokens._row.cache_clear()  # pyright: ignore[reportPrivateUsage]
        semantic_tokens._kept_words.cache_clear()  # pyright: ignore[reportPrivateUsage]
        state = state_of(f"func.func @f() {{\n{line}  return\n}}\n")
        found = list(numbers(segments(state, "utf-16")))
        sizes.append(sum(len(tail.rest) for _, tail in found))
        caches = (
            semantic_tokens._row,  # pyright: ignore[reportPrivateUsage]
            semantic_tokens._kept_words,  # pyright: ignore[reportPrivateUsage]
        )
        kept.append((caches[0].cache_info().currsize, caches[1].cache_info().currsize))
    assert sizes[0] < sizes[1]
    assert kept[0] == kept[1]
