"""Pass options: the syntax of LLVM's command line is accepted, everything else is an error at the option."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.lowering import PipelineError, parse_pipeline, print_with_places, run_pipeline
from gpuasync_lsp.lowering.option_values import FLAGS, NUMBERS, flag, number
from gpuasync_lsp.lowering.pipeline.pipeline import TO_NVVM, TO_NVVM_OPTIONS
from gpuasync_lsp.lowering.pipeline.registry import PASSES
from gpuasync_lsp.releases.passes import OPTIONS, has_option, has_pass
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
    anchor = PASSES[name].runs_on if name in PASSES else ""
    return f"builtin.module({anchor}({step}))" if anchor not in ("", "builtin.module") else step


@pytest.mark.parametrize(("name", "option"), ALL, ids=lambda each: str(each))
def test_every_option_with_every_value(name: str, option: str) -> None:
    """Only PipelineError is raised, and every accepted pipeline runs."""
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
        if not has_pass(name, version):
            continue
        value = {"mapping-policy": "outermost-first", "ptxas-cmd-options": "-v", "section": "s"}.get(
            option, "true"
        )
        value = {"vector-contract-lowering": "dot", "vector-transpose-lowering": "eltwise"}.get(option, value)
        asked = pipeline_of(name, option, value).removeprefix("builtin.module(").removesuffix(")")
        asked = f"{asked})" if asked.count("(") > asked.count(")") else asked
        theirs = tool(text, f"--pass-pipeline=builtin.module({asked})")
        if "does not refer to a registered pass" in theirs.err:
            continue  # This build of the release lacks the option.
        ours = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(asked), version)
        said = f"<Pass-Options-Parser>: no such option {option}"
        assert (said in theirs.err) is (ours.first_message == said), (asked, theirs.err, ours.error)


NOT_HERE = {
    "canonicalize": {"disable-patterns", "enable-patterns", "region-simplify"},
    "convert-complex-to-llvm": {"complex-range"},
    "convert-func-to-llvm": {"data-layout"},
    "convert-gpu-to-llvm-spv": {"index-bitwidth"},
    "convert-gpu-to-nvvm": {"allowed-dialects"},
    "convert-gpu-to-rocdl": {"allowed-dialects"},
    "convert-math-to-llvm": {"approximate-log1p"},
    "convert-to-llvm": {"dynamic", "filter-dialects"},
    "convert-vector-to-scf": {"lower-scalable"},
    "finalize-memref-to-llvm": {"use-aligned-alloc", "use-generic-functions"},
    "inline": {"default-pipeline", "inlining-threshold", "op-pipelines"},
}
"""Options of mlir-opt that this tool rejects by name."""
_HELP = re.compile(r"^( +)--([\w-]+)(?:=<|\s|$)")


def listed_options(help: str) -> dict[str, set[str]]:
    """Return the options of each pass or pipeline in `mlir-opt --help`: the lines indented below it."""
    found: dict[str, set[str]] = {}
    name, depth = "", 0
    for line in help.splitlines():
        match = _HELP.match(line)
        if match is None:
            continue
        if name and len(match[1]) > depth:
            found[name].add(match[2])
        elif match[2] in PASSES or match[2] == TO_NVVM:
            name, depth = match[2], len(match[1])
            found.setdefault(name, set())
        else:
            name = ""
    return found


@pytest.mark.parametrize("version", releases(16, 17, 19, 20, 21, 22))
def test_options_are_those_that_help_lists(version: int) -> None:
    theirs = listed_options(mlir_opt(version)("", "--help").out)
    assert len(theirs) > 20
    for name, options in theirs.items():
        known = PASSES[name].options | PASSES[name].ignored if name in PASSES else set(TO_NVVM_OPTIONS)
        ours = {option for option in known if has_option(name, option, version)}
        # `--help` lists options of one letter with a single dash, so they are not in `options`.
        assert {each for each in ours if len(each) > 1} == options - NOT_HERE.get(name, set()), name


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
