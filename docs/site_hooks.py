"""Hooks of the documentation site: pages from outside of docs/, and navigation made from folders."""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PLAYGROUND = ROOT / "dist" / "playground"
"""The output of `make playground`. If it exists, it is copied into the site, and examples open in it."""

_OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+((?!rules|decisions)[\w./-]+)\)")
_EXAMPLE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+examples/((?:broken|sound)/\w+)\.mlir\)")
_PROGRAM = re.compile(r"^```mlir\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
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
    """Link examples to the playground, and links to repository files that are not pages to GitHub."""
    if PLAYGROUND.is_dir():
        playground = "../" * page.file.dest_uri.count("/") + "playground/index.html"

        def link(fragment: str, text: str = "Open in the playground") -> str:
            return f'<a href="{playground}#{fragment}">{text}</a>'

        markdown = _EXAMPLE.sub(lambda match: link(match[2], match[1]), markdown)
        if page.file.src_uri.startswith("rules/GA"):
            code = Path(page.file.src_uri).stem
            markdown = markdown.replace("## Example\n", f"## Example\n{link(code)}\n\n", 1)
        else:
            markdown = _PROGRAM.sub(
                lambda match: match[0] + f"\n{link(_fragment(match[1]))}\n" * ("func.func" in match[1]),
                markdown,
            )
        if page.file.src_uri == "playground.md":
            markdown = link("", "Open the playground") + "\n\n" + markdown
    return _OUTSIDE.sub(r"\1 (`\2`)", markdown)


def on_post_build(config: Any) -> None:
    """Copy the playground into the site."""
    if PLAYGROUND.is_dir():
        shutil.copytree(PLAYGROUND, Path(config["site_dir"]) / "playground", dirs_exist_ok=True)


def _fragment(program: str) -> str:
    """Return the URL fragment that opens a program in the playground (see playground/src/link.ts)."""
    shown = json.dumps([program, 0, "", "lowering"])
    packed = zlib.compress(shown.encode(), level=9, wbits=-zlib.MAX_WBITS)
    return "v1/" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _pages(folder: str) -> list[str]:
    names = sorted(path.name for path in (ROOT / "docs" / folder).glob("*.md"))
    return [f"{folder}/{name}" for name in sorted(names, key=lambda name: name != "README.md")]


def on_post_page(output: str, **_: Any) -> str:
    """Give the search dialog of the theme the name that screen readers announce."""
    return output.replace(
        'data-md-component="search" role="dialog"',
        'data-md-component="search" role="dialog" aria-label="Search"',
        1,
    )
