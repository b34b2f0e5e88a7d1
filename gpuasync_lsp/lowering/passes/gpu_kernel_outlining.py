"""`gpu-kernel-outlining`: the body of each gpu.launch becomes a kernel in a separate module.

Source: the output of mlir-opt 16, 19, 21 and 22. Values from outside become kernel arguments in the order of
their first use. Each launch gets its own `gpu.module`, named after the function and inserted after it, unless
the launch names an existing module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import block_of, erase, insert_before, replace
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.releases import DEFAULT, PROFILES, Profile
from gpuasync_lsp.syntax.captures import captured
from gpuasync_lsp.syntax.dialects import arith, gpu
from gpuasync_lsp.syntax.dialects.assembly import UNIT
from gpuasync_lsp.syntax.ods.enumerations import case
from gpuasync_lsp.syntax.symbols import SYMBOL_TABLES, references, symbol_name

CONTAINER = "gpu.container_module"


def gpu_kernel_outlining(module: ModuleOp, profile: Profile | None = None) -> None:
    """Outline every gpu.launch of `module` in place, like `profile`'s release (default: newest)."""
    profile = profile or PROFILES[DEFAULT]
    numbers = count()
    for function in [op for op in module.ops if op.name in ("func.func", "llvm.func")]:
        place: Operation = function
        for launch in list(_launches(function)):
            place = _outline(module, function, launch, place, profile, numbers)
            module.attributes[CONTAINER] = UNIT


