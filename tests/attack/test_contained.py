"""An internal error is contained at the nearest boundary; everything else is still analyzed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from gpuasync_lsp.analysis import RULES, check_source
from gpuasync_lsp.cli import main
from gpuasync_lsp.ide.document.cancel import Cancel, Patience
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.actions import quick_fixes
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.ide.features.lenses import lenses
from gpuasync_lsp.ide.features.outline import outline
from gpuasync_lsp.ide.features.semantic_tokens import segments
from gpuasync_lsp.ide.refactor import refactorings
from gpuasync_lsp.lowering import lower_chunk
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import Finding, LineIndex, Span, defects
from gpuasync_lsp.text.defects import contained
from gpuasync_lsp.text.effort import Cancelled, TookTooLong
from tests.attack.malformed import defects as defects_of
from tests.attack.malformed import texts
from tests.attack.reloads import search
from tests.support.texts import texts_beside

T = TypeVar("T")
TEXTS = texts_beside(__file__)

PROGRAM = TEXTS["PROGRAM"]
FAULTS = (
    KeyError("x"),
    ZeroDivisionError("y"),
    MemoryError(),
    AssertionError(),
    UnicodeError("z"),
    OSError("o"),
)
DEFECT = "GA011"


def no_boundary(doing: str) -> None:
    """Do nothing at a boundary."""


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    defects.at_boundary = no_boundary


def boundaries(work: Callable[[], object]) -> list[str]:
    """Return the description of each boundary that `work` enters, in order."""
    found: list[str] = []
    defects.at_boundary = found.append
    work()
    defects.at_boundary = no_boundary
    return found


def with_fault(place: str, number: int, error: Exception, work: Callable[[], T]) -> T:
    """Return the result of `work` with `error` raised at entry `number` (from 0) of the boundary `place`."""
    count = iter(range(1_000_000))

    def fail(doing: str) -> None:
        if doing == place and next(count) == number:
            raise type(error)(*error.args) from None

    defects.at_boundary = fail
    try:
        return work()
    finally:
        defects.at_boundary = no_boundary


def key(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.span, finding.message


def item_of(finding: Finding) -> int:
    """Return the number of the program's item that contains the start of a finding."""
    starts = [match.start() for match in re.finditer(r"^  (?:gpu\.module|func\.func)", PROGRAM, re.MULTILINE)]
    return sum(start <= finding.span.start for start in starts)


def test_a_fault_at_each_boundary_costs_nothing_else() -> None:
    def work() -> list[Finding]:
        return check_source(PROGRAM)

    for _ in range(3):
        work()  # Warms the caches of types, forms and op shapes, which are not compared.
    entered, whole = boundaries(work), work()
    kinds = {re.sub(r"GA\d+", "GA", each) for each in entered}
    assert kinds >= {"the parser of an op", "the verifier of an op", "the model of a function", "rule GA"}
    assert {f"rule {rule.code}" for rule in RULES if not rule.only_named} <= set(entered)
    rules = [doing if doing.startswith("rule ") else "" for doing in entered]
    for number, doing in enumerate(entered):
        if rules[number] and rules[number] in rules[:number]:
            continue  # Each rule once.
        found = with_fault(doing, entered[:number].count(doing), FAULTS[number % len(FAULTS)], work)
        said = [each for each in found if each.code == DEFECT]
        assert len(said) == 1, (doing, found)
        assert "internal error" in said[0].message
        left = {key(each) for each in found if each.code != DEFECT}
        lost = [each for each in whole if key(each) not in left]
        if doing.startswith("rule "):
            assert {each.code for each in lost} <= {doing.removeprefix("rule ")}, doing
            assert left <= set(map(key, whole))
        else:
            at = item_of(said[0])
            assert all(item_of(each) in (at, at + 1) or each.code in _OF_OTHERS for each in lost), doing


_OF_OTHERS = frozenset({"GA004", "GA508", "GA301", "GA302", "GA305"})
"""Rules that depend on other functions."""


