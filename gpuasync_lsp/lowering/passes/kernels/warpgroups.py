"""Expands `nvgpu.warpgroup.*` for CPU execution: 128 threads multiply matrices in workgroup memory.

Each thread computes its elements of D, as the PTX ISA distributes them ("Register Fragments and Shared
Memory Matrix Layouts" of `wgmma.mma_async`). Each warp has 16 of 64 rows; a lane has row `lane / 4` and
the row 8 below, and in every 8 columns the two from `2 * (lane % 4)` on. An accumulator is a vector of
these elements, tile by tile. A and B are read from rows of 128 bytes with the 128-byte swizzle: A in
order, B (transposed) as consecutive tiles of 64 columns, as convert-nvgpu-to-nvvm lowers them. The
MMA is computed synchronously, so waits for it are no-ops.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder
from gpuasync_lsp.lowering.passes.expand_vectors.named import named
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.lowering.passes.kernels.tensor_maps import MAP, word_of
from gpuasync_lsp.syntax.dialects import arith, gpu, nvgpu
from gpuasync_lsp.syntax.kinds import dense, is_vector, memref_type, vector_type
from gpuasync_lsp.syntax.ods.by_table import TableOp

_THREADS = 128
_ROWS = 64
"""The number of rows that one wgmma computes."""
_WIDTH = 64
"""The number of 16-bit elements in a row of 128 bytes."""
_PREFIX = "nvgpu.warpgroup."
_WAITS = tuple(f"nvvm.wgmma.{name}.aligned" for name in ("fence", "commit.group.sync", "wait.group.sync"))

PLACE = """
    %tile = arith.divui %i, %half : index
    %in = arith.remui %i, %half : index
    %four = arith.divui %in, %c4 : index
    %eight = arith.muli %four, %c8 : index
    %odd = arith.remui %in, %c2 : index
    %eo = arith.addi %eight, %odd : index
    %col = arith.addi %eo, %first : index
    %pair = arith.divui %in, %c2 : index
    %low = arith.remui %pair, %c2 : index
    %down = arith.muli %low, %c8 : index
    %t64 = arith.muli %tile, %c64 : index
    %td = arith.addi %t64, %down : index
    %row = arith.addi %td, %mine : index
"""
"""MLIR that computes the row and the column of element `%i` of an accumulator."""

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %half = arith.constant {half} : index
  %count = arith.constant {count} : index
  %tx = gpu.thread_id x
  %ty = gpu.thread_id y
  %tz = gpu.thread_id z
  %sx = gpu.block_dim x
  %sy = gpu.block_dim y
  %zy = arith.muli %tz, %sy : index
  %yz = arith.addi %zy, %ty : index
  %yx = arith.muli %yz, %sx : index
  %linear = arith.addi %yx, %tx : index
  %t = arith.remui %linear, %threads : index
  %warp = arith.divui %t, %c32 : index
  %lane = arith.remui %t, %c32 : index
  %w16 = arith.muli %warp, %c16 : index
  %group = arith.divui %lane, %c4 : index
  %mine = arith.addi %w16, %group : index
  %quad = arith.remui %lane, %c4 : index
  %first = arith.muli %quad, %c2 : index
"""

_PRODUCT = """
func.func private @NAME(%a: {a}, %b: {b}, %c: {vector}) -> {vector} {{
  {head}
  %depth = arith.constant {depth} : index
  %panel = arith.constant {panel} : index
  %width = arith.constant {width} : index
  %result = scf.for %i = %c0 to %count step %c1 iter_args(%v = %c) -> ({vector}) {{
    {place}
    %a7 = arith.remui %row, %c8 : index
    %tileb = arith.divui %col, %c64 : index
    %behind = arith.muli %tileb, %panel : index
    %inside = arith.remui %col, %c64 : index
    %chunkb = arith.divui %inside, %c8 : index
    %restb = arith.remui %inside, %c8 : index
    %old = vector.extract %v[%i] : {sum} from {vector}
    %new = scf.for %k = %c0 to %depth step %c1 iter_args(%acc = %old) -> ({sum}) {{
      %chunk = arith.divui %k, %c8 : index
      %moved = arith.xori %chunk, %a7 : index
      %m8 = arith.muli %moved, %c8 : index
      %k7 = arith.remui %k, %c8 : index
      %ka = arith.addi %m8, %k7 : index
      %x = memref.load %a[%row, %ka] : {a}
      %mb = arith.xori %chunkb, %k7 : index
      %b8 = arith.muli %mb, %c8 : index
      %k64 = arith.muli %k, %c64 : index
      %e0 = arith.addi %behind, %k64 : index
      %e1 = arith.addi %e0, %b8 : index
      %e = arith.addi %e1, %restb : index
      %kb = arith.divui %e, %width : index
      %nb = arith.remui %e, %width : index
      %y = memref.load %b[%kb, %nb] : {b}
      {widened}
      %xy = arith.mulf %xw, %yw : f32
      %accw = {up}
      %more = arith.addf %accw, %xy : f32
      %less = {down}
      scf.yield %less : {sum}
    }}
    %put = vector.insert %new, %v[%i] : {sum} into {vector}
    scf.yield %put : {vector}
  }}
  return %result : {vector}
}}
"""

