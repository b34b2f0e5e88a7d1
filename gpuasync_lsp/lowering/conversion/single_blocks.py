"""Reports the verifier's error if a pass has split a block of a region that must have a single block."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.ods.table import entry


def verify_single_blocks(root: Operation, profile: Profile) -> None:
    """Raise PassError for the first op with several blocks in a region that must have a single block."""
    for number, region in enumerate(root.regions):
        if region.first_block is region.last_block:
            continue
        found = entry(root.name)
        variant = None if found is None else found.of(profile.version)
        if variant is not None and "SingleBlock" in variant.traits:
            raise PassError(root, f"'{root.name}' op expects region #{number} to have 0 or 1 blocks")
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                if op.regions:
                    verify_single_blocks(op, profile)
