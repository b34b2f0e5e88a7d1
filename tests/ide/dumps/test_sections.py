"""Sections of IR dumps, in the formats of the pass managers of all releases and of other compilers."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.dumps.sections import Phase, Section, is_dump, sections
from tests.support.tools import mlir_opt

FUNCTION = "func.func @f() {\n  return\n}\n"
MODULE = "module {\n  func.func @f() {\n    return\n  }\n}\n"


def header(content: str) -> str:
    """Return a header line."""
    return f"// -----// IR Dump {content} //----- //\n"


def only(text: str) -> Section:
    """Return the one section of a text."""
    (found,) = sections(text)
    return found


@pytest.mark.parametrize(
    ("content", "phase", "name", "argument", "options", "scope"),
    [
        ("After CSE (cse)", Phase.AFTER, "CSE", "cse", "", "func.func @f"),
        ("Before CSE (cse)", Phase.BEFORE, "CSE", "cse", "", "func.func @f"),
        ("After CSE Failed (cse)", Phase.FAILED, "CSE", "cse", "", "func.func @f"),
        # Triton and IREE print whole modules, and name the op that the pass runs on.
        ("Before A::B (b) ('builtin.module' operation)", Phase.BEFORE, "A::B", "b", "", "builtin.module"),
        ("After CSE (cse) ('tt.func' operation: @k)", Phase.AFTER, "CSE", "cse", "", "tt.func @k"),
        ("After CSE (cse) ('a.b' operation: @\"k (1)\")", Phase.AFTER, "CSE", "cse", "", 'a.b @"k (1)"'),
        # Passes without an argument, and old MLIR versions, which print none.
        ("Before {anonymous}::SetABI ()", Phase.BEFORE, "{anonymous}::SetABI", "", "", "func.func @f"),
        (
            "After (anonymous namespace)::P (p)",
            Phase.AFTER,
            "(anonymous namespace)::P",
            "p",
            "",
            "func.func @f",
        ),
        ("After Canonicalizer", Phase.AFTER, "Canonicalizer", "", "", "func.func @f"),
        ("Before transform", Phase.BEFORE, "transform", "", "", "func.func @f"),
        ("After C (c{a=1 b={x y}})", Phase.AFTER, "C", "c", "a=1 b={x y}", "func.func @f"),
        # LLVM 24 prints the pass as a textual pipeline.
        ("After CSEPass: cse", Phase.AFTER, "CSEPass", "cse", "", "func.func @f"),
        ("After CSEPass Failed: cse", Phase.FAILED, "CSEPass", "cse", "", "func.func @f"),
        (
            "Before InlinerPass: inline{default-pipeline=canonicalize    max-iterations=4 } "
            "('builtin.module' operation)",
            Phase.BEFORE,
            "InlinerPass",
            "inline",
            "default-pipeline=canonicalize max-iterations=4",
            "builtin.module",
        ),
        (
            "After (anonymous namespace)::P: unknown<(anonymous namespace)::P> ('tt.func' operation: @k)",
            Phase.AFTER,
            "(anonymous namespace)::P",
            "",
            "",
            "tt.func @k",
        ),
        # The pass print-ir.
        ("my label", Phase.LABEL, "my label", "", "", "func.func @f"),
    ],
)
def test_headers(content: str, phase: Phase, name: str, argument: str, options: str, scope: str) -> None:
    section = only(header(content) + FUNCTION)
    assert section.phase is phase
    assert (section.name, section.argument, section.options, section.scope) == (
        name,
        argument,
        options,
        scope,
    )


def test_headers_of_early_mlir() -> None:
    section = only("// *** IR Dump After CSE ***\n" + FUNCTION)
    assert (section.phase, section.name) == (Phase.AFTER, "CSE")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("// -----// WarpSpec internal IR Dump After: doTaskPartition", "WarpSpec: doTaskPartition"),
        ("// *** IR Dump After Successful Folding ***", "Successful Folding"),
        ("// *** IR Dump After Pattern Application ***", "Pattern Application"),
    ],
)
def test_steps_of_a_pass_are_no_passes(line: str, name: str) -> None:
    section = only(f"{line}\nmlir-asm-printer: Verifying operation: func.func\n{FUNCTION}")
    assert (section.phase, section.name, section.body.of(FUNCTION)) == (Phase.STEP, name, "")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_body_is_the_op_and_nothing_around_it(ends: str) -> None:
    noise = "warning: something\n[INFO] 12:00 module loaded\n"
    text = (
        noise + header("After A (a)") + MODULE + "\n\n" + noise + header("After B (b)") + FUNCTION
    ).replace("\n", ends)
    one, other = sections(text)
    assert one.body.of(text) == MODULE.rstrip().replace("\n", ends)
    assert other.body.of(text) == FUNCTION.rstrip().replace("\n", ends)
    assert one.header.of(text) == header("After A (a)").rstrip()


def test_aliases_around_the_op_belong_to_it() -> None:
    op = "#map = affine_map<(d0) -> (d0)>\n!t = i32\n" + MODULE.replace("}\n}", "} loc(#loc1)\n} loc(#loc)")
    op += '#loc = loc("a":1:1)\n#loc1 = loc("a":2:1)\n{-#\n  dialect_resources: {\n  }\n#-}\n'
    text = header("After A (a)") + op + "\nnoise { \n" + header("After B (b)") + FUNCTION
    assert sections(text)[0].body.of(text) == op.rstrip()


def test_regions_that_follow_each_other_are_one_op() -> None:
    op = '"a.b"() ({\n^bb0:\n  "a.c"() : () -> ()\n}, {\n  "a.d"() : () -> ()\n}) {sym_name = "g"} : () -> ()'
    text = header("After A (a)") + op + "\nother\n}\n"
    assert only(text).body.of(text) == op
    assert only(text).scope == "a.b @g"


def test_what_is_printed_in_the_end_and_what_was_there_in_the_beginning() -> None:
    report = "===-----===\n  Total Execution Time: 0.1 seconds\n  0.1 (100%)  Parser\n"
    text = MODULE + header("After A (a)") + MODULE + "\n\n" + report + MODULE.replace("@f", "@g")
    assert [section.phase for section in sections(text)] == [Phase.INPUT, Phase.AFTER, Phase.OUTPUT]
    assert "@g" in sections(text)[2].body.of(text)


def test_source_lines_that_a_message_quotes_are_no_output() -> None:
    said = "f.mlir:1:1: error: no\nmodule {\n^\nf.mlir:1:1: note: see\nmodule {\n^~~\n"
    assert [section.phase for section in sections(said + header("After A Failed (a)") + MODULE + said)] == [
        Phase.FAILED
    ]


@pytest.mark.parametrize(
    "text",
    [
        MODULE,
        "// CHECK: // -----// IR Dump After CSE (cse) //----- //\n" + MODULE,
        "*** IR Dump After SROA (module) ***\ndefine void @f() {\n}\n",
        "; *** IR Dump After InstCombinePass on f ***\ndefine void @f() {\n}\n",
        "// IR Dump After\n" + MODULE,
        "",
    ],
)
def test_what_is_no_dump(text: str) -> None:
    assert sections(text) == ()
    assert not is_dump(text)


def test_every_prefix_of_a_dump_is_read() -> None:
    text = (
        MODULE
        + header("Before A (a) ('func.func' operation: @f)")
        + MODULE
        + header("After A (a)")
        + FUNCTION
    )
    for end in range(len(text)):
        for section in sections(text[:end]):
            assert 0 <= section.whole.start <= section.whole.end <= end
            assert section.header.end <= section.body.start or section.phase in (Phase.INPUT, Phase.OUTPUT)


@pytest.mark.parametrize(
    "hostile",
    [
        "// -----// IR Dump After " + "(" * 300_000 + "\n",
        "// -----// IR Dump After A (a) //----- //\n" * 20_000,
        "IR Dump " * 100_000,
        "// -----// IR Dump " * 50_000,
        header("After A (a)") + "module {\n" * 100_000,
        header("After A (a)") + "module {\n" + "}, {\n" * 100_000,
        header("After A (a)") + "#a = 1\n" * 100_000,
        header("After A (a)") + "{-#\n" * 100_000,
        header("After A (a)") + "(' operation" * 50_000,
        "module {\n^\n" * 50_000 + header("After A (a)"),
        "(" * 500_000 + header("After A (a)"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_a_hostile_dump_has_a_section_for_each_header(hostile: str) -> None:
    at_line_starts = f"\n{hostile}".count("\n" + header("After A (a)").rstrip())
    assert len(sections(hostile)) == at_line_starts


@pytest.mark.parametrize("version", [16, 19, 22])
def test_what_mlir_opt_prints(version: int) -> None:
    passes = "func.func(canonicalize,cse),gpu.module(cse),gpu-to-llvm"
    text = "func.func @f() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\ngpu.module @k {\n}\n"
    for options in (
        (),
        ("--mlir-print-ir-module-scope",),
        ("--mlir-print-op-generic",),
        ("--mlir-print-debuginfo",),
    ):
        done = mlir_opt(version)(
            text,
            f"--pass-pipeline=builtin.module({passes})",
            "--mlir-print-ir-before-all",
            "--mlir-print-ir-after-all",
            "--mlir-disable-threading",
            *options,
        )
        found = sections(done.err + done.out)
        scopes = [section.scope for section in found if section.phase is Phase.AFTER]
        assert scopes == ["func.func @f", "func.func @f", "gpu.module @k", "builtin.module"]
        assert [section.argument for section in found] == [
            name for name in ("canonicalize", "cse", "cse", "gpu-to-llvm") for _ in range(2)
        ] + [""]
        assert found[-1].phase is Phase.OUTPUT
        assert found[-1].body.of(done.err + done.out) == done.out.strip()
