"""The passes in the first RUN line of a test, which previews and checks use by default."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from gpuasync_lsp.ide.runlines.options import NotKnown, mlir_opt_options
from gpuasync_lsp.ide.runlines.script import read_script
from gpuasync_lsp.ide.runlines.shell import Call, parse
from gpuasync_lsp.ide.runlines.substitution import substituted
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.lowering import Pipeline, PipelineError, parse_pipeline
from gpuasync_lsp.text import LineIndex

_NO_PASSES = ("mlir-", "verify-", "split-input-file", "debug", "irdl-file", "log-", "color", "emit-bytecode")
"""Prefixes of options for input, output and debugging, as opposed to passes."""
_FLAGS = frozenset(
    ["show-dialects", "allow-unregistered-dialect", "no-implicit-module", "dump-pass-pipeline"]
)


@dataclass(frozen=True, slots=True)
class RunPipeline:
    """The passes of a RUN line."""

    line: int
    """The 1-based line at which the RUN line begins."""
    text: str
    """The passes in mlir-opt's syntax; the command if they cannot be parsed."""
    pipeline: Pipeline | None
    """The parsed passes; None if one of them, or an option, is unsupported."""
    missing: str = ""
    """The reason why `pipeline` is None, in words; empty otherwise."""
    expects_errors: bool = False
    """Whether the test expects a diagnostic of mlir-opt, because it uses `not` or verifies diagnostics."""

    @property
    def concrete(self) -> Pipeline | None:
        """The `pipeline`, or None if the test's configuration substitutes a part of it."""
        return None if "%" in self.text else self.pipeline

    @property
    def where(self) -> str:
        """The words with which messages refer to the RUN line."""
        return f"the RUN line on line {self.line}"


def run_line_pipeline(lines: LineIndex) -> RunPipeline | None:
    """Return the passes that the first RUN line runs with mlir-opt or a similar program (`iree-opt`).

    Calls connected by `|` run one after the other, so their passes form one pipeline. None if the text has no
    RUN line, or if the RUN line has no passes and only parses and prints.
    """
    if "RUN:" not in lines.text:
        return None
    try:
        runs = read_script(lines, accept_open=True).runs
    except Unsupported:
        return None  # Not a lit test; running it reports why.
    if not runs:
        return None
    run = runs[0]
    try:
        calls = parse(substituted(run.command, run.definitions, keeps_unknown=True))[0].calls
        passes = [text for call in calls if (text := _passes(call))]
    except (Unsupported, NotKnown) as error:
        return RunPipeline(run.line, run.command, None, str(error))
    if not passes:
        return None
    text = ",".join(passes)
    try:
        words = {word.lstrip("-").partition("=")[0] for call in calls for word in call.words}
        expects_errors = not words.isdisjoint(("not", "verify-diagnostics"))
        return RunPipeline(run.line, text, parse_pipeline(text), expects_errors=expects_errors)
    except PipelineError as error:
        return RunPipeline(run.line, text, None, str(error))


def _passes(call: Call) -> str:
    """Return the passes of a call in mlir-opt's syntax; empty if it calls another program. Raises
    NotKnown."""
    words = [word for word in call.words if word not in ("not", "--crash")]
    if not words or not _is_opt(words[0]):
        return ""
    return mlir_opt_options(_without_others(words[1:])).pipeline


def _is_opt(program: str) -> bool:
    """Return whether a program accepts passes like mlir-opt, judging by its name without the release."""
    name, _, release = os.path.basename(program).rpartition("-")
    return f"{name}-{release}".endswith("-opt") or (name.endswith("-opt") and release.isdecimal())


def _without_others(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` without the file and without options other than passes."""
    kept: list[str] = []
    follows = False
    for argument in arguments:
        name = argument.lstrip("-").partition("=")[0]
        if follows:
            follows = False
            kept.append(argument)
        elif argument.startswith("-") and argument != "-":
            follows = argument.lstrip("-") == "pass-pipeline"
            if not name.startswith(_NO_PASSES) and name not in _FLAGS and name != "o":
                kept.append(argument)
    return kept
