"""Writes the pages of the rules, `docs/rules/GAnnn.md`, from their docstrings and the profiles.

python -m gpuasync_lsp.analysis.docs [FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.analysis.rules import RULES
from gpuasync_lsp.releases import PROFILES, SPAN, described


def page(rule: Rule) -> str:
    """Return the page of one rule."""
    lines = [
        f"# {rule.code} {rule.name}",
        "",
        f"Severity: {rule.severity.name.lower()} (can be configured{'; off by default' * rule.only_named})",
        "",
    ]
    lines += [rule.doc.strip(), ""]
    if rule.versions is not None:
        lines += ["## By LLVM version", "", "| LLVM | behaviour | source |", "|---|---|---|"]
        lines += [f"| {described(p.version)} | {rule.versions(p)} | {p.source} |" for p in PROFILES.values()]
    else:
        lines += ["## By LLVM version", "", f"All releases from LLVM {SPAN} behave the same."]
    lines += ["", f"Suppress it with `// gpuasync: ignore[{rule.code}]` on the line, or in the settings.", ""]
    return "\n".join(lines)


def index() -> str:
    """Return the page that lists all rules."""
    lines = [
        "# Rules",
        "",
        "Generated from the rules' sources by `python -m gpuasync_lsp.analysis.docs`.",
        "",
        "| code | name | severity | what it finds |",
        "|---|---|---|---|",
    ]
    for rule in RULES:
        summary = rule.doc.strip().split("\n")[0]
        link = f"[{rule.code}]({rule.code}.md)"
        severity = "off" if rule.only_named else rule.severity.name.lower()
        lines.append(f"| {link} | {rule.name} | {severity} | {summary} |")
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """Return the text of every page by file name."""
    return {"README.md": index(), **{f"{rule.code}.md": page(rule) for rule in RULES}}


def main(folder: Path) -> None:
    """Write all pages into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(
        prog="python -m gpuasync_lsp.analysis.docs", description="Write the pages of the rules."
    )
    arguments.add_argument(
        "folder", nargs="?", type=Path, default="docs/rules", help="where the pages go (default: %(default)s)"
    )
    main(arguments.parse_args().folder)
