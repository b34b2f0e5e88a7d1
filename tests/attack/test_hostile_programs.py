"""Programs that once ended an analysis or a request with an error of Python's."""

from __future__ import annotations

from gpuasync_lsp.ide.document.targets import Target, comment_target
from gpuasync_lsp.ide.features.lenses import lenses
from tests.attack.test_time import repeated, within
from tests.support.marks import state_of


def test_lenses_of_a_module_of_several_blocks() -> None:
    state = state_of('"builtin.module"() ({\n  func.func @f() {\n    return\n  }\n^bb1:\n}) : () -> ()\n')
    list(lenses(state))


def test_a_comment_that_begins_again_and_again() -> None:
    with within(2):
        assert comment_target(repeated("// gpuasync: ")) is None
        assert comment_target(repeated("// gpuasync: llvm ")) is None
    assert comment_target("// gpuasync: // gpuasync: llvm=19") == Target(19, "comment on line 1")
