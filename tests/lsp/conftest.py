"""One server per editor profile for the whole run; tests that need a server of their own start one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.lsp.editor import PROFILES, TIMEOUT, Editor, server_config


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=PROFILES)
async def editor(request: pytest.FixtureRequest) -> AsyncIterator[Editor]:
    """An editor with a running server, for each of the profiles."""
    client = await server_config().start()
    editor = Editor(client)
    await editor.start(request.param)
    yield editor
    await asyncio.wait_for(client.shutdown_session(), TIMEOUT)
    await client.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def fresh() -> AsyncIterator[Editor]:
    """An editor whose server has started and was not initialized."""
    client = await server_config().start()
    yield Editor(client)
    server = client._server
    if server is not None and server.returncode is None:
        server.kill()
        await server.wait()
    await client.stop()
