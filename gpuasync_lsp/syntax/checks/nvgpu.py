"""nvgpu: MMAs, asynchronous copies, tensor maps."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    BoolAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.conversions import nvgpu_extf, nvgpu_truncf
from gpuasync_lsp.syntax.checks.view import (
    Checks,
    NotKnown,
    VerifierError,
    View,
    as_memref,
    as_vector,
    bits,
    has_unit_stride,
)
from gpuasync_lsp.syntax.kinds import is_integer_attr
from gpuasync_lsp.syntax.printer import attribute_text

_WARP = 32
TMA_RANK = 5
"""The largest rank of a tensor that the Tensor Memory Accelerator copies (`kMaxTMATensorDimension`)."""
_LAST_DIMENSION = 128
_SWIZZLED = {"swizzle_32b": 32, "swizzle_64b": 64, "swizzle_128b": 128}
"""Maps each swizzle to the size in bytes of a tensor map's last dimension."""


def _is_shared(type: MemRefType[Attribute]) -> bool:
    """Return whether a memref is in shared memory; raises NotKnown for a memory space that belongs to an
    unknown dialect."""
    space = type.memory_space
    if isinstance(space, NoneAttr):
        return False
    if is_integer_attr(space):
        return space.value.data == 3
    text = attribute_text(space)
    if not text.startswith("#gpu.address_space<"):
        raise NotKnown
    return text == "#gpu.address_space<workgroup>"


def _copy(view: View) -> str | VerifierError | None:
    source, target = as_memref(view.type("src")), as_memref(view.type("dst"))
    if not has_unit_stride(source):
        return VerifierError("source memref most minor dim must have unit stride", bare=True)
    if not has_unit_stride(target):
        return VerifierError("destination memref most minor dim must have unit stride", bare=True)
    if not _is_shared(target):
        words = (
            "destination memref must have a memory space attribute of IntegerAttr(3) or "
            "gpu::AddressSpaceAttr(Workgroup)"
        )
        return VerifierError(words, bare=True)
    if source.element_type != target.element_type:
        return VerifierError("source and destination must have the same element type", bare=True)
    for kind, type, group in (("source", source, "srcIndices"), ("destination", target, "dstIndices")):
        given, rank = view.count(group), len(type.get_shape())
        if given != rank:
            return f"expected {rank} {kind} indices, got {given}"
    return _copied(view, target)