def _launches(op: Operation) -> Iterator[gpu.LaunchOp]:
    """Yield the launches in `op`, nested launches before enclosing ones."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _launches(inner)
                if isinstance(inner, gpu.LaunchOp):
                    yield inner


def _outline(
    module: ModuleOp,
    function: Operation,
    launch: gpu.LaunchOp,
    place: Operation,
    profile: Profile,
    numbers: Iterator[int],
) -> Operation:
    values = captured((op for block in launch.body.blocks for op in block.ops), launch)
    name = _kernel_name(function, launch)
    kernel_module = _existing_module(module, launch)
    if kernel_module is None:
        container = _free_name(module.ops, _module_name(launch) or name, numbers)
        kernel_module = gpu.GPUModuleOp.create(
            properties={"sym_name": StringAttr(container)}, regions=[Region(Block())]
        )
        kernel_module.location = launch.location
        block = block_of(place)
        block.insert_op_after(kernel_module, place)
        place = kernel_module
    else:
        container = kernel_module.sym_name.data
        name = _free_name(kernel_module.body_region.block.ops, name, count())
    kernel = _kernel(launch, name, values, profile)
    kernel.location = launch.location
    kernel_module.body_region.block.add_op(kernel)
    _take_along(kernel, kernel_module, module)
    if profile.rejects_nested_references:
        _check_references(kernel, kernel_module)
    call = gpu.LaunchFuncOp(
        SymbolRefAttr(container, [name]),
        launch.grid_size,
        launch.block_size,
        values,
        launch.async_dependencies,
        is_async=launch.async_token is not None,
        cluster_size=launch.cluster_size or (),
        dynamic_shared_memory_size=launch.dynamic_shared_memory_size,
        async_object=launch.async_object,
    )
    insert_before(launch, call)
    replace(launch, call.results)
    return place


def _take_along(kernel: Operation, kernel_module: gpu.GPUModuleOp, module: ModuleOp) -> None:
    """Copy the symbols that the kernel references, directly or indirectly, into its module."""
    around: dict[str, Operation] = {}
    inside = kernel_module.body_region.block
    taken = {symbol_name(op) for op in inside.ops}
    pending: list[Operation] = [kernel]
    while pending:
        for reference in references(pending.pop()):
            if reference.nested_references.data:
                continue
            name = reference.root_reference.data
            around = around or {symbol_name(op): op for op in module.ops}
            definition = around.get(name)
            if definition is not None and name not in taken:
                taken.add(name)
                copy = definition.clone()
                inside.add_op(copy)
                pending.append(copy)


def _check_references(kernel: Operation, kernel_module: gpu.GPUModuleOp) -> None:
    """Raise PassError if `kernel` references a symbol that cannot be resolved from its own module."""
    inside = kernel_module.body_region.block.ops
    known = {symbol_name(op) for op in inside if op.name in SYMBOL_TABLES}
    for op in kernel.walk():
        for reference in (*op.properties.values(), *op.attributes.values()):
            if not isinstance(reference, SymbolRefAttr) or not reference.nested_references.data:
                continue
            parts = [reference.root_reference, *reference.nested_references]
            if parts[0].data not in known:
                spelled = "::".join(f"@{part.data}" for part in parts)
                raise PassError(op, f"nested symbol reference '{spelled}' {_NOT_SEEN}")


_NOT_SEEN = (
    "cannot be resolved inside the outlined kernel module; gpu-kernel-outlining does not support "
    "cross-module symbol references inside gpu.launch bodies"
)


def _kernel(launch: gpu.LaunchOp, name: str, values: list[SSAValue], profile: Profile) -> gpu.GPUFuncOp:
    region = Region()
    launch.body.move_blocks(region)
    entry = region.blocks[0]
    configuration = 18 if launch.cluster_size is not None else 12
    arguments: list[SSAValue] = list(entry.args)
    for index, value in enumerate(values):
        argument = entry.insert_arg(value.type, configuration + index)
        value.replace_uses_with_if(argument, lambda use: _is_inside(use.operation, region))
    _replace_configuration(entry, arguments[:configuration], launch)
    for block in region.blocks:
        last = block.last_op
        if isinstance(last, gpu.TerminatorOp):
            end = gpu.ReturnOp.create()
            end.location = last.location
            erase(last)
            block.add_op(end)
    workgroup = launch.workgroup_attributions or IntegerAttr(0, 64)
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": FunctionType.from_lists([value.type for value in values], []),
        "workgroup_attributions": workgroup,
    }
    attributes: dict[str, Attribute] = {"gpu.kernel": UNIT}
    known_sizes = [("known_block_size", launch.block_size), ("known_grid_size", launch.grid_size)]
    if launch.cluster_size is not None and profile.outlines_cluster_sizes:
        known_sizes.append(("known_cluster_size", launch.cluster_size))
    prefix = profile.known_sizes_prefix
    for key, sizes in known_sizes:
        constants = [_constant(size) for size in sizes]
        known = [value for value in constants if value is not None]
        if len(known) == len(constants):
            # Because of its prefix, the attribute is not an inherent attribute of gpu.func.
            holder = attributes if prefix else properties
            holder[prefix + key] = DenseArrayBase.from_list(i32, known)
    return gpu.GPUFuncOp.create(properties=properties, attributes=attributes, regions=[region])


def _replace_configuration(entry: Block, arguments: list[SSAValue], launch: gpu.LaunchOp) -> None:
    """Replace the ids and sizes, which are arguments of the gpu.launch body, with gpu ops in the kernel."""
    kinds = [gpu.BlockIdOp, gpu.ThreadIdOp, gpu.GridDimOp, gpu.BlockDimOp, gpu.ClusterIdOp, gpu.ClusterDimOp]
    first = entry.first_op
    for index, argument in enumerate(arguments):
        kind = kinds[index // 3]
        dimension = case(gpu.DimensionAttr, "xyz"[index % 3])
        op = kind.create(result_types=[argument.type], properties={"dimension": dimension})
        op.location = launch.location
        if first is None:
            entry.add_op(op)
        else:
            entry.insert_op_before(op, first)
        argument.replace_all_uses_with(op.results[0])
    for _ in arguments:
        entry.erase_arg(entry.args[0])


def _is_inside(op: Operation, region: Region) -> bool:
    return op.parent is not None and _holds(region, op.parent)


def _holds(region: Region, block: Block) -> bool:
    current: Block | None = block
    while current is not None:
        if current.parent is region:
            return True
        current = current.parent_block()
    return False


def _constant(value: SSAValue) -> int | None:
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        attribute = value.op.value
        if isinstance(attribute, IntegerAttr):
            number: int = attribute.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            return number
    return None


def _kernel_name(function: Operation, launch: gpu.LaunchOp) -> str:
    for reference in (launch.function, launch.kernel_func):
        if reference is not None:
            return reference.string_value().rpartition(".")[2]
    name = function.get_attr_or_prop("sym_name")
    assert isinstance(name, StringAttr)
    return f"{name.data}_kernel"


def _module_name(launch: gpu.LaunchOp) -> str | None:
    reference = launch.module or launch.kernel_module
    return None if reference is None else reference.string_value()


def _existing_module(module: ModuleOp, launch: gpu.LaunchOp) -> gpu.GPUModuleOp | None:
    """Return the existing gpu.module that a launch names (LLVM 22 and later); None if there is none."""
    name = None if launch.module is None else launch.module.string_value()
    return next(
        (op for op in module.ops if isinstance(op, gpu.GPUModuleOp) and op.sym_name.data == name), None
    )


def _free_name(ops: Iterable[Operation], wanted: str, numbers: Iterator[int]) -> str:
    """Return `wanted`, with a number appended if that is necessary to make it unique.

    All names share the counter `numbers`."""
    names = {op.get_attr_or_prop("sym_name") for op in ops}
    taken = {name.data for name in names if isinstance(name, StringAttr)}
    name = wanted
    while name in taken:
        name = f"{wanted}_{next(numbers)}"
    return name
