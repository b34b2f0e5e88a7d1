"""Large IR dumps: only the visible section and the last one are read, and their findings shown."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.dump import dump
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, file_state, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.dump_outline import outline_by_pass
from gpuasync_lsp.ide.features.outline import SymbolSort, flat
from gpuasync_lsp.text import LineIndex, Span
from tests.lsp.editor import Editor

RESOLVER = SettingsResolver(Settings(llvm=22))
TEXT = dump(8, 900)
STARTS = [TEXT.index(f"Pass{number} ") for number in range(8)]
INSIDE = [TEXT.index("%pass", at) for at in STARTS]


def look(at: int, previous: FileState | None = None) -> FileState:
    """Return the final state of the dump with `at` visible."""
    steps = in_steps(LineIndex(TEXT), None, RESOLVER, previous, lambda: (Span(at, at),))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def lines(state: FileState) -> set[int]:
    """Return the indices of the sections with findings."""
    return {sum(at <= finding.span.start for at in STARTS) - 1 for finding in state.all_findings()}


def test_sections_are_read_when_they_are_looked_at() -> None:
    first = look(INSIDE[2])
    assert lines(first) == {2, 7}
    # The kernels are the same text, and so the same item, in all sections.
    read = {p.offset for p in first.source.items if p.item.is_read and "%pass" in p.item.text}
    assert {sum(at <= offset for at in STARTS) - 1 for offset in read} == {2, 7}
    assert first.covers(Span(INSIDE[2], INSIDE[2]))
    assert not first.covers(Span(INSIDE[3], INSIDE[3]))
    second = look(INSIDE[3], first)
    assert lines(second) == {3, 7}
    kept = {placed.offset for placed in second.source.items if placed.item.is_read}
    assert read < kept


def test_findings_are_those_of_the_section_by_itself() -> None:
    state = look(INSIDE[2])
    body = TEXT[TEXT.rindex("\n", 0, STARTS[2]) + 1 : TEXT.rindex("\n", 0, STARTS[3])]
    alone = file_state(LineIndex(body), None, RESOLVER).all_findings()
    here = [f for f in state.all_findings() if STARTS[2] <= f.span.start < STARTS[3]]
    assert alone
    assert [(f.code, f.message) for f in here] == [(f.code, f.message) for f in alone]


def test_the_outline_has_what_is_not_read() -> None:
    found = outline_by_pass(look(STARTS[0]).source)
    assert [each.name for each in found] == [f"pass-{number}" for number in range(8)]
    names = [[each.name for each in flat(section.children)] for section in found]
    assert names[0]
    assert all(each == names[0] for each in names)
    assert {each.sort for each in found} == {SymbolSort.PASS}


@pytest.mark.asyncio(loop_scope="session")
async def test_findings_follow_the_cursor(editor: Editor) -> None:
    buffer = editor.open(TEXT)

    starts = [TEXT.count("\n", 0, at) for at in STARTS]

    async def shown(expected: set[int]) -> None:
        found: set[int] = set()
        while found != expected:
            await asyncio.sleep(0.05)
            diagnostics = await buffer.diagnostics()
            found = {sum(at <= each.range.start.line for at in starts) - 1 for each in diagnostics}

    await asyncio.wait_for(shown({0, 7}), 20)
    line = TEXT.count("\n", 0, TEXT.index("gpu.memset", STARTS[4]))
    await editor.request(
        "textDocument/hover",
        {"textDocument": {"uri": buffer.uri}, "position": {"line": line, "character": 8}},
    )
    await asyncio.wait_for(shown({4, 7}), 20)
