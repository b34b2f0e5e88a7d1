"""Blocks on several cores: results and findings are equal to those on one core, in the same order."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from benchmarks.kernel_checks import PRODUCT
from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.program import RunOptions
from gpuasync_lsp.exec.worker.cpu import cores
from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
from gpuasync_lsp.exec.worker.cpu.kernels import compilation
from gpuasync_lsp.exec.worker.cpu.parts import current_part
from gpuasync_lsp.exec.worker.jit import Jit, to_object
from gpuasync_lsp.exec.worker.session import Session
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

FAULTY = TEXTS["FAULTY"]

ATOMIC = TEXTS["ATOMIC"]

SPOKEN = TEXTS["SPOKEN"]


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Record the cores that run blocks; parallel execution starts immediately."""
    seen: set[int] = set()
    begun, helped = threading.Event(), threading.Event()
    call = cores._call

    def noted(*arguments: Any) -> None:
        part = current_part()
        if part is not None:
            seen.add(part.number)
            mine, other = (helped, begun) if part.number else (begun, helped)
            mine.set()
            other.wait(60)  # No core may run all shares before the other gets one.
        call(*arguments)

    monkeypatch.setattr(cores, "WORTH", 0.0)
    monkeypatch.setattr(cores, "_call", noted)
    return seen


def run(monkeypatch: pytest.MonkeyPatch, text: str, count: int) -> dict[str, Any]:
    monkeypatch.setattr(cores, "available_cores", lambda: count)
    prepared = prepare(text, 22)
    options = RunOptions(device="cpu", shared_arguments=True, memory_limit=1 << 28, check=False)
    jit = Jit()
    return Session(prepared.program, options, {}).run(jit, CpuBackend(jit, prepared.program, options))


def said(report: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(each["name"], each["site"], each["message"]) for each in report["findings"]]


@pytest.mark.parametrize(
    "text", [FAULTY, PRODUCT.format(n=64, tiles=4)], ids=["with faults", "product with barriers"]
)
def test_three_cores_do_what_one_does(monkeypatch: pytest.MonkeyPatch, used: set[int], text: str) -> None:
    one = run(monkeypatch, text, 1)
    assert not used, "a single core runs the whole launch"
    three = run(monkeypatch, text, 3)
    assert len(used) > 1
    assert three["values"] == one["values"]
    assert said(three) == said(one)
    assert bool(said(one)) == (text is FAULTY)


def test_kernels_are_compiled_once_for_all_cores(monkeypatch: pytest.MonkeyPatch, used: set[int]) -> None:
    """A product of size 512 takes a third of a second, and its compilation half of that."""
    compiled: list[bytes] = []

    def noted(module: Any) -> bytes:
        compiled.append(to_object(module))
        return compiled[-1]

    monkeypatch.setattr(compilation, "to_object", noted)
    run(monkeypatch, PRODUCT.format(n=64, tiles=4), 3)
    assert len(used) > 1
    assert len(compiled) == 1


@pytest.mark.parametrize("text", [ATOMIC, SPOKEN], ids=["atomic update", "output"])
def test_blocks_that_see_each_other_stay_on_one_core(
    monkeypatch: pytest.MonkeyPatch, used: set[int], text: str
) -> None:
    report = run(monkeypatch, text, 3)
    assert report["outcome"] in ("ok", "findings")
    assert not used
