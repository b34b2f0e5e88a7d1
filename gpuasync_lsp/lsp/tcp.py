"""One client over TCP, on this machine: who it is cannot be asked.

Any program of any user here can connect, and a web page can have its browser send requests to a port. So
only loopback addresses are served, what does not begin as LSP does is sent away, the first that does is the
only one, and nothing is started for it (`server.py`).
"""

from __future__ import annotations

import re
import socket
import time
from contextlib import suppress

HEAD_TIME = 10.0
"""Seconds that a client has to say the header of its first message."""

MOST_HEAD = 1024
"""Bytes of that header."""

_HEAD = re.compile(rb"content-(?:length:[ \t]*[0-9]{1,9}|type:[ -~]*)", re.IGNORECASE)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a loopback address.

    Raises ValueError for a host that has another address, OSError for one that cannot be listened at.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, address in found:
        if not is_loopback(str(address[0])):
            raise ValueError(
                f"{host} is {address[0]}, which is no loopback address: only this machine is served"
            )
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen(1)
    return listener


def is_loopback(host: str) -> bool:
    """Tell whether a host is `localhost` or written as a loopback address."""
    from ipaddress import ip_address

    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def accept(listener: socket.socket) -> tuple[socket.socket, bytes]:
    """Wait for a client whose first header is LSP's; return its connection and what it has said.

    Whoever else connects meanwhile is sent away; nobody can connect afterwards.
    """
    with listener:
        while True:
            connection, _ = listener.accept()
            with suppress(OSError):
                if (said := _head(connection)) is not None:
                    connection.settimeout(None)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return connection, said
            connection.close()


def _head(connection: socket.socket) -> bytes | None:
    """Return what a client says up to the end of its first header or behind; None if that is not LSP's."""
    deadline = time.monotonic() + HEAD_TIME
    said = b""
    while True:
        lines, is_whole, _ = said.partition(b"\r\n\r\n")
        if is_whole:
            return said if all(map(_HEAD.fullmatch, lines.split(b"\r\n"))) else None
        left = deadline - time.monotonic()
        if len(said) > MOST_HEAD or left <= 0:
            return None
        connection.settimeout(left)
        data = connection.recv(MOST_HEAD)
        if not data:
            return None
        said += data
