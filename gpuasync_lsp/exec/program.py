"""The program that a worker runs: LLVM IR, kernels, the entry's signature, arguments and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

DYNAMIC = -1
"""A dynamic extent."""

Device = Literal["auto", "cuda", "cpu"]


@dataclass(frozen=True)
class Parameter:
    """An argument or result of the entry function, by its type before lowering."""

    name: str
    kind: Literal["memref", "scalar", "stream", "event"]
    element: str
    """`f32`, `i8`, `index`, `complex<f32>`, ...; for a caller's stream or event, its type."""

    shape: tuple[int, ...] = ()
    """Extents of a memref; -1 where dynamic."""

    strides: tuple[int, ...] | None = None
    """Strides in elements if the layout has them all; None for the identity layout."""

    offset: int = 0

    is_pointer: bool = False
    """A buffer that is passed as an `!llvm.ptr`; `element` and `shape` are what is made for it."""

    @property
    def text(self) -> str:
        """The MLIR type."""
        if self.is_pointer:
            return "!llvm.ptr"
        if self.kind != "memref":
            return self.element
        extents = "".join(f"{'?' if n < 0 else n}x" for n in self.shape)
        return f"memref<{extents}{self.element}>"


@dataclass(frozen=True)
class AccessedType:
    """The memref that an op of a kernel accesses, if its layout is the identity."""

    size: int
    """Bytes of one element."""

    shape: tuple[int, ...]
    """Extents; -1 where dynamic."""

    @property
    def shaped(self) -> str:
        """The shape in words, if known."""
        return f" of {'x'.join(map(str, self.shape))}" if self.shape and DYNAMIC not in self.shape else ""

    def element_at(self, offset: int) -> str:
        """Name the element at an offset in bytes, by its indices as far as the extents are known."""
        number = offset // self.size
        if any(extent < 0 for extent in self.shape[1:]):
            return f"element {number}"
        indices: list[int] = []
        for extent in reversed(self.shape[1:]):
            indices.insert(0, number % extent if extent else 0)
            number = number // extent if extent else 0
        return f"element {[number, *indices] if self.shape else []}"


@dataclass(frozen=True)
class KernelObject:
    """A compiled form of a kernel module, contained in the program."""

    format: Literal["ptx", "cubin", "fatbin"]
    target: str
    data: str
    """Base64."""


@dataclass(frozen=True)
class KernelModule:
    """One `gpu.module` or `gpu.binary`."""

    name: str
    ir: str | None
    """LLVM IR for NVPTX, if the program has the kernels' code."""

    objects: tuple[KernelObject, ...] = ()
    chip: str = ""
    """From a target attribute, as `sm_90`."""


@dataclass(frozen=True)
class Program:
    """A program that is ready to run on any device."""

    host: str
    """LLVM IR of the host functions, instructions marked with `!gpuasync`."""

    entry: str
    parameters: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    kernels: tuple[KernelModule, ...]
    accessed: tuple[tuple[int, AccessedType], ...] = ()
    """The memrefs that ops of kernels access, by source site."""

    bare_pointers: bool = False
    """Statically shaped memrefs are passed to and from the entry as one pointer."""

    without_launch: str = ""
    """Why a run of it launches no kernel, if it launches none."""

    dependent: tuple[int, ...] = ()
    """The sites of launches with `use_pdl`."""

    stack: tuple[int, ...] = ()
    """The sites of the host's variables on the stack, `memref.alloca` and `llvm.alloca`."""

    barriers: tuple[int, ...] = ()
    """The sites of ops that wait for an mbarrier."""

    kernels_take_host_memory: bool = False
    """Launches copy buffers of the host to the device and back, as the runners for Vulkan and SPIR-V do."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a run."""

    device: Device = "auto"
    arguments: tuple[tuple[str, str], ...] = ()
    """Pairs of a parameter's name (or number) and `zeros`, `ones`, `iota`, `random[:seed]`, a number, or
    a path ending in `.npy` on the machine that runs."""

    shared_arguments: bool = False
    """Argument buffers are memory that host and device may both access, and that the program may free."""

    seed: int | None = None
    """Seeds a random legal order of the streams; None runs everything as late as legal."""

    order: str = "late"
    """The order of the streams without a seed: `late` as legal, `early`, `latest` stream first, or
    `held:N`: stream N, counted from 0, as late as legal, the others early."""

    schedules: int = 1
    """The number of orders to try; results that differ are a finding."""

    timeout: float = 30.0
    synchronous: bool = False
    """Synchronize after every operation, to attribute errors to it."""

    check: bool = True
    """Detect races between threads, uninitialized reads, and the like inside kernels, on the CPU."""

    profile: bool = False
    output_limit: int = 1_000_000
    memory_limit: int = 8 << 30
    """The most bytes that a CPU run may allocate."""

    save: str = ""
    """Folder for results and changed arguments as .npy files."""

    elements: int = 0
    """The number of leading elements of each array in the report, besides its preview."""

    @property
    def first_order(self) -> str:
        """The order of the first run; with several schedules, the seed is for the following ones."""
        return self.order if self.seed is None or self.schedules > 1 else f"seed:{self.seed}"

    def shares_arguments(self, program: Program) -> bool:
        """Return whether the device may access argument buffers: a caller that passes a stream passes buffers
        for it."""
        return self.shared_arguments or any(p.kind == "stream" for p in program.parameters)


def program_to_json(program: Program) -> dict[str, Any]:
    """Return `program` as plain data."""
    return asdict(program)


def program_from_json(data: Mapping[str, Any]) -> Program:
    """Return the program that `program_to_json` wrote."""

    def parameters(items: list[dict[str, Any]]) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        for item in items:
            strides = None if item["strides"] is None else tuple(item["strides"])
            fields: dict[str, Any] = {**item, "shape": tuple(item["shape"]), "strides": strides}
            found.append(Parameter(**fields))
        return tuple(found)

    kernels = tuple(
        KernelModule(
            name=item["name"],
            ir=item["ir"],
            objects=tuple(KernelObject(**o) for o in item["objects"]),
            chip=item["chip"],
        )
        for item in data["kernels"]
    )
    return Program(
        host=data["host"],
        entry=data["entry"],
        parameters=parameters(data["parameters"]),
        results=parameters(data["results"]),
        kernels=kernels,
        accessed=tuple((site, AccessedType(t["size"], tuple(t["shape"]))) for site, t in data["accessed"]),
        bare_pointers=data["bare_pointers"],
        without_launch=data["without_launch"],
        dependent=tuple(data["dependent"]),
        stack=tuple(data["stack"]),
        barriers=tuple(data["barriers"]),
        kernels_take_host_memory=data["kernels_take_host_memory"],
    )


def options_to_json(options: RunOptions) -> dict[str, Any]:
    """Return `options` as plain data."""
    return asdict(options)


def options_from_json(data: Mapping[str, Any]) -> RunOptions:
    """Return the options that `options_to_json` wrote."""
    arguments = tuple((str(name), str(spec)) for name, spec in data["arguments"])
    fields: dict[str, Any] = {**data, "arguments": arguments}
    return RunOptions(**fields)
