"""`check --engine mlir-opt`: the user's own mlir-opt finds where the passes fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main
from tests.support.tools import mlir_opt

Check = Callable[..., tuple[int, str]]

LEFT = """func.func @f() {
  %s = gpu.wait async
  gpu.barrier
  gpu.wait [%s]
  return
}
// -----
func.func @g(%p: i1) {
  %t = async.execute {
    cf.assert %p, "no"
    async.yield
  }
  async.await %t : !async.token
  return
}
"""


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    mlir_opt(22)  # Skips the test without mlir-opt-22.

    def check(text: str, *arguments: str) -> tuple[int, str]:
        file = tmp_path / "a.mlir"
        file.write_text(text)
        status = main(["check", str(file), "--engine", "mlir-opt", "--llvm", "22", *arguments])
        said = capsys.readouterr()
        return status, said.out + said.err

    return check


def test_what_it_leaves_and_where_it_fails_are_findings(checked: Check) -> None:
    status, said = checked(LEFT, "--mlir-opt", "mlir-opt-22")
    assert status == 1
    assert "LLVM 22 silently leaves this gpu.barrier unlowered, as your mlir-opt shows." in said
    assert "a.mlir:3:3" in said
    assert "LLVM 22, mlir-opt-22: 'async.execute' op expects region #0 to have 0 or 1 blocks." in said
    assert "a.mlir:9:8" in said


def test_a_pass_that_this_tool_lacks_runs(checked: Check) -> None:
    text = "func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> { return %t : tensor<4xf32> }\n"
    status, said = checked(text, "--mlir-opt", "mlir-opt-22", "--pipeline", "one-shot-bufferize,gpu-to-llvm")
    assert (status, "does not implement" in said) == (0, False)


def test_what_a_rule_says_on_the_line_stays_alone(checked: Check) -> None:
    text = "func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {\n"
    text += "  gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>\n  return\n}\n"
    status, said = checked(text, "--mlir-opt", "mlir-opt-22")
    assert (status, said.count("GA102"), said.count("GA115")) == (1, 1, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "specify your mlir-opt with --mlir-opt"),
        (("--mlir-opt", "mlir-opt-22", "--llvm", "23"), "mlir-opt-22 is LLVM 22, and the file is for 23"),
        (
            ("--mlir-opt", "mlir-opt-22", "--pipeline", "gpu-module-to-binary{toolkit=/evil}"),
            "names a toolkit, whose programs would be started",
        ),
    ],
)
def test_a_tool_that_cannot_answer_is_a_mistake(
    checked: Check, arguments: tuple[str, ...], words: str
) -> None:
    status, said = checked("func.func @f() { return }\n", *arguments)
    assert (status, words in said) == (2, True)


def test_a_workspace_names_no_tool(checked: Check, tmp_path: Path) -> None:
    (tmp_path / "gpuasync.toml").write_text('mlir-opt = "mlir-opt-22"\n')
    status, said = checked("func.func @f() { return }\n")
    assert status == 2
    assert "specify your mlir-opt with --mlir-opt" in said


def test_a_missing_tool_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("a.mlir", "b.mlir")]
    for file in files:
        file.write_text("func.func @f() {\n  return\n}\n")
    status = main(["check", *map(str, files), "--engine", "mlir-opt", "--mlir-opt", "nosuch", "-q"])
    wanted = (
        "gpuasync-lsp: error: --mlir-opt: cannot run 'nosuch': there is no program of this name on PATH\n"
    )
    assert (status, capsys.readouterr().err) == (2, wanted)


@pytest.mark.parametrize("command", ["check", "lower", "passes"])
def test_a_caret_shows_where_a_pipeline_breaks(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(tmp_path / "a.mlir"), "--pipeline", "gpu-async-region,foo{"]) == 2
    said = capsys.readouterr().err
    assert said.endswith(f"expected '}}':\n  gpu-async-region,foo{{\n  {' ' * 21}^\n")
