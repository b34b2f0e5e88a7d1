"""Every request about a document, through the server, in every editor profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Buffer, Editor, edits_of
from tests.lsp.examples import KERNEL, SEED
from tests.support.tools import FIXTURES

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPTIONS = {"tabSize": 2, "insertSpaces": True}


def spot(buffer: Buffer, found: Any) -> str:
    """Return the text at a Location, or the name at a LocationLink's target."""
    range_ = found.target_selection_range if isinstance(found, types.LocationLink) else found.range
    return buffer.slice(range_)


@pytest.mark.parametrize("method", ["textDocument/definition", "textDocument/declaration"])
async def test_definition_of_values_blocks_and_kernels(editor: Editor, method: str) -> None:
    buffer = editor.open(KERNEL)
    for needle, shift in (("%t1]", 1), ("::@scale", 3)):
        (found,) = await buffer.request(method, buffer.at(needle, shift))
        place = found.target_selection_range if isinstance(found, types.LocationLink) else found.range
        assert spot(buffer, found) == KERNEL[KERNEL.index(needle) :].lstrip(":")[: len(spot(buffer, found))]
        assert place.start.line < buffer.at(needle).line
    assert await buffer.request(method, types.Position(14, 0)) is None


async def test_the_definition_of_a_type_is_its_alias(editor: Editor) -> None:
    head = "!buffer = memref<8xf32>\n!other = memref<4xf32>\n"
    buffer = editor.open(head + "func.func @f(%a: !buffer, %b: memref<8xf32>, %c: i32) {\n  return\n}\n")
    for name in ("%a", "%b"):  # Two spellings of one type.
        (found,) = await buffer.request("textDocument/typeDefinition", buffer.at(name, 1))
        assert buffer.slice(found.range) == "!buffer"
        assert found.range.start.line == 0
    assert await buffer.request("textDocument/typeDefinition", buffer.at("%c", 1)) is None
    assert await buffer.request("textDocument/typeDefinition", buffer.at("return")) is None


