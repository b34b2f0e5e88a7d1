"""The preview: its text, its messages, and that it is the same after edits as from scratch."""

from __future__ import annotations

import random
import re
import stat
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import gpuasync_lsp.exec
import gpuasync_lsp.ide.preview.preview as module_of_preview
from benchmarks.generate import module
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.preview.by_items import by_items
from gpuasync_lsp.ide.preview.engine import EngineError, compare, engine_preview, without_locations
from gpuasync_lsp.ide.preview.fixed import UnknownFixes, after_fixes
from gpuasync_lsp.ide.preview.lowered_diff import lowered_diff, renamed_like
from gpuasync_lsp.ide.preview.preview import Preview, preview
from gpuasync_lsp.ide.preview.ptx import print_ptx
from gpuasync_lsp.ide.preview.view import UnknownStage, view_of
from gpuasync_lsp.lowering import run_pipeline, stage_pipeline
from gpuasync_lsp.lowering.llvm_ir.module import kernel_ir
from gpuasync_lsp.lowering.pipeline import item_by_item
from gpuasync_lsp.lowering.pipeline.registry import PASSES
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.releases.passes import has_pass
from gpuasync_lsp.syntax.dialects.gpu import GPUModuleOp
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.syntax.source import Item, parse_source
from gpuasync_lsp.text import LineIndex
from tests.differential.passes import programs
from tests.exec.harness import PARTS_OF_PROGRAMS, Case
from tests.support.command import gpuasync
from tests.support.texts import texts_beside
from tests.support.thinning import thinned
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

FORK = TEXTS["FORK"]
LAUNCH = TEXTS["LAUNCH"]
ARGUMENT = TEXTS["ARGUMENT"]


def state_of(text: str, previous: FileState | None = None, **settings: object) -> FileState:
    resolver = SettingsResolver(Settings(**({"llvm": 22} | settings)))  # type: ignore[arg-type]
    return file_state(LineIndex(text), None, resolver, previous)


def show(text: str, **view: object) -> Preview:
    return preview(state_of(text), view=view_of(**view))  # type: ignore[arg-type]


def edited(text: str, rng: random.Random) -> str:
    """Return `text`, a generated module, after a random edit that may leave it invalid."""
    lines = text.splitlines(keepends=True)
    at = rng.randrange(6, len(lines) - 1)
    waits = [row for row, line in enumerate(lines) if "gpu.wait async" in line]
    match rng.randrange(8):
        case 0:
            lines[at:at] = ["  // a comment\n"]
        case 1:
            return re.sub(
                r"arith.constant \d+", f"arith.constant {rng.randrange(1000)}", text, count=at % 9 + 1
            )
        case 2:
            lines[at] = ""
        case 3:
            row = rng.choice(waits)
            lines[row] = lines[row].replace("gpu.wait async", "gpu.wait  async")
        case 4:
            return text.replace("@k(", "@k2(") if "@k(" in text else text.replace("@k2(", "@k(")
        case 5:
            lines[at:at] = [f'    "test.op{at}"() : () -> ()\n']
        case 6:
            return re.sub(r' *"test.op\d+".*\n', "", text)
        case _:
            return text.replace("@kernels::@k ", "@kernels::@k2 ", 1)
    return "".join(lines)


