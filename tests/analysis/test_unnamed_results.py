"""Messages about a result without a name refer to its op, and suggest naming it."""

from __future__ import annotations

from gpuasync_lsp.api import check

TEXT = "func.func @f() {\n  gpu.wait async\n  return\n}\n"


def test_a_token_without_a_name() -> None:
    said = "\n".join(problem.message for problem in check(TEXT, 22))
    assert "ever waits for the result of gpu.wait" in said
    assert "name it, `%t = ...`, and write `gpu.wait [%t]`" in said
    assert "<unnamed>" not in said
