"""Pipelines in mlir-opt's syntax, and our passes compared with the real ones."""

from __future__ import annotations

import json
import os
import re

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import (
    STAGES,
    TRANSLATIONS,
    Pipeline,
    PipelineError,
    parse_pipeline,
    run_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.syntax import module_of, parse_source, source_span
from gpuasync_lsp.syntax.printer import print_module
from tests.differential import passes as passes_diff
from tests.support.texts import texts_beside
from tests.support.thinning import thinned
from tests.support.tools import FIXTURES, ROOT, mlir_opt

TEXTS = texts_beside(__file__)

FLOORS = FIXTURES / "passes" / "equal.json"
"""The number of programs with equal output in the last measurement, by release and pass."""

EQUAL: dict[str, dict[str, int]] = json.loads(FLOORS.read_text())
UPDATE = os.environ.get("GPUASYNC_UPDATE") == "1"
"""Whether to write the measured counts instead of comparing with them; requires a run in one process."""

LAUNCH = TEXTS["LAUNCH"]


def names(pipeline: Pipeline) -> list[str]:
    return [str(step) for step in pipeline.steps]


class TestSyntax:
    @pytest.mark.parametrize(
        ("text", "steps"),
        [
            ("", []),
            ("gpu-to-llvm", ["gpu-to-llvm"]),
            ("--gpu-to-llvm", ["gpu-to-llvm"]),
            ("gpu-kernel-outlining,gpu-to-llvm", ["gpu-kernel-outlining", "gpu-to-llvm"]),
            ("--gpu-kernel-outlining --gpu-to-llvm", ["gpu-kernel-outlining", "gpu-to-llvm"]),
            ("gpu-async-region", ["func.func(gpu-async-region)"]),
            ("builtin.module(func.func(gpu-async-region))", ["func.func(gpu-async-region)"]),
            ("builtin.module(gpu.module(convert-gpu-to-nvvm))", ["gpu.module(convert-gpu-to-nvvm)"]),
            ("any(canonicalize)", ["canonicalize"]),
            (
                "builtin.module( gpu.module( canonicalize, convert-gpu-to-nvvm{index-bitwidth=64} ) ,"
                "\n gpu-to-llvm)",
                [
                    "gpu.module(canonicalize)",
                    "gpu.module(convert-gpu-to-nvvm{index-bitwidth=64})",
                    "gpu-to-llvm",
                ],
            ),
            (
                "gpu-to-llvm{use-bare-pointers-for-kernels=1 use-bare-pointers-for-host}",
                ["gpu-to-llvm{use-bare-pointers-for-kernels=1 use-bare-pointers-for-host=true}"],
            ),
            (
                "--nvvm-attach-target='chip=sm_90 O=3'",
                ["nvvm-attach-target{chip=sm_90 O=3}"],
            ),
            ('nvvm-attach-target{features="+ptx80 +x"}', ['nvvm-attach-target{features="+ptx80 +x"}']),
        ],
    )
    def test_reads(self, text: str, steps: list[str]) -> None:
        pipeline = parse_pipeline(text)
        assert names(pipeline) == steps
        assert parse_pipeline(str(pipeline)).steps == pipeline.steps
        assert not pipeline.remarks

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("convert-vector-to-gpu", "no pass 'convert-vector-to-gpu'"),
            ("gpu-to-llvm{nonsense=1}", "gpu-to-llvm has no option 'nonsense'"),
            ("gpu-async-region{a=b}", "has no option 'a'; it has none"),
            ("func.func(gpu-to-llvm)", "gpu-to-llvm runs on builtin.module"),
            ("gpu.module(gpu-async-region)", "runs on func.func: it cannot be nested in gpu.module"),
            ("func.func(gpu-lower-to-nvvm-pipeline)", "cannot be nested in func.func"),
            ("gpu-lower-to-nvvm-pipeline{x=1}", "no option 'x'"),
            ("gpu.module(canonicalize", r"expected '\)' at column 24 of the pipeline 'gpu.module\(can"),
            ("gpu-to-llvm{a=1", "expected '}'"),
            ("gpu-to-llvm)", r"unmatched '\)'"),
            ("gpu-to-llvm,;", "expected the name of a pass"),
            ("convert-gpu-to-nvvm{index-bitwidth=16}", "the index bitwidth must be 0, 32 or 64, not 16"),
            (
                "gpu-map-parallel-loops{mapping-policy=x}",
                "mapping-policy must be outermost-first or innermost-first, not x",
            ),
        ],
    )
    def test_says_what_is_wrong(self, text: str, message: str) -> None:
        with pytest.raises(PipelineError, match=message):
            parse_pipeline(text)

    def test_what_mlir_opt_would_not_nest_by_itself_is_remarked(self) -> None:
        pipeline = parse_pipeline("builtin.module(gpu-async-region)")
        assert names(pipeline) == ["func.func(gpu-async-region)"]
        assert pipeline.remarks == (
            "mlir-opt expects func.func(gpu-async-region) here: the pass runs on func.func",
        )

    def test_the_named_pipeline(self) -> None:
        pipeline = parse_pipeline("gpu-lower-to-nvvm-pipeline{cubin-chip=sm_90 opt-level=3}")
        assert "nvvm-attach-target{chip=sm_90 O=3}" in names(pipeline)
        assert names(pipeline)[:2] == ["convert-nvgpu-to-nvvm", "gpu-kernel-outlining"]
        lowered = run_pipeline(module_of(parse_source(LAUNCH).chunks[0]), pipeline, 22)
        text = print_module(lowered.module)
        assert lowered.error is None
        assert 'gpu.module @f_kernel [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx60">]' in text
        assert "nvvm.read.ptx.sreg.tid.x" in text
        assert "gpu.launch_func" in text
        assert "unrealized_conversion_cast" not in text

    @pytest.mark.parametrize("llvm", [19, 21, 22])
    def test_the_named_pipeline_has_the_order_of_mlir_opt(self, llvm: int) -> None:
        said = mlir_opt(llvm)("module {}\n", "--gpu-lower-to-nvvm-pipeline", "--dump-pass-pipeline").err
        theirs = re.findall(r"[a-z][a-z0-9-]+(?=[{,)]|\s*[,){\n])", re.sub(r"\{[^{}]*\}", "", said))
        ours = [each.rsplit("(")[-1].split("{")[0].rstrip(")")
                for each in names(parse_pipeline("gpu-lower-to-nvvm-pipeline"))]  # fmt: skip
        assert [each for each in theirs if each in ours] == ours


