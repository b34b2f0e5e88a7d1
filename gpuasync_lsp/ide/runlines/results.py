"""What running a test says: plain data, for the terminal, for JSON and for editors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gpuasync_lsp.ide.runlines.script import RunLine

BUILT_IN = "built-in passes"
"""The name of the engine that is none of the user's programs."""


class Verdict(Enum):
    """lit's verdict on a test, or on one of its RUN lines."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"
    """It failed, as `XFAIL: *` says it does."""
    XPASS = "xpass"
    """It passed, though `XFAIL: *` says that it fails."""
    UNSUPPORTED = "unsupported"
    UNRESOLVED = "unresolved"
    """It has no RUN line."""

    @property
    def is_bad(self) -> bool:
        """Whether a command that runs the test counts it as failed."""
        return self in (Verdict.FAIL, Verdict.XPASS, Verdict.UNRESOLVED)


CHECK_FAILED = "check-failed"
"""What a finding of a CHECK line is called."""


class Kind(Enum):
    """What a failure is about."""

    CHECK = "check"
    """A CHECK line."""
    EXPECTED = "expected"
    """A diagnostic that `expected-error` and the like announce, and that did not come."""
    UNEXPECTED = "unexpected"
    """A diagnostic that nothing announces."""
    ERROR = "error"
    """An error of mlir-opt, at its place."""
    STATUS = "status"
    """How a program of the RUN line ended."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a RUN line failed."""

    kind: Kind
    line: int
    """Where, in the test, counted from 1."""
    message: str
    column: int = 1
    output_line: int | None = None
    """Of a check: the line of the output, from 1, where it was looked for, or that it should not match."""
    closest_line: int | None = None
    """Of a check: the line of the output that is most like it."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one RUN line has done."""

    run: RunLine
    verdict: Verdict
    failures: tuple[Failure, ...] = ()
    unsupported: str = ""
    """What it names that is not run."""
    output: str = ""
    """What FileCheck was given, or what mlir-opt printed last."""
    messages: str = ""
    """What mlir-opt printed on standard error next to that."""
    prefixes: tuple[str, ...] = ()
    """The prefixes of its FileCheck, of all where there are several."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """What a test has done."""

    name: str
    verdict: Verdict
    runs: tuple[RunResult, ...] = ()
    reason: str = ""
    """Why it was not run at all."""
    line: int = 1
    """The line that the reason is about."""
    engine: str = ""
    """Who stands for mlir-opt."""
    notes: tuple[str, ...] = ()
    """What lit would also look at, as `REQUIRES: asserts`."""
