"""Runs one job of the worker: compiles the program, runs it once or in several stream orders, and reports."""

from __future__ import annotations

import base64
import ctypes
import re
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Any, Literal, Protocol

from gpuasync_lsp.exec.program import KernelModule, Parameter, Program, RunOptions
from gpuasync_lsp.exec.reach import reachable
from gpuasync_lsp.exec.worker.callbacks import Callbacks
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.host.library import LIBC, HostLibrary
from gpuasync_lsp.exec.worker.host.program import (
    HostCode,
    call_wrapper,
    defined_signature,
    exit_wrapper,
    instrument_host,
)
from gpuasync_lsp.exec.worker.jit import CompileError, Jit
from gpuasync_lsp.exec.worker.narrow_floats import Array
from gpuasync_lsp.exec.worker.rejection import RunRejected
from gpuasync_lsp.exec.worker.runtime_functions import runtime_functions
from gpuasync_lsp.exec.worker.state import STATE
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.untyped import Function, memory
from gpuasync_lsp.exec.worker.values import (
    Argument,
    BadArgument,
    elements,
    make_argument,
    npy,
    preview,
    read_result,
    result_alignment,
    result_size,
)
from gpuasync_lsp.text.plain_json import Json


class Runtime(Protocol):
    """The `mgpu*` functions of one run, as methods with these names."""

    @property
    def has_launched(self) -> bool:
        """Whether the run has launched a kernel."""
        ...

    def given(self, kind: Literal["stream", "event"], name: str) -> int:
        """Return a new stream or event that the program's caller passes as the argument `name`."""
        ...

    def end_given(self) -> None:
        """After the entry has returned, wait for the caller's streams and destroy its streams and events."""
        ...


class Backend(Protocol):
    """A device: its runtime, and the parts of the host program that depend on the device."""

    name: str
    checked: bool
    """Whether host accesses are checked."""

    note: str
    """A remark on the choice of this device; may be empty."""

    def begin(self, findings: Findings, order: str) -> Runtime:
        """Start a run; return the object that implements the `mgpu*` functions."""
        ...

    def orders(self) -> list[str]:
        """Return the names of the stream orders that are worth trying after the previous run."""
        ...

    def library(self, findings: Findings) -> HostLibrary:
        """Return the host functions for the run that `begin` started."""
        ...

    def extra_functions(self) -> Mapping[str, Function]:
        """Return the device's callbacks for generated host code."""
        ...

    def host_code(self, text: str) -> str:
        """Return the host's IR with the additions of this device, such as access checks."""
        ...

    def allocate(self, site: int, size: int) -> int:
        """Return new host memory for an argument at `site`."""
        ...

    def settle(self) -> None:
        """Make the arguments readable by the host."""
        ...

    def finish(self, idle: float) -> list[Timed]:
        """End the run: finish pending work, report leaks; return the timeline.

        The program returned `idle` seconds ago; the timeline omits this time."""
        ...


class Output(Protocol):
    """The program's output."""

    def take(self) -> str:
        """Return the output since the last call."""
        ...

    def mute(self) -> None:
        """Hide further output."""
        ...


@dataclass(frozen=True)
class _Outcome:
    """The report of one of several runs; `shown` maps names of results, and of the output, to values."""

    report: Json
    shown: dict[str, _Shown]


@dataclass(frozen=True)
class _Shown:
    """A value or the output: its text, which may omit elements, and a checksum of all its bytes."""

    text: str
    checksum: int


_ADDRESS = re.compile(r"base@ = 0x[0-9a-f]+")


