"""Turns source text into a program for a worker; outlines kernels and lowers like an LLVM release."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from xdsl.dialects.builtin import (
    BytesAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
)
from xdsl.ir import Attribute, BlockArgument, Operation

from gpuasync_lsp.analysis import Config, check_source, is_dependent, rejections
from gpuasync_lsp.exec.pointers import (
    buffer_of,
    descriptor_at,
    descriptor_rank,
    element_of_result,
    functions_by_name,
    is_stream,
    pointed_descriptor,
)
from gpuasync_lsp.exec.program import AccessedType, KernelModule, KernelObject, Parameter, Program
from gpuasync_lsp.exec.reach import reachable
from gpuasync_lsp.exec.relaxed import relaxed_updates
from gpuasync_lsp.exec.report import Place
from gpuasync_lsp.lowering import (
    KernelText,
    LoweringOptions,
    Step,
    Untranslatable,
    constant_int,
    llvm_symbol,
    mentions_nvvm,
    strides_and_offset,
    translate,
)
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax import SourceFile, module_of, parse_source, source_span
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.func import FuncOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.dialects.memref import ViewOp
from gpuasync_lsp.syntax.kinds import is_complex, is_memref, is_vector, memref_type
from gpuasync_lsp.syntax.symbols import references, symbol_name, symbol_text
from gpuasync_lsp.text import LineIndex, Span
from gpuasync_lsp.text.defects import contained

DEFAULT_ENTRY = "main"
DYNAMIC = -1
SPIRV_TARGET = "spirv.target_env"
"""The attribute of modules for LLVM's Vulkan and SPIR-V runners, whose launches copy host buffers.

