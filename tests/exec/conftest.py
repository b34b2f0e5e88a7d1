"""Runs get their workers from one warm process; the fake driver is compiled once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tools import missing
from tests.support.warm_worker import WarmWorkers


@pytest.fixture(scope="session")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmWorkers]:
    """The process from which workers are forked."""
    warm = WarmWorkers(tmp_path_factory.mktemp("worker"))
    yield warm
    warm.close()


@pytest.fixture(autouse=True)
def warm(workers: WarmWorkers) -> Iterator[None]:
    """Use the warm workers in every test of this folder."""
    with workers.in_use():
        yield


@pytest.fixture(scope="session")
def fake_libcuda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a libcuda.so.1 that works without a GPU."""
    compiler = shutil.which("cc")
    if compiler is None:
        missing("no C compiler is installed (Debian: gcc)")
    folder = tmp_path_factory.mktemp("fake_libcuda")
    source = Path(__file__).parent / "fake_libcuda" / "fake.c"
    subprocess.run(
        [str(compiler), "-shared", "-fPIC", "-o", folder / "libcuda.so.1", source, "-ldl"],
        check=True,
        timeout=60,
    )
    return folder
