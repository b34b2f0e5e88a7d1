"""Writes the pages of the rules, `docs/rules/GAnnn.md`, from the rules' docstrings and the profiles.

It also expands the rules' examples into complete programs.

python -m gpuasync_lsp.analysis.docs [FOLDER]
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.analysis.rules import RULES
from gpuasync_lsp.releases import PROFILES, SPAN, described
from gpuasync_lsp.text.plain_json import Json

_WHOLE = re.compile(r"^(?:module|func\.func|gpu\.module)\b", re.MULTILINE)
_SETTINGS: dict[str, Json] = {
    **{code: {"llvm": 22} for code in ("GA006", "GA105", "GA106", "GA205")},
    **{code: {"llvm": 19} for code in ("GA110", "GA211")},
    "GA112": {"llvm": 16},
    "GA507": {"pipeline": ("gpu-async-region",)},
}
"""Maps a rule's code to the settings with which the rule reports its first example."""
_GIVEN = {
    "%dst": "memref<4xf32>",
    "%src": "memref<4xf32>",
    "%dst2": "memref<4xf32>",
    "%src2": "memref<4xf32>",
    "%input": "memref<4xf32>",
    "%part": "memref<3xf32>",
    "%bytes": "memref<4xi8>",
    "%byte": "i8",
    "%value": "f32",
    "%cond": "i1",
    "%n": "index",
    "%i": "i32",
    "%s": "!llvm.ptr",
}
"""Types of the values that examples use without defining them."""
_BINARY = 'gpu.binary @kernels [#gpu.object<#nvvm.target, "BLOB">]'
_KERNELS = {
    "GA004": "gpu.module @kernels {\n  gpu.func @k() kernel {\n    gpu.return\n  }\n}",
    "GA112": "\n".join(
        [
            'gpu.module @kernels attributes {nvvm.cubin = "BLOB"} {',
            *(f"  gpu.func @{name}() kernel {{\n    gpu.return\n  }}" for name in "ab"),
            "}",
        ]
    ),
    "GA205": _BINARY,
}
"""Maps a rule's code to the kernels of its examples, if they cannot use `_BINARY` or launch no kernel."""


def page(rule: Rule) -> str:
    """Return the documentation page of one rule, as Markdown."""
    lines = [
        f"# {rule.code} {rule.name}",
        "",
        f"Severity: {rule.severity.name.lower()} (can be configured{'; off by default' * rule.only_named})",
        "",
    ]
    lines += [rule.doc.strip(), ""]
    if rule.versions is not None:
        lines += ["## By LLVM version", "", "| LLVM | behavior | source |", "|---|---|---|"]
        lines += [f"| {described(p.version)} | {rule.versions(p)} | {p.source} |" for p in PROFILES.values()]
    else:
        lines += ["## By LLVM version", "", f"All releases from LLVM {SPAN} behave the same."]
    lines += ["", f"Suppress it with `// gpuasync: ignore[{rule.code}]` on the line, or in the settings.", ""]
    return "\n".join(lines)


def index() -> str:
    """Return the page that lists all rules, as Markdown."""
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
    """Return all pages by file name."""
    return {"README.md": index(), **{f"{rule.code}.md": page(rule) for rule in RULES}}


def examples(rule: Rule) -> list[str]:
    """Return the examples of a rule as programs: the reported one, then the alternatives."""
    blocks = rule.doc.split("```mlir\n")[1:]
    return [_program(rule.code, block.partition("```")[0]) for block in blocks]


def example_settings(rule: Rule) -> Json:
    """Return the settings with which the rule reports its first example."""
    named = {"select": ("ALL", rule.code)} if rule.only_named else {}
    return {**named, **_SETTINGS.get(rule.code, {})}


_NAME = re.compile(r"%\w+")
_RESULTS = re.compile(r"^ *((?:%\w+, )*%\w+) = ", re.MULTILINE)


def _program(code: str, example: str) -> str:
    if _WHOLE.search(example):
        return example
    if re.search(r"%t0\b", example) and "%t0 =" not in example:
        example = f"%t0 = gpu.wait async\n{example}"
    names = {*_NAME.findall(example)}
    defined = {name for results in _RESULTS.findall(example) for name in _NAME.findall(results)}
    arguments = ", ".join(
        f"{name}: {kind}" for name, kind in _GIVEN.items() if name in names and name not in defined
    )
    function = [f"func.func @main({arguments}) {{", *_indented(example), "  return", "}"]
    if "@kernels" not in example and code not in _KERNELS:
        return "\n".join([*function, ""])
    inner = [*_KERNELS.get(code, _BINARY).splitlines(), *function]
    module = ["module attributes {gpu.container_module} {", *_indented("\n".join(inner)), "}"]
    return "\n".join([*module, ""])


def _indented(text: str) -> list[str]:
    return [f"  {line}" if line else "" for line in text.splitlines()]


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
