"""docs/lsp.md lists every method of the protocol, and describes it as the server implements it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lsprotocol import types

from gpuasync_lsp.lsp.capabilities import COMMANDS
from gpuasync_lsp.server import ANSWERS, BY_SESSION
from tests.lsp.test_capabilities import METHODS
from tests.support.tools import ROOT

PAGE = (ROOT / "docs" / "lsp.md").read_text()
ROWS = re.findall(r"^\| `([\w$/]+)` \| (yes|no) \| *(.*?) *\|$", PAGE, re.M)
OFFERED = {method for method, mark, _ in ROWS if mark == "yes"}
TESTS = "\n".join(p.read_text() for p in Path(__file__).parent.glob("*.py") if p != Path(__file__))

BY_ITSELF = {
    "exit": "shutdown_session",
    "initialize": "initialize_session",
    "initialized": "initialize_session",
    "shutdown": "shutdown_session",
    "window/showDocument": "shown_documents",
    "window/workDoneProgress/create": "progress_reports",
}
"""Methods that pytest-lsp sends or answers automatically, and the names by which tests use them."""


def test_every_method_of_the_protocol_has_one_row() -> None:
    assert sorted(method for method, _, _ in ROWS) == sorted(types.METHOD_TO_TYPES)


def test_what_is_not_offered_has_a_reason() -> None:
    assert [method for method, mark, reason in ROWS if mark == "no" and not reason] == []


def test_what_is_advertised_is_on_the_page() -> None:
    advertised = {m for methods in METHODS.values() for m in methods} | {*ANSWERS, *BY_SESSION}
    known = advertised & set(types.METHOD_TO_TYPES)
    assert known <= OFFERED
    requests = {m for m in types.METHOD_TO_TYPES if types.message_direction(m) == "clientToServer"}
    features = re.compile(r"(textDocument/(?!did)|callHierarchy/|codeAction/|completionItem/)")
    assert {m for m in OFFERED & requests if features.match(m)} <= known
    for name in [*(advertised - set(types.METHOD_TO_TYPES) - {"positionEncoding"}), *COMMANDS]:
        assert f"\n| `{name}` | " in PAGE


@pytest.mark.parametrize("method", sorted(OFFERED))
def test_what_is_offered_is_tested(method: str) -> None:
    in_python = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", method.removeprefix("$/").replace("/", "_")).lower()
    name = BY_ITSELF.get(method, in_python)
    assert f'"{method}"' in TESTS or re.search(rf"\b{name}\b", TESTS, re.IGNORECASE)
