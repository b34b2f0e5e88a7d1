"""The effect of each pass in a dump: compared with checks of single sections, and on handwritten dumps."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.ide.dumps.passes import INPUT, UNSEEN, PassRun, pass_runs
from tests.differential.dumps import WAYS, disagreements, dump, sample, settings
from tests.support.texts import texts_beside
from tests.support.tools import ROOT, SHARED, missing, mlir_opt

TEXTS = texts_beside(__file__)

FORK = TEXTS["FORK"]
"""A program whose stream is destroyed twice."""
SOUND = FORK.replace(
    "async [%0] %b, %a : memref<4xf32, 1>, memref<4xf32>\n  gpu.wait [%1]\n",
    "async [%1] %b, %a : memref<4xf32, 1>, memref<4xf32>\n",
)
OTHER = "func.func @g() {\n  return\n}\n"


def after(name: str, body: str) -> str:
    """Return a section that was dumped after a pass."""
    return f"// -----// IR Dump After {name} ({name.lower()}) //----- //\n{body}\n"


def before(name: str, body: str) -> str:
    """Return a section that was dumped before a pass."""
    return after(name, body).replace("After", "Before", 1)


def module(*functions: str) -> str:
    """Return a module with these functions."""
    lines = "".join(functions).splitlines()
    return "module {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def runs(text: str, function: str | None = None) -> list[PassRun]:
    """Return the passes of a dump and their effects, for LLVM 22."""
    return list(pass_runs(text, settings(22), function))


def codes(found: Sequence[PassRun]) -> list[tuple[str, list[str], list[str]]]:
    """Return the passes, each with the rules of the findings that it introduces and removes."""
    return [(run.pass_name, [f.code for f in run.begin], [f.code for f in run.end]) for run in found]


def test_what_the_first_section_has_begins_there() -> None:
    found = runs(after("A", FORK) + after("B", SOUND) + after("C", FORK))
    assert codes(found) == [("a", ["GA201"], []), ("b", [], ["GA201"]), ("c", ["GA201"], [])]
    assert [run.changed for run in found] == [None, True, True]


def test_what_a_pass_prints_on_the_way_is_part_of_it() -> None:
    steps = [
        f"// -----// SoftwarePipeliner internal IR Dump After: {name}\n{module(body)}"
        for name, body in (("LowerLoops", FORK), ("ExpandLoops", OTHER))
    ]
    begins = "// -----// IR Dump Before TritonGPUPipeline: tritongpu-pipeline{num-stages=3} //----- //\n"
    found = runs(begins + module(SOUND) + "".join(steps) + before("CSE", module(FORK)))
    assert codes(found) == [
        (INPUT, [], []),
        ("tritongpu-pipeline", ["GA201"], []),
        ("cse", [], []),
    ]
    assert found[1].options == "num-stages=3"


def test_function_inside_of_ops_that_are_unknown() -> None:
    executable = (
        "  hal.executable private @f {\n    hal.executable.variant public @cuda target(#t) {\n"
        "      builtin.module {\n%s      }\n    }\n  }\n"
    )
    inner = "".join(f"        {line}\n" for line in OTHER.replace("@g", "@f").splitlines())
    text = after("A", "module {\n" + executable % inner + "}\n") + after("B", SOUND)
    (_, run) = runs(text)
    assert (run.removed, run.added["gpu.memcpy"]) == ({}, 2)
    assert "hal.executable" not in run.added


def test_module_inside_of_a_module() -> None:
    """Both modules have a function with the same name."""
    inner = "module @inner {\n  func.func @f() {\n    return\n  }\n}\n"
    found = runs(after("A", module(FORK, inner)) + after("B", inner) + after("C", module(SOUND, inner)))
    assert codes(found) == [("a", ["GA201"], []), ("b", [], []), ("c", [], ["GA201"])]
    assert [run.changed for run in found] == [None, False, True]


def test_findings_stay_the_same_though_names_and_lines_change() -> None:
    renamed = FORK.replace("%0", "%stream").replace("{\n", "{\n  %c = arith.constant 1 : index\n", 1)
    (_, run) = runs(after("A", FORK) + after("B", renamed))
    assert (run.changed, run.added, run.begin, run.end) == (True, {"arith.constant": 1}, (), ())


def test_names_locations_aliases_and_indentation_are_no_change() -> None:
    plain = "module {\n  func.func @f(%a: memref<4xf32, strided<[2]>>) {\n    return\n  }\n}\n"
    other = (
        '#loc = loc("x":1:1)\n!m = memref<4xf32, strided<[2]>>\nmodule {\n'
        '  func.func @f(%b: !m loc("x":1:2)) {\n'
        '    return loc(#loc)\n  } loc(callsite(#loc at "y)"))\n} loc(unknown)\n'
    )
    found = runs(after("A", plain) + after("B", other))
    assert [run.changed for run in found] == [None, False]


def test_another_order_of_operands_is_a_change() -> None:
    one = "func.func @f(%a: i1, %b: i1) -> i1 {\n  %0 = arith.subi %a, %b : i1\n  return %0 : i1\n}\n"
    found = runs(after("A", one) + after("B", one.replace("%a, %b :", "%b, %a :")))
    assert [run.changed for run in found] == [None, True]


def test_a_section_of_one_function_replaces_that_function() -> None:
    broken, sound = FORK, SOUND.replace("@f", "@h")
    text = after("A", module(broken, OTHER, sound)) + after("B", SOUND) + after("C", FORK.replace("@f", "@h"))
    found = runs(text)
    assert codes(found) == [("a", ["GA201"], []), ("b", [], ["GA201"]), ("c", ["GA201"], [])]
    # The positions are in the sections in which the functions were last printed.
    (begin,), (end,) = found[2].begin, found[1].end
    assert text.index("After C") < begin.span.start
    assert end.span.start < text.index("After B")


def test_functions_that_are_printed_one_after_the_other() -> None:
    text = "".join((before("A", FORK), after("A", FORK), before("A", OTHER), after("A", OTHER)))
    found = runs(text + after("B", module(FORK, OTHER)))
    assert codes(found) == [
        (INPUT, ["GA201"], []),
        ("a", [], []),
        (INPUT, [], []),
        ("a", [], []),
        ("b", [], []),
    ]
    assert [run.changed for run in found] == [None, False, None, False, False]


def test_a_kernel_that_is_called_as_its_module() -> None:
    kernel = "gpu.func @k() kernel {\n  %0 = gpu.thread_id x\n  gpu.return\n}\n"
    inner = "".join(f"    {line}\n" for line in kernel.splitlines())
    text = module(OTHER)[:-2] + f"  gpu.module @k {{\n{inner}  }}\n}}\n"
    found = runs(after("A", text) + after("B", kernel.replace("  %0 = gpu.thread_id x\n", "")))
    assert found[1].removed == {"gpu.thread_id": 1}


def test_before_all_alone_tells_of_passes_by_what_the_next_one_is_given() -> None:
    text = before("A", module(FORK)) + before("B", module(SOUND)) + before("C", module(SOUND))
    found = runs(text)
    assert codes(found) == [(INPUT, ["GA201"], []), ("a", [], ["GA201"]), ("b", [], []), ("c", [], [])]
    assert [run.changed for run in found] == [None, True, False, None]


def test_passes_that_were_not_printed() -> None:
    found = runs(before("A", module(FORK)) + after("A", module(FORK)) + before("C", module(SOUND)))
    assert codes(found)[2] == (UNSEEN, [], ["GA201"])


@pytest.mark.parametrize("options", [(), ("--mlir-print-ir-module-scope",)])
def test_a_pass_that_runs_others_has_done_what_they_are_given(options: tuple[str, ...]) -> None:
    text = """
