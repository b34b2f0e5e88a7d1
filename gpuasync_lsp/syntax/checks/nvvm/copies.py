"""nvvm: asynchronous copies and prefetches."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.nvvm.parts import (
    CONSTANT,
    GLOBAL,
    LOCAL,
    SHARED,
    SHARED_CLUSTER,
    space,
    word,
)
from gpuasync_lsp.syntax.checks.view import Checks, VerifierError, View


def _plain(words: str | None, since: int = 0) -> VerifierError | None:
    return None if words is None else VerifierError(words, since, bare=True)


def _copy(view: View) -> VerifierError | None:
    size, modifier = view.integer("size"), view.word("modifier")
    words = None
    if modifier not in (None, "cg", "ca"):
        words = "Only CG and CA cache modifiers are supported."
    elif size not in (4, 8, 16):
        words = "expected byte size to be either 4, 8 or 16."
    elif modifier == "cg" and size != 16:
        words = "CG cache modifier is only support for 16 bytes copy."
    return _plain(words, 17)


def _loaded(view: View) -> str | None:
    """Return the error for the coordinates and offsets of a tensor load or prefetch."""
    mode = word(view, "mode", "tile")
    dimensions, offsets = view.count("coordinates"), view.count("im2colOffsets")
    if not 1 <= dimensions <= 5:
        return "expects coordinates between 1 to 5 dimension"
    if mode == "tile_gather4" and dimensions != 5:
        return "Gather4 mode expects 5 coordinates"
    if mode.startswith("im2col") and dimensions < 3:
        return f"to use {mode} mode, the tensor has to be at least 3-dimensional"
    wanted = {"im2col": dimensions - 2, "im2col_w": 2, "im2col_w_128": 2}.get(mode, 0)
    if offsets != wanted:
        return f" im2col offsets expected {wanted} (provided {offsets})"
    return None


def _load_tensor(view: View) -> VerifierError | None:
    mode, is_alone, to = word(view, "mode", "tile"), view.is_set("isCTAOnly"), space(view, "dstMem")
    words = None
    if view.values("predicate"):
        if is_alone:
            words = "Predicate is supported only for shared::cluster mode."
        elif mode not in ("tile", "im2col"):
            words = "Predicate is supported only for Tile and Im2col modes."
    elif is_alone:
        if to != SHARED:
            words = "Shared::cta destination requires address-space 3."
        elif view.values("multicastMask"):
            words = "Multicast is not supported with shared::cta mode."
        elif view.attribute("group") is not None:
            words = "CTAGroup is not supported with shared::cta mode."
    elif to != SHARED_CLUSTER:
        words = "Shared::cluster destination requires address-space 7."
    return _plain(words or _loaded(view), 22)


def _stored(view: View) -> str | None:
    mode, dimensions = word(view, "mode", "tile"), view.count("coordinates")
    if mode == "tile_scatter4":
        return None if dimensions == 5 else "Scatter4 mode expects 5 coordinates"
    if not 1 <= dimensions <= 5:
        return "expects coordinates between 1 to 5 dimension"
    if mode != "tile" and dimensions < 3:
        return "to use im2col mode, the tensor has to be at least 3-dimensional"
    return None


def _store_tensor(view: View) -> VerifierError | None:
    if view.values("predicate"):
        if word(view, "mode", "tile") != "tile":
            return _plain("Inline-ptx lowering supported only for Tile mode.", 22)
        if view.values("l2CacheHint"):
            return _plain("Inline-ptx lowering unsupported with L2 cache-hint.", 22)
    return _plain(_stored(view), 22)


def _reduce_tensor(view: View) -> VerifierError | None:
    if word(view, "mode", "tile") == "tile_scatter4":
        return _plain("Scatter mode unsupported for CpAsyncBulkTensorReduceOp", 22)
    return _plain(_stored(view), 22)


def _bulk(view: View) -> VerifierError | None:
    if space(view, "dstMem") == SHARED and view.values("multicastMask"):
        return _plain("Multicast is not supported with shared::cta mode.", 22)
    return None


def _prefetch(view: View) -> str | None:
    of_map = view.attribute("tensormap") is not None
    level = view.word("cacheLevel") if view.attribute("cacheLevel") is not None else None
    evicted = view.word("evictPriority") if view.attribute("evictPriority") is not None else None
    at = space(view, "addr")
    if of_map and level is not None:
        return "cannot specify both tensormap and cache level"
    if of_map:
        if at not in (0, CONSTANT):
            return "prefetch tensormap requires a generic or constant pointer"
        if evicted is not None:
            return "prefetch tensormap does not support eviction priority"
        if view.attribute("in_param_space") is not None and at:
            return "in_param_space can only be specified for a generic pointer"
        return None
    if level is None:
        return "requires specification of either cache level or tensormap"
    if at not in (0, GLOBAL, LOCAL):
        return "prefetch to cache level requires a generic, global, or local pointer"
    if view.attribute("uniform") is not None:
        if level != "L1":
            return "unsupported cache level, the only supported uniform cache level is L1"
        if at:
            return "prefetch to uniform cache requires a generic pointer"
    if evicted is not None:
        if level != "L2":
            return "cache eviction priority supported only for cache level L2"
        if at != GLOBAL:
            return "cache eviction priority requires a global pointer"
        if evicted not in ("evict_normal", "evict_last"):
            return "unsupported cache eviction priority, only evict_last and evict_normal are supported"
    return "predicate supported only on prefetch tensormap" if view.values("predicate") else None


def _bulk_store(view: View) -> str | None:
    value = view.integer("initVal") if view.attribute("initVal") is not None else 0
    return f"only 0 is supported for initVal, got {value}" if value else None


COPIES: Checks = {
    "nvvm.cp.async.shared.global": _copy,
    "nvvm.cp.async.bulk.tensor.prefetch": lambda view: _plain(_loaded(view), 22),
    "nvvm.cp.async.bulk.tensor.shared.cluster.global": _load_tensor,
    "nvvm.cp.async.bulk.tensor.global.shared.cta": _store_tensor,
    "nvvm.cp.async.bulk.tensor.reduce": _reduce_tensor,
    "nvvm.cp.async.bulk.shared.cluster.global": _bulk,
    "nvvm.prefetch": _prefetch,
    "nvvm.st.bulk": _bulk_store,
}
