"""The stream view, as a request and as a command."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.streams import UnknownFormat, UnknownFunction, stream_view
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.view import View, command_argument
from gpuasync_lsp.text.plain_json import Json


def streams(view: View, params: Json) -> Json:
    """Answer `gpuasync/streams`. Raises JsonRpcInvalidParams for an unknown function or format."""
    position = params.get("position")
    offset = None if position is None else view.places.offset(position)
    try:
        found = stream_view(
            view.state,
            params.get("format") or "text",
            params.get("function"),
            offset,
            cancel=view.cancel,
            fold=bool(params.get("fold")),
        )
    except (UnknownFormat, UnknownFunction) as error:
        raise JsonRpcInvalidParams(str(error)) from error
    return {"text": found.text, "functions": list(found.functions), "shown": list(found.shown)}


async def streams_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.streams`: the `gpuasync/streams` request for clients that support only commands."""
    argument = command_argument(params, "gpuasync.streams takes {textDocument, function?, format?}")
    return await session.answer(streams, argument)
