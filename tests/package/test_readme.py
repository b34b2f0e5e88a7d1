"""Terminal sessions in README.md and the pages show the real output of the commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tools import ROOT

PAGES = "".join((ROOT / page).read_text() for page in ("README.md", "docs/passes.md"))
BLOCKS = re.findall(r"^```\n\$ gpuasync-lsp (.*)\n((?s:.*?))^```$", PAGES, re.M)
"""The arguments and the output of each command; `...` on a line abbreviates the output."""


@pytest.mark.parametrize(("arguments", "shown"), BLOCKS, ids=[arguments for arguments, _ in BLOCKS])
def test_readme_shows_what_is_printed(arguments: str, shown: str) -> None:
    words = shlex.split(arguments)
    if words[0] == "run":
        pytest.importorskip("llvmlite")
        pytest.importorskip("numpy")
    program = Path(sys.executable).with_name("gpuasync-lsp")
    done = subprocess.run(
        [program, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    head, cut, _ = shown.partition("\n...\n")
    assert done.stdout.startswith(head) if cut else done.stdout == shown
