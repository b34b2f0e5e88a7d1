"""The program that a worker runs: LLVM IR, kernels, the entry's signature, arguments and options."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from gpuasync_lsp.text.plain_json import Json

DYNAMIC = -1
"""Marks a dynamic extent."""

Device = Literal["auto", "cuda", "cpu"]


@dataclass(frozen=True)
class Parameter:
    """An argument or result of the entry function, described by its type before lowering."""

    name: str
    kind: Literal["memref", "scalar", "stream", "event"]
    element: str
    """`f32`, `i8`, `index`, `complex<f32>`, ...; for a caller's stream or event, its type."""

    shape: tuple[int, ...] = ()
    """Extents of a memref; -1 for dynamic extents."""

    strides: tuple[int, ...] | None = None
    """Strides in elements, if all of them are static; None for the identity layout."""

    offset: int = 0

    is_pointer: bool = False
    """Whether the parameter is a buffer passed as `!llvm.ptr`, which `element` and `shape` then describe."""

    by_descriptor: Literal["", "in", "out"] = ""
    """For a memref whose descriptor is passed as an `!llvm.ptr`, as to functions `_mlir_ciface_NAME`: `in` if
    the function reads the descriptor, `out` if it writes the descriptor as its result."""

    site: int = -1
    """The site of an argument; -1 for a result."""

    vector: tuple[int, ...] = ()
    """The extents of the vectors that a memref contains; if there are any, `element` is their element."""

    @property
    def text(self) -> str:
        """The MLIR type."""
        if self.is_pointer or self.by_descriptor:
            return "!llvm.ptr"
        if self.kind != "memref":
            return self.element
        extents = "".join(f"{'?' if n < 0 else n}x" for n in self.shape)
        lanes = "".join(f"{n}x" for n in self.vector)
        return f"memref<{extents}{f'vector<{lanes}{self.element}>' if lanes else self.element}>"


@dataclass(frozen=True)
class AccessedType:
    """The memref that an op of a kernel accesses; recorded only for an identity layout."""

    size: int
    """The size of an element in bytes."""

    shape: tuple[int, ...]
    """Extents; -1 for dynamic ones."""

    @property
    def shaped(self) -> str:
        """The shape in words; an empty string if it is not static."""
        return f" of {'x'.join(map(str, self.shape))}" if self.shape and DYNAMIC not in self.shape else ""

    def element_at(self, offset: int) -> str:
        """Describe the element at an offset in bytes, with its indices if the extents are known."""
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
    """A compiled kernel module in a gpu.binary of the program."""

    format: Literal["ptx", "cubin", "fatbin"]
    target: str
    data: str
    """The compiled code, in Base64."""


@dataclass(frozen=True)
class KernelModule:
    """One `gpu.module` or `gpu.binary`."""

    name: str
    ir: str | None
    """LLVM IR for NVPTX; None if the program contains only compiled objects."""

    objects: tuple[KernelObject, ...] = ()
    chip: str = ""
    """The chip of the target attribute, such as `sm_90`."""
    gpu_ir: str | None = None
    """LLVM IR for a GPU; None if it is `ir`."""


@dataclass(frozen=True)
class Program:
    """A program that is ready to run on any device."""

    host: str
    """LLVM IR of the host functions, in which `!gpuasync` metadata marks instructions with sites."""

    entry: str
    parameters: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    kernels: tuple[KernelModule, ...]
    accessed: tuple[tuple[int, AccessedType], ...] = ()
    """The memref that each op of a kernel accesses, by source site."""

    bare_pointers: bool = False
    """Whether statically shaped memrefs are passed to and from the entry as one pointer."""

    without_launch: str = ""
    """The explanation to show if a run of the program launches no kernel."""

    note: str = ""
    """What to say about a run besides its findings."""

    dependent: tuple[int, ...] = ()
    """The sites of launches with `use_pdl`."""

    stack: tuple[int, ...] = ()
    """The sites of the host's stack variables, `memref.alloca` and `llvm.alloca`."""

    barriers: tuple[int, ...] = ()
    """The sites of ops that wait for an mbarrier."""

    kernels_take_host_memory: bool = False
    """Whether launches copy host buffers to the device and back, as in the runners for Vulkan and SPIR-V."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a program run."""

    device: Device = "auto"
    arguments: tuple[tuple[str, str], ...] = ()
    """Pairs of a parameter's name (or number) and its value.

    A value is `zeros`, `ones`, `iota`, `random[:seed]`, a number, or the path of a `.npy` file on the
    client's machine."""

    shared_arguments: bool = False
    """Whether argument buffers are accessible by host and device, and may be freed by the program."""

    seed: int | None = None
    """The seed of a random legal stream order; None for the order `order`."""

    order: str = "late"
    """The stream order without a seed.

    `late` runs all work as late as legal, `early` as early as legal. `latest` starts with the stream that was
    created last. `held:N` runs stream N (0-based) as late as legal, and all other streams early."""

    schedules: int = 1
    """The number of stream orders to try; different results are reported as a finding."""

    timeout: float = 30.0
    synchronous: bool = False
    """Whether to synchronize after every operation, so that errors are reported at the faulty op."""

    check: bool = True
    """Whether to detect bugs in kernels on the CPU: races between threads, uninitialized reads, ..."""

    profile: bool = False
    output_limit: int = 1_000_000
    memory_limit: int = 8 << 30
    """The maximum number of bytes that a CPU run may allocate."""

    save: str = ""
    """The folder in which results and changed arguments are saved as .npy files."""

    elements: int = 0
    """The number of leading elements of each array in the report, in addition to its preview."""

    @property
    def first_order(self) -> str:
        """The stream order of the first run; if there are several, the seed applies only to later runs."""
        return self.order if self.seed is None or self.schedules > 1 else f"seed:{self.seed}"

    def shares_arguments(self, program: Program) -> bool:
        """Return whether the device may access argument buffers.

        It may if the function takes a stream, because the stream's caller passes buffers for it."""
        return self.shared_arguments or any(p.kind == "stream" for p in program.parameters)


def program_to_json(program: Program) -> Json:
    """Return `program` as plain data."""
    return asdict(program)


def program_from_json(data: Json) -> Program:
    """Return the program that `program_to_json` wrote."""

    def parameters(items: list[Json]) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        for item in items:
            strides = None if item["strides"] is None else tuple(item["strides"])
            shapes = {name: tuple(item[name]) for name in ("shape", "vector")}
            fields: Json = {**item, **shapes, "strides": strides}
            found.append(Parameter(**fields))
        return tuple(found)

    kernels = tuple(
        KernelModule(
            name=item["name"],
            ir=item["ir"],
            objects=tuple(KernelObject(**o) for o in item["objects"]),
            chip=item["chip"],
            gpu_ir=item["gpu_ir"],
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
        note=data["note"],
        dependent=tuple(data["dependent"]),
        stack=tuple(data["stack"]),
        barriers=tuple(data["barriers"]),
        kernels_take_host_memory=data["kernels_take_host_memory"],
    )


def options_to_json(options: RunOptions) -> Json:
    """Return `options` as plain data."""
    return asdict(options)


def options_from_json(data: Json) -> RunOptions:
    """Return the options that `options_to_json` wrote."""
    arguments = tuple((str(name), str(spec)) for name, spec in data["arguments"])
    fields: Json = {**data, "arguments": arguments}
    return RunOptions(**fields)
