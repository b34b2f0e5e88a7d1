"""vector: verifiers of memory accesses, shapes, masks, reductions and products."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.vector import masks, memory, reductions, shapes, slices

CHECKS = masks.CHECKS | memory.CHECKS | reductions.CHECKS | shapes.CHECKS | slices.CHECKS
