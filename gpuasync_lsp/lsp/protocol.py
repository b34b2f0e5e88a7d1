"""The JSON-RPC side of the server: pygls' transport and bookkeeping, plain JSON in and out.

pygls turns every message into lsprotocol objects and back by cattrs. That costs about 25 us per diagnostic on the
way out and, in `initialize`, code generation for every class a client's capabilities touch. Here a
message's `params` and `result` stay what `json` made of them; the tests hold them against lsprotocol's types.
"""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

Json = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Request:
    """A request of the client."""

    id: str | int
    method: str
    params: Any
    jsonrpc: str = "2.0"


@dataclass(slots=True)
class Notification:
    """A notification of the client."""

    method: str
    params: Any
    jsonrpc: str = "2.0"


class ClientError(JsonRpcException):
    """The client answered a request of ours with an error."""


class JsonProtocol(LanguageServerProtocol):
    """A `LanguageServerProtocol` whose handlers take and return plain JSON values."""

    exit_code = 1
    """0 once the client has asked to shut down before it told the server to exit."""

    def structure_message(self, data: Json) -> Any:
        """Keep JSON as it is; only the envelope becomes an object (called by `json.loads` for every object)."""
        if "jsonrpc" not in data:
            return data
        if "method" not in data:
            return data  # an answer, see handle_message
        if "id" in data:
            return Request(data["id"], data["method"], data.get("params"))
        return Notification(data["method"], data.get("params"))

    def handle_message(self, message: Any) -> None:
        """Hand a message to its handler; an answer of the client goes to whoever waits for it."""
        if isinstance(message, dict):
            self._handle_answer(message)  # pyright: ignore[reportUnknownArgumentType]
            return
        super().handle_message(message)

    def _handle_answer(self, answer: Json) -> None:
        future = self._request_futures.pop(answer.get("id", ""), None)
        if future is None:
            logger.warning("answer to an unknown request %r", answer.get("id"))
        elif (error := answer.get("error")) is not None:
            future.set_exception(ClientError(error.get("message", ""), error.get("code", -32001)))
        else:
            future.set_result(answer.get("result"))

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        # Where pygls warns: an answer that crosses a cancellation is normal.
        if (future := self._request_futures.get(msg_id)) is not None:
            future.cancel()

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if method_name == types.CANCEL_REQUEST:
            self._handle_cancel_notification(params["id"])
        elif method_name in self.fm.features or method_name in self.fm.builtin_features:
            super()._handle_notification(method_name, params)
        elif not method_name.startswith("$/"):
            logger.info("no handler for the notification %s", method_name)

    def _send_response(self, msg_id: str | int, result: Any = None, error: Any = None) -> None:
        answer: Json = {"jsonrpc": "2.0", "id": msg_id}
        if error is None:
            answer["result"] = result
        else:
            answer["error"] = {"code": error.code, "message": error.message}
            if error.data is not None:
                answer["error"]["data"] = error.data
        self.send_text(json.dumps(answer, separators=(",", ":")))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification; `params` is a JSON value."""
        self.send_text(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params}, separators=(",", ":"))
        )

    def notify_text(self, method: str, params: str) -> None:
        """Send a notification whose `params` are JSON text already."""
        self.send_text(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}')

    def ask(self, method: str, params: Any) -> asyncio.Future[Any]:
        """Send a request to the client and return what its answer will be; raises ClientError when awaited."""
        self._asked = getattr(self, "_asked", 0) + 1
        msg_id = f"gpuasync-{self._asked}"
        future: Future[Any] = Future()
        self._request_futures[msg_id] = future
        self.send_text(
            json.dumps(
                {"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params}, separators=(",", ":")
            )
        )
        return asyncio.wrap_future(future)

    def send_text(self, body: str) -> None:
        """Send one message. To be called on the thread of the event loop."""
        if self.writer is None:
            return
        data = body.encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Any:
        """Remember the exit code, which pygls' main loop swallows, and stop."""
        self.exit_code = 0 if self._shutdown else 1
        yield from super().lsp_exit(*args)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: Json) -> Any:
        """Answer with what our own handler returns: capabilities are plain data, see `capabilities.py`."""
        return (yield self.fm.features[types.INITIALIZE], (params,), None)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Json) -> Any:
        """Documents are ours, see `documents.py`; the same below."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Json) -> Any:
        """Pass on, without pygls' own copy of the text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Json) -> Any:
        """Pass on, without pygls' own copy of the text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: Json) -> Any:
        """Pass on, folders are ours too."""
        yield self.fm.features[types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS], (params,), None

    @lsp_method(types.SET_TRACE)
    def lsp_set_trace(self, params: Json) -> Any:
        """Pass on."""
        yield self.fm.features[types.SET_TRACE], (params,), None

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: Json) -> Any:
        """Pass on."""
        yield self.fm.features[types.WINDOW_WORK_DONE_PROGRESS_CANCEL], (params,), None

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: Json) -> Any:
        """Call the command's handler with the list of arguments. Raises JsonRpcInvalidParams for an unknown one."""
        handler = self.fm.commands.get(params["command"])
        if handler is None:
            raise JsonRpcInvalidParams(f"there is no command {params['command']!r}")
        return (yield handler, (params.get("arguments") or [],), None)
