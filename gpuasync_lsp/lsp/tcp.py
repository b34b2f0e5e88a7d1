"""Serves one client over TCP, on this machine. The client cannot be authenticated.

Any program of any user on the machine can connect, and a web page can make its browser send requests to a
port. So the server binds only loopback addresses, disconnects clients that do not begin with an LSP header,
serves only the first client that does, and starts no program for it (`server.py`).
"""

from __future__ import annotations

import re
import selectors
import socket
import time
from contextlib import suppress

from gpuasync_lsp.lsp.frames import MOST_HEADER

HEAD_TIME = 10.0
"""Seconds in which a client must send the header of its first message."""

MOST_WAITING = 64
"""Maximum number of pending connections; a further connection replaces the oldest."""

_HEAD = re.compile(rb"content-(?:length:[ \t]*[0-9]{1,9}|type:[ -~]*)", re.IGNORECASE)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a loopback address.

    Raises ValueError for a host that is not a loopback address, OSError if the address cannot be bound.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, address in found:
        if not is_loopback(str(address[0])):
            raise ValueError(
                f"{host} is {address[0]}, which is not a loopback address: only this machine is served"
            )
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen(MOST_WAITING)
    return listener


def is_loopback(host: str) -> bool:
    """Return whether `host` is `localhost` or a literal loopback address."""
    from ipaddress import ip_address

    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def accept(listener: socket.socket) -> tuple[socket.socket, bytes]:
    """Wait for a client that sends an LSP header; return its connection and the received bytes.

    Other connections are closed, and none is accepted afterwards. A silent client does not delay other
    clients, since all connections are polled together, each for up to `HEAD_TIME`.
    """
    with listener, selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        heads: dict[socket.socket, _Head] = {}
        try:
            while True:
                for head in [head for head in heads.values() if head.deadline <= time.monotonic()]:
                    _send_away(head, heads, selector)
                nearest = min((head.deadline for head in heads.values()), default=None)
                wait = None if nearest is None else max(0.0, nearest - time.monotonic())
                for key, _ in selector.select(wait):
                    if key.fileobj is listener:
                        _let_in(listener, heads, selector)
                        continue
                    head: _Head = key.data
                    if head.connection not in heads:  # Just closed, to make room for another.
                        continue
                    found = head.read()
                    if found is None:
                        continue
                    if not found:
                        _send_away(head, heads, selector)
                        continue
                    del heads[head.connection]
                    head.connection.setblocking(True)
                    head.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return head.connection, found
        finally:
            for connection in heads:
                connection.close()


class _Head:
    """The bytes received on a connection so far."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.deadline = time.monotonic() + HEAD_TIME
        self._said = b""

    def read(self) -> bytes | None:
        """Return the received bytes, including a whole header; None if it is incomplete, empty if it is not
        from LSP."""
        try:
            data = self.connection.recv(MOST_HEADER)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        self._said += data
        lines, is_whole, _ = self._said.partition(b"\r\n\r\n")
        if is_whole:
            return self._said if all(map(_HEAD.fullmatch, lines.split(b"\r\n"))) else b""
        return None if data and len(self._said) <= MOST_HEADER else b""


def _let_in(
    listener: socket.socket, heads: dict[socket.socket, _Head], selector: selectors.BaseSelector
) -> None:
    with suppress(OSError):
        connection, _ = listener.accept()
        connection.setblocking(False)
        if len(heads) >= MOST_WAITING:
            _send_away(next(iter(heads.values())), heads, selector)
        heads[connection] = _Head(connection)
        selector.register(connection, selectors.EVENT_READ, heads[connection])


def _send_away(head: _Head, heads: dict[socket.socket, _Head], selector: selectors.BaseSelector) -> None:
    selector.unregister(head.connection)
    del heads[head.connection]
    head.connection.close()
