"""The results of running a test: plain data, for the terminal, for JSON and for editors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gpuasync_lsp.ide.runlines.script import RunLine

BUILT_IN = "built-in passes"
"""The name of the engine that uses this package's passes."""


class Verdict(Enum):
    """lit's verdict on a test, or on one of its RUN lines."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"
    """It failed, as `XFAIL: *` expects."""
    XPASS = "xpass"
    """It passed, though `XFAIL: *` expects it to fail."""
    UNSUPPORTED = "unsupported"
    UNRESOLVED = "unresolved"
    """The test has no RUN line."""

    @property
    def is_bad(self) -> bool:
        """Whether a command that runs the test counts it as failed."""
        return self in (Verdict.FAIL, Verdict.XPASS, Verdict.UNRESOLVED)


CHECK_FAILED = "check-failed"
"""The code of findings at CHECK lines."""


class Kind(Enum):
    """The kind of a failure."""

    CHECK = "check"
    """A CHECK line."""
    EXPECTED = "expected"
    """An expected diagnostic (`expected-error` and the like) that was not emitted."""
    UNEXPECTED = "unexpected"
    """An unexpected diagnostic."""
    ERROR = "error"
    """An error of mlir-opt, at its location."""
    STATUS = "status"
    """The exit status of a program."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a RUN line failed."""

    kind: Kind
    line: int
    """The line of the test, from 1."""
    message: str
    column: int = 1
    output_line: int | None = None
    """For a check: the output line, from 1, where it was searched, or that a CHECK-NOT matched."""
    closest_line: int | None = None
    """For a check: the most similar output line."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one RUN line."""

    run: RunLine
    verdict: Verdict
    failures: tuple[Failure, ...] = ()
    unsupported: str = ""
    """A feature of it that is not supported."""
    output: str = ""
    """FileCheck's input, or the last output of mlir-opt."""
    messages: str = ""
    """mlir-opt's standard error for that output."""
    prefixes: tuple[str, ...] = ()
    """The prefixes of all its FileCheck calls."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of a test."""

    name: str
    verdict: Verdict
    runs: tuple[RunResult, ...] = ()
    reason: str = ""
    """Why it was not run."""
    line: int = 1
    """The line of the reason."""
    engine: str = ""
    """The engine that ran as mlir-opt."""
    notes: tuple[str, ...] = ()
    """Conditions that lit would also check, as `REQUIRES: asserts`."""