_STORE = """
func.func private @NAME(%v: {vector}, %to: {to}) {{
  {head}
  scf.for %i = %c0 to %count step %c1 {{
    {place}
    %x = vector.extract %v[%i] : {sum} from {vector}
    memref.store %x, %to[%row, %col] : {to}
  }}
  return
}}
"""


def expand_warpgroups(module: gpu.GPUModuleOp) -> None:
    """Expand the warpgroup MMAs in `module` in place if all are supported; otherwise do nothing."""
    ops = [op for op in module.walk() if op.name.startswith(_PREFIX)]
    if not ops or not all(_is_known(op) for op in ops):
        return
    for op in module.walk():
        arguments = [each for region in op.regions for block in region.blocks for each in block.args]
        for value in (*op.results, *arguments):
            if isinstance(value.type, nvgpu.WarpgroupAccumulatorType):
                value._type = _vector_of(value.type)  # pyright: ignore[reportPrivateUsage]
    for op in ops:
        if op.name == f"{_PREFIX}generate.descriptor":
            replace(op, [op.operands[0]])
    for op in ops:
        if op.name == f"{_PREFIX}mma.init.accumulator":
            type = op.results[0].type
            zero = dense(type, [0.0])
            replace(op, [Builder(op).add(arith.ConstantOp(zero)).results[0]])
        elif op.name == f"{_PREFIX}mma":
            _product(op)
        elif op.name == f"{_PREFIX}mma.store":
            _store(op)
    drop_waits(module)


def _is_known(op: Operation) -> bool:
    if op.name == f"{_PREFIX}generate.descriptor":
        map = op.attributes.get(MAP)
        used = all(use.operation.name == f"{_PREFIX}mma" for use in op.results[0].uses)
        return map is not None and used and word_of(map, "swizzle") == "swizzle_128b"
    if op.name == f"{_PREFIX}mma":
        return _is_known_product(named(op))
    return op.name in (f"{_PREFIX}mma.init.accumulator", f"{_PREFIX}mma.store")


def _is_known_product(op: TableOp) -> bool:
    left, right = (_tensor(each) for each in (op.descriptor_a, op.descriptor_b))
    sums = _fragmented(op.matrix_c.type)
    if op.transpose_a is not None or op.transpose_b is None or sums is None:
        return False
    (rows, depth), (deep, columns) = left.get_shape(), right.get_shape()
    kinds = (left.element_type.name, right.element_type.name, sums.element_type.name)
    return (
        kinds[0] == kinds[1]
        and kinds[0] in ("f16", "bf16")
        and kinds[2] in ("f16", "f32")
        and rows % _ROWS == 0
        and depth == deep == _WIDTH
        and columns % _WIDTH == 0
        and tuple(sums.get_shape()) == (rows, columns)
    )


def _tensor(descriptor: SSAValue) -> MemRefType[Attribute]:
    """Return the memref in workgroup memory that a descriptor describes."""
    return memref_type(cast(Operation, descriptor.owner).operands[0].type)


def _fragmented(type: Attribute) -> VectorType[Attribute] | None:
    whole = nvgpu.field(type, "fragmented")
    return whole if is_vector(whole) else None


def _vector_of(type: Attribute) -> Attribute:
    whole = _fragmented(type)
    assert whole is not None
    rows, columns = whole.get_shape()
    return VectorType(whole.element_type, [rows * columns // _THREADS])


def _words(vector: VectorType[Attribute], columns: int) -> dict[str, str]:
    (count,) = vector.get_shape()
    head = HEAD.format(half=_ROWS * columns // _THREADS, count=count)
    return {"vector": str(vector), "sum": str(vector.element_type), "head": head, "place": PLACE}


def _product(op: Operation) -> None:
    each = named(op)
    a, b = each.descriptor_a, each.descriptor_b
    vector = each.matrix_c.type
    depth, columns = b.type.get_shape()
    element, is_wide = str(a.type.element_type), vector.element_type.name == "f32"
    text = _PRODUCT.format(
        **_words(vector, columns),
        a=a.type,
        b=b.type,
        depth=depth,
        panel=depth * _WIDTH,
        width=columns,
        widened=f"%xw = arith.extf %x : {element} to f32\n      %yw = arith.extf %y : {element} to f32",
        up="arith.addf %acc, %none : f32" if is_wide else "arith.extf %acc : f16 to f32",
        down="arith.addf %more, %none : f32" if is_wide else "arith.truncf %more : f32 to f16",
    )
    text = text.replace("  %depth =", "  %none = arith.constant -0.0 : f32\n  %depth =", 1)
    call = call_text(op, text, [a, b, each.matrix_c], [vector])
    replace(op, call.results)


def _store(op: Operation) -> None:
    accumulator, memory = op.operands
    to = memref_type(memory.type)
    vector = vector_type(accumulator.type)
    text = _STORE.format(**_words(vector, to.get_shape()[1]), to=to)
    call_text(op, text, [accumulator, memory], [])
    replace(op, [])


def drop_waits(module: gpu.GPUModuleOp) -> None:
    """Erase the waits for MMAs, unless an asynchronous one remains."""
    if any(op.name == "nvvm.wgmma.mma_async" for op in module.walk()):
        return
    for op in [op for op in module.walk() if op.name in _WAITS]:
        replace(op, [])