@pytest.mark.parametrize("form", ["json", "sarif", "github", "text"])
def test_check_prints_all_if_everything_fails(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.mlir", "b.mlir"):
        (tmp_path / name).write_text(PROGRAM)

    def fail(doing: str) -> None:
        if not doing.startswith(("the command", "reporting")):
            raise RuntimeError("injected\n::error::x")

    defects.at_boundary = fail
    status = main(["check", "-j", "1", "--output-format", form, str(tmp_path)])
    out, err = capsys.readouterr()
    assert status in (1, 2)
    assert "Traceback" not in out + err
    assert not re.search(r"^::error::x", out + err, re.MULTILINE)
    assert all(name in out for name in ("a.mlir", "b.mlir", DEFECT))
    if form in ("json", "sarif"):
        json.loads(out)


@pytest.mark.parametrize("form", ["json", "sarif", "github", "text"])
def test_a_finding_that_cannot_be_written_costs_itself(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    arguments = ["check", "-j", "1", "--no-cache", "--output-format", form, str(tmp_path)]
    main(arguments)
    whole = capsys.readouterr().out.count("GA")
    count = iter(range(1_000))

    def fail(doing: str) -> None:
        if doing == "reporting a finding" and next(count) == 1:
            raise KeyError("injected")

    defects.at_boundary = fail
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert "internal error of gpuasync-lsp in reporting a finding" in out + err
    assert 0 < whole - out.count("GA") <= 4
    if form in ("json", "sarif"):
        json.loads(out)


FEATURES: dict[str, Callable[[FileState], Iterable[object]]] = {
    "the hints of an item": lambda s: inlay_hints(s, Span(0, len(s.text)), EditorOptions()),
    "a hint": lambda s: inlay_hints(s, Span(0, len(s.text)), EditorOptions()),
    "the lenses of an item": lenses,
    "the colors of an item": lambda s: segments(s, "utf-16"),
    "the fixes of a finding": lambda s: quick_fixes(s, Span(0, len(s.text)), Patience(60, Cancel())),
    "a refactoring": lambda s: refactorings(s, Span(s.text.index("gpu.memcpy"), s.text.index("gpu.memcpy"))),
    "the outline of a chunk": lambda s: outline(s.source),
}


@pytest.mark.parametrize("doing", FEATURES)
def test_a_fault_in_a_part_of_an_answer_costs_that_part(doing: str) -> None:
    text = f"{PROGRAM}// -----\n{PROGRAM}"

    def work() -> list[str]:
        state = file_state(LineIndex(text), None, SettingsResolver())
        return [_shown(each) for each in FEATURES[doing](state)]

    whole, parts = work(), boundaries(work).count(doing)
    assert parts > 1
    for number in range(parts):
        left = with_fault(doing, number, FAULTS[number % len(FAULTS)], work)
        lost = Counter(whole) - Counter(left)
        assert not Counter(left) - Counter(whole)
        assert lost.total() < len(whole), number
    assert whole == work()


def _shown(answer: object) -> str:
    """Return `answer` as text without addresses, which differ between runs."""
    return re.sub(r"<function .*?>|0x[0-9a-f]+", "", repr(answer))


def test_a_command_that_fails_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)

    def fail(doing: str) -> None:
        raise RuntimeError("injected")

    defects.at_boundary = fail
    for command in ("check", "lower", "streams", "format", "test"):
        assert main([command, str(tmp_path / "a.mlir")]) == 2
    assert capsys.readouterr().err.count("internal error of gpuasync-lsp in the command") == 5


def test_a_defective_pattern_leaves_its_op() -> None:
    text = """func.func @f(%m: memref<4xf32>, %a: memref<4xf32>) {
  %t = gpu.wait async
  %t1 = gpu.memcpy async [%t] %m, %a : memref<4xf32>, memref<4xf32>
  gpu.wait [%t1]
  return
}
"""
    chunk = parse_source(text).chunks[0]

    def fail(doing: str) -> None:
        if doing == "the lowering of 'gpu.memcpy'":
            raise IndexError("injected")

    defects.at_boundary = fail
    lowered = lower_chunk(chunk, 22)
    assert lowered.error is None
    assert [note.op_name for note in lowered.notes] == ["gpu.memcpy"]
    assert "internal error of gpuasync-lsp" in lowered.notes[0].text
    assert "gpu.memcpy async" in lowered.printed.text
    assert "mgpuStreamCreate" in lowered.printed.text


@pytest.mark.parametrize("error", [Cancelled(), TookTooLong(), LookupError()])
def test_what_is_no_defect_goes_through(error: Exception) -> None:
    def work() -> str:
        raise error

    with pytest.raises(type(error)):
        contained("a test", work, lambda message, _: message, LookupError)


def test_malformed_uses() -> None:
    """A sample of `python -m tests.attack.malformed`."""
    import random

    chance = random.Random(20)
    for _, (name, text) in zip(range(40), texts(chance), strict=False):
        assert defects_of(text, chance) == [], (name, text)


def test_documents_that_come_and_go_while_they_are_read() -> None:
    """A sample of `python -m tests.attack.reloads`."""
    assert [*search("20", 6)] == []
