"""Inlay hints, code lenses, semantic tokens."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from lsprotocol import types

from gpuasync_lsp.ide.features.inlay_hints import inlay_hints as hints_in
from gpuasync_lsp.ide.features.lenses import lenses
from gpuasync_lsp.ide.features.semantic_tokens import Segment, Tail, numbers, segments
from gpuasync_lsp.lsp.protocol import RawJson
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text.plain_json import Json


def inlay_hints(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/inlayHint`."""
    kind = types.InlayHintKind.Type.value
    within = view.places.span(params["range"])
    found: list[Json] = [
        {"position": view.places.position(hint.offset), "label": hint.text, "tooltip": hint.tooltip}
        for hint in view.timings
        if within.contains(hint.offset)
    ]
    for hint in hints_in(view.state, within, view.options):
        answer: Json = {"position": view.places.position(hint.offset), "label": hint.text, "kind": kind}
        if hint.tooltip:
            answer["tooltip"] = hint.tooltip
        if hint.edits:
            answer["textEdits"] = view.places.edits(hint.edits)
        found.append(answer)
    return found


def code_lenses(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/codeLens`."""
    if not view.options.code_lens:
        return []
    document = {"textDocument": {"uri": view.uri}}
    found: list[Json] = []
    for lens in lenses(view.state):
        arguments = {
            "gpuasync.passes": document,
            "gpuasync.preview": document,
            "gpuasync.run": {"uri": view.uri, "entry": lens.function, "device": lens.device},
            "gpuasync.streams": {**document, "function": lens.function},
            "gpuasync.test": {"uri": view.uri} | ({} if lens.line is None else {"line": lens.line}),
        }
        command = {"title": lens.title, "command": lens.command, "arguments": [arguments[lens.command]]}
        found.append({"range": view.places.range(lens.span), "command": command})
    return found


def tokens_full(view: View, params: Json) -> RawJson:
    """Answer `textDocument/semanticTokens/full`."""
    given = _given(view)
    result_id = _remember(view, given)
    return RawJson(f'{{"resultId":"{result_id}","data":{_data(given)}}}')


def tokens_range(view: View, params: Json) -> RawJson:
    """Answer `textDocument/semanticTokens/range` for the pieces of items that touch the range."""
    within = view.places.span(params["range"])
    found = segments(view.state, view.places.encoding, within)
    return RawJson(f'{{"data":{_data([_Given(*part) for part in numbers(found)])}}}')


def tokens_delta(view: View, params: Json) -> RawJson:
    """Answer `textDocument/semanticTokens/full/delta` with one edit that spans all changed pieces."""
    known = view.caches.tokens.get(params["previousResultId"])
    given = _given(view)
    result_id = _remember(view, given)
    if known is None or known[0] != view.uri:
        return RawJson(f'{{"resultId":"{result_id}","data":{_data(given)}}}')
    old: list[_Given] = known[1]
    first, last = 0, 0
    shortest = min(len(old), len(given))
    while first < shortest and old[first].is_like(given[first]):
        first += 1
    while last < shortest - first and old[-1 - last].is_like(given[-1 - last]):
        last += 1
    if first == len(old) == len(given):
        return RawJson(f'{{"resultId":"{result_id}","edits":[]}}')
    start = sum(part.size for part in old[:first])
    deleted = sum(part.size for part in old[first : len(old) - last])
    data = _data(given[first : len(given) - last])
    edit = f'{{"start":{start},"deleteCount":{deleted},"data":{data}}}'
    return RawJson(f'{{"resultId":"{result_id}","edits":[{edit}]}}')


@dataclass(frozen=True, slots=True)
class _Given:
    """The tokens sent for one piece of an item."""

    first: tuple[int, ...]
    tail: Tail

    @property
    def size(self) -> int:
        """The length of the encoded tokens."""
        return 5 + len(self.tail.rest)

    def is_like(self, other: _Given) -> bool:
        """Return whether this piece and `other` have equal encodings."""
        return self.first == other.first and (self.tail is other.tail or self.tail.rest == other.tail.rest)


_ids = count(1)


def _given(view: View) -> list[_Given]:
    found: list[Segment] = segments(view.state, view.places.encoding)
    return [_Given(*part) for part in numbers(found)]


def _remember(view: View, given: list[_Given]) -> str:
    """Cache an answer as the base of deltas and return its result id.

    A client that refers to an evicted answer gets all tokens."""
    result_id = str(next(_ids))
    view.caches.tokens.keep(result_id, (view.uri, given))
    return result_id


def _data(given: list[_Given]) -> str:
    return "[" + ",".join(f"{','.join(map(str, part.first))}{part.tail.json}" for part in given) + "]"
