"""Programs modeled on public bug reports: `check` reports the bug, at its line, in each affected release.

The expected results were measured on the real mlir-opt of each release.
"""

from __future__ import annotations

import pytest

import gpuasync_lsp
from tests.support.tools import SHARED

FOLDER = SHARED / "findings" / "inputs" / "reports"
BARE = "gpu-to-llvm{use-bare-pointers-for-kernels=1 use-bare-pointers-for-host=1}"
NVVM = "gpu.module(convert-gpu-to-nvvm)"
OUTLINE = "gpu-kernel-outlining"

ROWS = [
    # (file, pipeline, releases, line, code, part of the message)
    ("03-i64", "", (19, 22), 13, "GA207", "silently drops this explicit stream"),
    ("03-i64", "", (23,), 13, "GA109", "cannot have both async dependencies and an explicit async object"),
    ("04b-register-with-bare-pointers", BARE, (19, 22, 23, 24), 6, "GA115", "(2) for callee (expecting: 3)"),
    ("05-copy-of-a-row", "", (19, 22, 23), 11, "GA107", "Copy all of %mat and take the part from the copy"),
    ("07-returned-buffer-is-freed", "", (19, 22, 24), 13, "GA303", "returns %buf, which was freed"),
    ("09-launch-with-dependency-no-token", "", (19, 22, 24), 8, "GA001", "write `gpu.launch async [...]`"),
    ("09g", "", (19, 22, 23), 6, "GA104", "it has dependencies but is not async"),
    ("09g24", "", (22,), 6, "GA003", "size mismatch in attribute conversion: 12 vs 11"),
    ("09g24", "", (24,), 6, "GA003", "returning a token\nWrite `gpu.launch async [...]`."),
    ("10-async-region-host-shared", "gpu-async-region,gpu-to-llvm", (22,), 17, "GA105", "drop gpu-"),
    ("11-launch-inside-a-launch", OUTLINE, (22,), 14, "GA108", "crashes (segmentation fault)"),
    ("11-launch-inside-a-launch", OUTLINE, (23,), 14, "GA108", "fails: nested symbol reference '@dev::@k'"),
    ("12-async-token-parameter", "", (16, 19, 22, 23), 4, "GA111", "crashes here (segmentation fault)"),
    ("13-async-value-of-tensor", "", (16, 19, 22, 23), 5, "GA115", "crashes here (segmentation fault)"),
    ("15-freed-by-both", "", (22,), 18, "GA307", "Free it with gpu.dealloc only."),
    ("15r", "", (22,), 18, "GA307", "Free it with gpu.dealloc only."),
    ("15m", "", (22,), 6, "GA307", "host memory allocated by memref.alloc"),
    ("15m", "", (22,), 15, "GA307", "device memory allocated by gpu.alloc"),
    ("16-grid-y-too-large", "", (22,), 18, "GA601", "the limit is 65,535"),
    ("21-known-block-size", f"{NVVM},gpu-to-llvm", (22,), 20, "GA601", "declares (64, 1, 1)"),
    ("22-much-shared-memory", "", (22,), 19, "GA601", "allows more than 232,448"),
    ("23-memory-of-a-call", "", (22,), 14, "GA508", "reads %in, host memory that is not registered"),
    ("23-memory-of-a-call", "", (22,), 14, "GA508", "writes %out, host memory that is not registered"),
    ("25-free-outside", "", (22,), 12, "GA002", "use of undeclared SSA value name '%buf'"),
    ("26-no-target", "gpu-module-to-binary", (19, 22, 23), 5, "GA115", "the module has no target attributes"),
    ("27-async-region-on-async", "gpu-async-region", (22,), 19, "GA101", "Write it without `async`"),
    ("28-transfer-read", NVVM, (19, 22, 23), 9, "GA115", "silently leaves this vector.transfer_read"),
    ("32-block-size-in-brackets", NVVM, (22, 24), 6, "GA601", "silently ignores `known_block_size`"),
    ("32-block-size-in-brackets", NVVM, (19,), 7, "GA115", "mlir-opt crashes here (abort)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pipeline", "releases", "line", "code", "words"), ROWS)
def test_what_hit_the_person_is_told(
    name: str, pipeline: str, releases: tuple[int, ...], line: int, code: str, words: str
) -> None:
    path = FOLDER / f"{name}.mlir"
    if not path.is_file():
        pytest.skip("no shared findings beside this checkout (set GPUASYNC_SHARED)")
    for release in releases:
        found = gpuasync_lsp.check(path.read_text(), llvm=release, pipeline=pipeline or None)
        at_line = [f for f in found if (f.line, f.code) == (line, code)]
        assert any(words in f.message for f in at_line), (release, [str(f) for f in found])


def test_advice_that_would_break_the_program_is_not_given() -> None:
    # gpu-async-region would add a second token to `%t`'s op, or make the host_shared alloc async.
    mixed = """func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
      %s = gpu.wait async
      gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>
      %t = gpu.memcpy async [%s] %a, %b : memref<4xf32>, memref<4xf32>
      gpu.wait [%t]
      return
    }
    """
    plain = """func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
      gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>
      return
    }
    """
    for text, advised in ((mixed, False), (plain, True)):
        (finding,) = (f for f in gpuasync_lsp.check(text, llvm=22) if f.code == "GA102")
        assert ("run gpu-async-region first" in finding.message) is advised
    after = [f for f in gpuasync_lsp.check(mixed, llvm=22, pipeline="gpu-async-region") if f.code == "GA101"]
    assert [f.line for f in after] == [4]
