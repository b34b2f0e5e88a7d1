"""The shadow memory code: every placeholder is filled, and LLVM accepts the result."""

from __future__ import annotations

import re

import llvmlite.binding as llvm

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, WRITE
from gpuasync_lsp.exec.worker.cpu.kernels.shadow import ShadowState, packed, shadow_code, unpacked


def test_every_function_is_there_and_llvm_takes_it() -> None:
    text = shadow_code(ShadowState(), Arena(1 << 20), 2, 3, 100, copies=True)
    assert "$" not in text
    assert "{{" not in text
    defined = re.findall(r"^define internal \w+ @gpuasync\.shadow\.(\w+\.\w+)\(", text, re.MULTILINE)
    spaces, kinds = ("device", "shared"), ("read", "write", "atomic")
    assert sorted(defined) == sorted(f"{space}.{kind}" for space in spaces for kind in kinds)
    around = (
        "@gpuasync.shared = external addrspace(3) global [100 x i8]\n@gpuasync.now.thread = global i32 0\n"
    )
    llvm.parse_assembly(around + text).verify()


def test_a_word_says_what_was_packed() -> None:
    for kind in (READ, WRITE, ATOMIC):
        word = unpacked(7 << 32 | 5 << 2 | packed(11, kind))
        assert (word.stamp, word.site, word.thread, word.kind) == (7, 11, 5, kind)
