"""All output is printed through `gpuasync_lsp/output.py`, and contains no terminal commands."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gpuasync_lsp
from gpuasync_lsp.output import clean, one_line

ROOT = Path(gpuasync_lsp.__file__).parent
ELSEWHERE = {
    "output.py": "it is the way",
    "exec/worker": "a process whose output is frames for its client",
    "ide/runlines/matching_worker.py": "the same",
    "lsp": "messages of the protocol",
    "server.py": "has what libraries print go to standard error",
}
"""Files that may write to standard streams directly, with the reason."""


def ways_out(tree: ast.AST) -> list[int]:
    """Return the lines that print or write to a standard stream."""
    found: list[int] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        given = [ast.unparse(each) for each in node.args]
        is_stream = called.split(".")[0] == "sys" and called.endswith((".write", ".writelines"))
        is_dump = called == "json.dump" and any(each.startswith("sys.") for each in given)
        if called in ("print", "traceback.print_exc") or is_stream or is_dump:
            found.append(node.lineno)
    return found


def test_nothing_else_prints() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for path in ROOT.rglob("*.py")
        if not any(path.relative_to(ROOT).as_posix().startswith(each) for each in ELSEWHERE)
        for line in ways_out(ast.parse(path.read_text("utf-8")))
    }
    assert found == set()


@pytest.mark.parametrize(
    "written",
    ["print(1)", "sys.stdout.write(a)", "sys.stderr.buffer.write(a)", "json.dump(a, sys.stdout)"],
)
def test_other_ways_are_seen(written: str) -> None:
    assert ways_out(ast.parse(written)) == [1]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a.mlir", "a.mlir"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\x9b2Jb", "a\\x9b2Jb"),
        ("a\rb", "a\\x0db"),
        ("::error::x", "\\::error::x"),
        ("a\n::error::x\n  ::add-mask::y", "a\n\\::error::x\n  \\::add-mask::y"),
        ("a\n##[error]x", "a\n\\##[error]x"),
        ("ä\udcff\u202e\u2028", "ä\\xff\\u202e\\u2028"),
        ("%t::x\ty", "%t::x\ty"),
    ],
)
def test_what_is_no_program_text_is_made_safe(given: str, shown: str) -> None:
    assert clean(given) == shown


def test_a_name_stays_on_its_line() -> None:
    assert one_line("a\n+++ b\t") == "a\\n+++ b\\t"
