"""One server per editor profile for the whole test run; tests that need their own server start one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from pytest_lsp import ClientServerConfig

from tests.lsp.editor import PROFILES, TIMEOUT, Editor
from tests.support.warm import WarmServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientServerConfig]:
    """The command that starts a server with its imports done."""
    warm = WarmServer(tmp_path_factory.mktemp("server"))
    yield ClientServerConfig(server_command=warm.command())
    warm.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=PROFILES)
async def editor(request: pytest.FixtureRequest, server: ClientServerConfig) -> AsyncIterator[Editor]:
    """An editor with a running server, for each of the profiles."""
    client = await server.start()
    editor = Editor(client)
    await editor.start(request.param)
    yield editor
    await asyncio.wait_for(client.shutdown_session(), TIMEOUT)
    await client.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(server: ClientServerConfig) -> AsyncIterator[Editor]:
    """An editor whose server was started but not initialized."""
    client = await server.start()
    yield Editor(client)
    process = client._server
    if process is not None and process.returncode is None:
        process.kill()
        await process.wait()
    await client.stop()
