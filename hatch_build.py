"""Build hook of the wheel: a man page and shell completions, made from the command line's own parser."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACES = {
    "bash": "share/bash-completion/completions/gpuasync-lsp",
    "zsh": "share/zsh/site-functions/_gpuasync-lsp",
    "fish": "share/fish/vendor_completions.d/gpuasync-lsp.fish",
}
"""Where each shell looks for completions, below the prefix that the wheel is installed into."""


class CommandLineFiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the generated files to the wheel's data."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files into a scratch folder, and name them in `build_data`."""
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        import shtab
        from argparse_manpage.manpage import Manpage

        from gpuasync_lsp.cli import parser

        made = {place: shtab.complete(parser(), shell=shell) for shell, place in PLACES.items()}
        made["share/man/man1/gpuasync-lsp.1"] = str(Manpage(parser()))
        folder = Path(mkdtemp())
        for number, (place, text) in enumerate(made.items()):
            path = folder / str(number)
            path.write_text(text)
            build_data["shared_data"][str(path)] = place
