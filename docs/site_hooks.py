"""Hooks of the documentation site: pages from outside of docs/, and navigation made from folders."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PLAYGROUND = ROOT / "dist" / "playground"
"""What `make playground` builds. Where it is, the site has a copy, and examples open in it."""

_OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+((?!rules|decisions)[\w./-]+)\)")
_EXAMPLE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+examples/((?:broken|sound)/\w+)\.mlir\)")
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


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Have examples open in the playground, and name files of the repository that are no pages."""
    if PLAYGROUND.is_dir():
        to_playground = "../" * page.file.dest_uri.count("/") + "playground/index.html#"
        markdown = _EXAMPLE.sub(rf'<a href="{to_playground}\2">\1</a>', markdown)
        if page.file.src_uri.startswith("rules/GA"):
            code = Path(page.file.src_uri).stem
            link = f'<a href="{to_playground}{code}">Open in the playground</a>'
            markdown = markdown.replace("## Example\n", f"## Example\n{link}\n\n", 1)
        elif page.file.src_uri == "playground.md":
            markdown = f'<a href="{to_playground}">Open the playground</a>\n\n' + markdown
    return _OUTSIDE.sub(r"\1 (`\2`)", markdown)


def on_post_build(config: Any) -> None:
    """Copy the playground into the site."""
    if PLAYGROUND.is_dir():
        shutil.copytree(PLAYGROUND, Path(config["site_dir"]) / "playground", dirs_exist_ok=True)


def _pages(folder: str) -> list[str]:
    names = sorted(path.name for path in (ROOT / "docs" / folder).glob("*.md"))
    return [f"{folder}/{name}" for name in sorted(names, key=lambda name: name != "README.md")]
