"""Only `gpuasync_lsp/releases/` compares release numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.releases import NEWEST, OLDEST
from tests.support.tools import ROOT

PACKAGE = ROOT / "gpuasync_lsp"
HOME = PACKAGE / "releases"
OTHER_VERSIONS = {
    "ide/dumps/handles.py": "the same profile",
    "ide/document/state.py": "the same profile",
    "ide/features/hover.py": "one release after the other in a list",
    "analysis/__init__.py": "the same profile",
    "ide/preview/judging.py": "the release of a tool, and the one that the file targets",
    "lsp/session.py": "versions of documents",
    "syntax/dumps.py": "versions of the format of dumps",
}
"""Files that compare other versions, or test releases only for equality, with what they compare."""
WORDS = {"version", "llvm", "release", "since", "newest", "oldest"}
NUMBERS = range(OLDEST, NEWEST + 2)


def comparisons(tree: ast.AST) -> Iterator[tuple[int, bool]]:
    """Yield the line of each comparison with a release, and whether it is an ordering comparison."""
    constants = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if type(node.value.value) is int and node.value.value in NUMBERS
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
        equal = any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        named = [name.lower().strip("_") for side in sides for name in _last_name(side)]
        if (ordered or equal) and (WORDS.intersection(named) or _is_of(constants, sides)):
            yield node.lineno, ordered


def _last_name(side: ast.expr) -> list[str]:
    if isinstance(side, ast.Attribute):
        return [side.attr]
    return [side.id] if isinstance(side, ast.Name) else []


def _is_of(constants: set[str], sides: list[ast.expr]) -> bool:
    """Return whether a constant that could be a release is compared with part of a profile or version."""
    names = {name for side in sides for name in _last_name(side)}
    texts = " ".join(ast.unparse(side) for side in sides)
    return bool(names & constants) and any(word in texts for word in ("profile", "facts", "version"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("profile.version >= 19", [True]),
        ("16 <= version <= LAST", [True]),
        ("if llvm is not None and llvm < 20: pass", [True]),
        ("SINCE = 22\nold = facts.number < SINCE", [True]),
        ("rule.since <= v", [True]),
        ("known.version == profile.version", [False]),
        ("version in rule.always", []),
        ("width == 16", []),
        ("LIMIT = 20\nlen(names) > LIMIT", []),
    ],
)
def test_what_counts_as_a_comparison(text: str, found: list[bool]) -> None:
    assert [ordered for _, ordered in comparisons(ast.parse(text))] == found


def test_nothing_else_compares_releases() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if HOME not in path.parents]
    assert len(files) > 500
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in files
        for line, ordered in comparisons(ast.parse(path.read_text("utf-8")))
        if ordered or path.relative_to(PACKAGE).as_posix() not in OTHER_VERSIONS
    ]
    assert wrong == []


def test_no_file_is_excused_in_vain() -> None:
    for name in OTHER_VERSIONS:
        assert [*comparisons(ast.parse(Path(PACKAGE / name).read_text("utf-8")))], name
