"""Parses our output for a release with its real mlir-opt, which must accept all of it.

    python -m tests.differential.read_back 19          # the figures, with every text that is not read by name
    python -m tests.differential.read_back 19 NAME ... # the texts of these programs as well

Programs are those of tests.differential.passes: the measured cases and all fixtures that the release
accepts. For each, the output of `lower` as the source, after gpu-to-llvm and after all stages, and
after each pass of `PASSES`, is parsed. A stage that fails prints nothing and is not counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpuasync_lsp.lowering.pipeline.pipeline import (
    DEFAULT_STAGE,
    LOWERED,
    SOURCE,
    parse_pipeline,
    run_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.lowering import SEPARATOR
from tests.differential.passes import readable
from tests.support.tools import mlir_opt, mlir_opt_for_many

PASSES = ("canonicalize", "cse", "lower-affine", "convert-scf-to-cf", "expand-strided-metadata")
"""Passes whose output contains ops of the source, which each release spells in its own way."""


@dataclass
class Read:
    """The number of parsed texts, and those that mlir-opt rejects."""

    version: int
    printed: int = 0
    unread: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """The message and the text of each rejected one, by `program stage`."""

    def __str__(self) -> str:
        return f"LLVM {self.version}: {self.printed} texts printed, {len(self.unread)} not read back"


def texts(programs: Mapping[str, str], version: int) -> Iterator[tuple[str, str]]:
    """Yield our output for each program after each stage and each pass, by `program stage`."""
    for name, program in programs.items():
        module = module_of(parse_source(program).chunks[0])
        for stage in (SOURCE, DEFAULT_STAGE, LOWERED):
            done = run_pipeline(module, stage_pipeline(stage), version)
            if done.error is None:
                yield f"{name} {stage}", print_module(done.module)
        for each in PASSES:
            done = run_pipeline(module, parse_pipeline(f"--{each}"), version)
            if done.error is None:
                yield f"{name} --{each}", print_module(done.module)


def read_back(version: int, programs: Mapping[str, str]) -> Read:
    """Print `programs` after each stage and pass, and parse the texts with mlir-opt of `version`."""
    found = Read(version)
    distinct: dict[str, str] = {}
    for name, text in texts(programs, version):
        found.printed += 1
        distinct.setdefault(text, name)
    for text, message in _refused(version, list(distinct)):
        found.unread[distinct[text]] = message, text
    return found


def _refused(version: int, wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the texts that mlir-opt rejects, with its first message; runs few processes."""
    if not wanted:
        return
    if len(wanted) == 1:
        done = mlir_opt(version)(wanted[0])
        if done.code:
            message = re.search(r"error: (.*)", done.err)
            yield wanted[0], message[1] if message else done.err[:200]
        return
    done = mlir_opt_for_many(version)(SEPARATOR.join(wanted), "--split-input-file")
    if done.code == 0 and len(done.out.split("// -----\n")) == len(wanted):
        return
    half = len(wanted) // 2
    yield from _refused(version, wanted[:half])
    yield from _refused(version, wanted[half:])


def main(arguments: Sequence[str]) -> int:
    """Print the rejected texts; return 1 if there are any."""
    version, *names = arguments
    found = read_back(int(version), readable(int(version), frozenset(names)))
    print(found)
    for name, (message, text) in found.unread.items():
        print(f"  {name}: {message}")
        if names:
            print(text)
    return int(bool(found.unread))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
