"""Merges equivalent streams into one lane with a count, so that twenty copies of a pattern appear as one.

Streams are equivalent if they are in the same block, have equal ops in the same order (ignoring value names),
the same fate and findings, and links to the same other streams.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gpuasync_lsp.ide.streams.model import HOST, Arrow, Does, Group, Lane, Mark, Picture, Row

LEAST = 3
"""The minimum number of equivalent streams that are merged."""
_NAME = re.compile(r"%[\w$.\-]+(?:#\d+)?")


def folded(picture: Picture) -> Picture:
    """Return the picture with each group of equivalent streams replaced with its first stream."""
    groups: dict[object, list[int]] = {}
    for number, lane in enumerate(picture.lanes):
        if number != HOST and lane.is_stream:
            groups.setdefault(_kind(picture, number), []).append(number)
    same = {group[0]: group for group in groups.values() if len(group) >= LEAST}
    hidden = {lane: group[0] for group in same.values() for lane in group[1:]}
    if not hidden:
        return picture
    lanes = [number for number in range(len(picture.lanes)) if number not in hidden]
    at = {number: place for place, number in enumerate(lanes)}
    at |= {number: at[first] for number, first in hidden.items()}
    rows = [number for number, row in enumerate(picture.rows) if not _is_hidden(row, hidden)]
    place = {number: new for new, number in enumerate(rows)}
    return replace(
        picture,
        lanes=tuple(_lane(picture, number, same.get(number, ()), rows) for number in lanes),
        rows=tuple(_row(picture.rows[number], at, place) for number in rows),
        arrows=tuple(
            replace(
                arrow,
                source=place[arrow.source],
                target=place[arrow.target],
                source_lane=at[arrow.source_lane],
                target_lane=at[arrow.target_lane],
            )
            for arrow in picture.arrows
            if _is_kept(arrow, hidden, place)
        ),
        groups=tuple(_group(group, rows) for group in picture.groups if group.first in place),
        marks=tuple(_mark(mark, place) for mark in picture.marks),
    )


def _kind(picture: Picture, lane: int) -> object:
    """Return a key that is equal for equivalent streams."""
    work = tuple(
        (row.does, _NAME.sub("%", row.label), row.left, row.removed, _around(picture, number), _codes(row))
        for number, row in enumerate(picture.rows)
        if row.lane == lane and row.does is not Does.WAIT
    )
    waits = tuple(
        (row.destroys, _around(picture, number), _codes(row), tuple(w for w in row.waits if w != lane))
        for number, row in enumerate(picture.rows)
        if lane in row.waits
    )
    links = tuple(
        (arrow.source_lane == lane, _other(arrow, lane), arrow.wanted, arrow.carries)
        for arrow in picture.arrows
        if lane in (arrow.source_lane, arrow.target_lane)
    )
    of = picture.lanes[lane]
    return work, tuple(_apart(wait) for wait in waits), links, of.fate, _NAME.sub("%", of.detail)


def _apart(wait: tuple[bool, object, object, tuple[int, ...]]) -> object:
    """Return a key that is equal for equivalent waits.

    The key contains whether a wait has other streams, but not which, since they may be merged, too."""
    destroys, around, codes, others = wait
    return destroys, around, codes, bool(others)


def _other(arrow: Arrow, lane: int) -> int:
    return arrow.target_lane if arrow.source_lane == lane else arrow.source_lane


def _around(picture: Picture, row: int) -> tuple[int, ...]:
    return tuple(group.first for group in picture.groups if group.first < row <= group.last)


def _codes(row: Row) -> tuple[str, ...]:
    return tuple(mark.code for mark in row.marks)


def _is_hidden(row: Row, hidden: dict[int, int]) -> bool:
    if row.does is Does.WAIT:
        waited = [lane for lane in row.waits if lane != HOST]
        return bool(waited) and all(lane in hidden for lane in waited)
    return row.does is not Does.GROUP and row.lane in hidden


def _is_kept(arrow: Arrow, hidden: dict[int, int], place: dict[int, int]) -> bool:
    apart = arrow.source_lane in hidden or arrow.target_lane in hidden
    return not apart and arrow.source in place and arrow.target in place


def _lane(picture: Picture, number: int, group: Sequence[int], rows: Sequence[int]) -> Lane:
    lane = picture.lanes[number]
    first, last = _near(lane.first, rows), _near(lane.last, rows)
    if not group:
        return replace(lane, first=first, last=last)
    others = ", ".join(picture.lanes[other].name for other in group[1:])
    detail = ", ".join(filter(None, (lane.detail, f"like {others}")))
    name = f"{lane.name}, {len(group)} alike"
    return replace(lane, name=name, detail=detail, first=first, last=last, count=len(group))


def _near(row: int, rows: Sequence[int]) -> int:
    """Return the index of the last of `rows` that is at or before `row`."""
    return max((new for new, number in enumerate(rows) if number <= row), default=0)


def _row(row: Row, at: dict[int, int], place: dict[int, int]) -> Row:
    return replace(
        row,
        lane=at[row.lane],
        waits=tuple(dict.fromkeys(at[lane] for lane in row.waits)),
        marks=tuple(_mark(mark, place) for mark in row.marks),
    )


def _group(group: Group, rows: Sequence[int]) -> Group:
    return replace(group, first=_near(group.first, rows), last=_near(group.last, rows))


def _mark(mark: Mark, place: dict[int, int]) -> Mark:
    return replace(mark, others=tuple(place[row] for row in mark.others if row in place))