@dataclass
class Session:
    """A running job, whose state can be reported when the time limit ends it."""

    program: Program
    options: RunOptions
    files: Mapping[str, bytes]
    findings: Findings = field(default_factory=Findings)
    device: str = ""
    output: Output | None = None
    """The program's output; None if it is not captured."""

    tell_failure: Callable[[Json], None] = lambda report: None
    """Called at once with the report of an exception in the runtime."""

    started: float = field(default_factory=time.perf_counter)

    def run(self, jit: Jit, backend: Backend) -> Json:
        """Run the job; return the report as plain data. Raises `RunRejected` before anything has run."""
        self.device = backend.name
        code = instrument_host(
            self.program.host, STATE.site_address, checked=backend.checked, stack=self.program.stack
        )
        self._reject_unknown_functions(code, backend)
        ir = backend.host_code(code.text) + self._wrapper() + exit_wrapper(code.text)
        count = max(self.options.schedules, 1)
        first = self._once(jit, backend, ir, code, self.options.first_order)
        if count > 1 and first.report["outcome"] != "error":
            seed = (self.options.seed or 0) + 1
            orders = [*backend.orders(), *(f"seed:{number}" for number in range(seed, seed + count))]
            self._explore(first, lambda order: self._once(jit, backend, ir, code, order), orders[: count - 1])
        report = first.report
        report["findings"] = self.findings.counted() if count == 1 else self.findings.items
        report["schedules"] = count
        report["message"] = "; ".join(
            filter(None, (report.get("message", ""), backend.note, self.program.note))
        )
        if report["outcome"] == "ok" and any(f["level"] != "information" for f in self.findings.items):
            report["outcome"] = "findings"
        return report

    def _explore(self, first: _Outcome, run: Callable[[str], _Outcome], orders: Sequence[str]) -> None:
        """Run the program in each of `orders`; report results or output that differ from the first run's."""
        if self.output is not None:
            self.output.mute()
        other: dict[str, _Outcome] = {}
        for order in orders:
            outcome = run(order)
            if outcome.report["outcome"] == "error":
                message = f"{outcome.report['message']} (with {_option(order)})"
                first.report.update(outcome="error", message=message, site=outcome.report["site"])
                return
            if outcome.shown != first.shown:
                other[order] = outcome
        if not other:
            return
        if run(self.options.first_order).shown != first.shown:
            self.findings.add(
                "schedules-not-compared",
                "information",
                NO_SITE,
                "the same order gave a different result the second time (does the program read a clock?): "
                "nothing is compared",
            )
            return
        order, outcome = next(iter(other.items()))
        name = next(n for n, shown in first.shown.items() if shown != outcome.shown[n])
        late, early = _first_difference(first.shown[name].text, outcome.shown[name].text)
        self.findings.add(
            "schedule-dependent-result",
            "error",
            NO_SITE,
            f"{name} depends on the order in which streams run: {late} {_order(self.options.first_order)}, "
            f"{early} {_order(order)} ({_option(order)}; {len(other)} of {len(orders)} other orders differ)",
        )

    def partial(self, outcome: str, message: str) -> Json:
        """Return a report of a run that has not finished."""
        return {
            "outcome": outcome,
            "message": message,
            "device": self.device,
            "findings": list(self.findings.items),
            "seconds": time.perf_counter() - self.started,
            "site": STATE.launch() if STATE.launch() >= 0 else STATE.site(),
        }

    def _once(self, jit: Jit, backend: Backend, ir: str, code: HostCode, order: str) -> _Outcome:
        STATE.set_site(NO_SITE)
        runtime = backend.begin(self.findings, order)
        library = backend.library(self.findings)
        callbacks = Callbacks(lambda error: self.tell_failure(self._failure(error)))
        functions = {**library.functions(), **runtime_functions(runtime), **backend.extra_functions()}
        wanted = set(code.declared) | {n for n in functions if n.startswith("gpuasync_")}
        functions |= {n: _MISSING for n in code.declared if n not in functions and n not in LIBC}
        addresses = callbacks.bind({n: f for n, f in functions.items() if n in wanted})
        arguments = self._arguments(backend, runtime)
        result = ctypes.create_string_buffer(
            max(sum(result_size(r) + 8 for r in self.program.results), 8) + 64
        )
        slots = [s for a in arguments for s in a.slots]
        buffer = ctypes.create_string_buffer(max(16 * len(slots), 16))
        for number, slot in enumerate(slots):
            buffer[16 * number : 16 * number + len(slot)] = slot
        try:
            linked = jit.link(ir, ["gpuasync_entry", "gpuasync_exit"], addresses)
        except CompileError as error:
            raise RunRejected(f"LLVM rejects the program: {error}") from error
        start = time.perf_counter()
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(linked["gpuasync_entry"])(
            ctypes.addressof(buffer), ctypes.addressof(result)
        )
        last = STATE.site()
        STATE.set_site(NO_SITE)
        runtime.end_given()
        STATE.set_site(last)
        seconds = time.perf_counter() - start
        backend.settle()
        values = self._values(arguments, result.raw)  # As the host sees them when the entry returns.
        if callbacks.error is None:
            ended = time.perf_counter()
            operations = backend.finish(ended - start - seconds)
            seconds += time.perf_counter() - ended
            ctypes.CFUNCTYPE(None)(linked["gpuasync_exit"])()
            jit.unlink_last()
        else:
            operations = []
        operations = sorted(operations, key=lambda o: o.start)[:20_000]
        number = {o: at for at, o in enumerate(operations)}
        report: Json = {
            "outcome": "ok",
            "device": backend.name,
            "values": values,
            "seconds": seconds,
            "operations": [
                {
                    "label": o.label,
                    "lane": o.lane,
                    "start": (o.start - start) * 1e6,
                    "duration": o.duration * 1e6,
                    "site": o.site,
                    "bytes": o.bytes,
                    "after": [number[each] for each in o.after if each in number],
                }
                for o in operations
            ],
        }
        if callbacks.error is not None:
            report |= self._failure(callbacks.error)
        elif not runtime.has_launched and not any(f["level"] == "error" for f in self.findings.items):
            report["message"] = f"no kernel was launched: {self.program.without_launch}"
        shown = {value["name"]: _Shown(value["preview"], value.pop("checksum")) for value in values}
        if self.output is not None:
            shown["what it prints"] = _Shown(_ADDRESS.sub("base@ = ", self.output.take()), 0)
        return _Outcome(report, shown)

    def _failure(self, error: BaseException) -> Json:
        return {"outcome": "error", "message": str(error) or type(error).__name__, "site": STATE.site()}

    def _arguments(self, backend: Backend, runtime: Runtime) -> list[Argument]:
        given = self.options.arguments
        used: set[str] = set()
        arguments: list[Argument] = []
        for number, parameter in enumerate(self.program.parameters):
            names = (parameter.name, parameter.name.strip("%"), str(number))
            specs = [spec for name, spec in given if name in names]
            if len(specs) > 1:
                raise RunRejected(f"argument {parameter.name} is given {len(specs)} times")
            used.update(names)
            spec = specs[0] if specs else ""
            if parameter.kind == "stream" or parameter.kind == "event":
                if spec:
                    message = (
                        f"argument {parameter.name} is a {parameter.kind} of the caller: the run creates it"
                    )
                    raise RunRejected(message)
                handle = runtime.given(parameter.kind, parameter.name)
                arguments.append(Argument(parameter, (handle.to_bytes(8, "little"),)))
                continue
            allocate = partial(backend.allocate, parameter.site)
            try:
                arguments.append(
                    make_argument(parameter, spec, allocate, self.program.bare_pointers, self.files)
                )
            except BadArgument as error:
                raise RunRejected(str(error)) from error
        unknown = sorted(name for name, _ in given if name not in used)
        if unknown:
            have = ", ".join(p.name for p in self.program.parameters) or "none"
            raise RunRejected(f"@{self.program.entry} has no argument {unknown[0]} (it has: {have})")
        return arguments

    def _values(self, arguments: list[Argument], result: bytes) -> list[Json]:
        values: list[Json] = []
        offset = 0
        for number, parameter in enumerate(self.program.results):
            size = result_size(parameter)
            align = result_alignment(parameter)
            offset = (offset + align - 1) // align * align
            text, array = read_result(parameter, result[offset : offset + size])
            values.append(self._value(f"result {number}", parameter, text, True, array))
            offset += size
        for argument in arguments:
            if argument.descriptor:
                parameter = argument.parameter
                described = bytes(memory(argument.descriptor, result_size(parameter)))
                text, array = read_result(parameter, described)
                values.append(self._value(parameter.name, parameter, text, True, array))
            if argument.array is not None and argument.before is not None:
                changed = argument.array.tobytes() != argument.before.tobytes()
                text = preview(argument.array, argument.parameter.element)
                values.append(
                    self._value(argument.parameter.name, argument.parameter, text, changed, argument.array)
                )
        return values

    def _value(self, name: str, parameter: Parameter, text: str, changed: bool, array: Array | None) -> Json:
        value: Json = {"name": name, "type": parameter.text, "preview": text, "changed": changed}
        if self.options.elements and array is not None:
            value["shape"] = list(array.shape)
            value["elements"] = elements(array, parameter.element, self.options.elements)
        value["checksum"] = zlib.crc32(b"" if array is None else array.tobytes())
        if self.options.save and array is not None and changed:
            value["data"] = base64.b64encode(npy(array, parameter.element)).decode("ascii")
        return value

    def _reject_unknown_functions(self, code: HostCode, backend: Backend) -> None:
        known = set(HostLibrary(STATE.site, _never, self.findings, _ANY).functions())
        known |= set(runtime_functions(_AnyRuntime())) | LIBC
        used = reachable(self.program.host, self.program.entry)
        for name, site in sorted(code.declared.items()):
            if name in known or name.startswith("gpuasync_") or name not in used:
                continue
            raise RunRejected(f"@{name} is called, but this runtime does not provide it", site)

    def _wrapper(self) -> str:
        signature = defined_signature(self.program.host, self.program.entry)
        if signature is None:
            raise RunRejected(f"there is no function @{self.program.entry} to run")
        result, parameters = signature
        return call_wrapper(self.program.entry, result, parameters)


