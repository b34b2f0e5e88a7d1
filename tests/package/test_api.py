"""The package as a library, and its pytest plugin."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from IPython.lib.pretty import pretty
from xdsl.ir import Region

import gpuasync_lsp
import gpuasync_lsp.exec
from gpuasync_lsp.exec import Run, RunReport
from tests.support.texts import texts_beside
from tests.support.tools import ROOT

TEXTS = texts_beside(__file__)

BROKEN = (ROOT / "examples" / "broken" / "two_dependencies.mlir").read_text("utf-8")
ADD = TEXTS["ADD"]
SOUND, RACY = ADD.replace("INDEX", "%t"), ADD.replace("INDEX", "%b")


class Generated:
    """A module as MLIR generators return it: an object whose `str()` is the text."""

    def __str__(self) -> str:
        return SOUND


def test_check_says_what_the_command_line_says() -> None:
    (problem,) = gpuasync_lsp.check(BROKEN, llvm=22)
    assert (problem.code, problem.name, problem.level, problem.line) == (
        "GA101",
        "too-many-dependencies",
        "error",
        12,
    )
    assert [(p.level, p.code) for p in gpuasync_lsp.check(Generated(), llvm=22)] == [("hint", "GA506")]
    with pytest.raises(gpuasync_lsp.NotUsable, match="99"):
        gpuasync_lsp.check(SOUND, llvm=99)


def test_lower_gives_what_mlir_opt_prints() -> None:
    text = "func.func @f() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n"
    assert "@mgpuStreamCreate" in gpuasync_lsp.lower(text, llvm=22)
    assert "define void @f" in gpuasync_lsp.lower(text, llvm=22, stage="llvm-ir")
    with pytest.raises(gpuasync_lsp.NotUsable, match="nowhere"):
        gpuasync_lsp.lower(text, stage="nowhere")


def test_run_takes_arrays_and_gives_arrays() -> None:
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    ran = gpuasync_lsp.run(Generated(), x, y, 0.5)
    np.testing.assert_array_equal(ran.arguments[1], x + 0.5)
    np.testing.assert_array_equal(ran.arguments[0], x)
    assert y.sum() == 0, "what was given stays as it is"
    assert (ran.results, ran.findings, ran.output) == ((7,), (), "")
    with pytest.raises(gpuasync_lsp.NotUsable, match="takes 3 arguments, not 4"):
        gpuasync_lsp.run(SOUND, x, y, 0.5, 1)


def test_a_run_without_numpy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(gpuasync_lsp.NotUsable, match="NumPy, of the extra `run`"):
        gpuasync_lsp.run(ADD, llvm=22)


def test_findings_of_a_run_have_their_line() -> None:
    ran = gpuasync_lsp.run(RACY, np.arange(4, dtype=np.float32), np.zeros(4, np.float32), 1.0)
    (problem,) = ran.findings
    assert problem.name == "kernel-race"
    assert "memref.store" in RACY.splitlines()[problem.line - 1]

    assert problem.related[0][0] == problem.line
    assert "writes it here" in problem.related[0][1]
    assert f"\n  line {problem.line}: note: thread" in str(problem)


def test_arguments_may_be_lists_and_words_and_errors_name_no_file() -> None:
    ran = gpuasync_lsp.run(SOUND, [1, 2, 3, 4], "zeros@4", 1)
    np.testing.assert_array_equal(ran.arguments[1], np.array([2, 3, 4, 5], np.float32))
    assert gpuasync_lsp.run(SOUND, "ones", "zeros@4", 1).arguments[0] == "ones"
    with pytest.raises(gpuasync_lsp.NotUsable, match="argument %x: the array holds 3 elements"):
        gpuasync_lsp.run(SOUND, [1, 2, 3])


@pytest.mark.parametrize(
    ("module", "arguments", "options", "said"),
    [
        (Path("kernels.mlir"), (), {}, "kernels.mlir is a path, not a module"),
        ("kernels/add.mlir", (), {}, "kernels/add.mlir is a path"),
        (SOUND.encode(), (), {}, "bytes is not text: decode it"),
        (SOUND, ([[1, 2], [3]],), {}, "argument %x: list is not an array of numbers"),
        (SOUND, (None,), {}, "argument %x: NoneType is not an array of numbers"),
        (None, (), {}, "NoneType is not a module: pass its text"),
        ([SOUND], (), {}, "list is not a module: pass its text"),
        (SOUND, (), {"pipeline": 3}, "pipeline must be the text of a pipeline or a list of passes, not 3"),
        (
            SOUND,
            (),
            {"pipeline": [3]},
            "pipeline must be the text of a pipeline or a list of passes, not [3]",
        ),
        (SOUND, (), {"device": "gpu"}, "device must be auto, cuda or cpu, not 'gpu'"),
        (SOUND, (), {"schedules": "2"}, "schedules must be at least 1, not '2'"),
        (SOUND, (), {"timeout": 0}, "timeout must be a positive number of seconds, not 0"),
    ],
)
def test_what_cannot_be_used_is_said_to_be(
    module: object, arguments: tuple[object, ...], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(gpuasync_lsp.NotUsable, match=re.escape(said)):
        gpuasync_lsp.run(module, *arguments, **options)


def test_refusals_name_no_option_of_the_command_line() -> None:
    two = "func.func @a() {\n  return\n}\nfunc.func @b() {\n  return\n}\n"
    copy = "gpu.memcpy %x, %y : memref<4xf32>, memref<4xf32>"
    synchronous = f"func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {{\n  {copy}\n  return\n}}\n"
    for text, said in (
        (two, "specify the function to run, one of @a, @b"),
        (synchronous, "run gpu-async-region first"),
    ):
        with pytest.raises(gpuasync_lsp.NotUsable, match=said) as refused:
            gpuasync_lsp.run(text, llvm=22)
        assert "--" not in str(refused.value)


def test_a_defect_before_the_lowering_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def trips(*_: object) -> None:
        raise KeyError("a type that nobody thought of")

    monkeypatch.setattr("gpuasync_lsp.exec.prepare._signature", trips)
    with pytest.raises(gpuasync_lsp.NotUsable, match="internal error of gpuasync-lsp in the preparation"):
        gpuasync_lsp.run("func.func @main() {\n  return\n}\n", llvm=22)


def test_truth_values_are_those_of_i1() -> None:
    text = "func.func @main(%a: i1, %b: i1, %c: i1) -> i1 {\n  return %a : i1\n}\n"
    for value in (True, np.False_):
        (result,) = gpuasync_lsp.run(text, value, False, np.True_).results
        assert result is bool(value)


def test_an_interrupted_run_ends_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    started, runs = threading.Event(), list[Run]()

    class Interrupted(Run):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, on_progress=lambda _: started.set(), **options)

        def wait(self, timeout: float | None = None) -> RunReport:
            if runs:
                return super().wait(timeout)
            runs.append(self)
            assert started.wait(60)
            raise KeyboardInterrupt

    monkeypatch.setattr(gpuasync_lsp.exec, "Run", Interrupted)
    endless = "func.func @main() {\n  cf.br ^a\n^a:\n  cf.br ^a\n}\n"
    with pytest.raises(KeyboardInterrupt):
        gpuasync_lsp.run(endless, timeout=600)
    assert runs[0].wait(1).outcome == "cancelled"


def test_a_path_is_no_clean_module() -> None:
    with pytest.raises(gpuasync_lsp.NotUsable, match="is a path"):
        gpuasync_lsp.check("kernels.mlir")
    with pytest.raises(gpuasync_lsp.NotUsable, match="is a path"):
        gpuasync_lsp.assert_clean(Path("kernels.mlir"))
    with pytest.raises(TypeError, match="ignore must be a code or a name, or several of them, not 3"):
        gpuasync_lsp.assert_clean(SOUND, ignore=cast(Any, 3))


def test_a_pipeline_may_be_text_and_an_unknown_one_is_an_error() -> None:
    text = "func.func @f(%m: memref<4xf32>) {\n  gpu.dealloc %m : memref<4xf32>\n  return\n}\n"
    whole = gpuasync_lsp.lower(text, 22, pipeline="builtin.module(func.func(gpu-async-region))")
    assert whole == gpuasync_lsp.lower(text, 22, pipeline=["--gpu-async-region"])
    assert "@mgpuMemFree" in whole
    with pytest.raises(gpuasync_lsp.NotUsable, match="no release of LLVM has a pass 'nowhere'"):
        gpuasync_lsp.check(text, 22, pipeline="nowhere")


LAUNCH = TEXTS["LAUNCH"]


def test_assert_clean_of_a_run_takes_arguments_and_kernels_that_it_outlines() -> None:
    gpuasync_lsp.assert_clean(LAUNCH, 22, run=True, arguments=([0, 0, 0, 0], 0))
    with pytest.raises(AssertionError, match="out-of-bounds"):
        gpuasync_lsp.assert_clean(LAUNCH, 22, run=True, arguments=([0, 0, 0, 0], 1))
    gpuasync_lsp.assert_clean(LAUNCH, 22, run=True, arguments=([0] * 4, 1), ignore=["out-of-bounds"])
    with pytest.raises(AssertionError, match="launch-not-outlined"):
        gpuasync_lsp.assert_clean(LAUNCH, 22)
    gpuasync_lsp.assert_clean(LAUNCH, 22, ignore=["GA108"])
    gpuasync_lsp.assert_clean(LAUNCH, 22, ignore="GA108")
    with pytest.raises(TypeError, match="arguments, schedules with run=True only"):
        gpuasync_lsp.assert_clean(LAUNCH, 22, arguments=([0],), schedules=2)


def test_assert_clean_names_every_problem() -> None:
    gpuasync_lsp.assert_clean(SOUND, 22, run=True)
    gpuasync_lsp.assert_clean(RACY, 22)
    with pytest.raises(AssertionError, match=r"line 12: error\[GA101\] too-many-dependencies: "):
        gpuasync_lsp.assert_clean(BROKEN, 22)
    with pytest.raises(AssertionError, match=r"line \d+: error\[kernel-race\]: thread"):
        gpuasync_lsp.assert_clean(RACY, 22, run=True)


@pytest.mark.slow
def test_the_plugin_has_the_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        f"def test_it(assert_clean):\n    assert_clean({SOUND!r}, llvm=22)\n"
    )
    # The plugin is found by its entry point in the installed package, without an option.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "test_it.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_the_package_imports_nothing_of_it() -> None:
    heavy = "m.startswith(('gpuasync_lsp.', 'numpy', 'xdsl'))"
    code = f"import sys, gpuasync_lsp; print(sorted(m for m in sys.modules if {heavy}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_complex_numbers_come_and_go_as_pythons() -> None:
    text = """
