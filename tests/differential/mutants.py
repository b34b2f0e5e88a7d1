"""Changes one token of a measured case, and compares the results of `check` and `lower` with the real
mlir-opt.

    python -m tests.differential.mutants --llvm 22 --seed 1 --count 500
    python -m tests.differential.mutants --llvm 22 --seed 1 --count 500 --show   # with every difference

A token is removed, repeated, or replaced by another one of its kind, from the same case or sometimes
from another one. `check` agrees if it reports an error exactly when mlir-opt fails to parse or verify
the mutant; `lower` if its exit status equals that of `mlir-opt --gpu-to-llvm`. Mutants at which that
tool crashes are not counted. Also printed: how often both report an error on the same line, and with
the same message. The exit status is 1 if the agreement is below `--min`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpuasync_lsp.analysis.rules import BY_CODE
from tests.support.command import gpuasync
from tests.support.tools import Output, cases, mlir_opt

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*)
    | (?P<string>"[^"\n]*")
    | (?P<value>%[\w.$-]+(?:\#\d+)?)
    | (?P<symbol>@[\w.$-]+)
    | (?P<block>\^\w+)
    | (?P<alias>[#!][A-Za-z_][\w.$]*)
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<op>[A-Za-z_]\w*\.[\w.$]+)
    | (?P<shape>\??x[\w?]*)
    | (?P<word>[A-Za-z_][\w$]*)
    | (?P<mark>->|::|[^\s\w])
    """,
    re.VERBOSE,
)
ERROR = re.compile(r"^(?:<stdin>|-):(\d+):(\d+): error: (.*)$", re.MULTILINE)
NOT_LOWERED = re.compile(r"LLVM \d+ does not lower this ")
"""Matches the start of messages about ops that mlir-opt accepts but does not convert."""
FROM_ANY_CASE = 0.2
"""The probability that a replacement token is from another case."""


@dataclass(frozen=True)
class Token:
    """A token of a text: its kind and position."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Mutant:
    """A case with one token changed."""

    name: str
    text: str
    change: str


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text without comments."""
    return [
        Token(match.lastgroup, match.start(), match.end(), match[0])
        for match in TOKEN.finditer(text)
        if match.lastgroup is not None and match.lastgroup != "comment"
    ]


@cache
def sources(version: int) -> dict[str, str]:
    """Return the sources of the cases in the spelling of `version`, by name."""
    like = {16: 16, 17: 16, 19: 19}.get(version, 22)
    found: dict[str, str] = {}
    for path in sorted(cases().glob("*.mlir")):
        if ".llvm" not in path.name:
            own = path.with_name(f"{path.stem}.llvm{like}.mlir")
            found[path.stem] = (own if own.exists() else path).read_text("utf-8")
    return found


def mutants(version: int, seed: int) -> Iterator[Mutant]:
    """Yield mutants endlessly; equal seeds give equal mutants."""
    dice = random.Random(seed)
    texts = sources(version)
    names = sorted(texts)
    while True:
        name, other = dice.choice(names), dice.choice(names)
        text = texts[name]
        found = tokens(text)
        # Choose each kind with equal probability: most tokens are brackets, whose loss any parser rejects.
        kind = dice.choice(sorted({each.kind for each in found}))
        token = dice.choice([each for each in found if each.kind == kind])
        what = dice.choices(("delete", "repeat", "replace"), (1, 1, 8))[0]
        new = {"delete": "", "repeat": f"{token.text} {token.text}"}.get(what)
        if new is None:
            among = tokens(texts[other]) if dice.random() < FROM_ANY_CASE else found
            alike = sorted({each.text for each in among if each.kind == token.kind} - {token.text})
            if not alike:
                continue
            new = dice.choice(alike)
        line = text.count("\n", 0, token.start) + 1
        change = f"line {line}: {token.text} -> {new or 'nothing'}"
        yield Mutant(name, text[: token.start] + new + text[token.end :], change)


@dataclass(frozen=True)
class Truth:
    """Whether the real tool parses and verifies a text, whether it lowers it, and its first error."""

    accepted: bool
    lowered: bool
    line: int = 0
    message: str = ""


