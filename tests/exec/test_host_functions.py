"""Functions of LLVM's runners for Vulkan, SPIR-V and ROCm, and affine ops, which a run always lowers."""

from __future__ import annotations

import pytest

from tests.exec.harness import run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

FILLS = TEXTS["FILLS"]

DEVICE_VIEW = TEXTS["DEVICE_VIEW"]

AFFINE = TEXTS["AFFINE"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (FILLS, ["[[-7,   -7,   -7], ", "[-7,   -7,   -7]]", "[0.5,  0.5,  0.5,  0.5]"]),
        (DEVICE_VIEW, ["[2.5,  2.5,  2.5,  2.5]"]),
        (AFFINE, ["5"]),
    ],
    ids=["fills", "device view", "affine"],
)
def test_it_runs_and_prints(text: str, printed: list[str]) -> None:
    report = run(text)
    assert [finding.name for finding in report.findings] == []
    for line in printed:
        assert line in report.output


VULKAN = TEXTS["VULKAN"]
SPIRV = "spirv.target_env = #spirv.target_env<#spirv.vce<v1.0, [Shader], []>, #spirv.resource_limits<>>"


def test_kernels_for_vulkan_see_buffers_of_the_host() -> None:
    report = run(VULKAN.replace("ATTRIBUTES", f"gpu.container_module, {SPIRV}"))
    assert report.outcome == "ok", report.findings
    assert report.output.splitlines()[-1] == "[42,  42,  42,  42]"
    refused = run(VULKAN.replace("ATTRIBUTES", f"gpu.container_module, {SPIRV}"), device="cuda")
    assert refused.outcome == "refused"
    assert "the module has spirv.target_env" in refused.message


def test_kernels_for_cuda_do_not() -> None:
    report = run(VULKAN.replace("ATTRIBUTES", "gpu.container_module"))
    assert {f.name for f in report.findings} == {"illegal-address"}
