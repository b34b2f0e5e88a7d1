"""Translates the llvm dialect to LLVM IR text: the host program, and each kernel module for NVPTX.

Like mlir-translate, for the output of gpu-to-llvm: `gpu.launch_func` becomes the runtime calls of a
launch, and each `gpu.module` or `gpu.binary` becomes a blob that a constructor loads (LLVM 21 and
later) or that every launch loads and unloads (LLVM 20 and earlier). `async.execute` bodies run in
place, which is a valid order, since tokens only flow forward. For execution, `ops/tasks.py` emits calls
that mark the bodies.

With `site_of`, every instruction with a known source has the metadata `!gpuasync !N`, where `!N = !{i32
site}`: LLVM preserves it when it inlines, and otherwise ignores it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import builtin
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.llvm_ir.assumptions import function_words, parameter_attributes
from gpuasync_lsp.lowering.llvm_ir.body import Body
from gpuasync_lsp.lowering.llvm_ir.ops import HANDLERS
from gpuasync_lsp.lowering.llvm_ir.reading import (
    attribute,
    int_list,
    linkage,
    op_name,
    sized_string,
    symbol_name,
)
from gpuasync_lsp.lowering.llvm_ir.translation import Line, Translation, closing
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable, c_string, constant, ir_type, symbol
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMFunctionType, LLVMStructType
from gpuasync_lsp.syntax.kinds import is_array, number_of, symbol_of

SiteOf = Callable[[Operation], int | None]


MODULE_PRIORITY = 123
"""The priority of the constructors and destructors of kernel modules. Source: mlir-translate 22."""

KERNELS = 'target triple = "nvptx64-nvidia-cuda"'
"""The first line of the LLVM module of a gpu.module."""


def host_ir(
    module: Operation,
    blobs: Callable[[str], bytes],
    *,
    load_per_launch: bool = False,
    site_of: SiteOf | None = None,
    tells_bodies: bool = False,
) -> str:
    """Return the LLVM IR of the host functions of a lowered `module`.

    `blobs(name)` returns the bytes to embed for the `gpu.module` or `gpu.binary` called `name`. With
    `load_per_launch`, expand launches like LLVM 20 and earlier (`Profile.module_per_launch`). For
    `tells_bodies`, see `Translation`. Raises `Untranslatable` for an op that no pass has converted.
    """
    found = {op: blobs(symbol_name(op)) for op in top_level(module) if is_blob(op)}
    sizes = {symbol_name(op): len(data) for op, data in found.items()} if load_per_launch else None
    return _text([host_op(op, found.get(op, b""), sizes, tells_bodies) for op in top_level(module)], site_of)


def host_op(
    op: Operation, content: bytes, sizes: Mapping[str, int] | None = None, tells_bodies: bool = False
) -> Translation:
    """Return the LLVM IR of one op of a lowered module (see `host_ir`).

    `content` is the blob to embed for a kernel module. `sizes` contains the sizes in bytes of all
    kernel modules if each launch loads its module, otherwise it is None."""
    writer = _Module(sizes=sizes, translation=Translation(tells_bodies=tells_bodies))
    if is_blob(op):
        writer.blob(symbol_name(op), content)
    else:
        writer.top_level(op)
    return writer.translation


def kernel_ir(gpu_module: Operation, *, site_of: SiteOf | None = None, assumes: bool = False) -> str:
    """Return the LLVM IR for NVPTX of a lowered `gpu.module`, which contains `llvm.func`s.

    With `assumes` it includes optimizer assumptions, and declares functions in the order of the module.
    Raises `Untranslatable` for an operation that no pass has converted.
    """
    order = [symbol_name(op) for op in top_level(gpu_module) if op_name(op) == "llvm.func"] if assumes else ()
    parts = [Translation([Line(KERNELS)]), *kernel_ops(gpu_module, assumes=assumes)]
    return _text(parts, site_of, order)


def kernel_ops(gpu_module: Operation, *, assumes: bool = False) -> Iterator[Translation]:
    """Yield the LLVM IR of each op of a gpu.module (see `kernel_ir`)."""
    for op in top_level(gpu_module):
        writer = _Module(kernels=True, translation=Translation(assumes=assumes))
        writer.top_level(op)
        yield writer.translation


def _text(parts: Sequence[Translation], site_of: SiteOf | None, order: Sequence[str] = ()) -> str:
    """Return the text of a module; with `site_of`, mark its instructions with site numbers."""
    lines: list[str] = []
    sites: set[int] = set()
    for part in parts:
        for text, op in part.lines:
            site = site_of(op) if site_of is not None and op is not None else None
            # Only instructions, which are indented, are marked.
            if site is None or not text.startswith(" "):
                lines.append(text)
            else:
                lines.append(f"{text}, !gpuasync !{site}")
                sites.add(site)
    lines += closing((part.needs for part in parts), order)
    lines += [f"!{site} = !{{i32 {site}}}" for site in sorted(sites)]
    return "\n".join(lines) + "\n"


def is_blob(op: Operation) -> bool:
    """Return whether an op is a kernel module, which the host program embeds as bytes."""
    return op_name(op) in ("gpu.module", "gpu.binary")


def top_level(module: Operation) -> Iterator[Operation]:
    """Yield the ops in the body of a module."""
    for block in module.regions[0].blocks:
        yield from block.ops


@dataclass
class _Module:
    """Writes the LLVM IR of one top-level op of a module."""

    kernels: bool = False
    sizes: Mapping[str, int] | None = None
    """Maps each kernel module to its size in bytes if each launch loads its module, otherwise None."""
    translation: Translation = field(default_factory=Translation)

    def put(self, *lines: str) -> None:
        """Write lines that have no source op."""
        self.translation.lines += [Line(line) for line in lines]

    def top_level(self, op: Operation) -> None:
        """Write one operation of the module's body."""
        match op_name(op):
            case "llvm.func":
                self._function(op)
            case "llvm.mlir.global":
                self._global(op)
            case "llvm.mlir.global_ctors" | "llvm.mlir.global_dtors":
                self._structors(op)
            case "gpu.module_end" | "llvm.module_flags" | "llvm.comdat":
                pass
            case name:
                raise Untranslatable(f"{name} has not been converted to the llvm dialect", op)

    def blob(self, name: str, data: bytes) -> None:
        """Embed a kernel module, and load it in a constructor unless each launch loads it."""
        blob = symbol(f"{name}_binary")
        self.put(f"{blob} = internal constant [{len(data)} x i8] {c_string(data)}, align 8")
        if self.sizes is not None:
            return
        handle, load, unload = symbol(f"{name}_module"), symbol(f"{name}_load"), symbol(f"{name}_unload")
        loader = self.translation.declare("mgpuModuleLoad", "ptr", ["ptr", "i64"])
        unloader = self.translation.declare("mgpuModuleUnload", "void", ["ptr"])
        self.put(
            f"{handle} = internal global ptr null",
            f"define internal void {load}() {{",
            f"  %module = call ptr {loader}(ptr {blob}, i64 {len(data)})",
            f"  store ptr %module, ptr {handle}",
            "  ret void",
            "}",
            f"define internal void {unload}() {{",
            f"  %module = load ptr, ptr {handle}",
            f"  call void {unloader}(ptr %module)",
            "  ret void",
            "}",
        )
        self.translation.needs.constructors.append(structor(load, MODULE_PRIORITY))
        self.translation.needs.destructors.append(structor(unload, MODULE_PRIORITY))

    def _function(self, op: Operation) -> None:
        name = symbol_name(op)
        type = attribute(op, "function_type")
        assert isinstance(type, LLVMFunctionType)
        inputs = [ir_type(t) for t in type.inputs.data]
        if type.is_variadic:
            inputs.append("...")
        result = ir_type(type.output)
        assumes = self.translation.assumes
        if not op.regions or not op.regions[0].blocks:
            self.translation.declare(name, result, inputs)
            if assumes:
                self.translation.needs.declared[name] += function_words(op)
            return
        self.translation.needs.defined.add(name)
        words = linkage(op)
        marks = attribute(op, "nvvm.kernel") or attribute(op, "gpu.kernel")
        kernel = self.kernels and marks is not None and result == "void"  # PTX has no entry with a result.
        body = Body(self.translation, HANDLERS, self.sizes, self.translation.names)
        entry = op.regions[0].blocks[0]
        parameters = ", ".join(
            f"{t}{parameter_attributes(op, i) if assumes else ''} {body.value(a)}"
            for i, (t, a) in enumerate(zip(inputs, entry.args, strict=False))
        )
        if type.is_variadic:
            parameters += ", ..."
        head = f"define {words}{'ptx_kernel ' if kernel else ''}{result} {symbol(name)}({parameters})"
        self.translation.lines += [
            Line(f"{head}{self._function_attributes(op)} {{", op),
            *body.blocks(op.regions[0].blocks),
            Line("}"),
        ]

    def _function_attributes(self, op: Operation) -> str:
        texts: list[str] = []
        for name in ("nvvm.maxntid", "nvvm.reqntid", "nvvm.cluster_dim"):
            if values := int_list(op, name):
                texts.append(f'"{name}"="{",".join(map(str, values))}"')
        for name in ("nvvm.minctasm", "nvvm.maxnreg"):
            if isinstance(value := attribute(op, name), builtin.IntegerAttr):
                texts.append(f'"{name}"="{value.value.data}"')  # pyright: ignore[reportUnknownMemberType]
        passed = function_words(op) if self.translation.assumes else ""
        return (" " + " ".join(texts) if texts else "") + passed

    def _global(self, op: Operation) -> None:
        name, type = symbol_name(op), attribute(op, "global_type")
        if type is None:
            raise Untranslatable("llvm.mlir.global without a type", op)
        self.translation.needs.defined.add(name)
        given = attribute(op, "addr_space")
        space = number_of(given) if given is not None else 0
        value = attribute(op, "value")
        if value is not None:
            initial = constant(value, type)
            if isinstance(value, builtin.StringAttr):
                initial = sized_string(value, type)
        elif op.regions and op.regions[0].blocks:
            initial = _constant_region(op.regions[0].blocks[0], self.translation)
        else:
            initial = "" if linkage(op) == "" else "undef"
        words = [linkage(op).strip() or ("external" if not initial else "")]
        words.append(f"addrspace({space})" if space else "")
        words.append("constant" if attribute(op, "constant") is not None else "global")
        align = attribute(op, "alignment")
        suffix = f", align {number_of(align)}" if align is not None else ""
        text = f"{symbol(name)} = {' '.join(w for w in words if w)} {ir_type(type)} {initial}".rstrip()
        self.translation.lines.append(Line(text + suffix, op))

    def _structors(self, op: Operation) -> None:
        kind = "ctors" if op_name(op).endswith("ctors") else "dtors"
        functions = attribute(op, kind)
        assert is_array(functions)
        needs = self.translation.needs
        target = needs.constructors if kind == "ctors" else needs.destructors
        target += [
            structor(symbol(symbol_of(function)), priority)
            for function, priority in zip(functions.data, int_list(op, "priorities"), strict=True)
        ]


