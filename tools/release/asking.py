"""Queries an mlir-opt for the ops, types, attributes and options that it knows."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence

Command = Sequence[str]

_ERROR = re.compile(r"^(?:within split at )?<stdin>(?::(\d+) offset )?:(\d+):\d+: error: (.*)$", re.MULTILINE)
_UNKNOWN_OP = re.compile(r"custom op '[^']*' is unknown")
_NO_DIALECT = re.compile(r"[Dd]ialect [`'][^`']*' (?:is )?not found|not registered")
_LACKS = re.compile(r"unknown|not found|unregistered|provides no (?:type|attribute) parsing hook")
_AT_ONCE = 200
_LINES = 2
"""The number of lines of a part, including its separator."""
PARSED_IN_CPP = (
    *("!gpu.mma_matrix", "!llvm.array", "!llvm.func", "!llvm.struct", "!ptr.ptr", "!quant.calibrated"),
    *("!quant.uniform", "!spirv.array", "!spirv.coopmatrix", "!spirv.image", "!spirv.matrix", "!spirv.ptr"),
    *("!spirv.rtarray", "!spirv.sampled_image", "!transform.op", "!transform.param", "#spirv.vce"),
    "#xegpu.scatter_tdesc_attr",
)
"""Names with parameters that appear in no definition, since their parsers are written in C++."""


def run(command: Command, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an mlir-opt on a text."""
    return subprocess.run(
        [*command, *arguments, "-"], input=text, capture_output=True, text=True, check=False, timeout=600
    )


def errors(command: Command, parts: Sequence[str]) -> dict[int, str]:
    """Return the first error of each one-line part that has one, by the index of the part."""
    found: dict[int, str] = {}
    for at in range(0, len(parts), _AT_ONCE):
        some = parts[at : at + _AT_ONCE]
        done = run(command, "// -----\n".join(f"{each}\n" for each in some), "--split-input-file")
        said = [
            ((int(line) + (int(offset) - 1 if offset else 0) - 1) // _LINES, words)
            for offset, line, words in _ERROR.findall(done.stderr)
        ]
        if done.returncode not in (0, 1) or (len(some) > 1 and "within split at" not in done.stderr and said):
            # It crashed at a part, or does not split its input: run each part separately.
            said = [
                (number, words)
                for number, each in enumerate(some)
                for _, _, words in _ERROR.findall(run(command, f"{each}\n").stderr)[:1]
            ]
        for number, words in said:
            found.setdefault(at + number, words)
    return found


def known_ops(command: Command, names: Sequence[str]) -> dict[str, bool | None]:
    """Return for each op name whether an mlir-opt has registered it; None if it lacks the dialect."""
    said = errors(command, [f"{name} |" for name in names])
    return {
        name: None
        if number not in said or _NO_DIALECT.search(said[number])
        else not _UNKNOWN_OP.search(said[number])
        for number, name in enumerate(names)
    }


def read_names(command: Command, names: Sequence[str]) -> dict[str, bool | None]:
    """Return for each type (`!gpu.x`) or attribute whether an mlir-opt parses it; None if it lacks the
    dialect."""
    said = _alone(command, names)
    found: dict[str, bool | None] = {}
    for name in names:
        words = said.get(name, "")
        found[name] = (
            None if _NO_DIALECT.search(words) else not ("in dialect" in words and "unknown" in words)
        )
    return found


def wants_parameters(command: Command, names: Iterable[str]) -> Mapping[str, bool]:
    """Return for each name that an mlir-opt knows whether `<` must follow the name."""
    asked = sorted(names)
    said = _alone(command, asked)
    return {name: said.get(name) == "expected '<'" for name in asked if not _LACKS.search(said.get(name, ""))}


def _alone(command: Command, names: Sequence[str]) -> dict[str, str]:
    parts = [
        f"func.func private @f({name})"
        if name[0] == "!"
        else f"func.func private @f() attributes {{x = {name}}}"
        for name in names
    ]
    return {names[number]: words for number, words in errors(command, parts).items()}


_NO_PASS = "does not refer to a registered pass"


def knows_pass(command: Command, pass_name: str, anchor: str) -> bool:
    """Return whether an mlir-opt has a pass or pipeline of this name."""
    return _NO_PASS not in _run_pass(command, pass_name, anchor)


def knows_option(command: Command, pass_name: str, anchor: str, option: str, value: str) -> bool | None:
    """Return whether a pass has an option; None if an mlir-opt lacks the pass."""
    said = _run_pass(command, f"{pass_name}{{{option}={value}}}", anchor)
    return None if _NO_PASS in said else f"no such option {option}" not in said


def _run_pass(command: Command, step: str, anchor: str) -> str:
    """Return what a pass prints to standard error for an empty module."""
    nested = f"{anchor}({step})" if anchor not in ("", "builtin.module") else step
    return run(command, "module {\n}\n", f"--pass-pipeline=builtin.module({nested})").stderr
