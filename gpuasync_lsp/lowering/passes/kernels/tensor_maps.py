"""Expands nvgpu's TMA copies of tiles for CPU execution into synchronous loops in one thread.

A tensor map becomes the memref that it describes; its type has the shape of a tile and its layout in
workgroup memory. Coordinates begin with the innermost dimension, as in `cp.async.bulk.tensor` of the
PTX ISA, and the part of a tile outside the tensor is filled. Swizzles are those of the CUDA driver's
`CUtensorMapSwizzle`: in every row r of 128 bytes, counted from the start of the tile, the group c of 16
bytes is at c ^ (r mod 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, MemRefType, StridedLayoutAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from gpuasync_lsp.lowering.conversion.edits import insert_before, replace
from gpuasync_lsp.lowering.passes.kernels.mbarriers import UPDATE, predicate
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.syntax.dialects import gpu, memref, nvgpu
from gpuasync_lsp.syntax.kinds import element_type, is_memref, memref_type
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.symbols import symbol_name

MAP = "gpuasync.tensor_map"
"""The attribute of a copy that contains the type of its tensor map."""

_SWIZZLES = {"none": 0, "swizzle_32b": 1, "swizzle_64b": 3, "swizzle_128b": 7}
"""Maps each swizzle to the mask of the row number's bits that are xor-ed with a group's position."""

_COPIES = (nvgpu.TmaAsyncLoadOp, nvgpu.TmaAsyncStoreOp)
_HINTS = (nvgpu.TmaPrefetchOp, nvgpu.TmaFenceOp)
_DESCRIPTOR = nvgpu.WarpgroupGenerateDescriptorOp
"""An op whose result depends on a tensor map's swizzle; like a copy, it gets the attribute `MAP`."""


def tensor_maps_as_memrefs(module: Operation) -> None:
    """Replace each `nvgpu.tma.create.descriptor` of `module`, and kernel arguments for it, with its memref.

    A descriptor that has uses other than launches, copies and hints is left unchanged, as are its users."""
    made = [op for op in module.walk() if isinstance(op, nvgpu.TmaCreateDescriptorOp)]
    if not made:
        return
    for op in module.walk():
        if isinstance(op, _COPIES):
            op.attributes[MAP] = op.tensor_map_descriptor.type
        elif isinstance(op, _DESCRIPTOR):
            op.attributes[MAP] = op.tensor_map.type
    for op in made:
        taken = _taken(op.tensor_map, module)
        tile = nvgpu.field(op.tensor_map.type, "tensor")
        if taken is None or not is_memref(tile):
            continue
        rank = len(tile.get_shape())
        layout = StridedLayoutAttr([None] * rank, None)
        type: Attribute = MemRefType(tile.element_type, [DYNAMIC_INDEX] * rank, layout)
        seen = memref.CastOp.create(operands=[op.tensor], result_types=[type])
        insert_before(op, seen)
        replace(op, seen.results)
        for kernel, number in taken:
            Rewriter.replace_value_with_new_type(kernel.body.blocks[0].args[number], type)
            inputs = list(kernel.function_type.inputs.data)
            inputs[number] = type
            kernel.properties["function_type"] = FunctionType.from_lists(inputs, [])


def _taken(map: SSAValue, module: Operation) -> list[tuple[gpu.GPUFuncOp, int]] | None:
    """Return the kernel arguments to which a map is passed; None if the map has any other use."""
    found: list[tuple[gpu.GPUFuncOp, int]] = []
    for use in map.uses:
        op = use.operation
        if isinstance(op, gpu.LaunchFuncOp):
            kernel = _kernel(op, module)
            number = next((n for n, each in enumerate(op.kernel_operands) if each is map), None)
            if kernel is None or number is None or not _only_copied(kernel.body.blocks[0].args[number]):
                return None
            found.append((kernel, number))
    return found if _only_copied(map) else None


def _only_copied(map: SSAValue) -> bool:
    takers = (*_COPIES, *_HINTS, _DESCRIPTOR, gpu.LaunchFuncOp)
    return all(isinstance(use.operation, takers) for use in map.uses)


def _kernel(launch: gpu.LaunchFuncOp, module: Operation) -> gpu.GPUFuncOp | None:
    path = [launch.kernel.root_reference.data, *(each.data for each in launch.kernel.nested_references.data)]
    for op in module.walk():
        above = op.parent_op()
        if isinstance(op, gpu.GPUFuncOp) and above and [symbol_name(above), symbol_name(op)] == path:
            return op
    return None


def word_of(type: Attribute, field: str) -> str:
    """Return a keyword of a tensor map's type; the parser reads `none` as a type."""
    value = nvgpu.field(type, field)
    return value.data if isinstance(value, StringAttr) else "none"


def expand_tensor_copies(module: gpu.GPUModuleOp) -> None:
    """Expand the tensor map copies in `module` whose map is a memref, in place.

    Call it after `expand_mbarriers`. Copies to several blocks of a cluster are not expanded."""
    for op in list(module.walk()):
        if not isinstance(op, (*_COPIES, *_HINTS)) or op.tensor_map_descriptor.type.name != MemRefType.name:
            continue
        if type(op) in _HINTS:
            replace(op, [])
        elif type(op) is nvgpu.TmaAsyncStoreOp or (
            op.multicast_mask is None and op.barriers.type.name == MemRefType.name
        ):
            _copy(op)


