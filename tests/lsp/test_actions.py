"""Code actions, through the server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpuasync_lsp.ide.document.cancel import Cancel, Patience
from gpuasync_lsp.lsp.answers import actions as answers
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.text import Span
from tests.lsp.editor import Buffer, Editor, edits_of
from tests.lsp.examples import SEED
from tests.support.marks import state_of
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def actions(
    buffer: Buffer, range_: types.Range, only: list[str] | None = None
) -> list[types.CodeAction]:
    context = types.CodeActionContext([], only=only)
    found = await buffer.request("textDocument/codeAction", range=range_, context=context)
    return [action for action in found if isinstance(action, types.CodeAction)]


async def chosen(buffer: Buffer, action: types.CodeAction) -> str:
    """Return the text after an action; resolves the action first if it has no edits."""
    if action.edit is None:
        action = await buffer.editor.request("codeAction/resolve", buffer.editor.json(action))
    assert action.edit is not None
    return buffer.apply(edits_of(action.edit, buffer))


def place(buffer: Buffer) -> types.Range:
    start = buffer.at("[%2, %6]")
    return types.Range(start, start)


async def test_the_fix_of_a_refused_op(editor: Editor) -> None:
    buffer = editor.open(SEED)
    fixes = [a for a in await actions(buffer, place(buffer)) if a.is_preferred and a.diagnostics]
    (fix,) = [a for a in fixes if a.diagnostics and a.diagnostics[0].code == "GA101"]
    assert fix.kind == types.CodeActionKind.QuickFix
    assert "gpu.memcpy async [%6] %1, %5" in await chosen(buffer, fix)


async def test_fixing_leaves_nothing_to_fix(editor: Editor) -> None:
    buffer = editor.open(SEED)
    found = await actions(buffer, place(buffer), ["source.fixAll"])
    (fix_all,) = found
    assert fix_all.kind == "source.fixAll.gpuasync"
    after = editor.open(await chosen(buffer, fix_all))
    assert "GA101" not in [d.code for d in await after.diagnostics()]


async def test_only_the_kinds_that_were_asked_for(editor: Editor) -> None:
    buffer = editor.open(SEED)
    for only in (["quickfix"], ["source"], ["source.organizeImports"], ["refactor"]):
        found = await actions(buffer, place(buffer), only)
        assert all(str(getattr(a.kind, "value", a.kind)).startswith(only[0]) for a in found)
    assert await actions(buffer, place(buffer), ["source.organizeImports"]) == []


async def test_fix_all_of_one_rule(editor: Editor) -> None:
    twice = SEED + "\n// -----\n" + SEED
    buffer = editor.open(twice)
    found = await actions(buffer, place(buffer))
    (every,) = [a for a in found if a.title == "Fix all GA101 in this file"]
    after = await chosen(buffer, every)
    assert after.count("gpu.memcpy async [%6]") == 2


@pytest.mark.parametrize("where", ["on this line", "in this file"])
async def test_a_comment_silences(editor: Editor, where: str) -> None:
    buffer = editor.open(SEED)
    found = await actions(buffer, place(buffer))
    (ignore,) = [a for a in found if a.title == f"Ignore GA101 {where}"]
    text = await chosen(buffer, ignore)
    after = editor.open(text)
    assert "GA101" not in [d.code for d in await after.diagnostics()]


async def test_a_second_rule_joins_the_comment(editor: Editor) -> None:
    buffer = editor.open(
        SEED.replace("memref<?xf32>, memref<?xf32>", "memref<?xf32>, memref<?xf32> // gpuasync: ignore[GA3]")
    )
    found = await actions(buffer, place(buffer))
    (ignore,) = [a for a in found if a.title == "Ignore GA101 on this line"]
    assert "// gpuasync: ignore[GA3, GA101]" in await chosen(buffer, ignore)


async def test_nothing_to_offer_where_nothing_is_found(editor: Editor) -> None:
    buffer = editor.open(SEED)
    start = buffer.at("%c2")
    assert await actions(buffer, types.Range(start, start), ["quickfix"]) == []


async def test_a_fix_that_adds_a_wait_is_offered_and_says_so(editor: Editor) -> None:
    buffer = editor.open(SEED.replace("    gpu.wait [%4]\n", "").replace("[%2, %6]", "[%6]"))
    start = buffer.at("%4 = gpu.dealloc")
    found = await actions(buffer, types.Range(start, start))
    fixes = [
        a for a in found if a.diagnostics and a.diagnostics[0].code == "GA401" and "Ignore" not in a.title
    ]
    assert fixes
    assert not any(a.is_preferred for a in fixes)
    assert "gpu.wait [%4]" in await chosen(buffer, fixes[0])


LAUNCH = TEXTS["LAUNCH"]


async def test_a_launch_is_outlined(editor: Editor) -> None:
    buffer = editor.open(LAUNCH)
    at = buffer.at("gpu.launch")
    for kind in ("quickfix", "refactor.rewrite"):
        offered = await actions(buffer, types.Range(at, at), [kind])
        (action,) = [a for a in offered if a.title.startswith("Outline the kernel")]
        text = await chosen(buffer, action)
        assert text.startswith("module attributes {gpu.container_module} {\nfunc.func @fill(")
        assert "gpu.launch_func @fill_kernel::@fill_kernel blocks in (%n, %n, %n)" in text
        after = editor.open(text)
        assert [d.message for d in await after.diagnostics() if d.code != "GA506"] == []


async def test_selected_ops_become_a_kernel(editor: Editor) -> None:
    buffer = editor.open(LAUNCH)
    selected = types.Range(buffer.at("  memref.store %f, %m[%n]"), buffer.at("  return"))
    (action,) = await actions(buffer, selected, ["refactor.extract"])
    assert action.title == "Extract to a kernel"
    text = await chosen(buffer, action)
    assert "%one = arith.constant 1 : index\n  gpu.launch_func @fill_kernel::@fill_kernel" in text
    assert "    gpu.func @fill_kernel(%f: f32, %m: memref<4xf32>, %n: index) kernel" not in text
    assert "  gpu.func @fill_kernel(%f: f32, %m: memref<4xf32>, %n: index) kernel" in text


async def test_fix_all_works_beside_what_cannot_be_read(editor: Editor) -> None:
    twice = SEED + "\n// -----\n" + SEED + "\n// -----\nfunc.func @broken( {\n"
    buffer = editor.open(twice)
    found = await actions(buffer, place(buffer))
    (every,) = [a for a in found if a.title == "Fix all GA101 in this file"]
    after = await chosen(buffer, every)
    assert after.count("gpu.memcpy async [%6]") == 2
    assert after.endswith("func.func @broken( {\n")


async def test_a_fix_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """`View.warn` reports the remaining findings with "window/showMessage"."""
    state = state_of(SEED)
    told: list[str] = []
    view: Any = SimpleNamespace(
        state=state,
        cancel=Cancel(),
        uri="file:///f.mlir",
        document=SimpleNamespace(version=1),
        client=Client(),
        places=Places(state.lines, "utf-16"),
        warn=told.append,
    )
    monkeypatch.setattr(answers, "FIXING", 0.0)
    at = view.places.range(Span(SEED.index("[%2, %6]"), SEED.index("[%2, %6]")))
    asked = {"range": at, "context": {}}
    numbers = [n for n, a in enumerate(answers._actions(view, asked, Patience(9.0))) if a.lazy]
    for number in numbers:
        answers.resolve_action(view, {"data": {**asked, "number": number}})
    assert numbers
    assert all("took too long" in message for message in told)
    assert told
