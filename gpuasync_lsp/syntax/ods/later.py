"""Assembly formats that came after LLVM 22, the newest release in the tables, for the ops that these have."""

from __future__ import annotations

from gpuasync_lsp.syntax.ods.formats import parse_format

_FORMATS = {
    "gpu.subgroup_mma_compute": (
        "$opA `,` $opB `,` $opC oilist(`a_transpose` $a_transpose | `b_transpose` $b_transpose) attr-dict"
        " `:` type($opA) `,` type($opB) `->` type($res)"
    ),
    "gpu.subgroup_mma_load_matrix": (
        "$srcMemref `[` $indices `]`"
        " oilist(`leadDimension` $leadDimension | `transpose` $transpose) attr-dict"
        " `:` type($srcMemref) `->` type($res)"
    ),
    "gpu.subgroup_mma_store_matrix": (
        "$src `,` $dstMemref `[` $indices `]`"
        " oilist(`leadDimension` $leadDimension | `transpose` $transpose) attr-dict"
        " `:` type($src) `,` type($dstMemref)"
    ),
}
"""Of LLVM 24, where options are keywords."""

LATER = {name: parse_format(text) for name, text in _FORMATS.items()}
