"""A minimal language client for measurements: requests, notifications, and arrival times."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any


class Client:
    """One server process over stdio; `started` is the time of its start (seconds of `time.perf_counter`)."""

    def __init__(self, command: list[str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._inbox: queue.Queue[tuple[float, dict[str, Any]] | None] = queue.Queue()
        self._last_id = 0
        self.passed: list[tuple[float, dict[str, Any]]] = []
        """Messages that arrived during a wait for another one, with their arrival times."""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        # The buffer grows in place: copying ten megabytes at each read took longer than the server.
        descriptor, buffer = self._process.stdout.fileno(), bytearray()
        while True:
            while (end := buffer.find(b"\r\n\r\n")) < 0:
                data = os.read(descriptor, 1 << 20)
                if not data:
                    self._inbox.put(None)
                    return
                buffer += data
            lines = bytes(buffer[:end]).split(b"\r\n")
            lengths = [line for line in lines if line.lower().startswith(b"content-length")]
            del buffer[: end + 4]
            length = int(lengths[0].split(b":")[1])
            while len(buffer) < length:
                buffer += os.read(descriptor, 1 << 20)
            arrived = time.perf_counter()
            self._inbox.put((arrived, json.loads(buffer[:length])))
            del buffer[:length]

    def _send(self, message: dict[str, Any]) -> float:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        data = memoryview(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert self._process.stdin is not None
        sent = time.perf_counter()
        while data:
            data = data[os.write(self._process.stdin.fileno(), data) :]
        return sent

    def notify(self, method: str, params: Any) -> float:
        """Send a notification; return the time of sending."""
        return self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> tuple[float, Any]:
        """Send a request and wait for its response; return the seconds it took and the result."""
        sent = time.perf_counter()
        wanted = self.send(method, params)
        arrived, message = self.wait(lambda m: m.get("id") == wanted and "method" not in m)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return arrived - sent, message["result"]

    def send(self, method: str, params: Any) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def answered(self, request: int) -> bool:
        """Return whether the response to `request` arrived during a wait for another message."""
        return any(message.get("id") == request and "method" not in message for _, message in self.passed)

    def wait(
        self, wanted: Callable[[dict[str, Any]], bool], timeout: float = 300
    ) -> tuple[float, dict[str, Any]]:
        """Return the first message that `wanted` accepts, with its arrival time.

        Requests of the server are answered with null meanwhile."""
        end = time.perf_counter() + timeout
        while True:
            entry = self._inbox.get(timeout=max(end - time.perf_counter(), 0.001))
            if entry is None:
                raise RuntimeError(f"the server ended with {self._process.wait()}")
            message = entry[1]
            if "id" in message and "method" in message:
                items = message["params"].get("items") if isinstance(message.get("params"), dict) else None
                self._send({"id": message["id"], "result": [None] * len(items) if items else None})
            elif wanted(message):
                return entry
            else:
                self.passed.append(entry)

    def peak_memory(self) -> float:
        """Return the peak resident memory of the server in MiB (Linux)."""
        return self._status("VmHWM")

    def memory(self) -> float:
        """Return the resident memory of the server in MiB (Linux)."""
        return self._status("VmRSS")

    def processor_time(self) -> float:
        """Return the seconds of processor time that the server has used (Linux)."""
        with open(f"/proc/{self._process.pid}/stat") as stat:
            user, system = stat.read().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _status(self, field: str) -> float:
        with open(f"/proc/{self._process.pid}/status") as status:
            for line in status:
                if line.startswith(field):
                    return int(line.split()[1]) / 1024
        raise RuntimeError(f"no {field} in /proc")

    def close(self) -> None:
        """Shut the server down as the protocol requires."""
        self.request("shutdown", None)
        self.notify("exit", None)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
