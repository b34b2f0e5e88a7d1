"""Kernels that this machine's processor cannot run."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.findings import NO_SITE


class UnsupportedKernel(Exception):
    """A kernel uses a feature that has no equivalent on this CPU, at `site` if known."""

    def __init__(self, message: str, site: int = NO_SITE) -> None:
        super().__init__(message)
        self.site = site
