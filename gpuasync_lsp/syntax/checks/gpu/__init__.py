"""gpu: what its verifiers in C++ reject, of kernels and of the host."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.gpu.device import DEVICE
from gpuasync_lsp.syntax.checks.gpu.host import HOST
from gpuasync_lsp.syntax.checks.gpu.targets import targets

CHECKS = {**DEVICE, **HOST, "gpu.module": targets}
