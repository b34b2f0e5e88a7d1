"""Requests about the workspace: symbols, diagnostics of every file, folders, files, virtual documents."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import PROFILES, TIMEOUT, Editor, capabilities
from tests.lsp.examples import KERNEL, SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session", params=PROFILES)
async def workspace(request: pytest.FixtureRequest, fresh: Editor, tmp_path: Path) -> AsyncIterator[Editor]:
    """An editor with two folders open: one with two files, one with none."""
    (tmp_path / "one" / ".hidden").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "seed.mlir").write_text(SEED)
    (tmp_path / "one" / "kernel.mlir").write_text(KERNEL)
    (tmp_path / "one" / ".hidden" / "seed.mlir").write_text(SEED)
    (tmp_path / "one" / "latin.mlir").write_bytes(b"// \xe9\n")
    folders = [types.WorkspaceFolder((tmp_path / name).as_uri(), name) for name in ("one", "two")]
    offered = capabilities(request.param)
    # Workspace diagnostics require a client that pulls; no other answer here depends on that.
    assert offered.text_document is not None
    offered.text_document.diagnostic = types.DiagnosticClientCapabilities()
    fresh.configuration = {"checkWorkspace": True}
    options = {"gpuasync": fresh.configuration}
    await fresh.start(
        request.param, capabilities=offered, workspace_folders=folders, initialization_options=options
    )
    yield fresh


async def test_symbols_of_every_file(workspace: Editor, tmp_path: Path) -> None:
    found = await workspace.request("workspace/symbol", {"query": ""})
    assert sorted(s.name for s in found) == ["@kernels", "@main", "@run", "@scale"]
    (scale,) = await workspace.request("workspace/symbol", {"query": "sCl"})
    assert scale.container_name == "@kernels"
    assert scale.location.uri == (tmp_path / "one" / "kernel.mlir").as_uri()


async def test_an_open_document_counts_as_it_is_in_the_editor(workspace: Editor, tmp_path: Path) -> None:
    workspace.open(SEED.replace("@main", "@other"), (tmp_path / "one" / "seed.mlir").as_uri())
    found = await workspace.request("workspace/symbol", {"query": ""})
    assert sorted(s.name for s in found) == ["@kernels", "@other", "@run", "@scale"]


async def test_folders_come_and_go(workspace: Editor, tmp_path: Path) -> None:
    (tmp_path / "two" / "more.mlir").write_text("func.func private @added()\n")
    assert len(await workspace.request("workspace/symbol", {"query": "added"})) == 1
    removed = types.WorkspaceFolder((tmp_path / "two").as_uri(), "two")
    # "workspace/didChangeWorkspaceFolders"
    workspace.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added=[], removed=[removed]))
    )
    assert await workspace.request("workspace/symbol", {"query": "added"}) == []


async def test_diagnostics_of_every_file(workspace: Editor, tmp_path: Path) -> None:
    seed = (tmp_path / "one" / "seed.mlir").as_uri()
    first = await workspace.request("workspace/diagnostic", {"previousResultIds": []})
    reports = {report.uri: report for report in first.items}
    assert set(reports) == {seed, (tmp_path / "one" / "kernel.mlir").as_uri()}
    assert "GA101" in [d.code for d in reports[seed].items]
    known = [{"uri": report.uri, "value": report.result_id} for report in first.items]
    again = await workspace.request("workspace/diagnostic", {"previousResultIds": known})
    assert {report.kind for report in again.items} == {"unchanged"}
    (tmp_path / "one" / "seed.mlir").write_text(SEED.replace("[%2, %6]", "[%6]"))
    changed = await workspace.request("workspace/diagnostic", {"previousResultIds": known})
    (report,) = [report for report in changed.items if report.kind == "full"]
    assert report.uri == seed
    assert "GA101" not in [d.code for d in report.items]


async def test_files_that_nobody_opened_are_reported_on_request_only(fresh: Editor, tmp_path: Path) -> None:
    (tmp_path / "seed.mlir").write_text(SEED)
    diagnostic = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    await fresh.start(
        "emacs",
        capabilities=types.ClientCapabilities(text_document=diagnostic),
        workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "folder")],
    )
    assert not (await fresh.request("workspace/diagnostic", {"previousResultIds": []})).items
    known: list[dict[str, str]] = []
    for wanted, found in ((True, True), (False, False)):
        fresh.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"gpuasync": {"checkWorkspace": wanted}})
        )
        (report,) = (await fresh.request("workspace/diagnostic", {"previousResultIds": known})).items
        assert bool(report.items) == found
        known = [{"uri": report.uri, "value": report.result_id or ""}]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("name", [b"\xff.mlir", b"a\nb.mlir", b"\x1b[31m.mlir", b"%2e%2e#?.mlir"])
async def test_a_file_whose_name_is_no_plain_text(workspace: Editor, tmp_path: Path, name: bytes) -> None:
    path = tmp_path / "two" / os.fsdecode(name)
    path.write_text("func.func private @hidden()\nfunc.func private @hidden()\n")
    found = await workspace.request("workspace/symbol", {"query": "hidden"})
    assert {each.location.uri for each in found} == {path.as_uri()}
    reports = (await workspace.request("workspace/diagnostic", {"previousResultIds": []})).items
    assert [d.code for each in reports if each.uri == path.as_uri() for d in each.items] == ["GA003"]


@pytest.mark.parametrize("whole_folder", [False, True])
async def test_a_closed_document_is_reported_to_have_none(
    fresh: Editor, tmp_path: Path, *, whole_folder: bool
) -> None:
    """VS Code ignores any other response about a closed document."""
    (tmp_path / "folder").mkdir()
    diagnostic = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    await fresh.start(
        "emacs",
        capabilities=types.ClientCapabilities(text_document=diagnostic),
        workspace_folders=[types.WorkspaceFolder((tmp_path / "folder").as_uri(), "folder")],
    )
    fresh.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"gpuasync": {"checkWorkspace": whole_folder}})
    )
    closed = fresh.open(SEED, (tmp_path / "closed.mlir").as_uri())
    closed.close()
    reports = {
        report.uri: list(report.items)
        for report in (await fresh.request("workspace/diagnostic", {"previousResultIds": []})).items
    }
    assert reports[closed.uri] == []
    fresh.open(SEED, closed.uri)
    again = (await fresh.request("workspace/diagnostic", {"previousResultIds": []})).items
    assert all(report.items for report in again if report.uri == closed.uri)


async def test_diagnostics_of_the_workspace_report_progress(workspace: Editor) -> None:
    workspace.client.progress_reports["check"] = []
    await workspace.request("workspace/diagnostic", {"previousResultIds": [], "workDoneToken": "check"})
    kinds = [value.kind for value in workspace.client.progress_reports["check"]]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    assert "report" in kinds


@pytest.mark.parametrize("method", ["workspace/diagnostic", "workspace/symbol"])
async def test_each_file_is_a_partial_result(workspace: Editor, method: str) -> None:
    """With a partial result token, results arrive file by file, and the final one is empty."""
    arrived: list[types.ProgressParams] = []
    workspace.client.protocol.fm.features["$/progress"] = arrived.append
    params = {"previousResultIds": []} if method == "workspace/diagnostic" else {"query": ""}
    whole = workspace.json(await workspace.request(method, params))
    assert arrived == []
    rest = workspace.json(await workspace.request(method, {**params, "partialResultToken": "part"}))
    assert {progress.token for progress in arrived} == {"part"}
    parts = [workspace.json(progress.value) for progress in arrived]
    assert len(parts) == 2  # One for each file.
    if method == "workspace/diagnostic":
        assert rest == {"items": []}
        assert [item for part in parts for item in part["items"]] == whole["items"]
    else:
        assert rest == []
        assert [symbol for part in parts for symbol in part] == whole


async def test_a_configuration_file_changes_what_is_found(workspace: Editor, tmp_path: Path) -> None:
    buffer = workspace.open(SEED, (tmp_path / "one" / "seed.mlir").as_uri())
    assert "GA101" in [d.code for d in await buffer.diagnostics()]
    config = tmp_path / "one" / "gpuasync.toml"
    config.write_text('ignore = ["GA101"]\n')
    event = types.FileEvent(config.as_uri(), types.FileChangeType.Created)
    workspace.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert "GA101" not in [d.code for d in await buffer.diagnostics()]


async def test_each_folder_has_its_own_settings(fresh: Editor, tmp_path: Path) -> None:
    folders = [types.WorkspaceFolder((tmp_path / name).as_uri(), name) for name in ("one", "two")]
    fresh.configuration = {"ignore": ["GA5"]}
    fresh.folder_configuration = {folders[1].uri: {"ignore": ["GA101"]}}
    await fresh.start("visual-studio-code", workspace_folders=folders)
    async with fresh.arrived:
        await asyncio.wait_for(fresh.arrived.wait_for(lambda: fresh.asked), TIMEOUT)
    one = fresh.open(SEED, f"{folders[0].uri}/a.mlir")
    two = fresh.open(SEED, f"{folders[1].uri}/a.mlir")
    assert "GA101" in [d.code for d in await one.diagnostics()]
    assert "GA101" not in [d.code for d in await two.diagnostics()]


async def test_a_mistake_in_a_configuration_file_is_logged(workspace: Editor, tmp_path: Path) -> None:
    (tmp_path / "one" / "gpuasync.toml").write_text("llvm = 3\n")
    buffer = workspace.open(SEED, (tmp_path / "one" / "seed.mlir").as_uri())
    await buffer.diagnostics()
    assert any("gpuasync.toml" in m.message and "LLVM" in m.message for m in workspace.client.log_messages)


async def test_a_mistake_in_a_configuration_file_is_shown_there_until_it_is_mended(
    workspace: Editor, tmp_path: Path
) -> None:
    config = tmp_path / "one" / "gpuasync.toml"
    config.write_text('select = ["GA1"]\nllvm = 3\n')
    buffer = workspace.open(SEED, (tmp_path / "one" / "seed.mlir").as_uri())
    await buffer.diagnostics()
    key = (config.as_uri(), None)
    async with workspace.arrived:
        await asyncio.wait_for(workspace.arrived.wait_for(lambda: workspace.published.get(key)), TIMEOUT)
    (shown,) = workspace.published[key]
    assert (shown.range.start.line, shown.severity) == (1, types.DiagnosticSeverity.Error)
    assert "LLVM" in shown.message
    config.write_text("llvm = 22\n")
    event = types.FileEvent(config.as_uri(), types.FileChangeType.Changed)
    workspace.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    async with workspace.arrived:
        await asyncio.wait_for(workspace.arrived.wait_for(lambda: not workspace.published[key]), TIMEOUT)


async def test_virtual_documents(workspace: Editor) -> None:
    rule = await workspace.request("workspace/textDocumentContent", {"uri": "gpuasync:/rules/GA101.md"})
    assert "too-many-dependencies" in rule.text
    with pytest.raises(JsonRpcException, match="not a document of this server"):
        await workspace.request("workspace/textDocumentContent", {"uri": "gpuasync:/rules/GA999.md"})


async def test_a_preview_as_a_virtual_document_follows_its_source(fresh: Editor) -> None:
    offered = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            text_document_content=types.TextDocumentContentClientCapabilities()
        ),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
    )
    refreshed = asyncio.Event()
    fresh.client.protocol.fm.features["workspace/textDocumentContent/refresh"] = lambda _: refreshed.set()
    await fresh.start("emacs", capabilities=offered)
    buffer = fresh.open(SEED.replace("[%2, %6]", "[%6]"))
    argument = {"textDocument": {"uri": buffer.uri}, "llvm": 22}
    params = {"command": "gpuasync.preview", "arguments": [argument]}
    result = await fresh.request("workspace/executeCommand", params)
    (shown,) = fresh.client.shown_documents
    content = await fresh.request("workspace/textDocumentContent", {"uri": shown.uri})
    assert content.text == result["text"]
    buffer.change("%c2 = arith.constant 2", "%c2 = arith.constant 3")
    await asyncio.wait_for(refreshed.wait(), TIMEOUT)
    content = await fresh.request("workspace/textDocumentContent", {"uri": shown.uri})
    assert "llvm.mlir.constant(3 : index)" in content.text
