"""The results of running a test, as plain data for the terminal, JSON and editors."""

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
    """The test failed, as `XFAIL: *` expects."""
    XPASS = "xpass"
    """The test passed, though `XFAIL: *` expects it to fail."""
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
    """A failure of a RUN line, at a line of the test."""

    kind: Kind
    line: int
    """The 1-based line of the test."""
    message: str
    column: int = 1
    output_line: int | None = None
    """For a check: the 1-based output line at which the search began, or that a CHECK-NOT matched."""
    closest_line: int | None = None
    """For a check: the most similar output line."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one RUN line."""

    run: RunLine
    verdict: Verdict
    failures: tuple[Failure, ...] = ()
    unsupported: str = ""
    """The unsupported feature of the RUN line; empty if all are supported."""
    output: str = ""
    """FileCheck's input, or the last output of mlir-opt."""
    messages: str = ""
    """mlir-opt's standard error from the call that printed `output`."""
    prefixes: tuple[str, ...] = ()
    """The prefixes of all FileCheck calls of the RUN line."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of a test."""

    name: str
    verdict: Verdict
    runs: tuple[RunResult, ...] = ()
    reason: str = ""
    """The reason why the test was not run; empty if it was run."""
    line: int = 1
    """The line to which `reason` refers."""
    engine: str = ""
    """The engine that was run as mlir-opt."""
    notes: tuple[str, ...] = ()
    """Conditions such as `REQUIRES: asserts`, which lit would check and this tool does not."""