async def test_references(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    at = buffer.at("@scale")
    every = await buffer.request("textDocument/references", at, context={"includeDeclaration": True})
    uses = await buffer.request("textDocument/references", at, context={"includeDeclaration": False})
    assert [buffer.slice(r.range) for r in every] == ["@scale", "@scale"]
    assert len(uses) == 1
    assert uses[0].range.start.line == 9


async def test_highlights_tell_writes_from_reads(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/documentHighlight", buffer.at("%t0", 1))
    assert [(h.range.start.line, h.kind) for h in found] == [
        (8, types.DocumentHighlightKind.Write),
        (9, types.DocumentHighlightKind.Read),
    ]


async def test_rename_with_prepare(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    at = buffer.at("%t0", 1)
    prepared = await buffer.request("textDocument/prepareRename", at)
    assert prepared.placeholder == "%t0"
    edit = await buffer.request("textDocument/rename", at, newName="%first")
    assert buffer.apply(edits_of(edit, buffer)) == KERNEL.replace("%t0", "%first")
    with pytest.raises(JsonRpcException, match="already used for something else") as refused:
        await buffer.request("textDocument/rename", at, newName="%t1")
    assert refused.value.code == types.LSPErrorCodes.RequestFailed
    assert await buffer.request("textDocument/prepareRename", types.Position(14, 0)) is None


async def test_linked_editing(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/linkedEditingRange", buffer.at("%t0", 1))
    assert [buffer.slice(r) for r in found.ranges] == ["%t0", "%t0"]
    assert await buffer.request("textDocument/linkedEditingRange", buffer.at("@run", 1)) is None


async def test_completion_and_its_documentation(editor: Editor) -> None:
    buffer = editor.open(KERNEL.replace("gpu.wait [%t1]", "gpu.wait []\n    gpu.mem"))
    found = await buffer.request("textDocument/completion", buffer.at("gpu.wait []", 10))
    assert [item.label for item in found.items] == ["%t1", "%t0"]
    at = buffer.at("gpu.mem\n", 7)
    found = await buffer.request("textDocument/completion", at)
    item = next(item for item in found.items if item.label == "gpu.memcpy")
    assert isinstance(item.text_edit, types.TextEdit)
    assert buffer.slice(item.text_edit.range) == "gpu.mem"
    snippets = editor.client.capabilities.text_document.completion.completion_item.snippet_support
    assert (item.insert_text_format == types.InsertTextFormat.Snippet) == bool(snippets)
    assert ("${1:" in item.text_edit.new_text) == bool(snippets)
    resolved = await editor.request("completionItem/resolve", editor.json(item))
    assert "destination first" in resolved.documentation.value


async def test_signature_help(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/signatureHelp", buffer.at("%f : f32)", 1))
    assert found.signatures[0].label == "@scale(%m: memref<8xf32>, %f: f32)"
    assert found.active_parameter == 1
    assert await buffer.request("textDocument/signatureHelp", buffer.at("%t1]", 1)) is None


async def test_inlay_hints(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/inlayHint", range=buffer.whole())
    assert [(h.position.line, h.label) for h in found] == [(8, ": stream 0"), (9, ": stream 0")]
    line = types.Range(types.Position(9, 0), types.Position(10, 0))
    assert len(await buffer.request("textDocument/inlayHint", range=line)) == 1


async def test_semantic_tokens(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    full = await buffer.request("textDocument/semanticTokens/full")
    same = await buffer.request("textDocument/semanticTokens/full/delta", previousResultId=full.result_id)
    assert list(same.edits) == []
    buffer.change("%t0 = gpu.wait async", "%t0 = gpu.wait async\n    %more = gpu.wait async")
    delta = await buffer.request("textDocument/semanticTokens/full/delta", previousResultId=same.result_id)
    after = await buffer.request("textDocument/semanticTokens/full")
    data = list(full.data)
    for edit in sorted(delta.edits, key=lambda e: e.start, reverse=True):
        data[edit.start : edit.start + edit.delete_count] = list(edit.data or [])
    assert data == list(after.data)
    part = await buffer.request("textDocument/semanticTokens/range", range=buffer.whole())
    assert list(part.data) == list(after.data)


async def test_an_unknown_token_result_gets_all_tokens(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    full = await buffer.request("textDocument/semanticTokens/full")
    found = await buffer.request("textDocument/semanticTokens/full/delta", previousResultId="long ago")
    assert list(found.data) == list(full.data)


async def test_document_symbols(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/documentSymbol")
    if isinstance(found[0], types.DocumentSymbol):
        assert [s.name for s in found] == ["@kernels", "@run"]
        assert [s.name for s in found[0].children] == ["@scale"]
    else:
        assert [s.name for s in found] == ["@kernels", "@scale", "@run"]


async def test_folding(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/foldingRange")
    starts = {fold.start_line: fold for fold in found}
    assert set(starts) == {0, 1, 2, 6}
    if starts[6].start_character is None:
        assert starts[6].end_line == 11  # The brace stays visible.


async def test_selection_ranges(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    positions = [buffer.at("%t0] ", 1), buffer.at("gpu.return", 4)]
    found = await buffer.request("textDocument/selectionRange", positions=positions)
    assert [buffer.slice(r.range) for r in found] == ["%t0", "gpu.return"]
    widest = found[0]
    while widest.parent is not None:
        widest = widest.parent
    assert buffer.slice(widest.range) == KERNEL


async def test_document_links(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    (found,) = await buffer.request("textDocument/documentLink")
    assert buffer.slice(found.range) == "@scale"
    assert found.target == f"{buffer.uri}#L3,14"


async def test_call_hierarchy(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    (run,) = await buffer.request("textDocument/prepareCallHierarchy", buffer.at("@run", 1))
    (out,) = await editor.request("callHierarchy/outgoingCalls", {"item": editor.json(run)})
    assert (out.to.name, out.to.detail) == ("@scale", "kernel")
    (back,) = await editor.request("callHierarchy/incomingCalls", {"item": editor.json(out.to)})
    assert back.from_.name == "@run"
    assert [buffer.slice(r) for r in back.from_ranges] == ["@scale"]


async def test_code_lenses_run_commands_of_the_server(editor: Editor) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("textDocument/codeLens")
    commands = editor.result.capabilities.execute_command_provider.commands
    assert found
    for lens in found:
        assert lens.command.command in commands
        if lens.command.command == "gpuasync.run":
            (argument,) = lens.command.arguments
            assert (argument["uri"], argument["entry"]) == (buffer.uri, "run")
            assert argument["device"] == {"Run on GPU": "cuda", "Run on CPU": "cpu"}[lens.command.title]
            continue  # test_streams_and_run.py covers runs.
        params = {"command": lens.command.command, "arguments": list(lens.command.arguments)}
        assert await editor.request("workspace/executeCommand", params) is not None


async def test_formatting(editor: Editor) -> None:
    ugly = KERNEL.replace("    %t0 =   gpu.wait", "%t0   =  gpu.wait").replace(
        "%t0 = gpu.wait", " %t0=gpu.wait"
    )
    buffer = editor.open(ugly)
    edits = await buffer.request("textDocument/formatting", options=OPTIONS)
    assert buffer.apply(edits) == KERNEL
    line = types.Range(types.Position(8, 0), types.Position(9, 0))
    edits = await buffer.request("textDocument/rangeFormatting", range=line, options=OPTIONS)
    assert buffer.apply(edits) == KERNEL
    line = types.Range(types.Position(0, 0), types.Position(1, 0))
    assert not await buffer.request("textDocument/rangeFormatting", range=line, options=OPTIONS)


async def test_new_lines_and_closing_braces_are_indented(editor: Editor) -> None:
    buffer = editor.open("func.func @f() {\n\n      }\n")
    at = types.Position(1, 0)
    edits = await buffer.request("textDocument/onTypeFormatting", at, ch="\n", options=OPTIONS)
    # The editor has closed the brace below.
    assert buffer.apply(edits) == "func.func @f() {\n  \n}\n"
    at = types.Position(2, 7)
    edits = await buffer.request("textDocument/onTypeFormatting", at, ch="}", options=OPTIONS)
    assert buffer.apply(edits) == "func.func @f() {\n\n}\n"


REQUESTS: dict[str, dict[str, Any]] = {
    "textDocument/codeLens": {},
    "textDocument/documentLink": {},
    "textDocument/documentSymbol": {},
    "textDocument/foldingRange": {},
    "textDocument/formatting": {"options": OPTIONS},
    "textDocument/semanticTokens/full": {},
    "gpuasync/lowering": {},
    "gpuasync/target": {},
}

AT = ("completion", "declaration", "definition", "documentHighlight", "hover", "linkedEditingRange")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "%",
        "func.func @f(",
        "module {",
        "}}}}",
        "// -----\n// -----\n",
        '"unterminated',
        SEED.replace("%7 = gpu.memcpy", "%7 = = gpu.memcpy ]"),
        SEED[: len(SEED) // 2],
        SEED.replace("\n", "\r\n"),
        "func.func @f() {\n  %a:2 = \u2028 \x0c !!<> ^^ ##\n}",
    ],
)
async def test_no_text_is_too_broken_for_an_answer(editor: Editor, text: str) -> None:
    buffer = editor.open(text)
    await buffer.diagnostics()
    for method, more in REQUESTS.items():
        await buffer.request(method, **more)
    for offset in {0, len(text) // 2, len(text)}:
        for name in AT:
            await buffer.request(f"textDocument/{name}", buffer.position(offset))
        await buffer.request("textDocument/selectionRange", positions=[buffer.position(offset)])
    await buffer.request("textDocument/inlayHint", range=buffer.whole())


async def test_the_definition_of_a_users_op_is_in_its_td_file(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "gpuasync.toml").write_text('dialects = ["mine.json"]\n')
    (tmp_path / "mine.json").write_text((FIXTURES / "dialects" / "mine.json").read_text())
    td = tmp_path / "include" / "Mine.td"
    td.parent.mkdir()
    td.write_text((FIXTURES / "dialects" / "mine.td").read_text())
    text = "func.func @f(%a: i32) {\n  %0 = mine.add %a, %a : i32\n  return\n}\n"
    buffer = editor.open(text, (tmp_path / "a.mlir").as_uri())
    (found,) = await buffer.request("textDocument/definition", buffer.at("mine.add", 3))
    if isinstance(found, types.LocationLink):
        assert buffer.slice(found.origin_selection_range) == "mine.add"
        uri, line = found.target_uri, found.target_selection_range.start.line
    else:
        uri, line = found.uri, found.range.start.line
    assert uri == td.as_uri()
    assert td.read_text().split("\n")[line].startswith("def Mine_AddOp")
    assert await buffer.request("textDocument/definition", buffer.at("func.func", 3)) is None
