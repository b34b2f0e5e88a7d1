"""Runs take their workers from one warm process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.warm_worker import WarmWorkers


@pytest.fixture(scope="session")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmWorkers]:
    """The process that workers are forked from."""
    warm = WarmWorkers(tmp_path_factory.mktemp("worker"))
    yield warm
    warm.close()


@pytest.fixture(autouse=True)
def warm(workers: WarmWorkers) -> Iterator[None]:
    """Use it in every test of this folder."""
    with workers.in_use():
        yield
