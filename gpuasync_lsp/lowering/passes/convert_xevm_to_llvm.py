"""`convert-xevm-to-llvm`: ops for Intel GPUs become calls to OpenCL functions.

Sources: mlir/lib/Conversion/XeVMToLLVM/XeVMToLLVM.cpp, and the output of mlir-opt 22 and 23. LLVM 23
emits cache controls as annotations of pointers, and folds constants afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    Float32Type,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    VectorType,
    f32,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.driver import Leftover, convert, never
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, OwnLimit, own_limit
from gpuasync_lsp.lowering.conversion.greedy import simplify
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.kernels import opencl, symbols
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.kinds import bits_of, element_type, is_vector, number_of, vector_type
from gpuasync_lsp.syntax.ods.operation import op_class
from gpuasync_lsp.syntax.printer import attribute_text

_CACHE_CONTROLS = "xevm.DecorationCacheControl"
_LOAD, _STORE = 6442, 6443
"""SPIR-V's decorations CacheControlLoadINTEL and CacheControlStoreINTEL."""
_LEVELS = {
    _LOAD: {"L1uc": 1, "L1c": 2, "L1s": 3, "L3uc": 1, "L3c": 2, "ir": 4},
    _STORE: {"L1uc": 1, "L1wt": 2, "L1s": 3, "L1wb": 4, "L3uc": 1, "L3wb": 2},
}
_ANNOTATED_LEVELS = {
    _LOAD: {"uc": 0, "c": 1, "s": 2, "ir": 3},
    _STORE: {"uc": 0, "wt": 1, "wb": 2, "s": 3},
}
"""Maps each decoration to SPIR-V's numbers for the cache controls, since LLVM 23."""
_PER_DWORD = {"tf32": 1, "bf16": 2, "f16": 2, "u8": 4, "s8": 4}
"""Maps each element type to the number of matrix elements in 32 bits."""


