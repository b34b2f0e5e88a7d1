"""Settings sent by editors are documented with their defaults, and all named VS Code commands exist."""

from __future__ import annotations

import json
import re

import pytest

from gpuasync_lsp.ide.document.options import EDITOR_KEYS
from tests.support.tools import ROOT

PAGE = (ROOT / "docs" / "configuration.md").read_text("utf-8")
MANIFEST = json.loads((ROOT / "vscode-extension" / "package.json").read_text("utf-8"))
DECLARED = {
    name: value
    for group in MANIFEST["contributes"]["configuration"]
    for name, value in group["properties"].items()
}
OF_VS_CODE = frozenset(
    {
        "besideLlvmExtension",
        "preview.bands",
        "preview.foldDescriptors",
        "serverPath",
        "python",
        "trace.server",
    }
)
"""Settings that only the extension reads."""

SERVER = {name.removeprefix("gpuasync."): value for name, value in DECLARED.items()}
ROWS = dict(re.findall(r"^\| `([\w.]+)` \| ([^|]*?) \|", PAGE, re.MULTILINE))


@pytest.mark.parametrize("name", sorted(SERVER.keys() - OF_VS_CODE))
def test_a_setting_is_documented(name: str) -> None:
    assert name in ROWS or f"`{name}`" in PAGE


@pytest.mark.parametrize("name", sorted(ROWS.keys() & SERVER.keys()))
def test_its_default_is_the_one_that_is_told(name: str) -> None:
    default = SERVER[name].get("default")
    told = ROWS[name].split(" in VS Code")[0].strip("`")
    assert told == ("none" if not default and default is not False else str(default).lower())


def test_no_setting_is_documented_that_there_is_not() -> None:
    assert ROWS.keys() <= SERVER.keys()
    assert {"run.timeout", "run.profile", "run.command"} <= ROWS.keys()


def test_what_the_extension_alone_reads_is_no_mistake_to_the_server() -> None:
    assert {name.partition(".")[0] for name in OF_VS_CODE} <= EDITOR_KEYS


def test_commands_that_tests_and_the_table_of_editors_name_exist() -> None:
    titles = [each["title"] for each in MANIFEST["contributes"]["commands"]]
    driver = (ROOT / "tests" / "editors" / "vscode.mjs").read_text("utf-8")
    used = re.findall(r'command\(\s*"GPU Async: ([^"]+)"', driver)
    assert len(used) > 30
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|", (ROOT / "docs" / "editors.md").read_text("utf-8"), re.MULTILINE)
    told = [name.removesuffix(" ...") for row in rows for name in re.findall(r"\*([A-Z][^*]+)\*", row)]
    assert len(told) > 8
    lenses = ["Run this test"]
    for name in (*used, *told):
        assert any(title.startswith(name) for title in (*titles, *lenses)), name
