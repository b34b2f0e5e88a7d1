"""Runs programs for tests: in a worker as for users, or faster in this process."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from gpuasync_lsp.exec import Run, RunOptions, RunReport, WorkerCommand
from gpuasync_lsp.exec.prepare import prepare
from tests.support import tools
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

FIXTURES = tools.FIXTURES / "run"

UNLOADED = TEXTS["UNLOADED"]
"""A program that uses a module, and a function of it, after it has unloaded the module."""


def run(
    text: str, version: int = 22, *, entry: str = "", worker: WorkerCommand | None = None, **options: Any
) -> RunReport:
    """Run a program in a worker on the CPU and return its report."""
    prepared = prepare(text, version, entry)
    settings = RunOptions(**{"device": "cpu", **options})
    return Run(prepared.program, settings, prepared.place_of, worker=worker).wait(60)


@dataclass
class Numbers:
    """The report and arrays of a run in this process."""

    report: dict[str, Any]
    inputs: dict[str, np.ndarray]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


def compute(text: str, version: int = 24, arguments: dict[str, str] | None = None, **options: Any) -> Numbers:
    """Run a program on the CPU in this process; return its arrays before and after the run."""
    from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
    from gpuasync_lsp.exec.worker.jit import Jit
    from gpuasync_lsp.exec.worker.session import Session
    from gpuasync_lsp.exec.worker.values import make_argument

    prepared = prepare(text, version)
    settings = RunOptions(
        device="cpu", arguments=tuple((arguments or {}).items()), save="kept", memory_limit=1 << 30, **options
    )
    jit = Jit()
    report = Session(prepared.program, settings, {}).run(jit, CpuBackend(jit, prepared.program, settings))
    keep: list[Any] = []

    def allocate(size: int) -> int:
        keep.append(np.zeros(size + 16, np.uint8))
        return keep[-1].ctypes.data

    inputs: dict[str, np.ndarray] = {}
    for parameter in prepared.program.parameters:
        name = parameter.name.strip("%")
        made = make_argument(parameter, (arguments or {}).get(name, ""), allocate, False, {})
        if made.array is not None:
            inputs[name] = made.array.copy()
    arrays = dict(inputs)
    for value in report["values"]:
        if "data" in value:
            arrays[value["name"].strip("%")] = np.load(io.BytesIO(base64.b64decode(value["data"])))
    return Numbers(report, inputs, arrays)


def needs_clusters(text: str) -> bool:
    """Return whether a program launches clusters of blocks."""
    return "clusters in" in text or "clusters(" in text


@dataclass(frozen=True)
class Case:
    """A program of a fixture, and the results that NumPy computes for it."""

    name: str
    text: str
    arguments: dict[str, str]
    expected: dict[str, str]
    results: tuple[str, ...]
    tolerance: float
    shared: bool
    """Whether its arguments are memory that both host and device may access."""
    llvm: int
    """The release for which it is written."""

    def __str__(self) -> str:
        return self.name

    @property
    def needs_clusters(self) -> bool:
        """Whether it requires sm_90 or later."""
        return needs_clusters(self.text)

    @property
    def is_expanded_by_runs(self) -> bool:
        """Whether it has ops that a run expands; other commands name a pass for them instead."""
        return "linalg." in self.text or "nvgpu.tma" in self.text


def cases(file: str) -> list[Case]:
    """Read the programs of a fixture file; `// ARG`, `// EXPECT`, ... lines give arguments and results."""
    found: list[Case] = []
    for text in re.split(r"^// -----$", (FIXTURES / file).read_text(), flags=re.MULTILINE):
        lines = re.findall(r"^// (NAME|LLVM|SHARED|ARG|EXPECT|RESULT|CLOSE) ?(.*)$", text, re.MULTILINE)
        told: dict[str, list[str]] = {}
        for key, value in lines:
            told.setdefault(key, []).append(value)
        arguments = dict(part.split("=", 1) for line in told.get("ARG", []) for part in line.split())
        expected = dict(line.split(" = ", 1) for line in told.get("EXPECT", []))
        tolerance = float(told["CLOSE"][0]) if "CLOSE" in told else 1e-5
        found.append(
            Case(
                told["NAME"][0],
                text,
                arguments,
                expected,
                tuple(told.get("RESULT", [])),
                tolerance,
                "SHARED" in told,
                int(told.get("LLVM", ["24"])[0]),
            )
        )
    return found


PROGRAMS = [
    case
    for topic in (
        "kernels",
        "reductions",
        "products",
        "stencils",
        "atomics",
        "streams",
        "memory",
        "control",
        "matrices",
        "subgroups",
        "async_copies",
        "fragments",
        "meetings",
        "warp_groups",
        "vectors",
    )
    for case in cases(f"{topic}.mlir")
]
"""All programs with results that NumPy computes; the first is saxpy on one stream."""

PARTS_OF_PROGRAMS = [
    pytest.param(PROGRAMS[::3], id="each third"),
    pytest.param(
        [case for number, case in enumerate(PROGRAMS) if number % 3],
        id="the others",
        marks=pytest.mark.campaign,
    ),
]
"""The programs in two parts, for tests that compile each of them."""
