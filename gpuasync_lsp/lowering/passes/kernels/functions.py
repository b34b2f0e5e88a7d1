"""Converts gpu.func and gpu.return: kernels become llvm.func.

Workgroup buffers become globals (or arguments), private buffers become stack memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnregisteredAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.edits import block_of
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import array, pointer
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import func as host_func
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.func import argument_descriptor, function_results
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.gpu.module import KNOWN_SIZES
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    CConvAttr,
    LinkageAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
)
from gpuasync_lsp.syntax.kinds import is_array, is_integer_attr, is_memref, is_unranked_memref, memref_type
from gpuasync_lsp.syntax.memref_types import AnyMemRef, memory_space
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.printer import attribute_text

WIDEST = 16
"""An alignment in bytes that is sufficient for any access."""


@dataclass(frozen=True)
class Target:
    """The properties in which the targets of kernels differ."""

    kernel_mark: str
    """The attribute that marks a kernel."""

    size_marks: Mapping[str, str]
    """Maps the name of each known-size attribute to the target's name for it."""

    private_space: int = 0
    """The memory space of private buffers."""

    shared_alignment: bool = True
    """Whether dynamic shared memory is aligned to 16 bytes."""

    conventions: tuple[str, str] = ("ccc", "ccc")
    """The calling conventions of ordinary functions and of kernels, in this order."""

    passes_shared: bool = False
    """Whether workgroup buffers become additional arguments instead of globals."""


NVVM = Target("nvvm.kernel", {"known_block_size": "nvvm.maxntid", "known_cluster_size": "nvvm.cluster_dim"})