func.func @main(%a: complex<f32>, %b: i8, %c: complex<f64>) -> (i8, complex<f32>, i8, complex<f64>) {
  return %b, %a, %b, %c : i8, complex<f32>, i8, complex<f64>
}
"""
    assert gpuasync_lsp.run(text, 1.5 + 2j, 3, 4 - 1j).results == (3, 1.5 + 2j, 3, 4 - 1j)
    with pytest.raises(
        gpuasync_lsp.NotUsable, match=re.escape("expected a value of type complex<f32>, not 'x+y'")
    ):
        gpuasync_lsp.run(text, "x+y")


def test_what_was_found_before_a_crash_is_told() -> None:
    text = """
func.func private @abort()
func.func @main() {
  %eight = llvm.mlir.constant(8 : i64) : i64
  %p = llvm.inttoptr %eight : i64 to !llvm.ptr
  %v = llvm.load volatile %p : !llvm.ptr -> i32
  call @abort() : () -> ()
  return
}
"""
    with pytest.raises(gpuasync_lsp.NotUsable, match=r"line 7: the program ended with SIGABRT") as raised:
        gpuasync_lsp.run(text)
    (problem,) = raised.value.findings
    assert (problem.name, problem.line) == ("illegal-address", 6)
    assert "line 6: error[illegal-address]" in str(raised.value)


AUTHORED = TEXTS["AUTHORED"]


def test_a_problem_has_its_place_its_source_its_author_and_its_fixes() -> None:
    (problem,) = gpuasync_lsp.check(AUTHORED, 22)
    assert (problem.line, problem.column, problem.end) == (8, 25, (8, 34))
    assert problem.source.strip().startswith("%c = gpu.memcpy")
    assert [str(loc) for loc in problem.loc] == ["dsl.py:15:3", "user.py:9:5"]
    assert str(problem).startswith("dsl.py:15:3: line 8: error[GA101] too-many-dependencies")
    assert "user.py:9:5: note: called from here" in str(problem)
    (fix,) = [fix for fix in problem.fixes if fix.safety == "safe"]
    assert [line[:1] for line in fix.diff.splitlines()] == ["-", "+"]
    repaired = gpuasync_lsp.fix(AUTHORED, 22)
    assert repaired == AUTHORED.replace("[%f, %bt]", "[%bt]")
    assert not gpuasync_lsp.check(repaired, 22)


def test_lower_and_run_name_the_author_first() -> None:
    with pytest.raises(gpuasync_lsp.NotUsable, match=r"^dsl\.py:15:3: line 8: failed to legalize"):
        gpuasync_lsp.lower(AUTHORED, 16)
    located = RACY.replace("%y[%b] : memref<?xf32>", '%y[%b] : memref<?xf32> loc("dsl.py":7:1)')
    (problem,) = gpuasync_lsp.run(
        located, np.arange(4, dtype=np.float32), np.zeros(4, np.float32), 1.0
    ).findings
    assert str(problem).startswith("dsl.py:7:1: line ")


def test_made_up_arguments_come_back() -> None:
    ran = gpuasync_lsp.run(SOUND)
    x, y, n = ran.arguments
    np.testing.assert_array_equal(x, [0, 1, 2, 3])
    np.testing.assert_array_equal(y[:4], x + n)
    assert len(y) == 16


def test_ipython_shows_results_as_text() -> None:
    found = gpuasync_lsp.check(AUTHORED, 22)
    assert "dsl.py:" in pretty(found).splitlines()[0]
    assert "\n  fix (safe): " in pretty(found)
    lowered = gpuasync_lsp.lower(AUTHORED, 16, stage="source")
    assert pretty(lowered) == lowered
    streams = gpuasync_lsp.streams(SOUND)
    assert pretty(streams) == streams.text.rstrip()
    assert pretty(gpuasync_lsp.run(SOUND)).splitlines()[-1].startswith("module ran")


def test_streams_and_passes() -> None:
    shown = gpuasync_lsp.streams(gpuasync_lsp.fix(AUTHORED, 22), 22)
    assert "1 stream" in str(shown)
    assert shown._repr_html_().startswith("<svg")
    with pytest.raises(gpuasync_lsp.NotUsable, match="nowhere"):
        gpuasync_lsp.streams(AUTHORED, 22, function="nowhere")
    header = "// -----// IR Dump After {0} ({0}) //----- //\n"
    broken = AUTHORED.replace('#loc = loc("dsl.py":15:3)', "").replace("#loc at", "unknown at")
    repaired = gpuasync_lsp.fix(broken, 22)
    one, other = gpuasync_lsp.passes(header.format("a") + repaired + header.format("b") + broken, 22)
    assert (one.name, one.line, one.changed) == ("a", 1, None)
    assert [p.code for p in other.begins] == ["GA101"]
    with pytest.raises(gpuasync_lsp.NotUsable, match="not an IR dump"):
        gpuasync_lsp.passes(AUTHORED)


def test_what_is_ignored_has_a_known_name() -> None:
    gpuasync_lsp.assert_clean(AUTHORED, 22, ignore=["GA1"])
    for word, meant in (("GA1O1", "did you mean 'GA101'"), ("kernel-rac", "did you mean 'kernel-race'")):
        with pytest.raises(ValueError, match=meant):
            gpuasync_lsp.assert_clean(AUTHORED, 22, ignore=[word])
    with pytest.warns(gpuasync_lsp.UnusedIgnoreWarning, match="'GA402'"):
        gpuasync_lsp.assert_clean(AUTHORED, 22, ignore=["GA101", "GA402"])


def test_the_names_of_what_a_run_finds_are_known() -> None:
    from gpuasync_lsp.analysis import RULES
    from gpuasync_lsp.exec.report import FINDING_NAMES

    known = FINDING_NAMES | {rule.name for rule in RULES}
    sources = (ROOT / "gpuasync_lsp" / "exec" / "worker").rglob("*.py")
    named = {m for file in sources for m in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', file.read_text("utf-8"))}
    assert named <= known | {"gpuasync-run", "cuda-bindings"}


@pytest.mark.parametrize("module", ["my file.mlir", io.StringIO("x"), b"x", None, 3, object(), Region()])
def test_what_is_no_module_is_said_to_be_none(module: object) -> None:
    with pytest.raises(gpuasync_lsp.NotUsable, match=r"not a module|not text"):
        gpuasync_lsp.check(module)


def test_completion_knows_what_there_is() -> None:
    assert {"check", "fix", "streams", "assert_clean"} <= set(dir(gpuasync_lsp))
    assert all(hasattr(gpuasync_lsp, name) for name in dir(gpuasync_lsp))


def test_a_failed_test_is_ten_lines_without_frames_of_ours(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from gpuasync_lsp import assert_clean\n"
        f"MODULE = {AUTHORED!r}\n"
        "def test_it():\n    assert_clean(MODULE, llvm=22)\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"}
    done = subprocess.run(
        [*command, "test_it.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("E ")]
    assert 5 < len(said) <= 12, done.stdout
    assert "dsl.py:15:3: line 8: error[GA101]" in said[1]
    assert "ignore=['GA101']" in said[-1]
    assert "api.py" not in done.stdout


def test_the_notebook_runs_and_shows_its_results() -> None:
    cells = json.loads((ROOT / "examples" / "dsl.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}
    shown: list[str] = []
    for cell in cells:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                shown.append(value._repr_html_())
    found, fixed, picture, lowered, ran = shown
    assert "dsl.py:15:3: line" in found
    assert "GA101" in found
    assert "GA101" not in fixed
    assert picture.startswith("<svg")
    assert "mgpuStreamCreate" in lowered
    assert "array([0., 2., 4., 6.]" in ran
