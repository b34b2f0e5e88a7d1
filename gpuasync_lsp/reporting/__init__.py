"""The output formats of `gpuasync-lsp check`, which convert findings to text."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.reporting.baseline import Baseline, NotUsableBaseline, write_baselines
from gpuasync_lsp.reporting.github import github_report
from gpuasync_lsp.reporting.json_object import json_report
from gpuasync_lsp.reporting.paths import from_here
from gpuasync_lsp.reporting.report import FileReport, Identity, Mistake, Outcome, RuleInfo
from gpuasync_lsp.reporting.sarif import sarif_report
from gpuasync_lsp.reporting.terminal import Paint, Style, colored, paint_for, plain
from gpuasync_lsp.reporting.text import Tally, statistics, text_of, text_report

__all__ = [
    "FORMATS",
    "Baseline",
    "FileReport",
    "Format",
    "Identity",
    "Mistake",
    "NotUsableBaseline",
    "Outcome",
    "Paint",
    "RuleInfo",
    "Style",
    "Tally",
    "colored",
    "from_here",
    "paint_for",
    "plain",
    "statistics",
    "text_of",
    "write_baselines",
]

Format = Callable[[Outcome, Paint], str]

FORMATS: dict[str, Format] = {
    "text": lambda outcome, paint: text_report(outcome.reports, paint),
    "json": lambda outcome, paint: json_report(outcome),
    "sarif": lambda outcome, paint: sarif_report(outcome),
    "github": lambda outcome, paint: github_report(outcome),
}
"""Maps the names in `--output-format` to the output formats."""