def structor(function: str, priority: int) -> str:
    return f"{{ i32, ptr, ptr }} {{ i32 {priority}, ptr {function}, ptr null }}"


def _constant_region(block: Block, translation: Translation) -> str:
    """Evaluate the region that initializes a global, in which llvm.insertvalue combines constants."""
    last = block.last_op
    if last is None or not last.operands:
        return "zeroinitializer"
    body = Body(translation, HANDLERS)
    value = last.operands[0]
    if isinstance(value, OpResult) and op_name(value.op) == "llvm.insertvalue":
        return _folded(value, body)
    return body.value(value)


def _folded(value: SSAValue, body: Body) -> str:
    parts: dict[tuple[int, ...], SSAValue] = {}
    current = value
    while isinstance(current, OpResult) and op_name(current.op) == "llvm.insertvalue":
        container, inserted = current.op.operands
        parts.setdefault(tuple(int_list(current.op, "position")), inserted)
        current = container

    def build(type: Attribute, path: tuple[int, ...]) -> str:
        if path in parts:
            return body.value(parts[path])
        if isinstance(type, LLVMStructType):
            fields = [f"{ir_type(t)} {build(t, (*path, i))}" for i, t in enumerate(type.types.data)]
            return "{ " + ", ".join(fields) + " }"
        if isinstance(type, LLVMArrayType):
            fields = [f"{ir_type(type.type)} {build(type.type, (*path, i))}" for i in range(type.size.data)]
            return "[ " + ", ".join(fields) + " ]"
        return "undef"

    return build(value.type, ())
