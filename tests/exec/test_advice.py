"""A run that is refused for the number of an op's dependencies says what helps."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

MODULE = TEXTS["MODULE"]
COPY = "%u = gpu.memcpy async [%s, %t] %a, %b : memref<4xf32>, memref<4xf32>"
ALLOC = """%d, %u = gpu.alloc async [%s, %t] () : memref<4xf32>
    %v = gpu.memcpy async [%u] %d, %a : memref<4xf32>, memref<4xf32>"""
LAUNCH = "%u = gpu.launch_func async [%s, %t] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)"
JOIN = r"Join the tokens before it, `%joined = gpu\.wait async \[\.\.\.\]`"
REGION = "gpu-async-region: name it"


@pytest.mark.parametrize(
    ("op", "version", "helps"),
    [
        (COPY, 24, JOIN),
        ("gpu.memcpy [%s, %t] %a, %b : memref<4xf32>, memref<4xf32>", 22, JOIN),
        (COPY, 16, JOIN),
        (ALLOC, 22, JOIN),
        (ALLOC, 24, JOIN),
        (LAUNCH, 18, JOIN),
        (LAUNCH, 22, JOIN),
        ("gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>", 24, REGION),
        ("%u = gpu.memcpy async %a, %b : memref<4xf32>, memref<4xf32>", 24, REGION),
    ],
)
def test_what_helps(op: str, version: int, helps: str) -> None:
    with pytest.raises(NotRunnable, match=helps) as refused:
        prepare(MODULE.format(op=op), version)
    assert ("Join" in refused.value.message) != ("gpu-async-region" in refused.value.message)


def test_joined_it_runs() -> None:
    copied = "%u = gpu.memcpy async [%j] %a, %b : memref<4xf32>, memref<4xf32>"
    joined = f"%j = gpu.wait async [%s, %t]\n    {copied}"
    assert prepare(MODULE.format(op=joined), 24).program.entry == "main"
