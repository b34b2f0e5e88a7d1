"""Diagnostics, fixes, rejected runs and the stream view suggest the same repair for the same fault."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.hover import hover
from gpuasync_lsp.ide.streams import pictures
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.edits import apply_edits
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

MODULE = TEXTS["MODULE"]
COPY = "%u = gpu.memcpy async [%s, %t] %a, %b : memref<4xf32>, memref<4xf32>"
ALLOC = """%d, %u = gpu.alloc async [%s, %t] () : memref<4xf32>
    %v = gpu.memcpy async [%u] %d, %a : memref<4xf32>, memref<4xf32>"""
LAUNCH = "%u = gpu.launch_func async [%s, %t] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)"
SYNC = "gpu.memcpy [%s, %t] %a, %b : memref<4xf32>, memref<4xf32>"


@pytest.mark.parametrize(
    ("op", "version", "helps"),
    [
        (COPY, 24, "join them with `gpu.wait async`"),
        (COPY, 16, "join them with `gpu.wait async`"),
        (COPY.replace("[%s, %t]", "[%s, %s]"), 22, "depending on %s is enough"),
        (SYNC, 22, "Make it async and wait for it afterwards"),
        (ALLOC, 22, "join them with `gpu.wait async`"),
        (ALLOC, 24, "join them with `gpu.wait async`"),
        (LAUNCH, 18, "join them with `gpu.wait async`"),
        (LAUNCH, 22, "join them with `gpu.wait async`"),
        ("gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>", 24, "or run gpu-async-region first"),
        ("%u = gpu.memcpy async %a, %b : memref<4xf32>, memref<4xf32>", 24, "Create a stream with"),
    ],
)
def test_one_voice(op: str, version: int, helps: str) -> None:
    text = MODULE.format(op=op)
    found = [each for each in check_source(text, Config(llvm=version)) if each.code.startswith("GA1")]
    advice = found[0].message.partition("\n")[2]
    assert helps in advice
    # A run is rejected with the same advice.
    with pytest.raises(NotRunnable) as refused:
        prepare(text, version)
    assert refused.value.message.endswith(f". {advice}")
    assert refused.value.span is not None
    assert refused.value.span.start <= found[0].span.start < refused.value.span.end
    # The stream view has the message at the op.
    state = file_state(LineIndex(text), Path("a.mlir"), SettingsResolver(Settings(llvm=version)))
    marks = [mark.message for picture in pictures(state) for row in picture.rows for mark in row.marks]
    assert found[0].message in marks
    # Hover shows the advice on this op only.
    name = re.compile(re.escape(found[0].message.split("this ", 1)[1].split()[0].rstrip(":")))
    about = [hover(state, each.start()) for each in name.finditer(text)]
    assert [advice in each.markdown for each in about if each].count(True) == 1
    # The fix follows the advice: the error is gone, and the program runs.
    fixed = apply_edits(text, found[0].fixes[0].edits)
    assert not [each for each in check_source(fixed, Config(llvm=version)) if each.code == found[0].code]
    prepare(fixed, version)


def test_joined_it_runs() -> None:
    copied = "%u = gpu.memcpy async [%j] %a, %b : memref<4xf32>, memref<4xf32>"
    joined = f"%j = gpu.wait async [%s, %t]\n    {copied}"
    assert prepare(MODULE.format(op=joined), 24).program.entry == "main"


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        (
            "rocdl.wavefrontsize : i32",
            ": of the ops for AMD's GPUs, a run executes only ids, sizes and barriers",
        ),
        ("arith.extf %e : f8E8M0FNU to f32", ": this tool does not execute operations on f8E8M0FNU"),
        ("complex.conj %c : complex<f32>", ""),
    ],
)
def test_a_run_names_the_kernel_op_that_it_cannot_execute(op: str, reason: str) -> None:
    text = TEXTS["KERNEL"].format(op=op)
    with pytest.raises(NotRunnable) as refused:
        prepare(text, 23)
    assert refused.value.message == f"no lowering is known for {op.split()[0]} in a kernel{reason}"
    assert refused.value.span is not None
    assert text[refused.value.span.start :].startswith(f"%v = {op.split()[0]}")
