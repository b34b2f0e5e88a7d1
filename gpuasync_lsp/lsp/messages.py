"""Classifies a message of the client as a request, notification, response, or malformed (JSON-RPC 2.0)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from gpuasync_lsp.text.plain_json import Json, is_object

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
SERVER_NOT_INITIALIZED = -32002


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the client."""

    id: str | int
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification of the client."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The client's response to a request of the server; `error` is None if the request succeeded."""

    id: str | int
    result: object
    error: Json | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A message that cannot be handled. The client gets an error, with the request's id if it has one."""

    code: int
    message: str
    id: str | int | None = None

    def answer(self) -> Json:
        """Return the error response for the client."""
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message}}


Message = Request | Notification | Answer | Fault


def read_message(body: bytes) -> Message:
    """Parse the body of a message; never raises."""
    try:
        # Given bytes, `json.loads` would also accept encodings that LSP does not allow.
        message = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return Fault(PARSE_ERROR, f"the message is not valid JSON: {error}")
    if isinstance(message, list):
        return Fault(INVALID_REQUEST, "LSP does not support batches")
    if not is_object(message):
        return Fault(INVALID_REQUEST, "the message must be an object")
    return _envelope(message)


def _envelope(message: Json) -> Message:
    given = message.get("id")
    msg_id = given if isinstance(given, str) or type(given) is int else None
    if message.get("jsonrpc") != "2.0":
        return Fault(INVALID_REQUEST, 'the message must have "jsonrpc": "2.0"', msg_id)
    if "method" not in message:
        return _answer(message, msg_id)
    method, params = message["method"], message.get("params")
    if not isinstance(method, str):
        return Fault(INVALID_REQUEST, "the method must be a string", msg_id)
    if "id" not in message:
        return Notification(method, params)
    if msg_id is None:
        return Fault(INVALID_REQUEST, "the id must be a string or an integer")
    if params is not None and not isinstance(params, dict | list):
        return Fault(INVALID_PARAMS, "params must be an object or an array", msg_id)
    return Request(msg_id, method, cast("Any", params))


def _answer(message: Json, msg_id: str | int | None) -> Answer | Fault:
    error = message.get("error")
    if error is None and "result" not in message:
        return Fault(INVALID_REQUEST, "the message must have a method, a result or an error", msg_id)
    if error is not None and not isinstance(error, dict):
        error = {"message": str(error)}
    # An error without an id refers to a message that the client could not parse; no request waits for it.
    return Answer("" if msg_id is None else msg_id, message.get("result"), cast("Json | None", error))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")
