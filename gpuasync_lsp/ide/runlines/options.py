"""The mlir-opt options of a RUN line: the pipeline, and other options if they are supported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SILENT = frozenset(["mlir-disable-threading", "verify-each", "verify-roundtrip"])
"""Options that do not change the output for a valid program."""


_VERIFIED = ("all", "only-expected")
"""Values of `--verify-diagnostics`; the second exists since LLVM 20."""


class NotKnown(Exception):
    """An unknown option; the message names it."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an mlir-opt call."""

    pipeline: str
    """The passes of the call, in mlir-opt's syntax."""
    source: str
    """The input file; empty or `-` for standard input."""
    split: bool
    """Whether the call has `--split-input-file`."""
    discards: bool
    """Whether the call has `-o /dev/null`."""
    unregistered: bool
    """Whether the call has `--allow-unregistered-dialect`."""
    verifies: str = ""
    """The value of `--verify-diagnostics`, `all` or `only-expected`; empty without the option."""


def mlir_opt_options(arguments: Sequence[str]) -> Options:
    """Parse the arguments of mlir-opt. Raises NotKnown for an unknown option, which may be a missing pass."""
    passes: list[str] = []
    source, split, unregistered, output, verifies = "", False, False, "-", ""
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-") or argument == "-":
            if source:
                raise NotKnown(f"a second file, {argument[:100]}")
            source = argument
            continue
        name, has_value, value = argument.lstrip("-").partition("=")
        if name in ("pass-pipeline", "o"):
            if not has_value:
                if not rest:
                    raise NotKnown(f"--{name} without a value")
                value = rest.pop(0)
            if name == "o":
                output = value
            else:
                passes.append(value)
        elif name == "split-input-file" and not has_value:
            split = True
        elif name == "allow-unregistered-dialect" and not has_value:
            unregistered = True
        elif name == "verify-diagnostics" and (not has_value or value in _VERIFIED):
            verifies = value or "all"
        elif name not in _SILENT:
            # The shell's quotes around a value are already removed; braces group a value with blanks.
            passes.append(f"{name}{{{value}}}" if has_value else name)
    if output not in ("-", "/dev/null"):
        raise NotKnown(f"-o {output[:100]}")
    return Options(",".join(passes), source, split, output == "/dev/null", unregistered, verifies)
