"""`check` with passes: their effect on the file is reported at the op."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main

REGISTERED = """\
func.func @main(%host: memref<4x8xf32>) {
  %unranked = memref.cast %host : memref<4x8xf32> to memref<*xf32>
  gpu.host_register %unranked : memref<*xf32>
  return
}
"""


@pytest.mark.parametrize("llvm", ["19", "22"])
def test_registering_with_bare_pointers_does_not_verify(
    llvm: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "registered.mlir"
    path.write_text(REGISTERED)
    passes = "gpu-to-llvm{use-bare-pointers-for-host=1 use-bare-pointers-for-kernels=1}"
    call = ["check", "--no-cache", "--output-format", "json", "--llvm", llvm, "--pipeline", passes, str(path)]
    assert main(call) == 1
    (found,) = json.loads(capfd.readouterr().out)["findings"]
    assert (found["code"], found["start"]["line"]) == ("GA115", 3)
    assert "'llvm.call' op incorrect number of operands (2) for callee (expecting: 3)" in found["message"]
