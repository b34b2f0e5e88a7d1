"""Rule settings from an editor: each change takes effect immediately, without a restart."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.editor import Editor
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROGRAM = TEXTS["PROGRAM"]
USUAL = {"GA102": 1, "GA210": 2, "GA401": 2}


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"select": ["GA1", "empty-wait"]}, {"GA102": 1, "GA210": 2}),
        ({"ignore": ["GA4", "missing-async"]}, {"GA210": 2}),
        ({"select": ["GA401"], "ignore": ["GA4"]}, {"GA401": 2}),
        ({"severity": {"GA401": "hint", "GA2": "error", "missing-async": "off"}}, {"GA210": 1, "GA401": 4}),
        ({"pipeline": ["gpu-async-region"]}, {"GA402": 2}),
        ({"llvm": 16, "select": ["GA102"]}, {"GA102": 1}),
        ({"llvm": None, "select": [], "ignore": [], "severity": {}}, USUAL),
        ({"select": ["GA999"]}, USUAL),
    ],
)
async def test_a_change_is_in_force_at_once(
    fresh: Editor, settings: dict[str, Any], found: dict[str, int]
) -> None:
    # Without capabilities, settings and diagnostics are pushed; new diagnostics show that a change applies.
    await fresh.start("emacs", capabilities=types.ClientCapabilities())
    buffer = fresh.open(PROGRAM)

    async def codes() -> dict[str, int]:
        return {str(d.code): int(d.severity or 0) for d in await buffer.diagnostics()}

    assert await codes() == USUAL
    for change, expected in ((settings, found), ({}, USUAL)):
        fresh.published.clear()
        fresh.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"gpuasync": change})
        )
        assert await codes() == expected


async def test_an_invalid_setting_is_shown_once(fresh: Editor) -> None:
    settings = {"llvm": 99, "select": ["GA1001"], "severity": {"GA101": "loud"}}
    await fresh.start("emacs", capabilities=types.ClientCapabilities(), initialization_options=settings)
    for _ in range(2):
        await fresh.open(PROGRAM).diagnostics()
    assert [message.message.partition(": ")[0] for message in fresh.client.messages] == [
        "Setting gpuasync.llvm", "Setting gpuasync.select", "Setting gpuasync.severity.GA101"
    ]  # fmt: skip


async def test_each_way_to_silence_a_finding(fresh: Editor) -> None:
    await fresh.start("emacs", capabilities=types.ClientCapabilities())
    line = "gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>"
    for text in (
        PROGRAM.replace(line, f"{line}  // gpuasync: ignore[GA102]", 1),
        PROGRAM.replace(line, f"{line}  // why // gpuasync: ignore[missing-async]", 1),
        PROGRAM.replace(line, f"// gpuasync: ignore[GA1]\n    {line}", 1),
        PROGRAM.replace(line, f"{line} // gpuasync: ignore", 1),
        f"// gpuasync: ignore-file[GA102]\n{PROGRAM}",
    ):
        found = {d.code for d in await fresh.open(text).diagnostics()}
        assert found == {"GA210", "GA401"}
