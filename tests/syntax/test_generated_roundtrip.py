"""Round trips of generated programs: our output is the same program to mlir-opt, and the reverse.

hypothesis generates async programs with streams, branches, loops, blocks and async regions. Parsing and
printing must not change mlir-opt's generic form, whether the input is the source or one of mlir-opt's
two forms. Its custom form must be reproduced except for white space. All programs go through mlir-opt
in one run.
"""

from __future__ import annotations

import os
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.generated.programs import Program, programs
from tests.support.thinning import thinned
from tests.support.tools import mlir_opt

EXAMPLES = int(os.environ.get("GPUASYNC_EXAMPLES", "40"))
SEPARATOR = "// -----\n"
GENERIC = "--mlir-print-op-generic"


@cache
def drawn() -> tuple[str, ...]:
    """Return the texts of `EXAMPLES` programs."""
    found: list[str] = []

    @seed(int(os.environ.get("GPUASYNC_SEED", "1")))
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def collect(program: Program) -> None:
        found.append(program.text(22))

    collect()
    return tuple(found)


def opt(texts: tuple[str, ...], *options: str) -> tuple[str, ...]:
    """Return what mlir-opt prints for each of `texts`."""
    output = mlir_opt(22)(SEPARATOR.join(texts), "--split-input-file", *options)
    assert output.code == 0, output.err
    printed = tuple(output.out.split(SEPARATOR))
    assert len(printed) == len(texts)
    return printed


def reprint(text: str) -> str:
    """Parse and print `text`."""
    file = parse_source(text)
    assert [problem.message for problem in file.problems()] == [], text
    (chunk,) = file.chunks
    return print_module(module_of(chunk))


def without_blanks(text: str) -> list[str]:
    return [line for line in ("".join(line.split()) for line in text.split("\n")) if line]


@pytest.mark.slow
@pytest.mark.parametrize("form", thinned(["custom", "source", "generic"], 3))
def test_generated_programs_mean_the_same_when_printed(form: str) -> None:
    texts = drawn()
    meaning = opt(texts, GENERIC)
    read = {"source": lambda: texts, "custom": lambda: opt(texts), "generic": lambda: meaning}[form]()
    for text, before, after in zip(read, meaning, opt(tuple(map(reprint, read)), GENERIC), strict=True):
        assert after.strip() == before.strip(), text


def test_what_mlir_opt_prints_is_printed_the_same() -> None:
    for text in opt(drawn()):
        assert without_blanks(reprint(text)) == without_blanks(text)