def kernel_text(kernel: KernelModule) -> str:
    """Return the IR of a kernel module. Raises `RunRejected` if it has none."""
    if kernel.ir is None:
        formats = ", ".join(o.format for o in kernel.objects) or "nothing"
        raise RunRejected(f"@{kernel.name} contains only {formats}: a GPU can run it, a CPU cannot")
    return kernel.ir


_ANY: Any = object()


def _not_here() -> None:
    raise RuntimeError("a function that this runtime does not provide was called through a pointer")


_MISSING: Function = (None, (), _not_here)
"""Bound to missing functions that the entry never calls, so that the program links."""


class _AnyRuntime:
    def __getattr__(self, name: str) -> Callable[..., bool]:
        return _never


def _never(*_: object) -> bool:
    raise AssertionError("only the names of callbacks are used")


def _first_difference(one: str, two: str) -> tuple[str, str]:
    """Return the first differing lines of two outputs, shortened."""
    if one == two:
        return "one thing", "a different one, in elements that are not shown"
    lines = zip_longest(one.splitlines(), two.splitlines(), fillvalue="(nothing)")
    left, right = next(pair for pair in lines if pair[0] != pair[1])
    return _short(left), _short(right)


def _order(name: str) -> str:
    """Describe a stream order in words."""
    kind, _, number = name.partition(":")
    return {
        "late": "as late as legal",
        "early": "as early as legal",
        "latest": "with the latest stream first",
        "held": f"with stream {number} held back",
        "seed": "in a random order",
    }[kind]


def _option(name: str) -> str:
    """Return the option that selects a stream order, without the leading dashes."""
    return f"seed {name.removeprefix('seed:')}" if name.startswith("seed:") else f"order {name}"


def _short(text: str) -> str:
    return " ".join(text.split())[:60]
