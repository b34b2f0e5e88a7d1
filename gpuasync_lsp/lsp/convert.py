"""Conversion between plain data and the protocol's JSON: positions, ranges, edits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuasync_lsp.text import Edit, Encoding, LineIndex, Span
from gpuasync_lsp.text.plain_json import Json


class Places:
    """Positions in one document, in the session's position encoding."""

    def __init__(self, lines: LineIndex, encoding: Encoding) -> None:
        self.lines = lines
        self.encoding: Encoding = encoding

    def position(self, offset: int) -> Json:
        """Return the `Position` of a code-point offset."""
        line, character = self.lines.position(offset, self.encoding)
        return {"line": line, "character": character}

    def range(self, span: Span) -> Json:
        """Return the `Range` of a span."""
        return {"start": self.position(span.start), "end": self.position(span.end)}

    def range_text(self, span: Span) -> str:
        """Return the `Range` of a span as JSON."""
        (line, character), (last, end) = self.lines.range(span, self.encoding)
        start = f'{{"line":{line},"character":{character}}}'
        return f'{{"start":{start},"end":{{"line":{last},"character":{end}}}}}'

    def offset(self, position: Json) -> int:
        """Return the code-point offset of a `Position`; columns are clamped to the end of their line."""
        return self.lines.offset(position["line"], position["character"], self.encoding)

    def span(self, range_: Json) -> Span:
        """Return the span of a `Range`."""
        return Span(self.offset(range_["start"]), self.offset(range_["end"]))

    def edits(self, edits: Iterable[Edit]) -> list[Json]:
        """Return `edits` as a list of `TextEdit`s."""
        return [{"range": self.range(edit.span), "newText": edit.text} for edit in edits]

    def location(self, uri: str, span: Span) -> Json:
        """Return a `Location` for a span of the document `uri`."""
        return {"uri": uri, "range": self.range(span)}


def workspace_edit(uri: str, version: int | None, edits: Sequence[Json], *, versioned: bool) -> Json:
    """Return a `WorkspaceEdit` of one document, with its version if the client supports that."""
    if versioned:
        return {"documentChanges": [{"textDocument": {"uri": uri, "version": version}, "edits": list(edits)}]}
    return {"changes": {uri: list(edits)}}
