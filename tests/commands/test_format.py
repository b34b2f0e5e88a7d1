"""`gpuasync-lsp format`: its changes, its output, and its exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main

UGLY = "func.func @f(%n:index)->index {\r\n return %n:index // kept\r\n}\r\n"
NEAT = "func.func @f(%n: index) -> index {\r\n  return %n : index // kept\r\n}\r\n"


def test_files_are_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_bytes(b"\xef\xbb\xbf" + UGLY.encode())
    assert main(["format", str(tmp_path)]) == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + NEAT.encode()
    assert capsys.readouterr().out == f"{file} formatted\n"
    assert main(["format", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


def test_check_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_bytes(UGLY.encode())
    (tmp_path / "neat.mlir").write_bytes(NEAT.encode())
    assert main(["format", "--check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"{file} would change\n"
    assert file.read_bytes() == UGLY.encode()
    assert main(["format", "--check", str(tmp_path / "neat.mlir")]) == 0


def test_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_bytes(UGLY.encode())
    assert main(["format", str(tmp_path / "none.mlir"), str(file)]) == 2
    assert "none.mlir" in capsys.readouterr().err
    assert file.read_bytes() == NEAT.encode()


def test_standard_input() -> None:
    command = [sys.executable, "-m", "gpuasync_lsp", "format", "-"]
    done = subprocess.run(command, input=UGLY.encode(), capture_output=True, check=True)
    assert done.stdout == NEAT.encode()
