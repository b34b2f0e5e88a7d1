"""Fixtures of passes, run by this tool and by mlir-opt.

A first line such as `// pipeline in 17 18 22: canonicalize` or `// pipeline since 21: cse` names the passes
for a program, and the releases in which the outputs are compared."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.one_pass import BREAK, OnePass
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

PIPELINE = re.compile(r"// pipeline(?: since (\d+)| in ([\d ]+))?: (.*)\n")
_GIVEN_SIZES = re.compile(r" output_shape \[[^\]\n]*\]")
OWN_MAPS_SINCE = 21


def compare(name: str, version: int, printed: Callable[[str], str]) -> None:
    """Compare both outputs for the programs of a fixture, after normalization with `printed`."""
    for text in parts("passes", name):
        found = PIPELINE.match(text)
        assert found is not None, text
        if version < int(found[1] or 0) or (found[2] and str(version) not in found[2].split()):
            continue
        theirs = mlir_opt(version)(text, f"--pass-pipeline=builtin.module({found[3]})")
        ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(found[3]), version)
        assert (ours.error is None) is (theirs.code == 0), (found[3], theirs.err, ours.error)
        if ours.error is None:
            assert printed(print_module(ours.module)) == printed(theirs.out), text
        else:
            assert ours.error.text in theirs.err


def parts(folder: str, name: str) -> list[str]:
    return (FIXTURES / folder / f"{name}.mlir").read_text("utf-8").split(BREAK)


@pytest.mark.parametrize("version", releases(19, 22))
def test_passes_with_options_and_several_passes(version: int) -> None:
    def canonicalized(text: str) -> str:
        done = mlir_opt(22)(text, "--canonicalize", "--cse")
        assert done.code == 0, done.err
        return done.out

    compare("by_pipeline", version, canonicalized)


@pytest.mark.parametrize("version", releases(*range(16, 24)))
def test_differences_between_releases(version: int) -> None:
    def reprinted(text: str) -> str:
        """Return `text` without attribute aliases and value name hints."""
        source = parse_source(text)
        assert not source.problems()
        return print_module(module_of(source.chunks[0]))

    compare("by_release", version, reprinted)


# The builds for 20 and 24 have no linalg passes.
@pytest.mark.parametrize("version", releases(16, 17, 18, 19, 21, 22, 23))
@pytest.mark.parametrize("kind", ["loops", "parallel-loops", "affine-loops"])
def test_linalg_to_loops(version: int, kind: str) -> None:
    # 16 crashes on the tensors of the last program.
    texts = parts("linalg", "loops")[: -1 if version == 16 else None]
    own_maps = parts("linalg", "own_maps") if version >= OWN_MAPS_SINCE else []
    OnePass(f"convert-linalg-to-{kind}").check([*texts, *own_maps], "", version)


# 16 keeps symbols that constants make unnecessary; our build of 24 predates a change in 23.
@pytest.mark.parametrize("version", releases(17, 18, 19, 20, 21, 22, 23))
def test_expand_strided_metadata(version: int) -> None:
    texts = parts("passes", "expand_strided_metadata")
    if version < 19:
        texts = [_GIVEN_SIZES.sub("", text) for text in texts]
    OnePass("expand-strided-metadata").check(texts, "", version)
