"""`gpuasync-lsp test`: its output and exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import gpuasync
from tests.support.tools import mlir_opt

pytest.importorskip("filecheck")

GOOD = "// RUN: mlir-opt %s | FileCheck %s\n// CHECK: func.func @a(\nfunc.func @a() { return }\n"
BAD = GOOD.replace("CHECK: func.func @a(", "CHECK: func.func @b(")


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    (tmp_path / "good.mlir").write_text(GOOD)
    (tmp_path / "bad.mlir").write_text(BAD)
    (tmp_path / "no_test.mlir").write_text("func.func @a() { return }\n")
    return tmp_path


def test_a_folder_of_tests(tests: Path) -> None:
    done = gpuasync("test", ".", "--mlir-opt", mlir_opt(22).command[0], cwd=tests)
    assert done.returncode == 1
    assert 'bad.mlir:2:1: error: Couldn\'t match "func.func @b(".' in done.stdout
    assert "closest, line 2 of the output:\n  func.func @a() {\n" in done.stdout
    assert "PASS: good.mlir" in done.stdout
    assert done.stdout.endswith("2 tests: 1 pass, 1 fail.\n")


def test_json_for_programs(tests: Path) -> None:
    done = gpuasync(
        "test", "bad.mlir", "good.mlir", "--output-format", "json", "--engine", "builtin", cwd=tests
    )
    bad, good = json.loads(done.stdout)
    assert (done.returncode, bad["verdict"], good["verdict"]) == (1, "fail", "pass")
    (failure,) = bad["runs"][0]["failures"]
    assert (failure["kind"], failure["line"], failure["closest"]["line"]) == ("check", 2, 2)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["good.mlir"], 0, ""),
        (["no_test.mlir"], 1, ""),
        (["nowhere.mlir"], 2, "nowhere.mlir"),
        (["good.mlir", "--mlir-opt", "no-such-mlir-opt"], 2, "no-such-mlir-opt"),
        (["good.mlir", "--engine", "mlir-opt"], 2, "--mlir-opt"),
    ],
)
def test_exit_statuses(tests: Path, words: list[str], status: int, said: str) -> None:
    done = gpuasync("test", *words, cwd=tests)
    assert (done.returncode, said in done.stderr) == (status, True)