class TestStages:
    @pytest.mark.parametrize("stage", STAGES)
    def test_every_stage_runs(self, stage: str) -> None:
        module = module_of(parse_source("func.func @f() {\n  return\n}\n").chunks[0])
        assert run_pipeline(module, stage_pipeline(stage), 22).error is None

    def test_a_stage_is_its_pass_alone(self) -> None:
        assert names(stage_pipeline("source")) == []
        assert names(stage_pipeline("gpu-to-llvm")) == ["gpu-to-llvm"]
        assert names(stage_pipeline("convert-scf-to-cf")) == ["convert-scf-to-cf"]
        assert names(stage_pipeline("canonicalize")) == ["gpu-to-llvm", "canonicalize"]

    def test_the_users_passes_come_before(self) -> None:
        before = parse_pipeline("gpu-kernel-outlining,gpu-async-region").steps
        assert names(stage_pipeline("gpu-to-llvm", before)) == [
            "gpu-kernel-outlining",
            "func.func(gpu-async-region)",
            "gpu-to-llvm",
        ]
        assert names(stage_pipeline("gpu-kernel-outlining", before)) == ["gpu-kernel-outlining"]
        assert names(stage_pipeline("convert-scf-to-cf", before))[-1] == "convert-scf-to-cf"

    def test_an_unknown_stage(self) -> None:
        with pytest.raises(PipelineError, match="did you mean 'gpu-to-llvm'"):
            stage_pipeline("gpu-to-lvm")

    def test_after_an_error_the_module_is_what_the_pass_was_given(self) -> None:
        module = module_of(parse_source(LAUNCH).chunks[0])
        lowered = run_pipeline(module, parse_pipeline("convert-scf-to-cf,gpu-async-region"), 22)
        assert lowered.error is not None
        assert lowered.first_message == "'gpu.launch' op replace with gpu.launch_func first"
        assert lowered.failed_pass == "gpu-async-region"
        assert print_module(lowered.module) == print_module(module)


@pytest.mark.parametrize("stage", thinned([s for s in STAGES if s not in TRANSLATIONS], 8))
def test_every_op_of_every_stage_knows_its_source(stage: str) -> None:
    empty = 0
    for path in sorted((ROOT / "tests" / "fixtures" / "passes").glob("*.mlir")):
        for chunk in parse_source(path.read_text("utf-8")).chunks:
            lowered = run_pipeline(module_of(chunk), stage_pipeline(stage), 22)
            ops = [op for op in lowered.module.walk() if op is not lowered.module]
            empty += not ops  # symbol-dce erases private functions.
            assert not [op.name for op in ops if source_span(op) is None]
    assert empty < 3


FIXTURES_OF_PASSES = {
    "gpu-async-region": (16, 19, 22),
    "gpu-map-parallel-loops": (16, 17, 19, 20, 21, 22),
    "convert-parallel-loops-to-gpu": (16, 17, 19, 21, 22),
    "convert-scf-to-cf": (16, 19, 22, 24),
    **dict.fromkeys(("lower-affine", "cse", "symbol-dce"), (16, 19, 22)),
}
"""The releases in which a pass is compared on its fixture; fast tests use only 22."""


