"""Verifies types and attributes of xegpu, which are kept as text.

Only errors that every release with the type reports are returned; an unexpected spelling is assumed to
be valid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_SIZES = lazy_pattern(r"\s*((?:(?:\?|-?[0-9]{1,9})\s*x\s*)*)")
_LISTS = lazy_pattern(
    r"\b(sg_layout|sg_data|inst_data|lane_layout|lane_data|order|block|stride)\s*=\s*\[([0-9, ]*)\]"
)
LAYOUT = lazy_pattern(r"#xegpu\.layout<([^<>]*)>")
_BLOCK = lazy_pattern(r"memory_space\s*=\s*slm")
_CHUNK = lazy_pattern(r"chunk_size\s*=\s*([0-9]{1,9})")
_WIDTH = lazy_pattern(r"(?:[su]?i|b?f)([0-9]{1,4})\s*(?:,|$)")


def wrong_text(name: str, body: str) -> str | None:
    """Return the error for `!name<body>` or `#name<body>`; None if it is valid or unknown."""
    check = _CHECKS.get(name)
    return None if check is None else check(body.strip())


# xegpu


def lists_of(body: str) -> dict[str, list[int]]:
    """Return the lists of numbers in an xegpu layout by name; if a name occurs twice, the first wins."""
    found: dict[str, list[int]] = {}
    for name, numbers in _LISTS.findall(body):
        found.setdefault(name, [int(each) for each in numbers.split(",") if each.strip().isdigit()])
    return found


def _layout(body: str) -> str | None:
    lists = lists_of(body)
    known = {"sg_layout", "inst_data", "lane_layout"}
    if not known & lists.keys():
        return "expected at least one of sg_layout, inst_data or lane_layout"
    rank = {name: len(numbers) for name, numbers in lists.items()}
    for first, second in (
        ("sg_layout", "inst_data"),
        ("sg_layout", "lane_layout"),
        ("inst_data", "lane_layout"),
    ):
        if first in rank and second in rank and rank[first] != rank[second]:
            words = f"expected {first} and {second} to have the same rank"
            if first == "inst_data":
                words += f", got inst_data {rank[first]}, lane_layout {rank[second]}"
            return words
    for kind in ("sg", "lane"):
        data, layout = f"{kind}_data", f"{kind}_layout"
        if data in rank and layout not in rank:
            return f"expected {layout} being used with {data}"
        if data in rank and rank[data] != rank[layout]:
            return f"expected {data} and {layout} to have the same rank"
    if "order" in rank and not {"sg_layout", "lane_layout"} & rank.keys():
        return "expected sg_layout/lane_layout being used with order"
    for layout in ("sg_layout", "lane_layout"):
        if "order" in rank and layout in rank and rank["order"] != rank[layout]:
            return f"expected order and {layout} to have the same rank"
    return None


def lacks_data(body: str) -> str | None:
    """Return the error of newer releases for a layout of subgroups or lanes without its data sizes, or
    None."""
    lists = lists_of(body)
    for kind in ("sg", "lane"):
        if f"{kind}_layout" in lists and f"{kind}_data" not in lists:
            return f"{kind}_layout and {kind}_data must be used together"
    return None


def _descriptor(body: str) -> str | None:
    match = _SIZES.match(body)
    sizes = match[1].replace(" ", "") if match is not None else ""
    rest = body[match.end() :] if match is not None else body
    if "#" in rest.replace("#xegpu.", "") or "?" in sizes or "#xegpu.slice" in rest:
        return None  # It has an alias, or a layout of higher rank than the tensor.
    shape = [int(each) for each in sizes.split("x") if each]
    if not shape:
        return "expected non-zero rank tensor"
    width = _WIDTH.match(rest)
    layout = LAYOUT.search(rest)
    if layout is not None and (error := _layout(layout[1])) is not None:
        return error
    lists = {} if layout is None else lists_of(layout[1])
    if "scatter_tdesc_attr" in rest:
        if (error := _scattered(shape, rest, int(width[1]) if width else 32, lists)) is not None:
            return error
    elif _BLOCK.search(rest) and len(shape) > 1:
        return "SLM is only supported for 1D block tensor"
    if layout is None:
        return None
    ranks = [len(lists[name]) for name in ("sg_layout", "inst_data", "lane_layout") if name in lists]
    if ranks[0] != len(shape):
        return "expected layout rank to match tensor rank"
    if not distributes(shape, lists):
        return f"cannot distribute [{', '.join(map(str, shape))}] using {layout[0]}"
    return None


def _scattered(shape: Sequence[int], rest: str, width: int, lists: dict[str, list[int]]) -> str | None:
    chunk = _CHUNK.search(rest)
    size = int(chunk[1]) if chunk is not None else 1
    if size <= 0:
        return "invalid chunk size"
    factor = 32 // width if 0 < width < 32 else 1
    if size > 1:
        if len(shape) == 1:
            return "expected non-contiguous elements for 1D tensor"
        if shape[-1] != size:
            return "expected last dim of tensor to match chunk size"
        if shape[-1] % factor:
            return f"expected last dim of tensor to be a multiple of {factor}"
    ranks = [len(lists[name]) for name in ("sg_layout", "inst_data", "lane_layout") if name in lists]
    if ranks and ranks[0] != len(shape):
        return "expected layout rank to match tensor rank"
    data = lists.get("lane_data")
    if data and size > 1 and data[-1] % factor:
        return f"expected last dim of lane_data to be a multiple of: {factor}"
    return None


def distributes(shape: list[int], lists: dict[str, list[int]]) -> bool:
    """Return whether subgroups, instructions and lanes divide the elements evenly."""
    found: list[int] | None = shape
    for layout, data, is_round in (
        ("sg_layout", "sg_data", True),
        ("", "inst_data", False),
        ("lane_layout", "lane_data", False),
    ):
        found = None if found is None else _share(found, lists.get(layout, []), lists.get(data, []), is_round)
    return found is not None


def _share(shape: list[int], layout: list[int], data: list[int], is_round: bool) -> list[int] | None:
    found = shape
    if is_round and layout and data and _repeats(shape, layout, data):
        return data
    if layout:
        ratio = _ratio(shape, layout)
        if ratio is None and not (is_round and _ratio(layout, shape) is not None):
            return None
        found = ratio or shape
    if data:
        if _ratio(found, data) is None and not (is_round and _ratio(data, found) is not None):
            return None
        found = data
    return found


def _repeats(shape: list[int], layout: list[int], data: list[int]) -> bool:
    """Return whether the data sizes are valid for subgroups since LLVM 23.

    In each dimension, either each subgroup has its own parts, or all share the whole extent."""
    parts = _ratio(shape, data)
    if parts is None or len(parts) != len(layout) or 0 in layout:
        return False
    return all(part == 1 or part % size == 0 for part, size in zip(parts, layout, strict=True))


def _ratio(whole: Sequence[int], part: Sequence[int]) -> list[int] | None:
    if len(whole) != len(part) or any(not b or a % b for a, b in zip(whole, part, strict=True)):
        return None
    return [a // b for a, b in zip(whole, part, strict=True)]


_CHECKS: dict[str, Callable[[str], str | None]] = {
    "xegpu.layout": _layout,
    "xegpu.tensor_desc": _descriptor,
}
