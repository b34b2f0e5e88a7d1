"""nvvm: fences and special registers."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import View


def _setmaxregister(view: View) -> str | None:
    count = view.integer("regCount")
    if count % 8:
        return "new register size must be multiple of 8"
    return None if 24 <= count <= 256 else "new register size must be in between 24 to 256"


def _fence_proxy(view: View) -> str | None:
    kind, space = view.word("kind"), view.attribute("space")
    if kind == "tensormap":
        return "tensormap proxy is not a supported proxy kind"
    if kind == "generic":
        return "generic proxy not a supported proxy kind"
    if kind == "async.shared" and space is None:
        return "async_shared fence requires space attribute"
    if kind != "async.shared" and space is not None:
        return "only async_shared fence can have space attribute"
    return None


def _uni_directional(view: View) -> str | None:
    if view.word("fromProxy") not in (None, "generic"):
        return "uni-directional proxies only support generic for from_proxy attribute"
    if view.word("toProxy") not in (None, "tensormap"):
        return "uni-directional proxies only support tensormap for to_proxy attribute"
    return None


def _sync_restrict(view: View) -> str | None:
    if view.word("order") not in (None, "acquire", "release"):
        return "only acquire and release semantics are supported"
    return None


def _proxy_sync_restrict(view: View) -> str | None:
    if (error := _sync_restrict(view)) is not None:
        return error
    if view.word("toProxy") not in (None, "async"):
        return "only async is supported for to_proxy attribute"
    if view.word("fromProxy") not in (None, "generic"):
        return "only generic is support for from_proxy attribute"
    return None


FENCES = {
    "nvvm.setmaxregister": _setmaxregister,
    "nvvm.fence.proxy": _fence_proxy,
    "nvvm.fence.proxy.acquire": _uni_directional,
    "nvvm.fence.proxy.release": _uni_directional,
    "nvvm.fence.sync_restrict": _sync_restrict,
    "nvvm.fence.proxy.sync_restrict": _proxy_sync_restrict,
}