class ConvertGPUFunc(ConversionPattern[gpu.GPUFuncOp]):
    """`gpu.func` becomes `llvm.func`, marked if it is a kernel."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def match_and_rewrite(self, op: gpu.GPUFuncOp, rewriter: ConversionRewriter) -> None:
        inputs = op.function_type.inputs.data
        arguments: list[list[Attribute]] = []
        bare = rewriter.types.bare_pointers
        for input in inputs:
            types = rewriter.types.argument_types(input, bare)
            if types is None:
                rewriter.match_failure(f"cannot convert an argument of type {input}")
            arguments.append(types)
        for block in list(op.body.blocks)[1:]:
            # Check this before any op is created: a rollback would leave neither a function nor a body.
            if rewriter.types.convert_all(argument.type for argument in block.args) is None:
                rewriter.match_failure("cannot convert the block arguments")
        outputs = function_results(rewriter, op.function_type.outputs.data, bare)
        type = LLVMFunctionType([t for types in arguments for t in types], outputs[0] if outputs else None)
        buffers = op.body.blocks[0].args[len(inputs) :]
        shared, private = buffers[: op.workgroup_count], buffers[op.workgroup_count :]
        names = (
            []
            if self.target.passes_shared
            else [_workgroup_global(rewriter, op, number, each) for number, each in enumerate(shared)]
        )
        properties = build.function_properties(op.sym_name, type)
        properties["CConv"] = CConvAttr(self.target.conventions[op.is_kernel])
        properties |= _signature_attributes(op, arguments, rewriter.profile)
        if self.target.passes_shared and shared:
            _add_shared_arguments(rewriter, op, shared, properties)
        attributes = dict(op.attributes)
        if op.is_kernel:
            attributes |= {name: UnitAttr() for name in ("gpu.kernel", self.target.kernel_mark) if name}
        if self.target.passes_shared and not rewriter.profile.keeps_subgroup_size:
            attributes.pop("intel_reqd_sub_group_size", None)
        for name in op.lost_sizes(rewriter.profile.version):
            del attributes[name]
        for name in KNOWN_SIZES:
            size = op.properties.get(name, attributes.get(name))
            if size is not None and name not in rewriter.profile.size_properties:
                # In this release the attribute does not belong to gpu.func; it is copied without effect.
                attributes[name] = size
            elif size is not None:
                attributes[f"gpu.{name}"] = size
                if name in self.target.size_marks:
                    attributes[self.target.size_marks[name]] = size
        region = Region()
        rewriter.add(
            llvm.LLVMFuncOp.create(
                properties=properties,
                attributes=attributes,
                regions=[region],
            )
        )
        op.body.move_blocks(region)
        entry, *others = region.blocks
        old = list(entry.args)
        for argument, types in zip(old, arguments, strict=False):
            _convert_argument(rewriter, entry, argument, types)
        with rewriter.at_start(entry):
            for argument in shared if self.target.passes_shared else ():
                type = memref_type(argument.type)
                given = rewriter.insert_argument(entry, argument, _shared_pointer(rewriter, type))
                descriptor = descriptors.static_descriptor(rewriter, type, given)
                rewriter.replace_argument(argument, descriptor)
            for argument, name in zip(shared, names, strict=False):
                rewriter.replace_argument(argument, _shared_buffer(rewriter, argument, name))
            for number, argument in enumerate(private):
                space = self.target.private_space
                self._check_space(op, argument, rewriter)
                alignment = _alignment(op.private_attrib_attrs, number)
                rewriter.replace_argument(argument, _private_buffer(rewriter, argument, space, alignment))
        for block in others:
            rewriter.convert_arguments(block)
        rewriter.erase(op)

    def _check_space(self, op: gpu.GPUFuncOp, buffer: BlockArgument, rewriter: ConversionRewriter) -> None:
        """Fail, like the verifier, if a private buffer's memory space is not the stack's."""
        space = self.target.private_space
        if rewriter.profile.opaque_pointers and rewriter.types.space_of(memref_type(buffer.type)) != space:
            into = rewriter.converted(buffer.type)
            raise PassError(
                op, f"'llvm.insertvalue' op Type mismatch: cannot insert '{pointer(space)}' into '{into}'"
            )


class ConvertReturn(host_func.ConvertReturn, ops=(gpu.ReturnOp,)):
    """`gpu.return` becomes `llvm.return`."""


class ConvertDynamicSharedMemory(ConversionPattern[TableOp], ops=(gpu.DynamicSharedMemoryOp,)):
    """`gpu.dynamic_shared_memory` becomes the address of an external shared array of size zero."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        type = op.result_memref.type
        bytes = array(0, rewriter.converted(type.element_type))
        alignment = WIDEST if self.target.shared_alignment else None
        name, known = _dynamic_memory(op, alignment)
        if not known:
            # Only external shared memory grows with the launch, but mlir-opt creates it with internal
            # linkage.
            linkage = "external" if rewriter.options.whole_kernels else "internal"
            _add_global(rewriter, op, name, bytes, 3, linkage, alignment, first=True)
        symbol = build.address_of(rewriter, name, pointer(3))
        address = build.element_pointer(rewriter, symbol, bytes.type, [0])
        zero, one = build.index_constant(rewriter, 0), build.index_constant(rewriter, 1)
        rewriter.replace(
            op,
            [descriptors.new_descriptor(rewriter, rewriter.converted(type), address, address, [zero], [one])],
        )


def patterns(target: Target) -> Sequence[AnyPattern]:
    """Return the patterns for gpu.func and its buffers on `target`."""
    return ConvertGPUFunc(target), ConvertReturn(), ConvertDynamicSharedMemory(target)


PATTERNS = patterns(NVVM)


def _signature_attributes(
    op: gpu.GPUFuncOp, arguments: Sequence[Sequence[Attribute]], profile: Profile
) -> dict[str, Attribute]:
    """Return the lowered attributes of a kernel's arguments and results.

    Raises PassError, like the verifier after the pass, if the release copies the list of attributes unchanged
    although the number of arguments changes.
    """
    found: dict[str, Attribute] = {}
    if op.arg_attrs is not None and not profile.copies_argument_attributes:
        total = sum(map(len, arguments))
        if total != len(op.arg_attrs.data):
            wrong = f"got {len(op.arg_attrs.data)}, but expected {total}"
            raise PassError(
                op,
                "'llvm.func' op expects argument attribute array to have the same number of elements as the "
                f"number of function arguments, {wrong}",
            )
        found["arg_attrs"] = op.arg_attrs
    elif op.arg_attrs is not None:
        spread: list[DictionaryAttr] = []
        for given, types in zip(op.arg_attrs.data, arguments, strict=True):
            spread += [_kept(given, type, len(types)) for type in types]
        if any(each.data for each in spread):
            found["arg_attrs"] = ArrayAttr(spread)
    if op.res_attrs is not None and len(op.res_attrs.data) == 1 and profile.copies_result_attributes:
        found["res_attrs"] = op.res_attrs
    return found