def truth(version: int, text: str) -> Truth | None:
    """Run the real tool on a text; return None if it crashes."""
    tool = mlir_opt(version)
    lowered = tool(text, "--gpu-to-llvm")
    if lowered.code == 0:
        return Truth(accepted=True, lowered=True)
    read = tool(text) if lowered.code == 1 else lowered
    if read.code not in (0, 1):
        return None
    line, message = first_error(lowered)
    return Truth(read.code == 0, False, line, message)


def first_error(output: Output) -> tuple[int, str]:
    """Return the line and message of the first error that mlir-opt printed."""
    match = ERROR.search(output.err)
    return (int(match[1]), match[3].strip()) if match else (0, output.err.strip().partition("\n")[0])


@dataclass
class Tally:
    """The figures of one command."""

    agreed: int = 0
    refused_by_both: int = 0
    same_line: int = 0
    same_message: int = 0


def campaign(version: int, seed: int, count: int, *, show: bool) -> dict[str, tuple[int, Tally]]:
    """Compare `count` mutants; return how many were compared and how many agreed, by command."""
    found = {"check": Tally(), "lower": Tally()}
    compared = 0
    classes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.mlir"
        for mutant, _ in zip(mutants(version, seed), range(count), strict=False):
            theirs = truth(version, mutant.text)
            if theirs is None:
                continue
            compared += 1
            path.write_text(mutant.text, "utf-8")
            for command, (ours, line, message) in (
                ("check", checked(path, version)),
                ("lower", lowered(path, version)),
            ):
                expected = theirs.accepted if command == "check" else theirs.lowered
                tally = found[command]
                tally.agreed += ours == expected
                if not ours and not expected:
                    tally.refused_by_both += 1
                    tally.same_line += line == theirs.line
                    tally.same_message += message == theirs.message
                if show and ours != expected:
                    kind = "false error" if expected else "missed"
                    said = message if expected else theirs.message
                    classes[f"{command} {kind}: {re.sub('[0-9]+', 'N', said)}"] += 1
                    print(f"{command} {kind} {mutant.name} {mutant.change}: {said}")
                elif show and not ours and message != theirs.message:
                    print(f"{command} other words {mutant.name} {mutant.change}:")
                    print(f"  {theirs.line} {theirs.message}")
                    print(f"  {line} {message}")
    for text, times in classes.most_common():
        print(f"{times:4} {text}")
    return {command: (compared, tally) for command, tally in found.items()}


def checked(path: Path, version: int) -> tuple[bool, int, str]:
    """Return True if `check` reports no error that stops mlir-opt, else the first error's line and
    message."""
    done = gpuasync("check", str(path), "--llvm", str(version), "--output-format", "json", "--exit-zero")
    errors = [
        each
        for each in json.loads(done.stdout)["findings"]
        if each["severity"] == "error"
        and BY_CODE[each["code"]].stops
        and not NOT_LOWERED.match(each["message"])
    ]
    if not errors:
        return True, 0, ""
    first = min(errors, key=lambda each: (each["start"]["line"], each["start"]["column"]))
    return False, first["start"]["line"], first["message"].partition("\n")[0]


def lowered(path: Path, version: int) -> tuple[bool, int, str]:
    """Return True if `lower` ends with status 0, else the first error's line and message.

    Raises RuntimeError for any status other than 0 and 1."""
    done = gpuasync("lower", str(path), "--llvm", str(version))
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise RuntimeError(f"lower ended with {done.returncode}:\n{done.stderr}\n{path.read_text('utf-8')}")
    match = re.search(r":(\d+):(\d+): error: (.*)", done.stderr)
    return done.returncode == 0, int(match[1]) if match else 0, match[3].strip() if match else ""


def main(arguments: Sequence[str]) -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--min", type=float, default=0.99)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args(arguments)
    failed = False
    for command, (compared, tally) in campaign(given.llvm, given.seed, given.count, show=given.show).items():
        share = tally.agreed / compared if compared else 0
        failed = failed or share < given.min
        print(
            f"{command} LLVM {given.llvm} seed {given.seed}: "
            f"{tally.agreed} of {compared} mutants agree ({share:.3f}); "
            f"of {tally.refused_by_both} refused by both {tally.same_line} on the same line, "
            f"{tally.same_message} with the same message"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
