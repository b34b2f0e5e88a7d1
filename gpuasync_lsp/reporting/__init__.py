"""The output formats of `gpuasync-lsp check`: plain findings in, text out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuasync_lsp.reporting.github import github_report
from gpuasync_lsp.reporting.json_list import json_report
from gpuasync_lsp.reporting.report import FileReport, RuleInfo
from gpuasync_lsp.reporting.sarif import sarif_report
from gpuasync_lsp.reporting.terminal import Paint, Style, coloured, paint_for, plain
from gpuasync_lsp.reporting.text import Tally, text_of, text_report

__all__ = [
    "FORMATS",
    "FileReport",
    "Format",
    "Paint",
    "RuleInfo",
    "Style",
    "Tally",
    "coloured",
    "paint_for",
    "plain",
    "text_of",
]

Format = Callable[[Sequence[FileReport], Sequence[RuleInfo], Paint], str]

FORMATS: dict[str, Format] = {
    "text": lambda reports, rules, paint: text_report(reports, paint),
    "json": lambda reports, rules, paint: json_report(reports),
    "sarif": lambda reports, rules, paint: sarif_report(reports, rules),
    "github": lambda reports, rules, paint: github_report(reports),
}
"""Every output format by the name that `--output-format` takes."""
