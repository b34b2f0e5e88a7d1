"""Complete programs in the style of MLIR's integration tests, through the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command import gpuasync
from tests.support.thinning import thinned
from tests.support.tools import FIXTURES

EXAMPLES = sorted((FIXTURES / "run_examples").glob("*.mlir"))


def told(text: str, key: str) -> list[str]:
    return re.findall(rf"^// {key}: (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("version", ["22", pytest.param("24", marks=pytest.mark.campaign)])
@pytest.mark.parametrize("file", thinned(EXAMPLES, 6), ids=lambda file: file.stem)
def test_prints_what_its_comments_say(file: Path, version: str) -> None:
    prints_what_its_comments_say(file, version, "cpu")


def prints_what_its_comments_say(file: Path, version: str, device: str) -> None:
    text = file.read_text("utf-8")
    options = [word for line in told(text, "OPTIONS") for word in line.split()]
    done = gpuasync("run", "--device", device, "--llvm", version, *options, str(file))
    printed = re.sub(r"\s+", " ", done.stdout)
    place = 0
    for wanted in told(text, "CHECK"):
        place = printed.find(wanted, place)
        assert place >= 0, (
            f"{wanted!r} is not in, or not behind what precedes it in:\n{done.stdout}{done.stderr}"
        )
        place += len(wanted)
    assert done.returncode == int((told(text, "EXIT") or ["0"])[0]), done.stdout + done.stderr
