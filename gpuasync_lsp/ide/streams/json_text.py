"""The diagram as JSON. Lines and columns are 1-based, as in `check --output-format json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gpuasync_lsp.ide.streams.model import Mark, Picture, Place, Row
from gpuasync_lsp.text.plain_json import Json


def render_json(pictures: Sequence[Picture]) -> str:
    """Return a JSON list with one object for each function."""
    return json.dumps([_picture(picture) for picture in pictures], indent=2, ensure_ascii=False) + "\n"


def _picture(picture: Picture) -> Json:
    return {
        "function": picture.function,
        "llvm": picture.llvm,
        **_place(picture.place),
        "streams": picture.streams,
        "sure": picture.sure,
        "lanes": [
            {
                "name": lane.name,
                "token": lane.token,
                "stream": lane.is_stream,
                "first": lane.first,
                "last": lane.last,
                "fate": lane.fate.value,
                "detail": lane.detail,
                **({} if lane.place is None else _place(lane.place)),
            }
            for lane in picture.lanes
        ],
        "rows": [_row(row) for row in picture.rows],
        "arrows": [
            {
                "event": None if arrow.event < 0 else arrow.event,
                "from": {"row": arrow.source, "lane": arrow.source_lane},
                "to": {"row": arrow.target, "lane": arrow.target_lane},
                "lowers": not arrow.wanted,
                "carries": arrow.carries,
            }
            for arrow in picture.arrows
        ],
        "groups": [
            {"first": group.first, "last": group.last, "depth": group.depth, "loop": group.loop}
            for group in picture.groups
        ],
        "findings": [_mark(mark) for mark in picture.marks],
    }


def _row(row: Row) -> Json:
    return {
        "lane": row.lane,
        "does": row.does.value,
        "label": row.label,
        "token": row.token,
        "source": row.source,
        **_place(row.place),
        "depth": row.depth,
        "waits": list(row.waits),
        "destroys": row.destroys,
        "unconverted": row.left or None,
        "removed": row.removed,
        "findings": [_mark(mark) for mark in row.marks],
    }


def _mark(mark: Mark) -> Json:
    return {
        "code": mark.code,
        "name": mark.name,
        "severity": mark.severity.name.lower(),
        "message": mark.message,
        **_place(mark.place),
        "rows": list(mark.others),
    }


def _place(place: Place) -> Json:
    return {
        "line": place.line + 1,
        "column": place.column + 1,
        "start": place.span.start,
        "end": place.span.end,
    }
