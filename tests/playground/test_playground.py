"""The built playground (`make playground`): its Python under Node, and the page in Chromium."""

from __future__ import annotations

import base64
import json
import os
import re
import runpy
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from tests.playground.results import results
from tests.support.tools import ROOT

BUILT = ROOT / "dist" / "playground"
SITE = ROOT / "dist" / "site" / "playground"
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


@pytest.mark.skipif(not SITE.exists(), reason="the site is not built with the playground (make site)")
def test_links_of_the_site_hold_programs() -> None:
    facts = runpy.run_path(str(ROOT / "playground" / "facts.py"))
    codes = set(facts["rules"]())
    known = codes | {example["name"] for example in facts["examples"]()}
    links = [
        match[1]
        for page in SITE.parent.rglob("*.html")
        if not page.is_relative_to(SITE)
        for match in re.finditer(r'href="(?:\.\./)*playground/index\.html#([^"]+)"', page.read_text())
    ]
    for link in links:
        if link not in known:
            packed = base64.urlsafe_b64decode(link.removeprefix("v1/") + "==")
            text, *shown = json.loads(zlib.decompress(packed, wbits=-zlib.MAX_WBITS))
            assert "func.func" in text
            assert shown == [0, "", "lowering"]
    assert codes < set(links)