@pytest.mark.parametrize(
    ("version", "name"),
    [
        pytest.param(version, name, marks=[pytest.mark.slow] if version != 22 else [])
        for name, versions in FIXTURES_OF_PASSES.items()
        for version in versions
    ],
)
def test_a_pass_is_the_real_one_on_its_fixture(version: int, name: str) -> None:
    fixture = f"passes/{name.replace('-', '_')}#"
    wanted = {program for program in passes_diff.programs(version) if program.startswith(fixture)}
    comparison = passes_diff.compare(version, name, sorted(wanted))
    assert not comparison.different
    assert comparison.equal >= 6


KERNELS = {
    name
    for path in sorted((ROOT / "tests" / "fixtures" / "passes").glob("kernels*.mlir"))
    for name in (f"passes/{path.stem}#{n}" for n in range(path.read_text("utf-8").count("// -----\n") + 1))
}
KERNEL_EXCEPTIONS = {
    "cf.assert": "file and line of the assertion are not known here",
    "shuffle of f16": "mlir-opt makes an op that its verifier rejects",
    "private(%p: memref<4xf32, 5>)": "mlir-opt makes an op that its verifier rejects",
}
"""Text that identifies a fixture's kernel that is lowered differently from mlir-opt, with the reason."""


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (22, "convert-gpu-to-nvvm"),
        (22, "convert-gpu-to-rocdl=runtime=HIP"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                (19, "convert-gpu-to-nvvm"),
                (19, "convert-gpu-to-nvvm=index-bitwidth=32"),
                (22, "convert-gpu-to-rocdl"),
                (22, "convert-gpu-to-rocdl=index-bitwidth=32"),
                (22, "convert-gpu-to-rocdl=runtime=OpenCL"),
                (19, "convert-gpu-to-rocdl"),
                (24, "convert-gpu-to-nvvm"),
                (24, "convert-gpu-to-nvvm=index-bitwidth=32"),
                (24, "convert-gpu-to-rocdl=index-bitwidth=32"),
                (24, "convert-gpu-to-rocdl=runtime=HIP"),
            )
        ),
    ],
)
def test_kernels_are_lowered_as_mlir_opt_does(version: int, name: str) -> None:
    comparison = passes_diff.compare(version, name, sorted(KERNELS))
    print("\n".join(passes_diff.report(comparison, whole=True)))
    assert comparison.compared >= 25
    texts = passes_diff.programs(version)
    unexplained = [
        program
        for program in comparison.different
        if not any(mark in texts[program] for mark in KERNEL_EXCEPTIONS)
    ]
    assert not unexplained


NEWEST = 22
"""The newest release in Debian; the others are compared in the campaign."""


@pytest.mark.parametrize(
    ("version", "name"),
    [
        pytest.param(int(v), p, marks=pytest.mark.slow if int(v) == NEWEST else pytest.mark.campaign)
        for v, passes in EQUAL.items()
        for p in passes
    ],
)
def test_passes_are_equal_to_the_real_ones(version: int, name: str) -> None:
    comparison = passes_diff.compare(version, name)
    print("\n".join(passes_diff.report(comparison, whole=False)))
    floors = EQUAL[str(version)]
    if UPDATE:
        floors[name] = comparison.equal
        FLOORS.write_text(json.dumps(EQUAL, indent=2) + "\n")
    assert comparison.equal >= floors[name]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("".join(f"%v{n + 1} = arith.muli %v{n}, %v{n} : index\n" for n in range(40)), "complex bounds"),
        ("".join(f"%v{n + 1} = arith.muli %v{n}, %v0 : index\n" for n in range(2_000)), "complex bounds"),
        ("%v1 = arith.muli %v0, %v0 : index\n", None),
    ],
)
def test_bounds_of_launches_are_followed_so_far(body: str, said: str | None) -> None:
    def mapping(processor: str) -> str:
        maps = "map = (d0) -> (d0), bound = (d0) -> (d0)"
        return f"mapping = [#gpu.loop_dim_map<processor = {processor}, {maps}>]"

    last = body.count("\n")
    text = f"""
    func.func @f(%a: index, %b: index, %s: index) {{
      scf.parallel (%i) = (%a) to (%b) step (%s) {{
        %v0 = affine.min affine_map<(d0) -> (d0, 1)>(%i)
        {body}
        scf.parallel (%j) = (%a) to (%v{last}) step (%s) {{
        }} {{{mapping("thread_x")}}}
      }} {{{mapping("block_x")}}}
      return
    }}
    """
    pipeline = parse_pipeline("convert-parallel-loops-to-gpu")
    lowered = run_pipeline(module_of(parse_source(text).chunks[0]), pipeline, 22)
    if said is None:
        assert lowered.error is None
        assert "gpu.launch" in print_module(lowered.module)
    else:
        assert lowered.error is not None
        assert lowered.first_message == f"this tool does not analyze such {said}"
