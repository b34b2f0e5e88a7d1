"""Why a program is not run at all."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.findings import NO_SITE


class Refused(Exception):
    """The program cannot be run; the message says why, `site` where.

    `lacks` is the extra of the package that would have what is missing, if that is why.
    """

    def __init__(self, message: str, site: int = NO_SITE, lacks: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.site = site
        self.lacks = lacks