ANY_TYPE = frozenset({"llvm.returned", "llvm.noundef", "llvm.inreg"})
POINTERS_ONLY = frozenset(
    f"llvm.{name}"
    for name in (
        "align",
        "dereferenceable",
        "dereferenceable_or_null",
        "noalias",
        "nocapture",
        "nofree",
        "nonnull",
        "readnone",
        "readonly",
        "writeonly",
    )
)
"""Argument attributes that are kept only on pointers; those in `ANY_TYPE` are kept on any type.

Source: GPUFuncOpLowering in mlir/lib/Conversion/GPUCommon/GPUOpsLowering.cpp."""


def _shared_pointer(rewriter: ConversionRewriter, type: AnyMemRef) -> LLVMPointerType:
    return pointer(rewriter.types.space_of(type) or 3)


def _add_shared_arguments(
    rewriter: ConversionRewriter,
    op: gpu.GPUFuncOp,
    shared: Sequence[BlockArgument],
    properties: dict[str, Attribute],
) -> None:
    """Add an argument for each workgroup buffer to `properties`, with attributes for its size and type."""
    signature = properties["function_type"]
    assert isinstance(signature, LLVMFunctionType)
    known = properties.get("arg_attrs")
    attributes: list[Attribute] = [DictionaryAttr({})] * len(signature.inputs)
    if is_array(known):
        attributes = list(known.data)
    inputs = list(signature.inputs.data)
    for number, buffer in enumerate(shared):
        type = memref_type(buffer.type)
        inputs.append(_shared_pointer(rewriter, type))
        kind = UnregisteredAttr.with_name_and_type("llvm.mlir.workgroup_attribution", False)
        size, element = _element_count(type), rewriter.converted(type.element_type)
        described = kind(
            "llvm.mlir.workgroup_attribution", False, False, f"{size} : i64, {attribute_text(element)}"
        )
        given = op.workgroup_attrib_attrs
        own = dict(given.data[number].data) if given is not None else {}
        attributes.append(
            DictionaryAttr({**own, "llvm.noalias": UnitAttr(), "llvm.workgroup_attribution": described})
        )
    properties["function_type"] = LLVMFunctionType(inputs, signature.output)
    properties["arg_attrs"] = ArrayAttr(attributes)


def _kept(given: DictionaryAttr, type: Attribute, count: int) -> DictionaryAttr:
    """Return the attributes of an argument that apply to one of the `count` values it expands to."""
    names = ANY_TYPE
    if isinstance(type, LLVMPointerType):
        # The two pointers of a memref are usually equal, so neither is noalias.
        names = names | (POINTERS_ONLY if count == 1 else POINTERS_ONLY - {"llvm.noalias"})
    return DictionaryAttr({name: value for name, value in given.data.items() if name in names})


def _alignment(attributes: ArrayAttr[DictionaryAttr] | None, number: int) -> int | None:
    """Return the alignment in the attribute `llvm.align` of buffer `number`; None if it has none."""
    align = None if attributes is None else attributes.data[number].data.get("llvm.align")
    return align.value.data if is_integer_attr(align) else None


def _convert_argument(
    rewriter: ConversionRewriter, entry: Block, argument: BlockArgument, types: list[Attribute]
) -> None:
    if [argument.type] == types:
        return
    new: list[SSAValue] = [rewriter.insert_argument(entry, argument, type) for type in types]
    if is_memref(argument.type) or is_unranked_memref(argument.type):
        rewriter.defer_argument(
            argument, partial(argument_descriptor, rewriter, argument, new, rewriter.types.bare_pointers)
        )
    else:
        rewriter.replace_argument(argument, new[0])


