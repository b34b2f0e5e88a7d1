"""The command that runs folders of programs reports their outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exec.real_programs import main
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

RUN = "// RUN: mlir-opt %s | mlir-runner | FileCheck %s\n"
PRINTS = TEXTS["PRINTS"]
SCHEDULED = TEXTS["SCHEDULED"]


def test_programs_are_right_wrong_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "right.mlir").write_text(f"{RUN}// CHECK: {{{{^}}}}7\n{PRINTS}")
    (tmp_path / "wrong.mlir").write_text(f"{RUN}// CHECK: 8\n{PRINTS}")
    (tmp_path / "scheduled.mlir").write_text(SCHEDULED)
    (tmp_path / "lowered.mlir").write_text(f"// RUN: mlir-opt %s | FileCheck %s\n{PRINTS}")
    assert main([str(tmp_path)]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:2] for row in rows[:-1]] == [
        ["right", "right.mlir"],
        ["refused", "scheduled.mlir"],
        ["wrong", "wrong.mlir"],
    ]
    assert "6: no lowering is known for linalg.matmul in a kernel: the file's transform schedule" in rows[1]
    assert rows[-1] == "3 programs: 1 right, 1 refused, 1 wrong"