def batched(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield slices of `size` numbers."""
    for at in range(0, len(numbers), size):
        yield numbers[at : at + size]


def lines_from(text: str, shown: Preview, source: str) -> list[str]:
    """Return the lowered lines of the first source line that contains `source`."""
    number = next(n for n, line in enumerate(text.splitlines()) if source in line)
    lines = shown.text.splitlines()
    return [lines[row].strip() for row in shown.line_map.get(number, [])]


OF_WHOLE_MODULES = {
    "inline",
    "convert-func-to-llvm",
    "convert-gpu-to-llvm-spv",
    "convert-math-to-xevm",
    "convert-nvgpu-to-nvvm",
    "convert-to-llvm",
    "convert-vector-to-llvm",
    "convert-xevm-to-llvm",
    "finalize-memref-to-llvm",
    "gpu-module-to-binary",
}
"""Passes that need the whole module of a program, since functions use declarations of others."""


class TestExplained:
    def test_streams_and_events_are_named(self) -> None:
        shown = show(FORK, explained=True)
        created = lines_from(FORK, shown, "%t0 =")[0]
        assert "// stream 0: from %t0 (line 2); leaked: never destroyed" in created
        assert "GA402" in created
        joined = "\n".join(lines_from(FORK, shown, "%2 ="))
        assert re.search(r"// event \d: join of stream 0 into stream 2, for %2 \(line 5\)", joined)
        assert "// stream 2 waits for event 0" in joined
        (copy,) = [line for line in lines_from(FORK, shown, "gpu.memcpy") if "call @mgpuMemcpy" in line]
        assert copy.endswith("// on stream 0")

    def test_a_second_end_is_said(self) -> None:
        rows = [line for line in show(FORK, explained=True).text.splitlines() if "mgpuStreamDestroy(" in line]
        calls = [line for line in rows if "llvm.call" in line]
        assert "// stream 1 ends" in calls[1]
        assert "// stream 1 ends, which has ended before (at line 7)" in calls[2]

    def test_what_is_taken_for_an_event_is_said(self) -> None:
        text = show(ARGUMENT, explained=True).text
        assert "the host waits for caller's event %t" in text

    @pytest.mark.parametrize(("stage", "sign"), [("gpu-to-llvm", "//"), ("llvm-ir", ";")])
    def test_comments_change_nothing_else(self, stage: str, sign: str) -> None:
        explained, plain = (show(FORK, stage=stage, explained=asked).text for asked in (True, False))
        assert explained != plain
        assert re.sub(rf"  {sign} .*", "", explained) == plain

    def test_llvm_ir_says_what_mlir_says(self) -> None:
        said: list[list[str]] = []
        for stage, sign in (("gpu-to-llvm", "//"), ("llvm-ir", ";")):
            text = show(FORK, stage=stage, explained=True).text
            said.append(re.findall(rf"@(mgpu\w+)\(.*  {sign} (.*)", text))
        assert said[0] == said[1]
        assert len(said[0]) > 10

    def test_a_launch_is_explained_at_its_call(self) -> None:
        kept = [line for line in LAUNCH.splitlines() if "gpu.wait" not in line]
        text = "\n".join(kept).replace("%u = ", "").replace("async [%t] ", "")
        (line,) = [
            row for row in show(text, stage="llvm-ir", explained=True).text.splitlines() if "  ;" in row
        ]
        assert "call void @mgpuLaunchKernel" in line
        assert "; on a stream of its own, which the host waits for" in line
        with_stream = show(LAUNCH, stage="llvm-ir", explained=True).text
        assert re.search(r"@mgpuLaunchKernel\(.*; on stream 0\n", with_stream)


class TestShown:
    """Annotations of the preview: stream names, findings, folding ranges."""

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "lowered", "llvm-ir"])
    def test_names_of_streams_are_marked(self, stage: str) -> None:
        shown = show(FORK, stage=stage)
        lines = shown.text.splitlines()
        marked: dict[int, set[str]] = {}
        row = column = 0
        for rows, columns, length, stream in batched(shown.marks, 4):
            row, column = row + rows, columns + (0 if rows else column)
            name = lines[row][column : column + length]
            marked.setdefault(stream, set()).add(name)
            assert re.fullmatch(r"%v?\d+|@mgpu\w+", name)
        made = re.findall(r"(%v?\d+) = .*call .*@mgpuStreamCreate", shown.text)
        assert [made[stream] in names for stream, names in marked.items()] == [True] * 3
        (event,) = re.findall(r"@mgpuEventRecord\((?:ptr )?(%v?\d+), (?:ptr )?" + made[0], shown.text)
        assert event in marked[0]  # An event of stream 0.
        assert "@mgpuMemcpy" in marked[0] - marked[1] - marked[2]
        assert "@mgpuStreamWaitEvent" in marked[2] - marked[0]

    @pytest.mark.parametrize(
        "view",
        [
            {},
            {"explained": True},
            {"pipeline": "gpu-async-region,gpu-to-llvm"},
            {"stage": "llvm-ir"},
            {"stage": "llvm-ir", "explained": True},
        ],
    )
    def test_a_finding_is_repeated_where_it_happens(self, view: dict[str, object]) -> None:
        shown = show(FORK, **view)
        lines = shown.text.splitlines()
        found = {
            (each.finding.code, re.sub(r".*@|\(.*", "", lines[each.row])): FORK.count("\n", 0, each.start)
            for each in shown.findings
        }
        source = FORK.splitlines()
        assert source[found["GA402", "mgpuStreamCreate"]].strip() == "%t0 = gpu.wait async"
        assert "gpu.wait [%t1]" in source[found["GA201", "mgpuStreamSynchronize"]]
        assert len(shown.findings) == len(state_of(FORK).all_findings())

    def test_findings_of_an_op_that_stays(self) -> None:
        text = FORK.replace("[%1, %t1]", "[%1]").replace("async [%t0] %a", "async [%t0, %t1] %a")
        shown = show(text)
        (row,) = {each.row for each in shown.findings if each.finding.code == "GA101"}
        assert "gpu.memcpy async" in shown.text.splitlines()[row]

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "llvm-ir"])
    def test_what_may_be_folded(self, stage: str) -> None:
        shown = show(KERNEL.replace("module attr", "// one\nmodule attr") + "// -----\n" + FORK, stage=stage)
        lines = shown.text.splitlines()
        whole = {fold.what: (lines[fold.first].strip(), lines[fold.last].strip()) for fold in shown.folds}
        assert whole["function"][1] == "}"
        assert whole["function"][0].startswith(("llvm.func @fork", "define void @fork"))
        first, last = whole["declarations"]
        for line in (first, last):
            assert line.startswith(("llvm.func @mgpu", "declare "))
            assert not line.endswith("{")
        if stage == "llvm-ir":
            kernels = "; ----- gpu.module @kernels", "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"
            assert whole["kernels"] == kernels
        else:
            assert whole["kernels"] == ('gpu.module @kernels [#nvvm.target<chip = "sm_90">] {', "}")


class TestDifference:
    BEFORE = "func.func @f() {\n  %0 = a\n  %1 = b %0\n  %2 = a\n  c %1\n  c %1\n}\n"
    AFTER = "func.func @f() {\n  %0 = new\n  %1 = a\n  %2 = b %1\n  %3 = a\n  c %2\n  c %3\n}\n"

    def test_another_number_is_no_difference_but_another_value_is(self) -> None:
        changed = lowered_diff(self.BEFORE, self.AFTER, "x", "y").splitlines()[2:]
        assert [line for line in changed if line[0] in "+-"] == ["+  %3 = new", "-  c %1", "+  c %2"]

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "llvm-ir"])
    def test_names_change_nothing_else(self, stage: str) -> None:
        texts = [show(FORK, stage=stage).text, preview(state_of(FORK), 16, stage).text]
        state = state_of(FORK)
        texts.append(preview(after_fixes(state, "unsafe")[0], stage=stage).text)
        for before in texts:
            for after in texts:
                renamed = renamed_like(before, after)
                if before is after:
                    assert renamed == after
                assert renamed_like(after, renamed) == after
                if stage == "gpu-to-llvm":
                    read = [parse_source(text).chunks[0] for text in (after, renamed)]
                    first, second = (print_module(module_of(chunk)) for chunk in read)
                    assert first == second


class TestFixed:
    def test_after_fixes(self) -> None:
        state = state_of(FORK)
        after, notes = after_fixes(state, "unsafe")
        assert "gpu.wait [%t1]" not in after.text.replace("gpu.wait [%t1]", "", 1)
        assert any("GA402" in note.message for note in notes)
        assert "leaked" not in preview(after, view=view_of(explained=True)).text
        assert preview(after) == preview(state_of(after.text))
        assert state.text == FORK

    def test_nothing_to_fix(self) -> None:
        clean = "func.func @f() {\n  return\n}\n"
        after, notes = after_fixes(state_of(clean), "safe")
        assert (after.text, [note.message for note in notes]) == (clean, ["there is nothing to fix"])

    def test_no_such_fixes(self) -> None:
        with pytest.raises(UnknownFixes, match="expected one of safe, unsafe"):
            after_fixes(state_of(FORK), "all")


class TestStages:
    def test_the_setting_goes_before(self) -> None:
        text = (
            "func.func @f(%a: memref<4xf32>) {\n"
            "  gpu.memcpy %a, %a : memref<4xf32>, memref<4xf32>\n"
            "  return\n"
            "}\n"
        )
        plain, threaded = preview(state_of(text)), preview(state_of(text, pipeline=("gpu-async-region",)))
        assert "gpu.memcpy" in plain.text
        assert "mgpuMemcpy" in threaded.text
        assert threaded.pipeline == "builtin.module(func.func(gpu-async-region),gpu-to-llvm)"

    def test_a_pass_of_the_setting_that_we_lack_is_noted(self) -> None:
        shown = preview(state_of(FORK, pipeline=("convert-vector-to-gpu",)))
        assert "no pass 'convert-vector-to-gpu'" in shown.notes[0].message

    def test_llvm_ir_links_lines(self) -> None:
        shown = show(FORK, stage="llvm-ir")
        assert any("call void @mgpuMemcpy" in line for line in lines_from(FORK, shown, "gpu.memcpy"))

    def test_options_are_those_of_gpu_to_llvm(self) -> None:
        text = show(FORK, options="use-bare-pointers-for-host=1").text
        assert "llvm.func @fork(%arg0: !llvm.ptr, %arg1: !llvm.ptr)" in text

    @pytest.mark.parametrize("version", [16, 19, 22])
    @pytest.mark.parametrize("name", ["%t0", "%a"])
    def test_a_value_that_nothing_defines(self, name: str, version: int) -> None:
        text = FORK.replace("[%t0] %a", "[%t0] %a".replace(name, "%nowhere"))
        shown = preview(state_of(text, llvm=version))
        assert shown.text == text
        (note,) = [note for note in shown.notes if note.error]
        assert note.error == "use of undeclared SSA value name '%nowhere'"

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "lowered", "llvm-ir", "source"])
    def test_what_the_verifier_refuses(self, stage: str) -> None:
        text = (
            "func.func @f(%a: memref<4xf32>, %i: index) -> f32 {\n"
            "  %0 = memref.load %a[] : memref<4xf32>\n"
            "  return %0 : f32\n"
            "}\n"
        )
        shown = show(text, stage=stage)
        assert shown.text == text
        (note,) = [note for note in shown.notes if note.error]
        assert note.message == f"LLVM 22 rejects this: {note.error}"
        assert note.span is not None
        assert "memref.load" in note.span.of(text)

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "llvm-ir"])
    @pytest.mark.parametrize("wrong", ["  gpu.wait asink\n", "  gpu.wait [%nowhere]\n", "  gpu.yield\n"])
    def test_the_others_are_lowered_beside_it(self, wrong: str, stage: str) -> None:
        text = FORK + "func.func @wrong() {\n" + wrong + "  return\n}\n" + FORK.replace("@fork", "@again")
        shown = show(text, stage=stage)
        assert shown.text.count("mgpuMemcpy(") > 2 * show(FORK, stage=stage).text.count("mgpuMemcpy(") - 2
        assert all(name in shown.text for name in ("@fork(", "@again("))
        (note,) = [note for note in shown.notes if note.error]
        assert note.span is not None
        assert note.span.start > text.index("@wrong")

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "lowered"])
    @pytest.mark.parametrize("wrong", ["a", "b", "c", "ab", "bc", "ac"])
    def test_what_is_refused_stays_where_it_stands(self, wrong: str, stage: str) -> None:
        ops = ["gpu.yield" if name in wrong else "gpu.wait" for name in "abc"]
        functions = [
            f"  func.func @{name}() {{\n    {op}\n    return\n  }}\n"
            for name, op in zip("abc", ops, strict=True)
        ]
        text = f"module attributes {{gpu.container_module}} {{\n{''.join(functions)}}}\n"
        shown = show(text, stage=stage).text
        assert re.findall(r"@([abc])\(", shown) == ["a", "b", "c"]
        assert shown.endswith("}\n")
        assert all(functions["abc".index(name)] in shown for name in wrong)

    @pytest.mark.parametrize("around", ["%s", "func.func @a() {\n  return\n}\n%s", "module {\n%s}\n"])
    def test_each_line_of_what_is_refused_is_linked(self, around: str) -> None:
        wrong = "func.func @wrong() {\n  %t = gpu.wait async\n  gpu.yield\n  return\n}\n"
        text = around.replace("%s", wrong)
        shown = show(text)
        rows, first = shown.text.split("\n"), text[: text.index("func.func @wrong")].count("\n")
        linked = [rows[shown.line_map[first + line][0]] for line in range(5)]
        assert linked == wrong.splitlines()
        (row,) = [found.row for found in shown.findings if found.finding.code == "GA003"]
        assert rows[row] == "  gpu.yield"

    @pytest.mark.parametrize(
        "wrong", [{"stage": "x"}, {"pipeline": "x"}, {"pipeline": "canonicalize", "stage": "x"}]
    )
    def test_unknown(self, wrong: dict[str, str]) -> None:
        with pytest.raises(UnknownStage):
            view_of(**wrong)


KERNEL = TEXTS["KERNEL"]


@pytest.mark.slow
class TestPtx:
    @pytest.mark.parametrize("cases", PARTS_OF_PROGRAMS)
    def test_asking_for_places_changes_no_instruction(self, cases: list[Case]) -> None:
        to_ptx = pytest.importorskip("gpuasync_lsp.exec.worker.cuda.ptx").to_ptx
        compared = 0
        for case in cases:
            if case.needs_clusters:  # The default chip has no clusters.
                continue
            if case.is_expanded_by_runs:
                continue
            module = module_of(parse_source(case.text).chunks[0])
            lowered = run_pipeline(module, stage_pipeline("ptx"), case.llvm)
            modules = [op for op in lowered.module.ops if isinstance(op, GPUModuleOp)]
            for part, op in zip(print_ptx(lowered.module), modules, strict=False):
                shown = part.printed.text.partition("\n")[2]
                assert shown == re.sub(r" // callseq .*", "", to_ptx(kernel_ir(op))), str(case)
                compared += 1
        assert compared >= len(cases) // 4

    def test_an_instruction_leads_to_its_source(self) -> None:
        pytest.importorskip("llvmlite")
        shown = show(KERNEL, stage="ptx")
        assert lines_from(KERNEL, shown, "arith.mulf")[0].startswith("mul.rn.f32")
        assert lines_from(KERNEL, shown, "memref.store")[-1].startswith("st.global")
        (fold,) = shown.folds
        lines = shown.text.splitlines()
        assert (lines[fold.first], lines[fold.last], fold.what) == (".visible .entry scale(", "}", "function")

    def test_what_is_said_of_an_op_stands_at_its_instruction(self) -> None:
        pytest.importorskip("llvmlite")
        module = run_pipeline(module_of(parse_source(KERNEL).chunks[0]), stage_pipeline("ptx"), 22).module
        (part,) = print_ptx(module)
        lines = part.printed.text.splitlines()
        for source, first in (
            ("gpu.module", "// gpu.module @kernels"),
            ("gpu.func", ".visible .entry scale("),
            ("%y = arith.mulf", "mul.rn.f32"),
            ("memref.store", "st.global"),
        ):
            row = part.printed.head_of(KERNEL.index(source))
            assert row is not None
            assert lines[row].strip().startswith(first)

    def test_after_an_edit_the_kernel_is_not_compiled_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("llvmlite")
        text = f"{KERNEL.rstrip()[:-1]}{FORK}}}\n"
        state = state_of(text)
        before = preview(state, stage="ptx")
        monkeypatch.setattr(gpuasync_lsp.exec, "compile_ptx", lambda *_: pytest.fail("compiled again"))
        text = "// moved\n" + text.replace("%t1 = gpu.wait async", "%t1 =  gpu.wait async")
        after = preview(state_of(text, state), stage="ptx")
        assert after.text == before.text
        assert after.line_map == {line + 1: rows for line, rows in before.line_map.items()}

    def test_kernels_are_printed_for_their_chip(self) -> None:
        pytest.importorskip("llvmlite")
        shown = show(KERNEL, stage="ptx")
        assert ".target sm_90" in shown.text
        assert lines_from(KERNEL, shown, "gpu.func @scale") == [".visible .entry scale("]
        assert not shown.notes

    def test_what_has_no_ptx_is_noted(self) -> None:
        shown = show(KERNEL.replace("gpu.thread_id x", '"nonsense.op"() : () -> index'), stage="ptx")
        assert any(note.error for note in shown.notes)


@pytest.mark.slow
class TestEdits:
    @pytest.mark.parametrize(
        "asked",
        thinned(
            [
                {"explained": True},
                {},
                {"pipeline": "gpu-async-region,gpu-to-llvm"},
                {"pipeline": "gpu-kernel-outlining,gpu-to-llvm,canonicalize"},
                {"stage": "llvm-ir", "explained": True},
                {"stage": "convert-scf-to-cf"},
                {"stage": "reconcile-unrealized-casts"},
                {"stage": "llvm-ir"},
            ],
            4,
        ),
        ids=str,
    )
    def test_after_an_edit_all_is_as_if_read_anew(self, asked: dict[str, Any]) -> None:
        view = view_of(**asked)
        text = module(120)
        state = state_of(text)
        preview(state, view=view)
        for old, new in (
            ("arith.constant 129 : index", "arith.constant 77 : index"),
            ("  func.func @f2(", "  // moved\n\n  func.func @f2("),
            (" [#nvvm.target]", ""),
            ("@f1(", "@mgpuMemcpy("),
        ):
            assert old in text
            text = text.replace(old, new, 1)
            state = state_of(text, state)
            again, fresh = preview(state, view=view), preview(state_of(text), view=view)
            assert again == fresh

    @pytest.mark.parametrize(
        ("version", "edits"), [(22, 4), *(pytest.param(v, 25, marks=pytest.mark.slow) for v in (19, 22))]
    )
    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "llvm-ir"])
    def test_after_random_edits_all_is_as_if_read_anew(self, stage: str, version: int, edits: int) -> None:
        rng = random.Random(version)
        view = view_of(stage, explained=True)
        text = module(200)
        state = state_of(text, llvm=version)
        preview(state, view=view)
        for _ in range(edits):
            text = edited(text, rng)
            state = state_of(text, state, llvm=version)
            again, fresh = preview(state, view=view), preview(state_of(text, llvm=version), view=view)
            assert again == fresh

    @pytest.mark.parametrize("stage", thinned([None, "llvm-ir", *PASSES, "lowered"], 9))
    @pytest.mark.parametrize(
        ("version", "every"), [(22, 60), *(pytest.param(v, 36, marks=pytest.mark.slow) for v in (19, 22))]
    )
    def test_item_by_item_gives_what_the_whole_chunk_gives(
        self, stage: str | None, version: int, every: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        names = (n for n in PASSES if not PASSES[n].needs_whole_module and has_pass(n, version))
        everything = f"builtin.module({','.join(names)})"
        view = view_of(stage, pipeline=None if stage else everything, explained=True)
        whole = 0
        for name, text in list(programs(version).items())[::every]:
            state = state_of(text, llvm=version)
            if state.rejections:  # Rejected files are not lowered.
                continue
            shown = preview(state, view=view)
            with monkeypatch.context() as patch:
                patch.setattr(module_of_preview, "by_items", lambda *_: None)
                assert preview(state, view=view) == shown, name
            whole += any(by_items(state, chunk, view, version) is None for chunk in state.source.chunks)
        if stage in PASSES and not has_pass(stage, version):
            return  # A pass that the release lacks fails on each item.
        assert stage in OF_WHOLE_MODULES or whole < len(programs(version)) / every / 4

    @pytest.mark.parametrize("stage", ["gpu-to-llvm", "lowered", "llvm-ir"])
    def test_an_edit_lowers_one_function_again(self, stage: str) -> None:
        text = module(300)
        state = state_of(text)
        preview(state, stage=stage)
        before = {id(placed.item): set(placed.item.memo) for placed in state.source.items}
        state = state_of(text.replace("arith.constant 129", "arith.constant 1", 1), state)
        preview(state, stage=stage)
        fresh = [placed for placed in state.source.items if id(placed.item) not in before]
        assert len(fresh) == 1
        for placed in state.source.items:
            assert placed in fresh or set(placed.item.memo) == before[id(placed.item)]

    def test_another_name_of_a_function_lowers_no_other_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = module(300)
        state = state_of(text)
        preview(state)
        lowered: list[str] = []

        def noted(item: Item, *rest: Any) -> Any:
            lowered.append(item.text.lstrip().partition("(")[0])
            return lower_item(item, *rest)

        lower_item = item_by_item._lower_item
        monkeypatch.setattr(item_by_item, "_lower_item", noted)
        preview(state_of(text.replace("@f2(", "@other("), state))
        assert lowered == ["func.func @other"]

    @pytest.mark.parametrize("type", ["() -> !llvm.ptr", "(i32)"])
    def test_a_symbol_that_lowering_needs_lowers_all_again(self, type: str) -> None:
        text = module(120)
        state = state_of(text)
        preview(state)
        text = text.replace("  func.func @f0", f"  llvm.func @mgpuStreamCreate{type}\n  func.func @f0")
        assert preview(state_of(text, state)).text == preview(state_of(text)).text

    def test_without_an_op_its_lowered_lines_are_gone(self) -> None:
        lines = FORK.splitlines(keepends=True)
        number = next(n for n, line in enumerate(lines) if "gpu.memcpy" in line)
        shown = show(FORK)
        less = show("".join(lines[:number] + lines[number + 1 :]).replace("[%1, %t1]", "[%t0, %t1]"))
        rows = shown.text.splitlines()
        gone = [rows[row].strip() for row in shown.line_map[number] if "llvm.call" in rows[row]]
        assert gone
        assert not [line for line in less.text.splitlines() if "llvm.call @mgpuMemcpy" in line]
        assert len(less.text.splitlines()) == len(rows) - len(shown.line_map[number])


class TestEngine:
    def test_the_users_tool_gives_text_and_links(self) -> None:
        command = Command(mlir_opt(22).command, Origin.COMMAND_LINE)
        text = f"{FORK}// -----\n{ARGUMENT}"
        theirs = engine_preview(state_of(text), command, view_of())
        assert "loc(" not in theirs.text
        for source, lowered in (("gpu.memcpy", "@mgpuMemcpy"), ("gpu.wait [%t]", "@mgpuEventSynchronize")):
            assert any(lowered in line for line in lines_from(text, theirs, source))
        assert compare(preview(state_of(text)), theirs, command, state_of(text)) == ""

    def test_their_error_is_a_note_at_its_place(self) -> None:
        text = "\nfunc.func @f() {\n  %0 = arith.nonsense\n}\n"
        theirs = engine_preview(state_of(text), Command(mlir_opt(22).command, Origin.COMMAND_LINE), view_of())
        (note,) = [n for n in theirs.notes if n.error]
        assert "arith.nonsense" in note.message
        assert note.span is not None
        assert text.count("\n", 0, note.span.start) == 2

    def test_a_difference_is_our_bug(self) -> None:
        command = Command(mlir_opt(22).command, Origin.COMMAND_LINE)
        state = state_of(FORK)
        theirs = engine_preview(state, command, view_of())
        ours = preview(state, 19)
        report = compare(ours, theirs, command, state)
        assert report.startswith("The two differ. This is a bug in gpuasync-lsp, not in your program")
        assert FORK.strip() in report
        assert "```diff" in report

    def test_no_such_program(self) -> None:
        with pytest.raises(EngineError, match="cannot run /nowhere/mlir-opt"):
            engine_preview(state_of(FORK), Command(("/nowhere/mlir-opt",), Origin.COMMAND_LINE), view_of())

    def test_locations_of_several_kinds(self) -> None:
        printed = (
            "module {\n"
            '  "a"(%x) : (i32 loc("f":9:1)) -> () loc(#loc2)\n'
            '  "b"() : () -> () loc(fused[#loc3, #loc2])\n'
            '  "c"() : () -> () loc("f":7:3)\n'
            '  "d"() : () -> () loc(callsite("g"("f":3:1) at "f":8:1))\n'
            '  "e"() : () -> () loc(unknown)\n'
            "} loc(#loc)\n"
            "#loc = loc(unknown)\n"
            '#loc2 = loc("-":5:3)\n'
            '#loc3 = loc("name"(#loc2))\n'
        )
        text, places = without_locations(printed)
        assert (
            text
            == 'module {\n  "a"(%x) : (i32) -> ()\n'
            + "".join(f'  "{x}"() : () -> ()\n' for x in "bcde")
            + "}\n"
        )
        assert places == [(1, 4, 2), (2, 4, 2), (3, 6, 2), (4, 2, 0)]

    def test_a_location_behind_a_region_is_of_its_first_line(self) -> None:
        printed = (
            "f {\n"
            "  scf.if %a {\n"
            '    x loc("-":3:5)\n'
            "  } else {\n"
            '    y loc("-":5:5)\n'
            '  } loc("-":2:3)\n'
            '} loc("-":1:1)\n'
        )
        assert without_locations(printed)[1] == [(0, 0, 0), (1, 1, 2), (2, 2, 4), (4, 4, 4)]

    @pytest.mark.parametrize("view", [{}, {"explained": True}, {"pipeline": "gpu-async-region,gpu-to-llvm"}])
    def test_the_users_tool_is_shown_as_ours_is(self, view: dict[str, Any]) -> None:
        text = "// \u03b1\n" + FORK.replace("[%1, %t1]", "[%1]") + FORK.replace("@fork", "@more")
        state = state_of(text)
        theirs = engine_preview(state, Command(mlir_opt(22).command, Origin.COMMAND_LINE), view_of(**view))
        ours = preview(state, view=view_of(**view))
        assert (
            re.sub(r" *(//.*)?\n", "\n", theirs.text).strip()
            == re.sub(r" *(//.*)?\n", "\n", ours.text).strip()
        )
        assert theirs.marks == ours.marks
        assert theirs.findings == ours.findings
        assert theirs.folds == ours.folds
        comments = [re.findall("//.*", shown.text) for shown in (theirs, ours)]
        assert comments[0] == comments[1]
        assert bool(comments[0]) == bool(view.get("explained"))


class TestCommand:
    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        (folder / "fork.mlir").write_text(FORK)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CONFIG_HOME", str(folder))
            return gpuasync("lower", "fork.mlir", *arguments, cwd=folder, timeout=60)

    def test_difference_to_another_version(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "--llvm", "22", "--diff-with", "llvm=19")
        assert done.returncode == 0
        assert done.stdout.startswith("--- gpu-to-llvm (LLVM 22)\n+++ gpu-to-llvm (LLVM 19)\n")
        assert "-    %0 = llvm.mlir.poison" in done.stdout

    def test_difference_after_fixes(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "--llvm", "22", "--diff-with", "fixed=unsafe")
        assert done.returncode == 0
        assert done.stdout.startswith("--- gpu-to-llvm (LLVM 22)\n+++ gpu-to-llvm (LLVM 22, fixed)\n")
        assert "fixed GA402: " in done.stderr
        # Only the effect of the fixes: another stream is waited for and destroyed.
        changed = [line for line in done.stdout.splitlines()[2:] if line.startswith(("+", "-"))]
        assert changed
        assert all("@mgpu" in line for line in changed)

    def test_difference_to_another_stage(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "--stage", "gpu-async-region", "--diff-with", "stage=source")
        assert done.returncode == 0
        assert "+++ source" in done.stdout

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--pipeline", "nonsense"),
            ("--diff-with", "nonsense"),
            ("--diff-with", "llvm=3"),
            ("--diff-with", "fixed=all"),
            ("--engine", "mlir-opt"),
            ("--compare",),
            ("--mlir-opt", "/nowhere/mlir-opt", "--compare", "--llvm", "22"),
        ],
    )
    def test_unusable(self, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        done = self.run(tmp_path, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr

    def test_a_workspace_cannot_name_the_engine(self, tmp_path: Path) -> None:
        trap = tmp_path / "trap"
        trap.write_text("#!/bin/sh\ntouch sprung\n")
        trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
        (tmp_path / "gpuasync.toml").write_text(f'mlir-opt = "{trap}"\n')
        done = self.run(tmp_path, "--engine", "mlir-opt")
        assert done.returncode == 2
        assert not (tmp_path / "sprung").exists()

    def test_compare(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "--mlir-opt", mlir_opt(22).command[0], "--compare")
        assert (done.returncode, done.stdout) == (0, "No difference from mlir-opt of LLVM 22.\n")