def _copied(view: View, target: MemRefType[Attribute]) -> VerifierError | None:
    width, count = bits(target.element_type), view.integer("dstElements")
    size = width * count // 8
    if size not in (4, 8, 16):
        possible = [each // width for each in (32, 64, 128)]
        listed = "".join(f"{each}{', ' if index < 2 else '.'}" for index, each in enumerate(possible) if each)
        words = (
            f"Requested copy elements is {count} with width {width}. But copy elements could be one of "
            f"{listed}"
        )
        return VerifierError(words, 18, bare=True)
    bypasses = view.attribute("bypassL1")
    if bypasses is not None and attribute_text(bypasses) not in ("false", "0 : i1") and size != 16:
        words = (
            f"bypassL1 does not satify alignment for '{attribute_text(target)}' with destination element "
            f"{count}. Unset bypassL1, or set destination element to {128 // width}"
        )
        return VerifierError(words, 18)
    return None


def _tiles(type: Attribute) -> tuple[int, int]:
    """Return the K size of a tensor core tile, and its number of elements per thread; zeros if
    unsupported."""
    if isinstance(type, Float64Type):
        return 4, 1
    width = bits(type)
    if isinstance(type, Float32Type | BFloat16Type | Float16Type) or (
        isinstance(type, IntegerType) and width in (4, 8)
    ):
        return 128 // width, 32 // width
    return 0, 0


_RANKS_SINCE = Profile.nvgpu_products_check_ranks.since


def _counted(view: View, shapes: Sequence[Sequence[int]], sparse: bool) -> str:
    """Return the error for the first matrix whose element count does not match `mmaShape`; empty if all
    match."""
    m, n, k = view.integers("mmaShape")
    for name, shape, wanted in zip("ABC", shapes, (m * k, k * n, m * n), strict=True):
        if prod(shape) * _WARP != wanted // (2 if sparse and name == "A" else 1):
            return f"'{view.op.name}' op expected {wanted} warp-wide matrix {name} elements"
    return ""


def _product(view: View, sparse: bool) -> str | VerifierError | None:
    vectors = [as_vector(view.type(name)) for name in ("matrixA", "matrixB", "matrixC")]
    a, b, c = ([*vector.get_shape()] for vector in vectors)
    for name, shape in (("A", a), ("B", b), ("C", c)):
        if len(shape) != 2:
            words = f"matrix{name} must be 2 dimensional vector"
            return VerifierError(words, _RANKS_SINCE, bare=True, earlier=_counted(view, (a, b, c), sparse))
    element = vectors[0].element_type
    sizes = view.integers("mmaShape")
    if len(sizes) != 3:
        return VerifierError("mmaShape must have exactly 3 elements", 23)
    m, n, k = sizes
    if sparse and isinstance(element, Float64Type):
        return VerifierError("f64 is not supported for sparse mode", bare=True)
    depth, count = _tiles(element)
    if not depth:
        words = f"expected input data type (i4,i8,f16,bf16,tf32,f64) supported by {view.op.name}"
        return VerifierError(words, bare=True)
    factor = 2 if sparse else 1
    for name, (rows, columns), wanted, by in (
        ("A", a, m * k, factor),
        ("B", b, k * n, 1),
        ("C", c, m * n, 1),
    ):
        if rows * columns * _WARP != wanted // by:
            return f"expected {wanted} warp-wide matrix {name} elements"
    if view.attribute("tf32Enabled") is not None and not isinstance(element, Float32Type):
        return "expected tf32 tensor cores only for F32 operands"
    of_m, of_n, of_k = m // 8, n // 8, k // depth
    for name, shape, rows, columns, by in (
        ("A", a, of_m * of_k, count, factor),
        ("B", b, of_k * of_n, count, 1),
        ("C", c, of_m * of_n, 2, 1),
    ):
        if shape != [rows // by, columns]:
            return f"expected matrix {name} to be shaped ({rows} x {columns})"
    return None


def _sparse_mma(view: View) -> str | VerifierError | None:
    if view.attribute("sparsitySelector") is not None and view.integer("sparsitySelector") > 1:
        return VerifierError("sparsity selector should be 0 or 1", 17)
    return _product(view, sparse=True)


def _load_matrix(view: View) -> VerifierError | None:
    source, result = as_memref(view.type("srcMemref")), as_vector(view.type("res"))
    shape, width = tuple(result.get_shape()), bits(result.element_type)
    transposes = view.attribute("transpose")
    words = None
    if not _is_shared(source):
        words = (
            "expected nvgpu.ldmatrix srcMemref must have a memory space attribute of IntegerAttr(3) or "
            "gpu::AddressSpaceAttr(Workgroup)"
        )
    elif width > 32:
        words = "nvgpu.ldmatrix works for 32b or lower"
    elif (
        width != 16 and transposes is not None and attribute_text(transposes) in ("true", "-1 : i1", "1 : i1")
    ):
        words = "nvgpu.ldmatrix transpose works only at 16b granularity"
    elif len(shape) != 2:
        words = "results must be 2 dimensional vector"
    elif shape[1] != 32 // width:
        words = f"expected vector register shape[1] = {32 // width}"
    elif shape[0] != view.integer("numTiles"):
        words = "expected vector register shape[0] and numTiles to match"
    return None if words is None else VerifierError(words, bare=True)


def _fields(type: Attribute) -> dict[str, Attribute]:
    fields: object = getattr(type, "fields", None)
    if not isinstance(fields, DictionaryAttr):
        raise NotKnown
    return dict(fields.data)


def _word(fields: dict[str, Attribute], name: str) -> str:
    found = fields.get(name)
    return found.data if isinstance(found, StringAttr) else ""


def _tensor(type: Attribute) -> MemRefType[Attribute]:
    found = _fields(type).get("tensor")
    if found is None:
        raise NotKnown
    return as_memref(found)


def _descriptor(type: Attribute, memory: MemRefType[Attribute] | None) -> VerifierError | None:
    """Return the error for a tensor map and for the memory that an op accesses through it."""
    fields = _fields(type)
    tensor = _tensor(type)
    shape = tuple(tensor.get_shape())
    if _word(fields, "interleave") not in ("none", ""):
        return VerifierError("Interleave options are not supported yet.", bare=True)
    if not _is_shared(tensor):
        words = (
            "the tensor map descriptor has incorrect address space, it must be shared memory address space."
        )
        return VerifierError(words, bare=True)
    if DYNAMIC_INDEX in shape:
        return VerifierError("the tensor map descriptor must be static shaped", bare=True)
    for size in shape:
        if not 0 < size <= 256:
            words = f"the tensor map descriptor must have dimensions between 1 and 256 but it is {size}"
            return VerifierError(words, bare=True)
    found = _last_dimension(tensor, _word(fields, "swizzle"))
    if memory is None or (found is not None and not found.before):
        return found
    return _memory(tensor, memory) or found


def _last_dimension(tensor: MemRefType[Attribute], swizzle: str) -> VerifierError | None:
    shape = tuple(tensor.get_shape())
    if not shape:
        return None
    size = bits(tensor.element_type) * shape[-1] // 8
    wanted = _SWIZZLED.get(swizzle)
    if len(shape) <= 1 or wanted is None or size == _LAST_DIMENSION == wanted:
        return None
    words = "the tensormap descriptor must have last dimension of {} bytes but it is {} bytes"
    if size != wanted and size != _LAST_DIMENSION:
        return VerifierError(words.format(wanted, size), bare=True)
    # Through LLVM 21, the size had to be 128 for every swizzle.
    if size == wanted:
        return VerifierError(words.format(_LAST_DIMENSION, size), bare=True, before=22)
    return VerifierError(words.format(wanted, size), 22, bare=True)


def _memory(tensor: MemRefType[Attribute], memory: MemRefType[Attribute]) -> VerifierError | None:
    words = None
    if tensor.element_type != memory.element_type:
        words = "the element type of tensor map descriptor and memref must be same"
    elif not _is_shared(memory):
        words = "the destination memref has incorrect address space, it must be shared memory address space."
    elif DYNAMIC_INDEX in memory.get_shape():
        words = "the destination memref must be static shaped"
    elif len(memory.get_shape()) != len(tensor.get_shape()):
        words = "the shape of tensor map descriptor and memref must have same rank"
    elif memory.get_shape() != tensor.get_shape():
        words = (
            f"memref and tensor map shapes mismatch '{attribute_text(tensor)}' != '{attribute_text(memory)}'"
        )
    if words is not None:
        return VerifierError(words, bare=True)
    shape = tensor.get_shape()
    if shape and bits(tensor.element_type) * shape[-1] // 8 % 16:
        words = "the bytes in the last dimension of the tensor map must be a multiple of 16"
        return VerifierError(words, 22, bare=True)
    return None


def _coordinates(view: View, memory: str) -> VerifierError | None:
    descriptor = view.type("tensorMapDescriptor")
    found = _descriptor(descriptor, as_memref(view.type(memory)))
    if found is not None and not found.before:
        return found
    given = view.count("coordinates")
    if given > TMA_RANK:
        return VerifierError(f"Maximum {TMA_RANK} coordinates are supported.", bare=True)
    if given != len(_tensor(descriptor).get_shape()):
        words = "number of coordinates do not match with the rank of tensor descriptor map."
        return VerifierError(words, bare=True)
    return found


def _create_descriptor(view: View) -> VerifierError | None:
    if view.count("boxDimensions") > TMA_RANK:
        return VerifierError(f"Maximum {TMA_RANK} coordinates are supported.", bare=True)
    return _descriptor(view.type("tensorMap"), None)


def _generate_descriptor(view: View) -> VerifierError | None:
    type = view.type("tensorMap")
    found = _descriptor(type, None)
    if (found is None or found.before) and _word(_fields(type), "swizzle") != "swizzle_128b":
        return VerifierError("supports only swizzle_128b is supported for the time being", bare=True)
    return found


def _is_small_float(type: Attribute) -> bool:
    return attribute_text(type) in ("f8E5M2", "f8E4M3FN")


def _is_wgmma(d: Attribute, a: Attribute, b: Attribute) -> bool:
    texts = tuple(attribute_text(each) for each in (d, a, b))
    of_floats = texts[0] in ("f32", "f16")
    return (
        (texts[1] == texts[2] and texts[1] in ("f16", "bf16") and of_floats)
        or texts in (("f32", "tf32", "tf32"), ("i32", "i16", "i16"), ("i32", "i1", "i1"))
        or (_is_small_float(a) and _is_small_float(b) and of_floats)
    )


def _is_wgmma_n(size: int, type: Attribute) -> bool:
    text = attribute_text(type)
    if text in ("bf16", "f16", "f32", "tf32") or _is_small_float(type):
        return size % 8 == 0 and 8 <= size <= 256
    if text in ("i8", "i1"):
        return size in (8, 24) or (size % 16 == 0 and 16 <= size <= 256)
    return False


def _fragment(type: Attribute) -> VectorType[Attribute]:
    found = _fields(type).get("fragmented")
    if found is None:
        raise NotKnown
    return as_vector(found)


def _warpgroup(view: View) -> str | None:
    if view.attribute("transposeA") is not None and view.attribute("transposeB") is None:
        return "supports non-transpose A (Row Major) and transpose B (Column Major) for the time being "
    a, b = (_tensor(view.type(name)) for name in ("descriptorA", "descriptorB"))
    c, d = (_fragment(view.type(name)) for name in ("matrixC", "matrixD"))
    if c != d:
        return "type of matrix C and matrix D must be the same"
    shapes: list[Sequence[int]] = [a.get_shape(), b.get_shape(), c.get_shape()]
    if any(len(shape) != 2 for shape in shapes):
        return "has matrices A, B, C and D, they must be 2 dimensional"
    of_a, of_b, of_c = shapes
    if of_a[1] != of_b[0]:
        return f"2nd dim matrix-A ({of_a[1]})!= 1st dim matrix-B ({of_b[0]} )"
    if of_a[0] != of_c[0]:
        return f"1st dim matrix-A ( {of_a[0]} )!= 1st dim matrix-C ( {of_c[0]} )"
    if of_b[1] != of_c[1]:
        return f"2nd dim matrix-B ( {of_b[1]} ) != 2nd dim matrix-C ( {of_c[1]} )"
    types = [each.element_type for each in (c, a, b)]
    quoted = [f"'{attribute_text(each)}'" for each in types]
    what = f"{quoted[0]} += {quoted[1]} * {quoted[2]}"
    if not _is_wgmma(*types):
        return f"{what}, it is not supported."
    if not _is_wgmma_n(of_b[1], a.element_type):
        return f"has input type '{attribute_text(b)}' n is set to {of_b[1]}, it is not supported"
    if quoted[0] != "'f32'" and quoted[1] not in ("'f16'", "'bf16'"):
        return f"hit a limitation: {what}, it is not supported yet"
    return None


def _warpgroup_store(view: View) -> str | None:
    memory, vector = as_memref(view.type("dstMemref")), _fragment(view.type("matrixD"))
    if not isinstance(vector.element_type, Float32Type):
        return "hit a limitation: only f32 results for the time being"
    sizes, shape = tuple(memory.get_shape()), tuple(vector.get_shape())
    if len(sizes) < 2 or len(shape) < 2:
        raise NotKnown
    if sizes[:2] != shape[:2]:
        dynamic = [str(-(2**63)) if size == DYNAMIC_INDEX else str(size) for size in sizes]
        return (
            f"results ['{attribute_text(vector)}'][{shape[1]}] values. However, destination "
            f"memref[{dynamic[0]}][{dynamic[1]}]  does not have same size as results"
        )
    return None


def _accumulator(view: View) -> str | None:
    vector = _fragment(view.op.results[0].type)
    shape = tuple(vector.get_shape())
    if len(shape) < 2:
        raise NotKnown
    if shape[0] % 64 or not _is_wgmma_n(shape[1], vector.element_type):
        return (
            f"has type '{attribute_text(vector)}'. It does not fit into warp-group level (wgmma) matrix "
            "multiplication instruction (or not supported yet)"
        )
    return None


def _reciprocal(view: View) -> str | None:
    rounding, ftz = view.attribute("rounding"), view.attribute("ftz")
    if rounding is not None and rounding.name == "nvgpu.rcp_rounding_mode":
        if (word := view.word("rounding")) != "approx" or ftz is None:
            return f"has a limitation. #nvgpu<rcp_rounding_mode {word}> or non-ftz is not supported yet."
        return None
    if not (view.attribute("approx") == ftz == BoolAttr.from_bool(True)):
        return "has a limitation. non-approx or non-ftz is not supported yet."
    if rounding is not None and not (written := attribute_text(rounding)).endswith("<none>"):
        return f"has a limitation. {written} is not supported yet."
    return None


CHECKS: Checks = {
    "nvgpu.device_async_copy": _copy,
    "nvgpu.mma.sync": lambda view: _product(view, sparse=False),
    "nvgpu.mma.sp.sync": _sparse_mma,
    "nvgpu.ldmatrix": _load_matrix,
    "nvgpu.tma.async.load": lambda view: _coordinates(view, "dst"),
    "nvgpu.tma.async.store": lambda view: _coordinates(view, "src"),
    "nvgpu.tma.create.descriptor": _create_descriptor,
    "nvgpu.warpgroup.generate.descriptor": _generate_descriptor,
    "nvgpu.warpgroup.mma": _warpgroup,
    "nvgpu.warpgroup.mma.store": _warpgroup_store,
    "nvgpu.warpgroup.mma.init.accumulator": _accumulator,
    "nvgpu.rcp": _reciprocal,
    "nvgpu.truncf": nvgpu_truncf,
    "nvgpu.extf": nvgpu_extf,
}