def _workgroup_global(
    rewriter: ConversionRewriter, op: gpu.GPUFuncOp, number: int, argument: BlockArgument
) -> str:
    type = memref_type(argument.type)
    name = f"__wg_{op.sym_name.data}_{number}"
    alignment = _alignment(op.workgroup_attrib_attrs, number)
    if alignment is None and rewriter.options.whole_kernels:
        alignment = WIDEST
    _add_global(
        rewriter, op, name, _buffer_type(rewriter, type), memory_space(type) or 3, "internal", alignment
    )
    return name


def _shared_buffer(rewriter: ConversionRewriter, argument: BlockArgument, name: str) -> SSAValue:
    type = memref_type(argument.type)
    address = _address(rewriter, name, _buffer_type(rewriter, type), memory_space(type) or 3)
    return descriptors.static_descriptor(rewriter, type, address)


def _private_buffer(
    rewriter: ConversionRewriter, argument: BlockArgument, space: int, alignment: int | None
) -> SSAValue:
    type = memref_type(argument.type)
    count = build.integer_constant(rewriter, _element_count(type), i64)
    element = rewriter.converted(type.element_type)
    memory = build.alloca(rewriter, count, element, alignment, pointer(space))
    return descriptors.static_descriptor(rewriter, type, memory)


def _buffer_type(rewriter: ConversionRewriter, type: AnyMemRef) -> Attribute:
    return array(_element_count(type), rewriter.converted(type.element_type))


def _element_count(type: AnyMemRef) -> int:
    count = 1
    for extent in type.get_shape():
        count *= extent
    return count


def _add_global(
    rewriter: ConversionRewriter,
    op: Operation,
    name: str,
    type: Attribute,
    space: int,
    linkage: str,
    alignment: int | None,
    *,
    first: bool = False,
) -> None:
    """Insert a global before the function that contains `op`, or, with `first`, at the start of its module.

    `alignment` is in bytes."""
    function = op
    while not isinstance(function.parent_op(), gpu.GPUModuleOp):
        parent = function.parent_op()
        assert parent is not None, "kernels are in a gpu.module"
        function = parent
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "global_type": type,
        "linkage": LinkageAttr(linkage),
        "addr_space": IntegerAttr(space, i32),
        "visibility_": IntegerAttr(0, i64),
    }
    if alignment is not None:
        properties["alignment"] = IntegerAttr(alignment, i64)
    new = llvm.GlobalOp.create(properties=properties, regions=[Region()])
    new.location = op.location
    block = block_of(function)
    block.insert_op_before(new, (block.first_op or function) if first else function)


def _address(rewriter: ConversionRewriter, name: str, type: Attribute, space: int) -> SSAValue:
    symbol = rewriter.create(llvm.AddressOfOp, [], pointer(space), {"global_name": SymbolRefAttr(name)})
    return build.element_pointer(rewriter, symbol, type, [0, 0])


def _dynamic_memory(op: Operation, alignment: int | None) -> tuple[str, bool]:
    """Return the name for a shared array of size zero with this alignment, and whether the array exists."""
    top: Operation | None = op
    while top is not None and not isinstance(top, gpu.GPUModuleOp):
        top = top.parent_op()
    taken: set[str] = set()
    for each in top.body_region.ops if top is not None else ():
        if not isinstance(each, llvm.GlobalOp):
            continue
        name = each.sym_name.data
        taken.add(name)
        type = each.global_type
        if (
            isinstance(type, LLVMArrayType)
            and type.size.data == 0
            and _number(each, "addr_space") == 3
            and _number(each, "alignment") == (alignment or 0)
        ):
            return name, True
    number = 0
    while f"__dynamic_shmem__{number}" in taken:
        number += 1
    return f"__dynamic_shmem__{number}", False


def _number(op: Operation, name: str) -> int:
    value = op.get_attr_or_prop(name)
    return value.value.data if is_integer_attr(value) else 0
