"""Diagnostics, pushed and pulled, in every editor profile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from tests.lsp.editor import SERVER, TIMEOUT, Buffer, Editor, capabilities
from tests.lsp.examples import SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def refused(buffer: Buffer) -> list[types.Diagnostic]:
    """Return the diagnostics of GA101."""
    return [d for d in await buffer.diagnostics() if d.code == "GA101"]


async def test_a_refused_op_is_marked(editor: Editor) -> None:
    buffer = editor.open(SEED)
    (found,) = await refused(buffer)
    assert found.code == "GA101"
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.source == "gpuasync"
    assert "gpu.memcpy" in buffer.text.splitlines()[found.range.start.line]


async def test_the_code_leads_to_a_page_that_the_client_can_open(editor: Editor) -> None:
    (found,) = await refused(editor.open(SEED))
    capable = capabilities(editor.profile).text_document
    assert capable is not None
    assert capable.publish_diagnostics is not None
    if not capable.publish_diagnostics.code_description_support:
        assert found.code_description is None
        return
    assert found.code_description is not None
    # No editor profile supports virtual documents, so the link is to a file.
    page = to_fs_path(found.code_description.href)
    assert page is not None
    assert Path(page).read_text().startswith("# GA101 too-many-dependencies")


async def test_the_code_leads_to_a_virtual_document_where_the_client_has_those(fresh: Editor) -> None:
    offered = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            text_document_content=types.TextDocumentContentClientCapabilities()
        ),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(code_description_support=True)
        ),
    )
    await fresh.start("emacs", capabilities=offered)
    (found,) = await refused(fresh.open(SEED))
    assert found.code_description == types.CodeDescription("gpuasync:/rules/GA101.md")


async def test_diagnostics_follow_edits_and_carry_their_version(editor: Editor) -> None:
    buffer = editor.open(SEED)
    await buffer.diagnostics()
    buffer.change("[%2, %6]", "[%6]")
    assert await refused(buffer) == []
    buffer.change("gpu.memcpy", "gpu.memcqy")
    assert "GA001" in [d.code for d in await buffer.diagnostics()]


async def test_what_a_lit_test_expects_everywhere_is_no_diagnostic(editor: Editor) -> None:
    expected = "// expected-error@+1 {{wrong}}\nfunc.func @f%d() { %%c = arith.addi %%c, %%c : f32 return }\n"
    lines = "// RUN: mlir-opt %s -split-input-file -verify-diagnostics\n"
    found = await editor.open(lines + "// -----\n".join(expected % n for n in range(3))).diagnostics()
    assert not [each for each in found if each.severity == types.DiagnosticSeverity.Error]


async def test_an_edit_above_moves_diagnostics(editor: Editor) -> None:
    buffer = editor.open(SEED)
    (before,) = await refused(buffer)
    buffer.change("module", "// a line\n\nmodule")
    (after,) = await refused(buffer)
    assert after.range.start.line == before.range.start.line + 2
    assert (
        buffer.slice(after.range)
        == SEED.splitlines()[before.range.start.line][
            before.range.start.character : before.range.end.character
        ]
    )


async def test_columns_count_what_was_negotiated(editor: Editor) -> None:
    buffer = editor.open(SEED.replace("%7 = gpu", '%s = "t.op"() {n = "€😀"} : () -> i1 %7 = gpu'))
    plain = editor.open(SEED)
    (there,), (here,) = await refused(buffer), await refused(plain)
    assert buffer.slice(there.range) == plain.slice(here.range)


async def test_findings_of_the_baseline_are_hints(fresh: Editor, tmp_path: Path) -> None:
    text = "func.func @f() {\n  %old = gpu.wait async\n  return\n}\n"
    path = tmp_path / "known.mlir"
    path.write_text(text)
    (tmp_path / "gpuasync.toml").write_text('baseline = "known.json"\n')
    command = [str(SERVER), "check", str(path), "--write-baseline"]
    assert subprocess.run(command, cwd=tmp_path, check=False, timeout=TIMEOUT).returncode == 0
    await fresh.start("neovim")
    both = text + text.replace("%old", "%new").replace("@f", "@g")
    found = [d for d in await fresh.open(both, path.as_uri()).diagnostics() if d.code == "GA401"]
    severities = {each.range.start.line: each.severity for each in found}
    assert severities == {1: types.DiagnosticSeverity.Hint, 5: types.DiagnosticSeverity.Warning}
    assert [("baseline" in each.message) for each in found].count(True) == 1


async def test_closing_takes_pushed_diagnostics_away(editor: Editor) -> None:
    assert editor.result is not None
    if editor.result.capabilities.diagnostic_provider is not None:
        pytest.skip("this editor pulls: it drops them itself")
    buffer = editor.open(SEED)
    await buffer.diagnostics()
    buffer.close()
    async with editor.arrived:
        await editor.arrived.wait_for(lambda: (buffer.uri, None) in editor.published)
    assert editor.published[buffer.uri, None] == []


async def test_pulling_again_says_unchanged(editor: Editor) -> None:
    buffer = editor.open(SEED)
    first = await buffer.request("textDocument/diagnostic")
    again = await buffer.request("textDocument/diagnostic", previousResultId=first.result_id)
    assert again.kind == "unchanged"
    assert again.result_id == first.result_id
    buffer.change("[%2, %6]", "[%6]")
    changed = await buffer.request("textDocument/diagnostic", previousResultId=first.result_id)
    assert changed.kind == "full"
    assert "GA101" not in [d.code for d in changed.items]


async def test_related_places_where_the_client_shows_them(editor: Editor) -> None:
    buffer = editor.open(SEED)
    (found,) = await refused(buffer)
    if editor.client.capabilities.text_document.publish_diagnostics.related_information:
        assert found.related_information
        assert all(r.location.uri == buffer.uri for r in found.related_information)
    else:
        assert found.related_information is None


@pytest.mark.parametrize("there", [True, False], ids=["file", "no file"])
async def test_where_the_op_is_from_is_a_related_place(editor: Editor, tmp_path: Path, there: bool) -> None:
    """`loc("dsl.py":15:3)` is the line in the user's source: a link if the file exists, otherwise text."""
    if not editor.client.capabilities.text_document.publish_diagnostics.related_information:
        pytest.skip("this client shows no related places")
    if there:
        (tmp_path / "dsl.py").touch()
    text = "\n".join(
        f'{line} loc("dsl.py":15:3)' if "gpu.memcpy" in line else line for line in SEED.split("\n")
    )
    buffer = editor.open(text, (tmp_path / "made.mlir").as_uri())
    (found,) = await refused(buffer)
    assert found.related_information is not None
    first = found.related_information[0]
    if there:
        assert first.location.uri == (tmp_path / "dsl.py").as_uri()
        assert first.location.range.start == types.Position(14, 2)
        assert first.message == "from here"
    else:
        assert (first.location.uri, first.location.range) == (buffer.uri, found.range)
        assert first.message == "from dsl.py:15:3"


@pytest.mark.parametrize("whole_folder", [False, True])
async def test_a_request_that_crosses_the_close_is_no_mistake(fresh: Editor, whole_folder: bool) -> None:
    """Editors show an error for -32602, but none for cancelled and outdated requests."""
    fresh.configuration = {"checkWorkspace": whole_folder}
    await fresh.start("visual-studio-code")
    buffer = fresh.open(SEED)
    assert (await buffer.request("textDocument/diagnostic")).items
    buffer.close()
    rejections = [("textDocument/codeLens", types.LSPErrorCodes.ContentModified)]
    if whole_folder:
        rejections.append(("textDocument/diagnostic", types.LSPErrorCodes.ServerCancelled))
    else:
        # VS Code pulls when it closes a document, and keeps showing the result.
        assert not (await buffer.request("textDocument/diagnostic")).items
    for method, code in rejections:
        with pytest.raises(JsonRpcException) as refused:
            await buffer.request(method)
        assert refused.value.code == code
