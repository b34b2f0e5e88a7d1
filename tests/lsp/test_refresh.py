"""Messages that the server sends unprompted: refresh requests and progress."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import TIMEOUT, Editor, capabilities
from tests.lsp.examples import SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")

REFRESHES = {
    "workspace/codeLens/refresh",
    "workspace/diagnostic/refresh",
    "workspace/inlayHint/refresh",
    "workspace/semanticTokens/refresh",
}


async def started_in_vscode(editor: Editor, **options: Any) -> asyncio.Queue[str]:
    """Start a session with a client that can be asked to refresh; return the queue of the refreshes."""
    asked: asyncio.Queue[str] = asyncio.Queue()
    for method in REFRESHES:
        editor.client.protocol.fm.features[method] = lambda *_, method=method: asked.put_nowait(method)
    refresh = {"refreshSupport": True}
    workspace = {"codeLens": refresh, "diagnostics": refresh, "inlayHint": refresh, "semanticTokens": refresh}
    offered = {
        "workspace": {**workspace, "configuration": True, "didChangeConfiguration": {}},
        "textDocument": {"diagnostic": {}},
    }
    typed = Editor.typed(offered, types.ClientCapabilities)
    await editor.start("visual-studio-code", capabilities=typed, **options)
    return asked


def change_file(editor: Editor, config: Path) -> None:
    """Write a configuration file, and report it to the server."""
    config.write_text("llvm = 18\n")
    change = types.FileEvent(config.as_uri(), types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))


async def test_the_client_asks_again_when_a_configuration_file_changes(fresh: Editor, tmp_path: Path) -> None:
    asked = await started_in_vscode(fresh)
    change_file(fresh, tmp_path / "gpuasync.toml")
    assert {await asyncio.wait_for(asked.get(), TIMEOUT) for _ in REFRESHES} == REFRESHES


async def test_programs_among_the_settings_cause_no_refresh(fresh: Editor, tmp_path: Path) -> None:
    """A first refresh would cancel the requests of a file that is opening."""
    settings = {"llvm": 22, "run": {"timeout": 30}}
    fresh.configuration = {**settings, "mlirOpt": "", "run": {"timeout": 30, "command": []}}
    asked = await started_in_vscode(fresh, initialization_options={"gpuasync": settings, "trusted": True})
    async with fresh.arrived:
        await asyncio.wait_for(fresh.arrived.wait_for(lambda: fresh.asked), TIMEOUT)
    change_file(fresh, tmp_path / "gpuasync.toml")
    assert {await asyncio.wait_for(asked.get(), TIMEOUT) for _ in REFRESHES} == REFRESHES
    assert await fresh.open(SEED).diagnostics()
    assert asked.empty()


async def test_saving_is_noted_in_the_trace(fresh: Editor) -> None:
    traced: asyncio.Queue[str] = asyncio.Queue()
    fresh.client.protocol.fm.features["$/logTrace"] = lambda params: traced.put_nowait(params.message)
    await fresh.start("emacs", trace=types.TraceValue.Messages)
    buffer = fresh.open(SEED)
    fresh.client.text_document_did_save(types.DidSaveTextDocumentParams(buffer.id))
    while await asyncio.wait_for(traced.get(), TIMEOUT) != f"saved {buffer.uri}":
        pass


async def test_long_work_is_cancelled_at_its_progress_bar(fresh: Editor, tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}.mlir").write_text(SEED.replace("@main", f"@main{number}"))
    offered = capabilities("visual-studio-code")
    fresh.configuration = {"checkWorkspace": True}
    await fresh.start(
        "visual-studio-code",
        capabilities=offered,
        workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "folder")],
        initialization_options=fresh.configuration,
    )

    def cancel(params: Any) -> None:
        if params.value["kind"] == "begin":
            fresh.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(params.token))

    fresh.client.protocol.fm.features["$/progress"] = cancel
    params = {"previousResultIds": [], "workDoneToken": "all"}
    with pytest.raises(JsonRpcException) as cancelled:
        await fresh.request("workspace/diagnostic", params)
    assert cancelled.value.code == types.LSPErrorCodes.RequestCancelled