If only a gpu.module has this attribute (Level Zero, SYCL), the program uses device memory."""
GENERIC_ATOMIC = "memref.generic_atomic_rmw"


class NotRunnable(Exception):
    """The program cannot be run; `message` gives the reason as a sentence, `span` the location if known.

    With `refused`, mlir-opt rejects the source, and `message` is mlir-opt's."""

    def __init__(self, message: str, span: Span | None = None, *, refused: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.refused = refused


@dataclass(frozen=True)
class Prepared:
    """A program, and the source locations of its site numbers."""

    program: Program
    places: tuple[Place, ...]

    def place_of(self, site: int) -> Place:
        """Return the source location for a site number."""
        return self.places[site] if 0 <= site < len(self.places) else Place()


def prepare(
    source: str | SourceFile,
    version: int,
    entry: str = "",
    options: LoweringOptions | None = None,
    passes: Sequence[Step] = (),
) -> Prepared:
    """Lower `source` as LLVM `version` does, and translate it for a worker.

    `entry` names the function to run, with or without MLIR's `@"..."`. The default is `main`, or else the
    only function that can be run. `passes` run before the lowering. Raises `NotRunnable`, even for a defect
    of this tool.
    """

    def reraise(message: str, error: Exception) -> NoReturn:
        raise NotRunnable(message) from error

    return contained(
        "the preparation of a run",
        lambda: _prepared(source, version, entry, options, passes),
        reraise,
        NotRunnable,
    )


def _with_advice(error: Untranslatable, source: SourceFile, version: int) -> str:
    """Return an error's message, followed by the advice that `check` prints for the op."""
    span = error.span
    if span is not None:
        for finding in check_source(source, Config(llvm=version, select=("GA1",))):
            advice = finding.message.partition("\n")[2]
            if advice and span.start <= finding.span.start < span.end:
                return f"{error.message.removesuffix('.')}. {advice}"
    return error.message


def _prepared(
    source: str | SourceFile,
    version: int,
    entry: str,
    options: LoweringOptions | None,
    passes: Sequence[Step],
) -> Prepared:
    parsed = parse_source(source) if isinstance(source, str) else source
    refused = [
        NotRunnable(finding.message.partition("\n")[0], finding.span, refused=True)
        for chunk in parsed.chunks
        for finding in rejections(chunk, version)
    ]
    options = options or LoweringOptions()
    try:
        module, function = _find_entry(parsed, entry)
    except NotRunnable as error:
        raise (refused or [error])[0] from error
    # Errors in unreachable functions and kernels do not prevent the run.
    idle = _unreached(module, function)
    away = [span for span in map(source_span, idle) if span is not None]
    for error in refused:
        if error.span is None or not any(span.start <= error.span.start < span.end for span in away):
            raise error
    # Whether NVVM is loaded depends on the whole text, including unreachable functions.
    options = replace(options, nvvm_loaded=options.nvvm_loaded or mentions_nvvm(module))
    for op in idle:
        op.detach()
    for_vulkan = SPIRV_TARGET in module.attributes
    candidates = [op for op in module.walk() if op.name in _LAUNCHES or _parallel_passes(op)]
    without_launch = _without_launch(candidates, LineIndex(parsed.text))
    sites = _Sites(LineIndex(parsed.text), _accessed_types(module))
    parameters, results = _signature(function, module)
    parameters = tuple(replace(p, site=sites.argument(function, p.name, parsed.text)) for p in parameters)
    dependent = [sites.number(op) for op in candidates if is_dependent(op)]
    stack = [sites.number(op) for op in module.walk() if op.name in _ON_STACK]
    barriers = [sites.number(op) for op in module.walk() if _BARRIER_WAIT.match(op.name) is not None]
    try:
        translated = translate(module, version, options, sites.number, passes)
    except Untranslatable as error:
        raise NotRunnable(_with_advice(error, parsed, version), error.span) from error
    host = translated.host
    kernels = [_kernel(each) for each in translated.kernels]
    name = llvm_symbol(function.sym_name.data).removeprefix("@")
    used = reachable(host, name)
    kernels = [
        k
        for k in kernels
        if not used.isdisjoint((f"{k.name}_module", f"{k.name}_binary", f"{k.name}_gpubin_cst"))
    ]
    program = Program(
        host=host,
        entry=name,
        parameters=parameters,
        results=results,
        kernels=tuple(kernels),
        accessed=tuple(sites.accessed),
        without_launch=without_launch,
        note="" if profile(version).atomics_order else relaxed_updates(kernels, version),
        dependent=tuple(site for site in dependent if site is not None),
        stack=tuple(site for site in stack if site is not None),
        barriers=tuple(site for site in barriers if site is not None),
        bare_pointers=options.use_bare_pointers_for_host,
        kernels_take_host_memory=for_vulkan,
    )
    return Prepared(program, tuple(sites.places))


_NEEDED_BY_NAME = frozenset({"async.func", "func.func", "gpu.module", "llvm.func"})
"""Ops that are reachable only through references to their symbols; all others count as reachable."""


def _unreached(module: ModuleOp, entry: Operation) -> list[Operation]:
    """Return the functions and kernel modules of `module` that are unreachable from `entry`."""
    # A reference to a symbol that is defined twice, which is an error, reaches both definitions.
    named: dict[str, list[Operation]] = {}
    pending: list[Operation] = []
    for op in module.body.block.ops:
        if op.name in _NEEDED_BY_NAME and (name := symbol_name(op)):
            named.setdefault(name, []).append(op)
        else:
            pending.append(op)
    pending += next((named.pop(name) for name, ops in named.items() if entry in ops), [entry])
    while pending:
        for reference in references(pending.pop()):
            pending += named.pop(reference.root_reference.data, ())
    return [op for ops in named.values() for op in ops]


_BARRIER_WAIT = re.compile(r"(?:nvgpu|nvvm)\.mbarrier\.(?:try_wait|test[._]wait)")
_ON_STACK = frozenset({"memref.alloca", "llvm.alloca"})
_LAUNCHES = frozenset({"gpu.launch", "gpu.launch_func"})
_MAPPED = "gpu-map-parallel-loops,convert-parallel-loops-to-gpu"


def _parallel_passes(op: Operation) -> str:
    """Return the passes that convert a parallel op to a kernel; empty for other ops."""
    match op.name:
        case "scf.parallel":
            return _MAPPED
        case "scf.forall":
            return f"scf-forall-to-parallel,{_MAPPED}"
        case "affine.parallel":
            return f"lower-affine,{_MAPPED}"
        case name if name.startswith("linalg.") and name not in ("linalg.yield", "linalg.index"):
            return f"convert-linalg-to-parallel-loops,{_MAPPED}"
        case _:
            return ""


def _without_launch(candidates: Sequence[Operation], lines: LineIndex) -> str:
    """Return the explanation to show if a run launches no kernel.

    `candidates` are the launches, and the ops that passes can convert to kernels."""
    launch = next((op for op in candidates if op.name in _LAUNCHES), None)
    op = launch or next(iter(candidates), None)
    if op is None:
        return "the program has no gpu.launch"
    span = source_span(op)
    where = "" if span is None else f" on line {lines.position(span.start)[0] + 1}"
    if launch is not None:
        return f"the run did not reach {op.name}{where}"
    return f"'{op.name}'{where} ran on the host; the pipeline `{_parallel_passes(op)}` turns it into a kernel"


Host = FuncOp | llvm.LLVMFuncOp
"""A host function, before or after its lowering."""


def can_run(function: Host) -> bool:
    """Return whether a run can start with `function`, which needs a body and arguments of known types."""
    inputs, outputs = _types(function)
    given = (gpu.AsyncTokenType, LLVMPointerType)
    types = [*(type for type in inputs if not isinstance(type, given)), *outputs]
    return bool(function.body.blocks) and all(_parameter("", type) is not None for type in types)


class _Sites:
    """Assigns a site number to each source span of an op."""

    def __init__(self, index: LineIndex, types: Mapping[Span, AccessedType]) -> None:
        self.places: list[Place] = []
        self.accessed: list[tuple[int, AccessedType]] = []
        self._types = types
        self._index = index
        self._numbers: dict[Span, int] = {}

    def number(self, op: Operation) -> int | None:
        span = source_span(op)
        if span is None:
            return None
        if span not in self._numbers:
            if span in self._types:
                self.accessed.append((len(self.places), self._types[span]))
            self._numbers[span] = self._new(span)
        return self._numbers[span]

    def argument(self, function: Operation, name: str, text: str) -> int:
        """Return the site of a function's argument: the argument's name, or else the function."""
        span = source_span(function)
        if span is None:
            return -1
        places = (text.find(f"{name}{end}", span.start, span.end) for end in (":", " :"))
        start = next((each for each in places if each >= 0), None)
        return self._new(span if start is None else Span(start, start + len(name)))

    def _new(self, span: Span) -> int:
        self.places.append(Place(span.start, span.end, self._index.position(span.start)[0] + 1))
        return len(self.places) - 1


def _accessed_types(module: Operation) -> dict[Span, AccessedType]:
    """Return the memref accessed by each op in kernels, by source span.

    Only memrefs with identity layout whose first element is known to be the buffer's."""
    found: dict[Span, AccessedType] = {}
    for op in module.walk():
        if not isinstance(op, gpu.LaunchOp | gpu.GPUModuleOp):
            continue
        for inner in op.walk():
            memref = next((each for each in inner.operands if each.type.name == MemRefType.name), None)
            span = source_span(inner)
            if memref is None or span is None or (inner.regions and inner.name != GENERIC_ATOMIC):
                continue
            if isinstance(memref.owner, ViewOp) and constant_int(memref.owner.operands[1]) != 0:
                continue
            shaped = memref_type(memref.type)
            size = _size(shaped.element_type)
            if size and isinstance(shaped.layout, NoneAttr):
                found[span] = AccessedType(size, tuple(max(n, DYNAMIC) for n in shaped.get_shape()))
    return found


def _size(type: Attribute) -> int:
    """Return the size of an element in bytes; 0 if unknown."""
    if str(type) == "index":
        return 8
    found = re.fullmatch(r"(complex<)?(?:[su]?i|b?f)(\d+)(?:E\w+)?>?", str(type))
    return (int(found[2]) + 7) // 8 * (2 if found[1] else 1) if found is not None else 0


def _types(function: Host) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """Return the argument types and the result types of a function."""
    if isinstance(function, FuncOp):
        return function.function_type.inputs.data, function.function_type.outputs.data
    type = function.function_type
    return type.inputs.data, () if type.output.name == "llvm.void" else (type.output,)


def _find_entry(parsed: SourceFile, entry: str) -> tuple[ModuleOp, Host]:
    wanted = entry or DEFAULT_ENTRY
    functions: list[tuple[ModuleOp, Host]] = []
    for chunk in parsed.chunks:
        module = module_of(chunk)
        for op in module.walk():
            if isinstance(op, Host) and isinstance(op.parent_op(), ModuleOp) and op.body.blocks:
                name = op.sym_name.data
                functions.append((_top(op, module), op))
                if wanted in (name, symbol_text(name), symbol_text(name)[1:]):
                    return functions[-1]
    candidates = [(module, op) for module, op in functions if can_run(op)]
    names = ", ".join(symbol_text(function.sym_name.data) for _, function in candidates) or "none"
    if entry:
        shown = entry if entry.startswith("@") else symbol_text(entry)
        raise NotRunnable(f"there is no function {shown}; functions that can be run: {names}")
    public = [(m, f) for m, f in candidates if isinstance(f, FuncOp) and f.sym_visibility is None]
    if not any(isinstance(function, FuncOp) for _, function in candidates):
        public = candidates
    if len(public) == 1:
        return public[0]
    if candidates:
        raise NotRunnable(f"there is no @{DEFAULT_ENTRY}: specify the function to run, one of {names}")
    for module, op in functions:
        _signature(op, module)  # Raises NotRunnable with the reason.
    raise NotRunnable("there is no function with a body to run")


def _top(function: Host, outer: ModuleOp) -> ModuleOp:
    parent = function.parent_op()
    return parent if isinstance(parent, ModuleOp) else outer


def _signature(function: Host, module: ModuleOp) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
    block = function.body.blocks[0]
    span = source_span(function)
    inputs, outputs = _types(function)
    parameters: list[Parameter] = []
    functions = functions_by_name(module) if isinstance(function, llvm.LLVMFuncOp) else {}
    covered = 0
    for number, (argument, type) in enumerate(zip(block.args, inputs, strict=True)):
        if number < covered:
            continue
        name = f"%{argument.name_hint}" if argument.name_hint else f"%arg{number}"
        found = _given(name, argument)
        if found is None and isinstance(type, LLVMPointerType):
            found, count = _pointed_at(name, block.args, number, functions)
            covered = number + count
        found = found or _parameter(name, type)
        if found is None:
            shown = symbol_text(function.sym_name.data)
            raise NotRunnable(f"{shown} cannot be run: argument {name} has type {type}", span)
        parameters.append(found)
    results: list[Parameter] = []
    for number, type in enumerate(outputs):
        found = _parameter(f"result {number}", type) or _descriptor(f"result {number}", function, functions)
        if found is None:
            raise NotRunnable(f"a result of type {type} cannot be shown", span)
        results.append(found)
    return tuple(parameters), tuple(results)


def _descriptor(name: str, function: Host, functions: Mapping[str, Operation]) -> Parameter | None:
    """Return the memref whose descriptor a function of the llvm dialect returns."""
    for op in function.walk():
        if op.name == "llvm.return" and op.operands:
            rank = descriptor_rank(op.operands[0].type)
            if rank is not None:
                element = element_of_result(op.operands[0], functions)
                written = None if element is None else _element(element)
                return Parameter(name, "memref", written or "i8", (DYNAMIC,) * rank)
    return None


def _given(name: str, argument: BlockArgument) -> Parameter | None:
    """Return the parameter for a stream or token argument; None for any other argument.

    The parameter is an event if the function only waits for the token, and otherwise a stream."""
    if is_stream(argument):
        return Parameter(name, "stream", "!llvm.ptr")
    if not isinstance(argument.type, gpu.AsyncTokenType):
        return None
    users = [use.operation for use in argument.uses]
    is_event = bool(users) and all(isinstance(user, gpu.WaitOp) for user in users)
    return Parameter(name, "event" if is_event else "stream", "!gpu.async.token")


def _pointed_at(
    name: str, arguments: Sequence[BlockArgument], at: int, functions: Mapping[str, Operation]
) -> tuple[Parameter, int]:
    """Return the parameter for the pointer at index `at` of an llvm-dialect function, and its argument
    count.

    The parameter is a memref if the function inserts these arguments into a descriptor, otherwise a
    buffer."""
    memref = descriptor_at(arguments, at, functions)
    if memref is not None:
        element = None if memref.element is None else _element(memref.element)
        return Parameter(name, "memref", element or "i8", (DYNAMIC,) * memref.rank), memref.taken
    memref = pointed_descriptor(arguments[at], functions)
    if memref is not None:
        element = None if memref.element is None else _element(memref.element)
        way = "in" if memref.taken else "out"
        return Parameter(name, "memref", element or "i8", (DYNAMIC,) * memref.rank, by_descriptor=way), 1
    buffer = buffer_of(arguments[at], functions)
    element = None if buffer.element is None else _element(buffer.element)
    return Parameter(name, "memref", element or "i8", buffer.shape, is_pointer=True), 1


_SCALARS = frozenset({"index", "f16", "bf16", "f32", "f64"})
_NARROW = re.compile(r"f[468]E\dM\d\w*")


_GLOBAL = frozenset({"0 : i64", "1 : i64", "#gpu.address_space<global>"})
"""The printed forms of memory spaces that mean CUDA's global or generic memory."""


def _is_global(space: Attribute) -> bool:
    return isinstance(space, NoneAttr) or str(space) in _GLOBAL


def _parameter(name: str, type: Attribute) -> Parameter | None:
    if is_memref(type):
        inner = type.element_type
        vector = _lanes(inner)
        element = _element(inner.element_type if is_vector(inner) and vector else inner)
        layout = strides_and_offset(type)
        space = type.memory_space
        if element is None or layout is None or not _is_global(space):
            return None
        strides, offset = layout
        shape = tuple(max(n, DYNAMIC) for n in type.get_shape())
        identity = isinstance(type.layout, NoneAttr)
        return Parameter(
            name,
            "memref",
            element,
            shape,
            None if identity else tuple(s if s > 0 else 1 for s in strides),
            max(offset, 0),
            vector=vector,
        )
    element = _element(type)
    return None if element is None else Parameter(name, "scalar", element)


def _lanes(type: Attribute) -> tuple[int, ...]:
    """Return the extents of a vector type that LLVM stores without padding; empty for any other type."""
    if not is_vector(type):
        return ()
    shape, found = tuple(type.get_shape()), re.fullmatch(r"(?:i|f|bf)(\d+)", str(type.element_type))
    bits = int(found[1]) if found is not None and shape and "[" not in str(type) else 1
    row = bits * shape[-1] if shape else 0
    return shape if bits % 8 == 0 and row & (row - 1) == 0 else ()


def _element(type: Attribute) -> str | None:
    if is_complex(type):
        inner = _element(type.element_type)
        return f"complex<{inner}>" if inner in ("f32", "f64") else None
    written = str(type)
    if isinstance(type, IntegerType):
        return f"i{type.bitwidth}" if 0 < type.bitwidth <= 64 and written == f"i{type.bitwidth}" else None
    return type.name if type.name in _SCALARS or _NARROW.fullmatch(type.name) else None


def _kernel(text: KernelText) -> KernelModule:
    found = re.search(r'chip = "(sm_\w+)"', text.targets)
    objects = tuple(_object(each) for each in text.objects)
    return KernelModule(text.name, text.ir, objects, chip=found[1] if found else "", gpu_ir=text.gpu_ir)


def _object(attribute: Attribute) -> KernelObject:
    if not isinstance(attribute, gpu.ObjectAttr):
        raise NotRunnable(f"{attribute} is not an object that can be loaded")
    form = attribute.format.data.value
    content = attribute.object
    data = content.data if isinstance(content, BytesAttr) else content.data.encode()
    names = {"assembly": "ptx", "bin": "cubin", "fatbin": "fatbin"}
    if form not in names:
        raise NotRunnable(f"an object in the format {form} cannot be loaded, only PTX, cubin and fatbin")
    return KernelObject(names[form], str(attribute.target), base64.b64encode(data).decode("ascii"))  # type: ignore[arg-type]


__all__: Sequence[str] = ["NotRunnable", "Prepared", "prepare"]
