"""Only code reachable from the entry function can make a run fail."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

MODULE = TEXTS["MODULE"]
TWO_TOKENS = "%u = gpu.memcpy async [%t, %t] %a, %a : memref<4xf32>, memref<4xf32>"
UNREADABLE = "gpu.wait asink"
CALL = "call @middle(%a) : (memref<4xf32>) -> ()"
MENTION = "%f = func.constant @middle : (memref<4xf32>) -> ()"


@pytest.mark.parametrize("leaf", [TWO_TOKENS, UNREADABLE])
def test_what_the_entry_does_not_get_to_refuses_nothing(leaf: str) -> None:
    program = prepare(MODULE.format(leaf=leaf, main=""), 24).program
    assert program.entry == "main"
    assert program.kernels == ()


@pytest.mark.parametrize("main", [CALL, MENTION])
@pytest.mark.parametrize(
    ("leaf", "said"), [(TWO_TOKENS, "exactly one async dependency"), (UNREADABLE, "'asink' is unknown")]
)
def test_what_it_gets_to_through_others_does(main: str, leaf: str, said: str) -> None:
    with pytest.raises(NotRunnable, match=said):
        prepare(MODULE.format(leaf=leaf, main=main), 24)


def test_without_an_entry_the_text_is_refused() -> None:
    with pytest.raises(NotRunnable) as refused:
        prepare(f"func.func @main() {{\n  {UNREADABLE}", 24)
    assert refused.value.refused
