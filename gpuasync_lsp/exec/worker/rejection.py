"""Reasons for which a program is rejected before it runs."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.findings import NO_SITE


class RunRejected(Exception):
    """The program cannot be run; the message gives the reason, `site` the location.

    `lacks` is the package extra that provides a missing part, if that is the reason."""

    def __init__(self, message: str, site: int = NO_SITE, lacks: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.site = site
        self.lacks = lacks
