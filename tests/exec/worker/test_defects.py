"""An internal error during a run is one message, at the op being executed."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("llvmlite")

from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.program import RunOptions, program_to_json
from gpuasync_lsp.exec.worker import __main__ as worker
from gpuasync_lsp.exec.worker.cpu.kernels.bodies import Body
from gpuasync_lsp.exec.worker.session import Session
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

TEXT = TEXTS["TEXT"]


class Silent:
    """A substitute for the channel and the output of a worker."""

    descriptor = -1

    def send(self, message: object) -> None:
        pass

    def take(self) -> str:
        return ""

    def mute(self) -> None:
        pass


def nothing(*_: object) -> None:
    """Replace the functions that monitor a worker's process."""


def report(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], int]:
    """Run a worker's job in this process; return its report, and the line of the report's site."""
    prepared = prepare(TEXT, 22)
    options = RunOptions(device="cpu", shared_arguments=True, memory_limit=1 << 28)
    job = {"type": "run", "program": json.loads(json.dumps(program_to_json(prepared.program)))}
    monkeypatch.setattr(worker, "_heartbeat", nothing)
    monkeypatch.setattr("gpuasync_lsp.exec.worker.crash.install", nothing)
    silent: Any = Silent()
    found = worker._job(job, options, silent, silent)  # pyright: ignore[reportPrivateUsage]
    return found, prepared.place_of(found["site"]).line


def test_one_of_the_code_of_kernels_is_at_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite = Body._instruction  # pyright: ignore[reportPrivateUsage]

    def trips(self: Body, line: str, site: int) -> list[str]:
        if " fmul " in line:
            raise KeyError("nothing")
        return rewrite(self, line, site)

    monkeypatch.setattr(Body, "_instruction", trips)
    found, line = report(monkeypatch)
    assert (found["outcome"], line) == ("refused", 8)
    assert "internal error of gpuasync-lsp in the code of a kernel: KeyError: 'nothing'" in found["message"]


def test_one_of_the_run_is_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def trips(*_: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(Session, "_values", trips)
    found, _ = report(monkeypatch)
    assert found["outcome"] == "error"
    assert found["message"].startswith("internal error of gpuasync-lsp in the run: RuntimeError: first (")