def convert_xevm_to_llvm(root: Operation, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Lower the xevm ops in `root` in place.

    Raises LegalizationError for an op that the release rejects, OwnLimit for one that only this tool rejects.
    """
    rewriter = ConversionRewriter(TypeConverter(), profile, options)
    illegal = {type(op): never for op in root.walk() if op.name.startswith("xevm.")}
    accesses = {llvm.LoadOp: _is_default, llvm.StoreOp: _is_default}
    patterns = Patterns(_patterns(Annotations()))
    for op in root.walk():
        if op.name.startswith("xevm.") and not patterns.of(type(op)):
            raise OwnLimit(op, f"this tool does not convert {op.name}")
    try:
        convert(rewriter, root, patterns, {**illegal, **accesses, llvm.AllocaOp: _is_private})
    except LegalizationError as error:
        raise own_limit(error) from error
    if profile.xevm_annotates_pointers:
        simplify(root, profile)
    return []


def _is_default(op: Operation) -> bool:
    return "cache_control" not in op.attributes


def _is_private(op: Operation) -> bool:
    type = op.results[0].type
    return not isinstance(type, LLVMPointerType) or type.space == 0


class ConvertXeVM(ConversionPattern[Operation]):
    """Base class of the patterns for an xevm op with a given name."""

    def __init__(self, name: str, annotations: Annotations) -> None:
        kind = op_class(f"xevm.{name}")
        assert kind is not None, name
        self.op_types = (kind,)
        self.name = name
        self.annotations = annotations


class ConvertId(ConvertXeVM):
    """An id or size in one dimension, or a subgroup number, becomes a call to an OpenCL function."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        name, _, axis = self.name.partition(".")
        arguments = [build.integer_constant(rewriter, "xyz".index(axis), i32)] if axis else []
        function, types = _IDS[name], "j" if axis else ""
        call = _call(rewriter, op, function, types, arguments, op.results[0].type)
        call.properties["memory_effects"] = build.memory_effects(rewriter.profile)
        rewriter.replace(op, call.results)


class ConvertFence(ConvertXeVM):
    """`xevm.memfence` becomes a call to OpenCL's fence with memory, acquire-release order and scope."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        space = {"shared": 1, "global": 2}.get(_word(op.properties["addrspace"]))
        scope = {"workgroup": 1, "device": 2}.get(_word(op.properties["scope"]))
        if space is None or scope is None:
            rewriter.match_failure("OpenCL fences global and shared memory, of workgroups and devices only")
        order, scope_value, space_value = (
            build.integer_constant(rewriter, number, i32) for number in (4, scope, space)
        )
        arguments = [space_value, order, scope_value]
        _call(rewriter, op, "atomic_work_item_fence", "iii", arguments, None, returns=False)
        rewriter.erase(op)


class ConvertPrefetch(ConvertXeVM):
    """`xevm.prefetch` becomes a call to OpenCL's prefetch of one byte."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        one = build.integer_constant(rewriter, 1, i64)
        (place,) = rewriter.lowered_all(op.operands)
        arguments = [self.annotations.annotated(place, op, _LOAD, rewriter), one]
        call = _call(rewriter, op, "prefetch", "PU3AS1Kcm", arguments, None, returns=False, memory="read")
        _control_cache(call, op, _LOAD, rewriter)
        rewriter.erase(op)


class ConvertProduct(ConvertXeVM):
    """`xevm.mma` becomes a call to Intel's matrix product, with operands packed in i16 and i32."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        types = dict(re.findall(r"(\w) *= *(\w+)", attribute_text(op.properties["types"])))
        a, b, c, d = (types.get(name) for name in "abcd")
        if len(op.operands) < 3:
            rewriter.match_failure("OpenCL requires C")
        if c != d or c not in ("s32", "f32", "f16", "bf16"):
            rewriter.match_failure("C and D must be of one type, s32, f32, f16 or bf16")
        if a not in _PER_DWORD or b not in _PER_DWORD or (a == "tf32") != (b == "tf32"):
            rewriter.match_failure(f"this tool does not support products of {a} and {b}")
        left, right, sum = rewriter.lowered_all(op.operands[:3])
        words = (f32, f32) if a == "tf32" else (i16, i32)
        left, right = (_packed(rewriter, *each) for each in zip((left, right), words, strict=True))
        result: Attribute = op.results[0].type
        wanted = sum.type
        if c == "bf16":
            wanted = VectorType(i16, vector_type(sum.type).get_shape())
            sum = build.cast(rewriter, llvm.BitcastOp, sum, wanted)
        name = f"intel_sub_group_{a}_{b}_matrix_mad_k{8 * _PER_DWORD[a]}"
        mangled = "".join(_mangled([left.type, right.type, sum.type]))
        call = _call(rewriter, op, name, mangled, [left, right, sum], wanted, memory="none", convergent=True)
        found = call.results[0]
        if wanted != result:
            found = build.cast(rewriter, llvm.BitcastOp, found, result)
        rewriter.replace(op, [found])


class ConvertBlock2D(ConvertXeVM):
    """A two-dimensional block's load, store or prefetch becomes a call with the data in private memory."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        pointer, width, height, pitch, x, y, *stored = rewriter.lowered_all(op.operands)
        pair = VectorType(i32, (2,))
        place = rewriter.create(llvm.UndefOp, [], pair)
        zero, one = (build.integer_constant(rewriter, number, i32) for number in (0, 1))
        for value, index in ((x, zero), (y, one)):
            place = rewriter.create(llvm.InsertElementOp, [place, value, index], pair)
        pointer = self.annotations.annotated(pointer, op, _STORE if stored else _LOAD, rewriter)
        arguments = [pointer, width, height, pitch, place]
        name, mangled, marks = "prefetch", "", {0: ("llvm.nonnull",)}
        vector = stored[0].type if stored else op.results[0].type if op.results else None
        memory: SSAValue | None = None
        if vector is not None:
            element, elements = element_type(vector), _size(vector)
            if rewriter.profile.xevm_loads_rows_of_32_bytes_in_pairs and _loads_row_of_32_bytes(op):
                element, elements = i16, elements // 2
            count = build.integer_constant(rewriter, elements, i32)
            memory = build.alloca(rewriter, count, element)
            arguments.append(memory)
            if stored:
                build.store(rewriter, stored[0], memory)
            first, second = ("writeonly", "readonly") if stored else ("readonly", "writeonly")
            marks = {0: ("llvm.nonnull", f"llvm.{first}"), 5: ("llvm.nonnull", f"llvm.{second}")}
            name = "write" if stored else f"read{_kind(op)}"
            bits = {32: "j", 16: "t"}.get(_bits(element), "h")
            mangled = f"P{bits if stored else opencl.mangled(element, unsigned=True) or bits}"
        size, high, wide = (
            number_of(op.properties[key]) for key in ("elem_size_in_bits", "tile_height", "tile_width")
        )
        blocks = number_of(op.properties["v_blocks"]) if "v_blocks" in op.properties else 1
        name = f"intel_sub_group_2d_block_{name}_{size}b_{high}r{wide}x{blocks}c"
        mangled = f"PU3AS1viiiDv2_i{mangled}"
        call = _call(
            rewriter, op, name, mangled, arguments, None, returns=memory is not None,
            memory=None if memory is not None else "read", marks=marks,
        )  # fmt: skip
        _control_cache(call, op, _STORE if stored else _LOAD, rewriter)
        if memory is None or stored:
            rewriter.erase(op)
        else:
            rewriter.replace(op, [build.load(rewriter, memory, cast(Attribute, vector))])


def _loads_row_of_32_bytes(op: Operation) -> bool:
    sizes = (number_of(op.properties["elem_size_in_bits"]), number_of(op.properties["tile_width"]))
    return bool(op.results) and sizes == (8, 32) and not _kind(op)


class ConvertBlock(ConvertXeVM):
    """A load or store of a one-dimensional block becomes a call to an OpenCL function."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        pointer, *stored = rewriter.lowered_all(op.operands)
        pointer = self.annotations.annotated(pointer, op, _STORE if stored else _LOAD, rewriter)
        arguments = [pointer, *stored]
        value: Attribute = stored[0].type if stored else op.results[0].type
        element = value.element_type if is_vector(value) else value
        signed, unsigned = (opencl.mangled(element, unsigned=flag) for flag in (False, True))
        count = str(_size(value)) if is_vector(value) else ""
        name = f"intel_sub_group_block_{'write' if stored else 'read'}_u{signed}{count}"
        space = cast(LLVMPointerType, pointer.type).space
        mangled = f"PU3AS{space}{unsigned}" + (opencl.mangled(value, unsigned=True) or "" if stored else "")
        call = _call(rewriter, op, name, mangled, arguments, None if stored else value)
        _control_cache(call, op, _STORE if stored else _LOAD, rewriter)
        if stored:
            rewriter.erase(op)
        else:
            rewriter.replace(op, call.results)


class ConvertAccess(ConversionPattern[Operation], ops=(llvm.LoadOp, llvm.StoreOp)):
    """The cache control of an access becomes a pointer annotation or, before LLVM 23, an attribute."""

    def __init__(self, annotations: Annotations) -> None:
        self.annotations = annotations

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        *stored, pointer = rewriter.lowered_all(op.operands)
        key = _STORE if stored else _LOAD
        pointer = self.annotations.annotated(pointer, op, key, rewriter)
        attributes = {name: value for name, value in op.attributes.items() if name != "cache_control"}
        new = type(op).create(
            operands=[*stored, pointer],
            result_types=op.result_types,
            properties=dict(op.properties),
            attributes=attributes,
        )
        rewriter.add(new)
        _control_cache(new, op, key, rewriter)
        rewriter.replace(op, new.results)


class Annotations:
    """Annotations of pointers; their strings are numbered across all modules of a lowering."""

    def __init__(self) -> None:
        self._names: dict[tuple[Operation, str], str] = {}

    def annotated(self, pointer: SSAValue, op: Operation, key: int, rewriter: ConversionRewriter) -> SSAValue:
        """Return `pointer`, annotated with the cache control of `op` in releases that annotate."""
        words = _levels(op)
        if not words or not rewriter.profile.xevm_annotates_pointers:
            return pointer
        values = [_ANNOTATED_LEVELS[key][word.removeprefix("L1").removeprefix("L3")] for word in words]
        file = self._address(".str.file.", "", op, rewriter)
        line = build.integer_constant(rewriter, 0, i32)
        nothing = build.zero(rewriter, LLVMPointerType(_GLOBAL))
        for level, value in enumerate(values):
            text = self._address(".str.cachecontrol.", f'{{{key}:"{level},{value}"}}', op, rewriter)
            pointer = rewriter.create(
                build.table_op("llvm.intr.ptr.annotation"), [pointer, text, file, line, nothing], pointer.type
            )
        return pointer

    def _address(self, prefix: str, text: str, op: Operation, rewriter: ConversionRewriter) -> SSAValue:
        """Return the address of a string in the module that contains `op`."""
        key = symbols.module_of(op), text
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"{prefix}{len(self._names)}"
            symbols.annotation_text(op, name, text, _GLOBAL)
        return build.address_of(rewriter, name, LLVMPointerType(_GLOBAL))


_GLOBAL = 1
"""The number of the global memory space."""
_IDS = {
    "local_id": "get_local_id",
    "local_size": "get_local_size",
    "group_id": "get_group_id",
    "group_count": "get_num_groups",
    "lane_id": "get_sub_group_local_id",
    "subgroup_id": "get_sub_group_id",
    "subgroup_size": "get_sub_group_size",
}


def _patterns(annotations: Annotations) -> Sequence[ConversionPattern[Operation]]:
    ids = [f"{name}.{axis}" for name in list(_IDS)[:4] for axis in "xyz"] + list(_IDS)[4:]
    return (
        *(ConvertId(name, annotations) for name in ids),
        ConvertFence("memfence", annotations),
        ConvertPrefetch("prefetch", annotations),
        ConvertProduct("mma", annotations),
        *(ConvertBlock2D(name, annotations) for name in ("blockload2d", "blockstore2d", "blockprefetch2d")),
        *(ConvertBlock(name, annotations) for name in ("blockload", "blockstore")),
        ConvertAccess(annotations),
    )


def _call(
    rewriter: ConversionRewriter,
    op: Operation,
    name: str,
    types: str,
    arguments: Sequence[SSAValue],
    result: Attribute | None,
    *,
    memory: str | None = None,
    convergent: bool = False,
    returns: bool = True,
    marks: dict[int, tuple[str, ...]] | None = None,
) -> Operation:
    """Insert a call to an OpenCL function, with all attributes of its declaration, as MLIR's pass does."""
    call, declared = opencl.call(
        rewriter, op, name, types, arguments, result, memory=memory, convergent=convergent, returns=returns,
        marks=[
            DictionaryAttr({mark: UnitAttr() for mark in (marks or {}).get(number, ())})
            for number in range(len(arguments))
        ] if marks else (),
    )  # fmt: skip
    for key in ("function_type", "linkage", "sym_name", "visibility_"):
        call.attributes[key] = declared.properties[key]
    return call


def _control_cache(call: Operation, op: Operation, key: int, rewriter: ConversionRewriter) -> None:
    """Annotate a call with the cache controls of the op, one for each cache level."""
    words = _levels(op)
    if not words or rewriter.profile.xevm_annotates_pointers:
        return
    values = [_LEVELS[key][word] for word in words]
    entries = [
        ArrayAttr([IntegerAttr(number, i32) for number in (key, level, value, 0)])
        for level, value in enumerate(values)
    ]
    call.attributes[_CACHE_CONTROLS] = ArrayAttr(entries)


def _levels(op: Operation) -> tuple[str, ...]:
    """Return the L1 and L3 keywords in the cache control of `op`; empty for the default."""
    control = op.get_attr_or_prop("cache_control")
    word = "Use_Default" if control is None else _word(control)
    return () if word == "Use_Default" else (word.partition("_")[0], word.rpartition("_")[2])


def _packed(rewriter: ConversionRewriter, value: SSAValue, word: IntegerType | Float32Type) -> SSAValue:
    """Bitcast `value` to a vector of words of the type `word`."""
    element = element_type(value.type)
    count = _size(value.type) * _bits(element) // _bits(word)
    wanted = VectorType(word, (count,))
    return value if value.type == wanted else build.cast(rewriter, llvm.BitcastOp, value, wanted)


def _kind(op: Operation) -> str:
    for key, name in (("pack_register", "_transform"), ("transpose", "_transpose")):
        if number_of(op.properties[key]):
            return name
    return ""


def _mangled(types: Sequence[Attribute]) -> list[str]:
    """Return the C++ mangling of each type; a repeated vector type is a substitution."""
    found: list[str] = []
    seen: list[Attribute] = []
    for type in types:
        if type in seen:
            number = seen.index(type)
            found.append(f"S{number - 1 if number else ''}_")
            continue
        if isinstance(type, VectorType):
            seen.append(type)  # pyright: ignore[reportUnknownArgumentType]
        found.append(opencl.mangled(type) or "")  # pyright: ignore[reportUnknownArgumentType]
    return found


def _word(attribute: Attribute) -> str:
    """Return the keyword of an enum attribute: `L1c_L2c_L3c` for `#xevm.load_cache_control<L1c_L2c_L3c>`."""
    return attribute_text(attribute).partition("<")[2].rstrip(">")


def _size(type: Attribute) -> int:
    return prod(vector_type(type).get_shape())


def _bits(type: Attribute) -> int:
    return bits_of(type)
