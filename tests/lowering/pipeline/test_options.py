"""Options of passes: what LLVM's command line takes is taken, everything else is an error at the option."""

from __future__ import annotations

import pytest

from gpuasync_lsp.lowering import PipelineError, parse_pipeline, print_with_places, run_pipeline
from gpuasync_lsp.lowering.option_values import FLAGS, NUMBERS, flag, number
from gpuasync_lsp.lowering.pipeline.option_releases import OPTIONS
from gpuasync_lsp.lowering.pipeline.registry import PASSES
from gpuasync_lsp.syntax import module_of, parse_source
from tests.support.releases import releases
from tests.support.thinning import thinned
from tests.support.tools import mlir_opt

VALUES = (
    *("", "x", "0", "1", "2", "3", "32", "010", "08", "0x2", "0b11", "0o17", "-1", "+1", "1_0", "1.5", "٣"),
    *("true", "TRUE", "True", "tRue", "yes", "on", "false", "no", "4294967295", "4294967296", "9" * 30),
    *("9" * 10_000, "{", "(((", "unknown", "HIP"),
)
ALL = [(name, option) for name, each in PASSES.items() for option in sorted(each.options | each.ignored)]


def pipeline_of(name: str, option: str, value: str) -> str:
    step = f"{name}{{{option}={value}}}"
    anchor = PASSES[name].runs_on
    return f"builtin.module({anchor}({step}))" if anchor not in ("", "builtin.module") else step


@pytest.mark.parametrize(("name", "option"), ALL, ids=lambda each: str(each))
def test_every_option_with_every_value(name: str, option: str) -> None:
    """Nothing but PipelineError, and what is taken runs."""
    module = module_of(parse_source("gpu.module @k { }").chunks[0])
    refused: list[str] = []
    for value in VALUES:
        try:
            pipeline = parse_pipeline(pipeline_of(name, option, value))
        except PipelineError:
            refused.append(value)
            continue
        run_pipeline(module, pipeline, 22)
    if option in FLAGS:
        assert set(refused) >= {"x", "2", "yes", "tRue", "-1"}
    if option in NUMBERS:
        assert set(refused) >= {"", "x", "08", "1.5", "1_0", "٣", "true"}


@pytest.mark.parametrize("text", ["(" * 5000, "any(" * 5000, "gpu-to-llvm{a=" + "(" * 5000, "{" * 5000])
def test_brackets_that_nest_forever_are_an_error(text: str) -> None:
    with pytest.raises(PipelineError):
        parse_pipeline(text)


SHORT = [value for value in VALUES if len(value) < 40 and "(" not in value and "{" not in value]


@pytest.mark.slow
@pytest.mark.parametrize("option", thinned(["fast", "O"], 2))
def test_the_same_as_mlir_opt(option: str) -> None:
    tool = mlir_opt(22)
    text = "gpu.module @k {\n}\n"
    for value in SHORT:
        asked = f"nvvm-attach-target{{{option}={value}}}"
        done = tool(text, f"--pass-pipeline=builtin.module({asked})")
        try:
            lowered = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(asked), 22)
        except PipelineError:
            assert done.code != 0, value
        else:
            assert done.code == 0, value
            attached = print_with_places(lowered.module).text
            assert done.out[done.out.index("#nvvm") :].split("]")[0] in attached, value


@pytest.mark.parametrize("version", releases(16, 17, 18, 19, 21, 22, 23))
def test_a_release_lacks_the_options_that_mlir_opt_lacks(version: int) -> None:
    tool = mlir_opt(version)
    text = "module {\n}\n"
    for name, option in OPTIONS:
        if version < PASSES[name].since:
            continue
        value = {"mapping-policy": "outermost-first", "ptxas-cmd-options": "-v"}.get(option, "true")
        value = {"vector-contract-lowering": "dot", "vector-transpose-lowering": "eltwise"}.get(option, value)
        asked = pipeline_of(name, option, value).removeprefix("builtin.module(").removesuffix(")")
        asked = f"{asked})" if asked.count("(") > asked.count(")") else asked
        theirs = tool(text, f"--pass-pipeline=builtin.module({asked})")
        ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(asked), version)
        said = f"<Pass-Options-Parser>: no such option {option}"
        assert (said in theirs.err) is (ours.first_message == said), (asked, theirs.err, ours.error)


def test_numbers_and_flags() -> None:
    assert [number(text) for text in ("0", "010", "0x1F", "-0b1", "0o7", "0x", "-")] == [
        0,
        8,
        31,
        -1,
        7,
        None,
        None,
    ]
    assert [flag(text) for text in ("", "1", "FALSE", "2")] == [True, True, False, None]
