"""Streams that a loop swaps among its iter_args: a wait for one destroys no other."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source

PIPELINE = """
func.func @pipeline(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s0 = gpu.wait async
  %s1 = gpu.wait async
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s0, %q = %s1) -> (!gpu.async.token, !gpu.async.token) {
    %s = gpu.wait async
    %d = gpu.memcpy async [%p] %y, %x : memref<8xf32>, memref<8xf32>
    gpu.wait [%d]
    scf.yield %q, %s : !gpu.async.token, !gpu.async.token
  }
  %d0 = gpu.memcpy async [%r#0] %y, %x : memref<8xf32>, memref<8xf32>
  gpu.wait [%d0]
  %d1 = gpu.memcpy async [%r#FROM] %z, %x : memref<8xf32>, memref<8xf32>
  gpu.wait [%d1]
  return
}
"""  # noqa: E501 - a line of a program


@pytest.mark.parametrize("version", [19, 22, 24])
def test_the_other_stream_is_alive(version: int) -> None:
    found = check_source(PIPELINE.replace("FROM", "1"), Config(version, ("GA2", "GA3", "GA4")))
    assert {finding.code for finding in found} == {"GA203"}


@pytest.mark.parametrize("version", [19, 22, 24])
def test_the_same_stream_is_destroyed(version: int) -> None:
    found = check_source(PIPELINE.replace("FROM", "0"), Config(version, ("GA202",)))
    assert [finding.code for finding in found] == ["GA202"]
