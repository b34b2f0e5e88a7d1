"""The visible part is lowered before the rest is lowered or even read, with the same result as in the
whole."""

from __future__ import annotations

import pytest

from benchmarks.generate import module
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.preview.page import Preview
from gpuasync_lsp.ide.preview.preview import preview, view_of
from gpuasync_lsp.ide.preview.seen_first import seen_first
from gpuasync_lsp.text import LineIndex, Span
from tests.ide.preview.test_preview import state_of

WAITS = "not lowered yet"


def partly_read(text: str, seen: Span) -> FileState:
    """Return a state in which `seen` is parsed and some of the rest is not."""
    resolver = SettingsResolver(Settings(llvm=22))
    for state in in_steps(LineIndex(text), None, resolver, None, lambda: [seen]):
        if state is not None and state.covers(seen):
            assert any(state.source.unread)
            return state
    raise AssertionError("the file is too small to be read in steps")


def lines_of(text: str, first: int, last: int) -> Span:
    starts = LineIndex(text).starts
    return Span(starts[first], starts[last])


def functions(shown: Preview) -> dict[str, str]:
    """Return the text of each lowered function by its name, without those still to be lowered."""
    found: dict[str, str] = {}
    lines = shown.text.splitlines()
    for first, last, what in shown.folds:
        if what == "function":
            found[lines[first].split("@")[1].split("(")[0]] = "\n".join(lines[first : last + 1])
    return found


@pytest.mark.parametrize("explained", [False, True])
@pytest.mark.parametrize(
    "stage", ["lowered", "gpu-to-llvm", "gpu-async-region", "reconcile-unrealized-casts"]
)
def test_what_is_in_sight_is_what_it_is_in_the_whole(stage: str, explained: bool) -> None:
    text = module(1_500, seed=len(stage))
    seen = lines_of(text, 700, 760)
    view = view_of(stage, explained=explained)
    first = seen_first(partly_read(text, seen), seen, view)
    whole = functions(preview(state_of(text), view=view))
    assert first is not None
    assert first.is_partial
    shown = functions(first)
    assert 1 <= len(shown) <= 3
    assert shown.items() <= whole.items()
    assert first.text.count(WAITS) == len(whole) - len(shown)


@pytest.mark.parametrize(
    "other",
    [
        # Loading the NVVM dialect affects the lowering of every function.
        "func.func @other() {\n  nvvm.barrier0\n  return\n}\n",
        # Outlining creates kernels, whose names depend on other functions.
        "func.func @other(%n: index) {\n  gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %f = %n) "
        "threads(%g, %h, %i) in (%j = %n, %k = %n, %l = %n) {\n    gpu.terminator\n  }\n  return\n}\n",
        # Another function may call it with another type.
        "llvm.func @other(i32)\n",
    ],
)
def test_nothing_is_shown_early_that_what_is_not_read_may_change(other: str) -> None:
    text = module(1_500, seed=1)
    body = text.split("\n", 1)[1].rstrip().removesuffix("}")
    text = body + other
    seen = lines_of(text, 700, 760)
    assert seen_first(partly_read(text, seen), seen, view_of("lowered")) is None


def test_what_is_refused_is_left_to_the_whole() -> None:
    text = module(1_500, seed=2)
    seen = lines_of(text, 700, 760)
    at = text.index("gpu.dealloc async", seen.start)
    wrong = text[:at] + text[at:].replace("memref<1024xf32>", "memref<7xf32>", 1)
    assert seen_first(partly_read(wrong, seen), seen, view_of("lowered")) is None


@pytest.mark.parametrize("stage", ["llvm-ir", "ptx"])
def test_a_translation_comes_as_a_whole(stage: str) -> None:
    text = module(1_500, seed=3)
    seen = lines_of(text, 700, 760)
    assert seen_first(partly_read(text, seen), seen, view_of(stage)) is None


def test_what_is_lowered_already_does_not_wait() -> None:
    text = module(1_500, seed=4)
    state, view, seen = state_of(text), view_of("lowered"), lines_of(text, 700, 760)
    whole = preview(state, view=view)
    again = seen_first(state, seen, view)
    assert again is not None
    assert not again.is_partial
    assert again == whole
