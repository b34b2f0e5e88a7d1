"""Parser for pipelines in mlir-opt's syntax.

    builtin.module(gpu-kernel-outlining,gpu.module(convert-gpu-to-nvvm{index-bitwidth=64}),gpu-to-llvm)
    gpu-async-region,gpu-to-llvm{use-bare-pointers-for-kernels=1}
    --gpu-kernel-outlining --gpu-to-llvm="use-bare-pointers-for-kernels=1"

The last form is the command line's, in which a pass is implicitly nested in its anchor op.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gpuasync_lsp.releases.passes import has_option

_NAME = re.compile(r"\s*(?:--?)?([A-Za-z][\w.-]*)\s*")
_SPACE = re.compile(r"[\s,]*")
_OPTION = re.compile(r"([\w-]+)(?:=(.*))?", re.DOTALL)
_DEEPEST = 50
"""The maximum depth of nested brackets."""
_CLOSES = {"{": "}", "(": ")", "[": "]", "<": ">"}


class PipelineError(ValueError):
    """An invalid pipeline; the message gives the reason, and for a syntax error the text and column."""

    caret = ""
    """For a syntax error, the reason, the text, and a caret below the column, on three lines."""


class MissingPass(PipelineError):
    """A pass of mlir-opt that this tool lacks."""


@dataclass(frozen=True)
class Step:
    """A pass, its options, and the anchor ops in which it is nested inside the outermost module."""

    name: str
    anchors: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    pipeline: str = ""
    """The named pipeline whose expansion contains this step; empty if there is none."""
    pipeline_options: tuple[str, ...] = ()
    """The names of the options given to that named pipeline."""

    @property
    def options(self) -> Mapping[str, str]:
        """The options by name."""
        return dict(self.given)

    def __str__(self) -> str:
        options = " ".join(f"{key}={_quoted(value)}" for key, value in self.given)
        text = f"{self.name}{{{options}}}" if options else self.name
        for anchor in reversed(self.anchors):
            text = f"{anchor}({text})"
        return text


def parse_steps(text: str) -> tuple[Step, ...]:
    """Parse a pipeline; return its steps in order. Raises PipelineError."""
    reader = _Reader(text)
    steps = reader.steps(())
    if reader.at < len(text):
        raise reader.error("unmatched ')'")
    return tuple(_below_module(step) for step in steps)


def _below_module(step: Step) -> Step:
    """Remove the outermost anchor `builtin.module(...)` or `any(...)`, which means the module."""
    if step.anchors and step.anchors[0] in ("builtin.module", "any"):
        return replace(step, anchors=step.anchors[1:])
    return step


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def steps(self, anchors: tuple[str, ...]) -> list[Step]:
        """Parse steps up to the end of the text or a closing parenthesis."""
        found: list[Step] = []
        while True:
            self._skip()
            if self.at == len(self.text) or self.text[self.at] == ")":
                return found
            found += self._step(anchors)

    def error(self, message: str) -> PipelineError:
        error = PipelineError(f"{message} at column {self.at + 1} of the pipeline {self.text[:200]!r}")
        shown = re.sub(r"\s", " ", self.text[max(0, self.at - 60) : self.at + 20])
        error.caret = f"{message}:\n  {shown}\n  {' ' * min(60, self.at)}^"
        return error

    def _step(self, anchors: tuple[str, ...]) -> list[Step]:
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise self.error("expected the name of a pass")
        self.at = name.end()
        opener = self.text[self.at : self.at + 1]
        if opener == "(":
            if len(anchors) >= _DEEPEST:
                raise self.error("this is nested too deeply")
            self.at += 1
            inner = self.steps((*anchors, name[1]))
            if self.at == len(self.text):
                raise self.error("expected ')'")
            self.at += 1
            return inner
        if opener == "{":
            return [Step(name[1], anchors, self._options(self._balanced()[1:-1]))]
        if opener == "=":
            self.at += 1
            return [Step(name[1], anchors, self._options(self._word()))]
        return [Step(name[1], anchors)]

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        assert space is not None
        self.at = space.end()

    def _balanced(self, depth: int = 0) -> str:
        """Read from an opening bracket or quote to the matching closing one; return the text with both."""
        if depth > _DEEPEST:
            raise self.error("this is nested too deeply")
        start, opener = self.at, self.text[self.at]
        self.at += 1
        if opener in "'\"":
            end = self.text.find(opener, self.at)
            if end < 0:
                raise self.error(f"expected {opener}")
            self.at = end + 1
            return self.text[start : self.at]
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == _CLOSES[opener]:
                self.at += 1
                return self.text[start : self.at]
            if character in _CLOSES or character in "'\"":
                self._balanced(depth + 1)
            else:
                self.at += 1
        raise self.error(f"expected {_CLOSES[opener]!r}")

    def _word(self) -> str:
        """Read a quoted string, without its quotes, or the text up to a space, comma or `)`."""
        if self.text[self.at : self.at + 1] in ("'", '"'):
            return self._balanced()[1:-1]
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in " \t\r\n,)":
            if self.text[self.at] in _CLOSES or self.text[self.at] in "'\"":
                self._balanced()
            else:
                self.at += 1
        return self.text[start : self.at]

    def _options(self, text: str) -> tuple[tuple[str, str], ...]:
        inner = _Reader(text)
        given: list[tuple[str, str]] = []
        while inner.at < len(text):
            if text[inner.at].isspace():
                inner.at += 1
                continue
            start = inner.at
            while inner.at < len(text) and not text[inner.at].isspace():
                if text[inner.at] in _CLOSES or text[inner.at] in "'\"":
                    inner._balanced()
                else:
                    inner.at += 1
            option = _OPTION.fullmatch(text[start : inner.at])
            if option is None:
                raise self.error(f"{text[start : inner.at]!r} is not an option: expected name=value")
            given.append((option[1], _unquoted("true" if option[2] is None else option[2])))
        return tuple(given)


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    if value.startswith("{") and value.endswith("}"):
        return value[1:-1]
    return value


def _quoted(value: str) -> str:
    return f'"{value}"' if not value or re.search(r"[\s,{}()]", value) else value


def missing_option(step: Step, version: int) -> str | None:
    """Return the first option of a step, or of its named pipeline, that LLVM `version` lacks."""
    given = [(step.pipeline, each) for each in step.pipeline_options]
    given += [(step.name, each) for each in step.options]
    return next((option for name, option in given if not has_option(name, option, version)), None)