def _copy(op: TableOp) -> None:
    loads = op.name == nvgpu.TmaAsyncLoadOp.name
    near: SSAValue = op.dst if loads else op.src
    if near.type.name != MemRefType.name:
        return
    map = op.attributes[MAP]
    swizzle, fill = _SWIZZLES.get(word_of(map, "swizzle")), word_of(map, "oob")
    shape: tuple[int, ...] = memref_type(near.type).get_shape()
    element = element_type(near.type)
    bits = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}.get(element.name) or getattr(element, "bitwidth", 0)
    if swizzle is None or bits not in (8, 16, 32, 64) or (fill != "zero" and element.name != "f32"):
        return
    if word_of(map, "interleave") != "none" or -1 in shape or len(shape) != len(op.coordinates):
        return
    types = [op.tensor_map_descriptor.type, near.type, *([op.barriers.type] if loads else ())]
    names = ["%far", "%near", *(["%barriers"] if loads else ())]
    text = _text(shape, str(element), bits // 8, swizzle, [str(each) for each in types], loads, fill)
    parameters = [f"{name}: {type}" for name, type in zip(names, types, strict=True)]
    parameters += [f"%x{number}: index" for number in range(len(shape))]
    parameters += ["%does: i1", *(["%which: index"] if loads else ())]
    head = f"func.func private @NAME({', '.join(parameters)}) {{"
    values = [op.tensor_map_descriptor, near, *([op.barriers] if loads else ())]
    values += [*op.coordinates, predicate(op), *([op.mbar_id] if loads else ())]
    call_text(op, f"{head}\n  scf.if %does {{\n{text}\n  }}\n  return\n}}\n", values, [])
    replace(op, [])


def _text(
    shape: Sequence[int], element: str, size: int, swizzle: int, types: Sequence[str], loads: bool, fill: str
) -> str:
    """Return the loops that copy a tile between the tensor `%far`, at coordinates `%x...`, and `%near`."""
    far, near = types[:2]
    rank = len(shape)
    numbers = {0, 1, *shape, *range(rank), *(prod(shape[n + 1 :]) for n in range(rank)), size, 4, 7, swizzle}
    lines = [f"%k{n} = arith.constant {n} : index" for n in sorted(numbers)]
    lines += [f"%e{n} = memref.dim %far, %k{n} : {far}" for n in range(rank)]
    lines += [f"scf.for %i{n} = %k0 to %k{extent} step %k1 {{" for n, extent in enumerate(shape)]
    inside = ""
    for n in range(rank):
        lines += [
            f"%g{n} = arith.addi %i{n}, %x{rank - 1 - n} : index",
            f"%in{n} = arith.cmpi ult, %g{n}, %e{n} : index",
        ]
        if inside:
            lines.append(f"%all{n} = arith.andi {inside}, %in{n} : i1")
        inside = f"%all{n}" if inside else f"%in{n}"
    place = ", ".join(f"%g{n}" for n in range(rank))
    lines += _near_place(shape, size, swizzle)
    local = ", ".join(f"%p{n}" for n in range(rank))
    if loads:
        number = "0x7FC00000" if fill == "nan" and element == "f32" else "0.0" if "f" in element else "0"
        lines += [
            f"%v = scf.if {inside} -> ({element}) {{",
            f"%w = memref.load %far[{place}] : {far}",
            f"scf.yield %w : {element}",
            "} else {",
            f"%z = arith.constant {number} : {element}",
            f"scf.yield %z : {element}",
            "}",
            f"memref.store %v, %near[{local}] : {near}",
        ]
    else:
        lines += [
            f"scf.if {inside} {{",
            f"%v = memref.load %near[{local}] : {near}",
            f"memref.store %v, %far[{place}] : {far}",
            "}",
        ]
    lines += ["}"] * rank
    if loads:
        brought = prod(shape) * size
        counts = {"arrivals": 0, "added": -brought, "dropped": 0}
        lines += [f"%{name} = arith.constant {count} : i64" for name, count in counts.items()]
        lines.append(UPDATE.format(barriers=types[2]))
    return "\n".join(f"    {line}" for line in lines)


def _near_place(shape: Sequence[int], size: int, swizzle: int) -> list[str]:
    """Return the code that computes the indices `%p0`, ... of a tile's element in workgroup memory."""
    rank = len(shape)
    if not swizzle:
        return [f"%p{n} = arith.addi %i{n}, %k0 : index" for n in range(rank)]
    lines = ["%l0 = arith.addi %k0, %k0 : index"]
    for n in range(rank):
        lines += [
            f"%t{n} = arith.muli %i{n}, %k{prod(shape[n + 1 :])} : index",
            f"%l{n + 1} = arith.addi %l{n}, %t{n} : index",
        ]
    lines += [
        f"%offset = arith.muli %l{rank}, %k{size} : index",
        "%lines = arith.shrui %offset, %k7 : index",
        f"%line = arith.andi %lines, %k{swizzle} : index",
        "%change = arith.shli %line, %k4 : index",
        "%moved = arith.xori %offset, %change : index",
        f"%q = arith.divui %moved, %k{size} : index",
    ]
    for n, extent in enumerate(shape):
        lines += [
            f"%u{n} = arith.divui %q, %k{prod(shape[n + 1 :])} : index",
            f"%p{n} = arith.remui %u{n}, %k{extent} : index",
        ]
    return lines


__all__: Sequence[str] = ["MAP", "expand_tensor_copies", "tensor_maps_as_memrefs", "word_of"]
