"""ptxas of each installed CUDA release: from wheels, or named in GPUASYNC_PTXAS."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.tools import missing

CHIPS = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
"""The chips for which PTX is assembled, from Turing to Blackwell."""


@dataclass(frozen=True)
class Ptxas:
    """A ptxas program, and the chips that it supports."""

    path: Path
    chips: frozenset[str]

    def problem(self, ptx: str) -> str:
        """Return the error of ptxas for `ptx`; empty if it is valid or if its chip is not supported."""
        target = re.search(r"^\.target (\w+)", ptx, re.M)
        assert target is not None
        if target[1] not in self.chips:
            return ""
        done = subprocess.run(
            [str(self.path), "-O0", "-arch", target[1], "-o", "/dev/null", "-"],
            input=ptx,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return "" if done.returncode == 0 else done.stderr.strip()

    def assemble(self, ptx: str) -> None:
        """Fail the test if `ptx` is invalid."""
        problem = self.problem(ptx)
        assert not problem, f"{self.path}: {problem}\n{ptx}"


@cache
def all_ptxas() -> tuple[Ptxas, ...]:
    """Return the installed assemblers; skip the test visibly if there are none."""
    paths = [Path(each) for each in os.environ.get("GPUASYNC_PTXAS", "").split(":") if each]
    paths += sorted(path for folder in sys.path for path in Path(folder).glob("nvidia/*/bin/ptxas"))
    if not paths:
        missing("ptxas is not installed (pip install nvidia-cuda-nvcc)")
    return tuple(Ptxas(path, _chips(path)) for path in dict.fromkeys(paths))


def _chips(path: Path) -> frozenset[str]:
    said = subprocess.run([str(path), "--help"], capture_output=True, text=True, timeout=60, check=False)
    return frozenset(re.findall(r"'(sm_\w+)'", said.stdout))
