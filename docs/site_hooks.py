"""Hooks of the documentation site: pages from outside of docs/, and navigation made from folders."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
_OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+((?!rules|decisions)[\w./-]+)\)")
_BELOW_DOCS = re.compile(r"\]\(docs/")


def on_config(config: Any) -> Any:
    """Fill the sections of rules and decisions with the pages of their folders."""
    for section in config["nav"]:
        for title, entries in section.items():
            if title == "Rules":
                section[title] = _pages("rules")
            elif title == "Contribute":
                section[title] = ["contributing.md", "releases.md", {"Decisions": _pages("decisions")}]
            del entries
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the page on contributing, which is at the root of the repository."""
    text = _BELOW_DOCS.sub("](", (ROOT / "CONTRIBUTING.md").read_text())
    text = re.sub(r"\[([^\]]*)\]\((?:CODE_OF_CONDUCT|SECURITY)\.md\)", r"\1", text)
    files.append(File.generated(config, "contributing.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Name files of the repository that are no pages, instead of linking to what the site does not have."""
    return _OUTSIDE.sub(r"\1 (`\2`)", markdown)


def _pages(folder: str) -> list[str]:
    names = sorted(path.name for path in (ROOT / "docs" / folder).glob("*.md"))
    return [f"{folder}/{name}" for name in sorted(names, key=lambda name: name != "README.md")]
