"""linalg: MLIR's verifiers of structured ops."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.linalg.ops import OWN, named
from gpuasync_lsp.syntax.checks.packs import pack, unpack
from gpuasync_lsp.syntax.dialects.linalg import NAMES

CHECKS = {
    **dict.fromkeys(NAMES, named),
    **OWN,
    "linalg.pack": pack,
    "linalg.unpack": unpack,
}
