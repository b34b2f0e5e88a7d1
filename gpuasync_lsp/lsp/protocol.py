"""The JSON-RPC side of the server: pygls' transport and bookkeeping, plain JSON in and out.

pygls turns every message into lsprotocol objects and back by cattrs, object by object; a list of thousands
of diagnostics takes longer to write than to find. Here a message's `params` and `result` stay what `json`
made of them; the tests hold them against lsprotocol's types.
"""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

Json = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Request:
    """A request of the client."""

    id: str | int
    method: str
    params: Any
    jsonrpc: str = "2.0"


@dataclass(frozen=True, slots=True)
class RawJson:
    """A result that is JSON text already."""

    text: str


@dataclass(slots=True)
class Notification:
    """A notification of the client."""

    method: str
    params: Any
    jsonrpc: str = "2.0"


_numbers = count(1)


class ClientError(JsonRpcException):
    """The client answered a request of ours with an error."""


class JsonProtocol(LanguageServerProtocol):
    """A `LanguageServerProtocol` whose handlers take and return plain JSON values."""

    exit_code: int = 1
    """0 once the client has asked to shut down before it told the server to exit."""

    def structure_message(self, data: Json) -> Any:
        """Keep JSON as it is; only the envelope becomes an object. Called for every object in it."""
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
        elif self._handles(method_name):
            super()._handle_notification(method_name, params)
        elif not method_name.startswith("$/"):
            logger.info("no handler for the notification %s", method_name)

    def _handles(self, method: str) -> bool:
        manager: Any = self.fm
        return method in manager.features or method in manager.builtin_features

    def _send_response(self, msg_id: str | int, result: Any = None, error: Any = None) -> None:
        if error is None and isinstance(result, RawJson):
            self.send_text(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result.text}}}')
            return
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
        """Send a request to the client; awaiting what is returned gives the answer, or raises ClientError."""
        msg_id = f"gpuasync-{next(_numbers)}"
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

    def _register_builtin_features(self) -> None:
        """Leave to pygls how a session ends; documents, settings and commands are ours."""
        manager: Any = self.fm
        manager.builtin_features[types.SHUTDOWN] = self.lsp_shutdown  # pyright: ignore[reportUnknownMemberType]
        manager.builtin_features[types.EXIT] = self.lsp_exit

    def lsp_exit(self, *args: Any) -> Any:
        """Remember the exit code, which pygls' main loop swallows, and stop."""
        self.exit_code = 0 if self._shutdown else 1
        yield from super().lsp_exit(*args)  # pyright: ignore[reportUnknownMemberType]
