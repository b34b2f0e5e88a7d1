"""The JSON-RPC part of the server, which uses pygls' bookkeeping but handles plain JSON.

pygls converts every message to lsprotocol objects and back with cattrs, object by object; for thousands of
diagnostics that takes longer than finding them. Here `params` and `result` stay plain JSON values, which
`shapes.py` validates against lsprotocol's types.
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

from gpuasync_lsp.lsp.frames import Malformed
from gpuasync_lsp.lsp.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    Answer,
    Fault,
    Message,
    Notification,
    Request,
    read_message,
)
from gpuasync_lsp.lsp.shapes import mistake
from gpuasync_lsp.lsp.transport import Sender
from gpuasync_lsp.text.plain_json import Json

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RawJson:
    """A result that is already JSON text."""

    text: str


_numbers = count(1)


class ClientError(JsonRpcException):
    """The client answered a request of the server with an error."""


class JsonProtocol(LanguageServerProtocol):
    """A `LanguageServerProtocol` whose handlers take and return plain JSON values."""

    exit_code: int = 1
    """The server's exit code, which is 0 if the client sent `shutdown` before `exit`."""

    has_exited: bool = False
    """Whether the client sent `exit`."""

    sink: Sender | None = None

    _is_shut_down = False

    def receive(self, frame: bytes | Malformed) -> None:
        """Handle a message of the client. Never raises."""
        if isinstance(frame, Malformed):
            self._deal_with(Fault(PARSE_ERROR, frame.message))
        else:
            self._deal_with(read_message(frame))

    def _deal_with(self, message: Message) -> None:
        match message:
            case Fault():
                logger.warning("a message of the client: %s", message.message)
                self._send(message.answer())
            case Answer():
                self._take_answer(message)
            case Notification(method="exit"):
                self.has_exited = True
                self.exit_code = 0 if self._is_shut_down else 1
            case Notification():
                if not self._is_shut_down:
                    self._handle_notification(message.method, message.params)
            case Request():
                refusal = self._rejection(message)
                if refusal is not None:
                    self._send(refusal.answer())
                elif message.method == types.SHUTDOWN:
                    self._shut_down(message)
                else:
                    self._handle_request(message.id, message.method, message.params)

    def _rejection(self, request: Request) -> Fault | None:
        if self._is_shut_down:
            return Fault(INVALID_REQUEST, "the server has been shut down", request.id)
        if request.method == types.INITIALIZE:
            return Fault(INVALID_REQUEST, "the server is initialized", request.id)
        if request.id in self._request_futures:
            return Fault(INVALID_REQUEST, "an earlier request with this id is not answered", request.id)
        if (problem := mistake(request.method, request.params)) is not None:
            return Fault(INVALID_PARAMS, f"{request.method}: {problem}", request.id)
        return None

    def _shut_down(self, request: Request) -> None:
        self._is_shut_down = True
        for future in list(self._request_futures.values()):
            future.cancel()
        self._send_response(request.id)

    def _take_answer(self, answer: Answer) -> None:
        future = self._requests.pop(answer.id, None)
        if future is None:
            logger.warning("answer to an unknown request %r: %s", answer.id, answer.error or "")
        elif future.cancelled():
            return
        elif (error := answer.error) is not None:
            code = error.get("code")
            future.set_exception(
                ClientError(str(error.get("message", "")), code if type(code) is int else -32001)
            )
        else:
            future.set_result(answer.result)

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        # Unlike pygls, do not warn: it is normal that a response crosses a cancellation.
        if (future := self._request_futures.get(msg_id)) is not None:
            future.cancel()

    def _handle_notification(self, method_name: str, params: Any) -> None:
        problem = mistake(method_name, params, complete=method_name == types.CANCEL_REQUEST)
        if problem is not None:
            logger.warning("%s: %s", method_name, problem)
        elif method_name == types.CANCEL_REQUEST:
            self._handle_cancel_notification(params["id"])
        elif self._handles(method_name):
            super()._handle_notification(method_name, params)
        elif not method_name.startswith("$/"):
            logger.info("no handler for the notification %s", method_name)

    def _handles(self, method: str) -> bool:
        manager: Any = self.fm
        return method in manager.features or method in manager.builtin_features

    def _send_response(self, msg_id: str | int, result: object = None, error: Any = None) -> None:
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
        self._send(answer)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification; `params` is a JSON value."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def notify_text(self, method: str, params: str) -> None:
        """Send a notification whose `params` are already JSON text."""
        self.send_text(f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}')

    def ask(self, method: str, params: object) -> asyncio.Future[Any]:
        """Send a request to the client; awaiting the result yields the response or raises ClientError."""
        msg_id = f"gpuasync-{next(_numbers)}"
        future: Future[Any] = Future()
        self._requests[msg_id] = future
        self._send({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})
        return asyncio.wrap_future(future)

    def _send(self, message: Json) -> None:
        self.send_text(json.dumps(message, separators=(",", ":")))

    def send_text(self, body: str) -> None:
        """Send one message. Must be called on the event loop's thread."""
        if self.sink is None:
            return
        self.sink.send(body)

    def _register_builtin_features(self) -> None:
        """Create `_requests`, and register none of pygls' own handlers; pygls' constructor calls this."""
        self._requests: dict[str | int, Future[Any]] = {}
        """Maps the ids of the server's own requests to the futures of their responses."""
