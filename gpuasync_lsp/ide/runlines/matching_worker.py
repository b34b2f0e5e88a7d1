"""The process that runs the package `filecheck`: `python -m gpuasync_lsp.ide.runlines.matching_worker`.

CHECK lines are regular expressions from the file, for which Python may take exponential time; a separate
process can be killed. It reads `{"arguments": [...], "input": text}` from standard input and writes one
object to standard output, which `matching` reads.
"""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, cast

from gpuasync_lsp.ide.runlines.white_space import canonical, canonicalize_expressions, places_in
from gpuasync_lsp.text.plain_json import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from filecheck.ops import CheckOp
    from filecheck.options import Options
    from filecheck.parser import Parser

MOST_FAILURES = 20
"""The maximum number of failures; FileCheck runs again for each."""
_FAILURE = re.compile(r":(\d+)(?::(\d+))?:? (?:error: )?(.*)")
_NO_VALUE = "referenced before assignment"


def answer(arguments: Sequence[str], text: str) -> Json:
    """Return FileCheck's `failures`, or the feature that the package `filecheck` lacks (`unsupported`).

    The package stops at the first failure. LLVM's FileCheck reports a failure for each part between two
    CHECK-LABELs, so the checks run again without the failed part until they pass.
    """
    from filecheck.error import ParseError
    from filecheck.finput import FInput
    from filecheck.options import parse_argv_options
    from filecheck.parser import Parser

    try:
        options = parse_argv_options(["filecheck", *arguments])
    except RuntimeError as error:
        return {"unsupported": str(error)}
    try:
        checks = list(Parser.from_opts(options))
        if options.input_file != "-":
            text = FInput.from_opts(options).content
    except ParseError as error:
        return {"failures": [{"line": error.line_no, "message": error.message, "at": 0}]}
    except (OSError, UnicodeDecodeError) as error:
        return {"failures": [{"line": 0, "message": f"cannot be read: {error}", "at": 0}]}
    except ValueError as error:  # A character class that the package lacks.
        return {"unsupported": str(error)}
    looked_at = text
    if not options.strict_whitespace:
        canonicalize_expressions(checks)
        looked_at = canonical(text)
    failures: list[Json] = []
    while len(failures) < MOST_FAILURES:
        try:
            failure = _run(options, checks, looked_at)
        except NotImplementedError as error:
            if failures:
                break
            return {"unsupported": str(error)}
        if failure is None:
            break
        if not failures or _NO_VALUE not in failure["message"]:
            failures.append(failure)
        left = _without_part(checks, failure["line"])
        if len(left) == len(checks) or not left:
            break
        checks = left
    if looked_at != text:
        for failure in failures:
            failure |= places_in(text, {key: failure[key] for key in ("at", "end") if key in failure})
    result: Json = {"failures": failures, "file": options.match_filename}
    if options.input_file != "-":
        result["input"] = text
    return result


def _run(options: Options, checks: list[CheckOp], text: str) -> Json | None:
    """Return the first failure of `checks` on `text`; None if they pass."""
    from filecheck.error import CheckError, ErrorOnMatch
    from filecheck.finput import FInput, InputRange
    from filecheck.matcher import Matcher

    matches: list[tuple[int, int]] = []

    class Watched(Matcher):
        """A matcher that records the match of a failed CHECK-NOT."""

        def check_not(self, op: CheckOp, search_range: InputRange) -> None:
            try:
                super().check_not(op, search_range)
            except ErrorOnMatch as error:
                matches.append(error.match.span())
                raise

    log = io.StringIO()
    with redirect_stderr(log), redirect_stdout(io.StringIO()):
        content = FInput(options.input_file, FInput.canonicalize_line_ends(text))
        # The matcher only iterates over its parser.
        matcher = Watched(options, content, cast("Parser", checks))
        matcher.stderr = log
        try:
            status = matcher.run()
        except CheckError:  # The failure was printed; the search for a similar line failed, too.
            status = 1
    if status == 0:
        return None
    at = matches[-1] if matches else (matcher.file.range.start,) * 2
    # Skip warnings; an error begins with the name of the file that contains the checks.
    for line in log.getvalue().splitlines():
        found = _FAILURE.match(line.removeprefix(options.match_filename))
        if line.startswith(options.match_filename) and found is not None:
            return {"line": int(found[1]), "message": found[3], "at": at[0], "end": at[1]}
    message = next((line for line in log.getvalue().splitlines() if "filecheck error:" in line), "it failed")
    return {"line": 0, "message": message.partition("filecheck error:")[2].strip() or message, "at": 0}


def _without_part(checks: list[CheckOp], line: int) -> list[CheckOp]:
    """Return the checks without the part that contains `line`; the part's label remains unless it is at
    `line`."""
    part: list[CheckOp] = []
    for check in checks:
        if check.name == "LABEL" and check.source_line > line:
            break
        if check.name == "LABEL":
            part = []
            if check.source_line == line:
                part.append(check)
            continue
        part.append(check)
    gone = {id(check) for check in part}
    return [check for check in checks if id(check) not in gone]


def main() -> None:
    """Read a request from standard input and write its answer."""
    job = json.load(sys.stdin)
    try:
        result = answer(job["arguments"], job["input"])
    except ModuleNotFoundError as error:
        if error.name != "filecheck":
            raise
        result = {"missing": True}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
