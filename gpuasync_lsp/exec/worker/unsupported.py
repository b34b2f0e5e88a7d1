"""Why a kernel has no form that this machine's processor can run."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.findings import NO_SITE


class UnsupportedKernel(Exception):
    """A kernel uses something that has no CPU form; `site` says where, if that is known."""

    def __init__(self, message: str, site: int = NO_SITE) -> None:
        super().__init__(message)
        self.site = site
