"""Cases that the rule's fixture cannot contain, since its fixed text must lower: gpu.launch, and SPIR-V."""

from __future__ import annotations

from gpuasync_lsp.analysis import Config, check_source
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

LAUNCH = TEXTS["LAUNCH"]


def test_a_launch_on_host_memory_by_another_name() -> None:
    (found,) = check_source(LAUNCH, Config(22, ("GA508",)))
    assert found.message.startswith("This gpu.launch runs a kernel that writes %h, host memory")
    assert len(found.related) == 2


def test_runners_of_vulkan_take_host_memory() -> None:
    mark = "spirv.target_env = #spirv.target_env<#spirv.vce<v1.0, [Shader], []>, #spirv.resource_limits<>>"
    assert check_source(f"module attributes {{{mark}}} {{{LAUNCH}}}", Config(22, ("GA508",))) == []
