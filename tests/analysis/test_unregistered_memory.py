"""What the rule's fixture cannot show, as its fixed code has to lower: a gpu.launch, and SPIR-V."""

from __future__ import annotations

from gpuasync_lsp.analysis import Config, check_source

LAUNCH = """
func.func @main(%n: index, %f: f32, %either: i1) {
  %g = memref.alloc() : memref<4xf32>
  %l = memref.alloca() : memref<4xf32>
  %h = arith.select %either, %g, %l : memref<4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %r = %n)
    threads(%x, %y, %z) in (%o = %n, %p = %n, %q = %n) {
    memref.store %f, %h[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}
"""


def test_a_launch_on_host_memory_by_another_name() -> None:
    (found,) = check_source(LAUNCH, Config(22, ("GA508",)))
    assert found.message.startswith("This gpu.launch runs a kernel that writes %h, host memory")
    assert len(found.related) == 2


def test_runners_of_vulkan_take_host_memory() -> None:
    mark = "spirv.target_env = #spirv.target_env<#spirv.vce<v1.0, [Shader], []>, #spirv.resource_limits<>>"
    assert check_source(f"module attributes {{{mark}}} {{{LAUNCH}}}", Config(22, ("GA508",))) == []
