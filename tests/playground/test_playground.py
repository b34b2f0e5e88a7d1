"""The playground as it is built (`make playground`): its Python under Node, and the page in Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.playground.results import results
from tests.support.tools import ROOT

BUILT = ROOT / "dist" / "playground"
SCRIPTS = ROOT / "playground" / "test"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BUILT / "sw.js").exists(), reason="the playground is not built (make playground)"
    ),
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js"),
]


def _node(script: str, *arguments: str) -> str:
    done = subprocess.run(
        ["node", str(SCRIPTS / script), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_results_are_those_of_cpython() -> None:
    theirs = json.loads(_node("same.mjs"))
    ours = json.loads(json.dumps(results(ROOT / "examples")))
    assert theirs == ours
    assert len(ours) >= 40


def test_the_page_is_small_enough() -> None:
    compressed = int(_node("size.mjs"))
    assert compressed <= 14_000_000


@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="there is no Chromium (Debian: chromium)")
def test_a_new_user_gets_along() -> None:
    assert _node("drive.mjs").rstrip().endswith("passed")
