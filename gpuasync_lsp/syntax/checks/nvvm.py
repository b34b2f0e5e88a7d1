"""nvvm: fences, registers and warp-group products, as the PTX ISA has them."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.printer import attribute_text


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
    if (said := _sync_restrict(view)) is not None:
        return said
    if view.word("toProxy") not in (None, "async"):
        return "only async is supported for to_proxy attribute"
    if view.word("fromProxy") not in (None, "generic"):
        return "only generic is support for from_proxy attribute"
    return None


_K = {"tf32": 8, "f16": 16, "bf16": 16, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
_PRODUCTS = {
    "f16": {("f16", "f16"), *((a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2"))},
    "f32": {
        ("f16", "f16"), ("bf16", "bf16"), ("tf32", "tf32"),
        *((a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    },
    "s32": {("b1", "b1"), *((a, b) for a in ("s8", "u8") for b in ("s8", "u8"))},
}  # fmt: skip


def _wgmma(view: View) -> str | None:
    """In the order in which MLIR asks: the struct, the sizes, the products, what is transposed."""
    given = view.type("inouts")
    members: object = getattr(getattr(given, "types", None), "data", None)
    if not isinstance(members, tuple | list) or not members:
        raise NotKnown
    types = cast("list[Attribute]", list(cast(Any, members)))
    for type in types:
        if type != types[0]:
            return f"all elements in struct must be same type but there is '{attribute_text(type)}'"
    shape: Any = view.attribute("shape")
    m, n, k = (getattr(shape, each, None) for each in "mnk")
    if not all(isinstance(each, int) for each in (m, n, k)):
        raise NotKnown
    to, a, b = view.word("typeD"), view.word("typeA"), view.word("typeB")
    if m != 64:
        return "shape 'm' must be 64"
    if to is None or a is None or b is None:
        raise NotKnown
    if view.attribute("satfinite") is not None and to != "s32":
        return (
            " `satfinite` can be only used with s32 accumulator, however the current accumulator is "
            f"{attribute_text(IntegerType(32)) if to == 's32' else to}"
        )
    if a in _K and k != _K[a]:
        return f"shape 'k' must be {_K[a]} for input type {a}"
    if to in _PRODUCTS and (a, b) not in _PRODUCTS[to]:
        return f"{to} += {a} * {b}, it is not supported."
    return None


CHECKS = {
    "nvvm.setmaxregister": _setmaxregister,
    "nvvm.fence.proxy": _fence_proxy,
    "nvvm.fence.proxy.acquire": _uni_directional,
    "nvvm.fence.proxy.release": _uni_directional,
    "nvvm.fence.sync_restrict": _sync_restrict,
    "nvvm.fence.proxy.sync_restrict": _proxy_sync_restrict,
    "nvvm.wgmma.mma_async": _wgmma,
}