func.func @g(%a: index) -> index { %0 = arith.addi %a, %a : index return %0 : index }
func.func @f(%a: index) -> index { %0 = call @g(%a) : (index) -> index return %0 : index }
"""
    told = runs(dump(mlir_opt(22), text, "inline", *WAYS[1], *options))
    assert [(run.pass_name, bool(run.changed)) for run in told if run.class_name] == [
        ("canonicalize", False),
        ("canonicalize", False),
        ("inline", True),
        ("canonicalize", False),
        ("inline", False),
    ]


def test_ops_of_unknown_dialects_are_counted_by_their_names() -> None:
    body = module('func.func @g() {\n  "foo.op"() : () -> ()\n  return\n}\n')
    found = runs(after("A", body) + after("B", module(OTHER)))
    assert (found[1].added, found[1].removed) == ({}, {"foo.op": 1})


def test_a_pass_that_failed() -> None:
    text = after("A", module(FORK)) + after("B Failed", module(FORK)).replace("(b failed)", "(b)")
    assert [(run.pass_name, run.failed) for run in runs(text)] == [("a", False), ("b", True)]


def test_modules_that_have_nothing_in_common_are_apart() -> None:
    kernel = module(FORK).replace("@f", "@k")
    text = after("A", module(SOUND)) + after("A", kernel) + after("B", module(FORK)) + after("B", kernel)
    assert codes(runs(text)) == [("a", [], []), ("a", ["GA201"], []), ("b", ["GA201"], []), ("b", [], [])]


def test_one_function_only() -> None:
    text = after("A", module(FORK, OTHER)) + after("B", OTHER) + after("C", module(SOUND, OTHER))
    assert codes(runs(text, "f")) == [("a", ["GA201"], []), ("c", [], ["GA201"])]
    assert [(run.pass_name, run.changed) for run in runs(text, "g")] == [
        ("a", None),
        ("b", False),
        ("c", False),
    ]


def test_the_second_of_two_like_findings_is_new() -> None:
    twice = FORK.replace(
        "  return",
        "".join(FORK.splitlines(keepends=True)[1:-2])
        .replace("%", "%x")
        .replace("%xa", "%a")
        .replace("%xb", "%b")
        + "  return",
    )
    (_, run) = runs(after("A", FORK) + after("B", twice))
    assert codes([run]) == [("b", ["GA201"], [])]


TRITON = TEXTS["TRITON"]
FLANG = TEXTS["FLANG"]


def test_a_dump_of_triton() -> None:
    found = runs(TRITON)
    assert [(run.pass_name, run.options, run.changed) for run in found] == [
        (INPUT, "", None),
        ("tritongpu-coalesce", "", True),
        ("tritongpu-pipeline", "n=3", None),
    ]
    assert runs(TRITON.replace("\n", "\r\n"), "add_kernel")[1].changed is True


def test_a_dump_of_flang() -> None:
    found = runs(FLANG)
    assert [(run.pass_name, run.scope) for run in found] == [
        ("character-conversion", "builtin.module"),
        ("cse", "func.func @_QPaxpy"),
    ]
    assert found[1].removed == {"fir.load": 1, "fir.undefined": 1}


def test_the_example_tells_which_pass_made_one_stream_of_two() -> None:
    text = (ROOT / "examples" / "dumps" / "two_streams.txt").read_text()
    begins = [(run.pass_name, finding.code) for run in runs(text) for finding in run.begin]
    assert begins == [("canonicalize", "GA201")]


@pytest.mark.slow
@pytest.mark.parametrize("version", [16, 19, 22])
def test_passes_against_sections_by_themselves(version: int) -> None:
    if not SHARED.is_dir():
        missing("the shared programs are not there")
    tool = mlir_opt(version)
    for name, text, pipeline, way in sample(version, seed=18, count=8):
        assert not list(disagreements(tool, version, text, pipeline, way)), (name, pipeline, way)


PART = TEXTS["PART"]
"""A function that is correct within its module, which is missing from the dump of a function pass."""


def test_a_part_of_a_module_may_name_what_is_in_the_rest() -> None:
    missing = {"GA003", "GA004", "GA005"}

    def told(text: str) -> set[str]:
        return {each.code for each in check_source(text, Config(22))} & missing

    def begin(text: str) -> set[str]:
        return {code for _, codes_of_one, _ in codes(runs(text)) for code in codes_of_one} & missing

    text = after("A", PART)
    assert told(text) == begin(text + after("B", OTHER)) == set()
    # In a whole module, a missing symbol is an error.
    assert told(PART) == told(after("A", module(PART))) == begin(text + after("B", module(PART))) == missing


def test_the_input_is_what_was_printed_not_what_the_first_pass_runs_on() -> None:
    text = before("A", module(FORK)).replace(" //-----", " ('func.func' operation: @f) //-----")
    assert [(run.pass_name, run.scope) for run in runs(text)] == [
        (INPUT, "builtin.module"),
        ("a", "func.func @f"),
    ]
