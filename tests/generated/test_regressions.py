"""Programs on which rules, our lowering and the real mlir-opt once disagreed, made small: they agree now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.generated.agreement import compare
from tests.generated.real import lower_one
from tests.generated.test_lowering import one_form, ours, structured_lowered
from tests.support.tools import ROOT

FOLDER = ROOT / "tests" / "fixtures" / "regressions"
VERSIONS = (16, 19, 22, 24)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_rules_agree_with_the_lowered_code(path: Path, version: int) -> None:
    text = for_version(path.read_text("utf-8"), version)
    compared = compare(text, version, lower_one(version, text))
    assert compared.complete
    assert compared.differences == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_lowered_texts_are_equal(path: Path, version: int) -> None:
    text = for_version(path.read_text("utf-8"), version)
    real, mine = lower_one(version, text), ours(version, structured_lowered(version, [text])[0])
    assert real.error == mine.error
    if not real.error:
        theirs, own = one_form(version, [real.text], [mine.text])
        assert theirs == own


def for_version(text: str, version: int) -> str:
    """Give LLVM 16 its kernels as modules with a binary attribute."""
    if version != 16:
        return text
    kernel = "{ llvm.func @k() attributes {gpu.kernel} { llvm.return } }"
    module = rf'gpu.module @\1 attributes {{nvvm.cubin = "BLOB"}} {kernel}'
    return re.sub(r"gpu\.binary @(\w+) \[.*\]", module, text)
