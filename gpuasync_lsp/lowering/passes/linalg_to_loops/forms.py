"""The computation of a linalg op in one iteration of its loops, as indexing maps and payload.

Source: `mlir-opt -linalg-generalize-named-ops` of LLVM 16, 19, 22 and 24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    MemRefType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation

from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import linalg
from gpuasync_lsp.syntax.dialects.assembly import integers, property_names
from gpuasync_lsp.syntax.kinds import is_array, is_integer, is_memref, map_of

Add = Callable[[Operation], SSAValue]
Emit = Callable[[Add, Sequence[SSAValue], Sequence[SSAValue]], list[SSAValue]]
"""Emits the payload; returns the values to store.

The arguments are a function that inserts ops, the elements of the operands, and the loop counters."""


class Form(NamedTuple):
    """The generic form of a linalg op."""

    maps: Sequence[AffineMap]
    """The indexing map of each operand."""
    parallel: Sequence[bool]
    """For each loop, whether its iterations are independent."""
    emit: Emit


def form_of(op: Operation, profile: Profile | None) -> Form | None:
    """Return the form of an op on buffers, in a release or for execution; None for any other op."""
    if any(value.type.name in ("tensor", "unranked_tensor") for value in (*op.operands, *op.results)):
        return None
    if not op.operands or op.operands[-1].type.name != MemRefType.name:
        return None
    form = _form(op, profile is not None and profile.transposes_by_source)
    if form is None or [len(each.results) for each in form.maps] != [rank_of(v) for v in op.operands]:
        return None
    return form


def _form(op: Operation, by_source: bool) -> Form | None:
    match op:
        case linalg.GenericOp():
            return _generic(op)
        case linalg.MapOp() | linalg.ReduceOp():
            return _with_body(op)
        case linalg.TransposeOp():
            order = integers(op.permutation)
            rank = len(order)
            if by_source:
                return _moved(AffineMap.identity(rank), _indexed(rank, order))
            return _moved(_indexed(rank, map(order.index, range(rank))), AffineMap.identity(rank))
        case linalg.BroadcastOp():
            rank = rank_of(op.operands[-1])
            added = integers(op.properties["dimensions"])
            return _moved(
                _indexed(rank, (n for n in range(rank) if n not in added)), AffineMap.identity(rank)
            )
        case _:
            return _named(op)


def _generic(op: linalg.GenericOp) -> Form | None:
    maps = [map_of(each) for each in op.indexing_maps.data]
    body = op.regions[0].blocks[0] if op.regions and op.regions[0].blocks else None
    if body is None or not isinstance(body.last_op, linalg.YieldOp) or len(body.args) != len(op.operands):
        return None
    if len(maps) != len(op.operands) or any(each.num_symbols for each in maps):
        return None
    words = [getattr(each, "data", "") for each in op.iterator_types.data]
    return Form(maps, [word == "parallel" for word in words], _inlined(body))


def _with_body(op: linalg.MapOp | linalg.ReduceOp) -> Form | None:
    emit = _payload(op) if op.payload is not None else _body(op)
    if emit is None:
        return None
    rank = rank_of(op.operands[0])
    identity = AffineMap.identity(rank)
    if isinstance(op, linalg.MapOp):
        return Form([identity] * len(op.operands), [True] * rank, emit)
    gone = integers(op.dimensions)
    kept = _indexed(rank, (n for n in range(rank) if n not in gone))
    half = len(op.operands) // 2
    maps = [identity] * half + [kept] * half
    return Form(maps, [number not in gone for number in range(rank)], emit)


def _body(op: linalg.MapOp | linalg.ReduceOp) -> Emit | None:
    body = op.regions[0].blocks[0] if op.regions and op.regions[0].blocks else None
    return None if body is None or not isinstance(body.last_op, linalg.YieldOp) else _inlined(body)


def _payload(op: linalg.MapOp | linalg.ReduceOp) -> Emit:
    """Return the payload of a short linalg.map or reduce; a reduction's accumulator is the first argument."""
    assert op.payload is not None
    made = op_class(op.payload.data.split(None, 1)[0].rstrip("{"))
    given: Mapping[str, Attribute] = {}
    if op.payload_attributes is not None:
        given = op.payload_attributes.data
    known = property_names(cast(type[IRDLOperation], made))

    def emit(add: Add, elements: Sequence[SSAValue], counters: Sequence[SSAValue]) -> list[SSAValue]:
        half = len(elements) // 2
        swapped = [*elements[half:], *elements[:half]]
        operands = swapped if isinstance(op, linalg.ReduceOp) else elements[:-1]
        new = made.create(
            operands=operands,
            result_types=[elements[-1].type],
            properties={name: value for name, value in given.items() if name in known},
            attributes={name: value for name, value in given.items() if name not in known},
        )
        return [add(new)]

    return emit


def _moved(source: AffineMap, target: AffineMap) -> Form:
    return Form([source, target], [True] * source.num_dims, _first)


def _first(add: Add, elements: Sequence[SSAValue], counters: Sequence[SSAValue]) -> list[SSAValue]:
    return [elements[0]]


def _indexed(loops: int, counters: Iterable[int]) -> AffineMap:
    return AffineMap(loops, 0, tuple(map(AffineDimExpr, counters)))


def _inlined(body: Block) -> Emit:
    def emit(add: Add, elements: Sequence[SSAValue], counters: Sequence[SSAValue]) -> list[SSAValue]:
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, elements, strict=False))
        for op in body.ops:
            if isinstance(op, linalg.YieldOp):
                return [values.get(value, value) for value in op.values]
            if isinstance(op, linalg.IndexOp):
                values[op.result] = counters[op.dim.value.data]
                continue
            add(op.clone(values))
        raise AssertionError("the body ends with linalg.yield")

    return emit


# Named ops


def _named(op: Operation) -> Form | None:
    name = op.name.removeprefix("linalg.")
    cast_as = op.properties.get("cast") or op.attributes.get("cast")
    unsigned = cast_as is not None and "cast_unsigned" in str(cast_as)
    if name == "elementwise":
        kind = str(op.properties.get("kind") or op.attributes.get("kind"))
        name = kind.partition("<")[2].rstrip(">").removesuffix("_signed")
    maps = _own_maps(op)
    if maps is not None and (name in _PRODUCTS or name == "contract"):
        result = maps[-1].results
        loops = [AffineDimExpr(number) for number in range(maps[-1].num_dims)]
        return Form(maps, [loop in result for loop in loops], _reduced(name, unsigned))
    if maps is not None:
        sources, emit = _ELEMENTWISE.get(name, (0, _first))
        return Form(maps, [True] * maps[-1].num_dims, emit) if sources == len(maps) - 1 else None
    if cast_as is not None and name not in _PRODUCTS:
        return None
    if name in ("fill", "copy"):
        return _by_element(op, 1, lambda add, e, _: [cast_to(add, e[0], e[1].type)])
    if name in _ELEMENTWISE:
        sources, emit = _ELEMENTWISE[name]
        return _by_element(op, sources, emit)
    shapes = _PRODUCTS.get(name)
    if shapes is None:
        return None
    loops, *operands = shapes.split()
    found = [_indices(part, loops, op) for part in operands]
    if any(each is None for each in found) or len(found) != len(op.operands):
        return None
    result = operands[-1].replace("_", "")
    known = [each for each in found if each is not None]
    return Form(known, [letter in result for letter in loops], _reduced(name, unsigned))


def _own_maps(op: Operation) -> list[AffineMap] | None:
    """Return the explicit indexing maps of a named op; None if it has the default ones."""
    given = op.properties.get("indexing_maps") or op.attributes.get("indexing_maps")
    if not is_array(given):
        return None
    maps = [each.data for each in given if isinstance(each, AffineMapAttr)]
    return maps if len(maps) == len(op.operands) else None


def _by_element(op: Operation, sources: int, emit: Emit) -> Form | None:
    rank = rank_of(op.operands[-1])
    if len(op.operands) != sources + 1 or any(rank_of(v) not in (0, rank) for v in op.operands):
        return None
    identity, scalar = AffineMap.identity(rank), AffineMap(rank, 0, ())
    maps = [identity if rank_of(value) == rank else scalar for value in op.operands]
    return Form(maps, [True] * rank, emit)


def _indices(part: str, loops: str, op: Operation) -> AffineMap | None:
    """Return the indexing map of an operand; `part` contains the name of a loop, a letter, for each index.

    An index into a window has two letters: the output's loop and the window's loop."""
    found: list[AffineExpr] = []
    window = 0
    for index in part.split("_") if part != "." else ():
        first = AffineExpr.dimension(loops.index(index[0]))
        if len(index) == 1:
            found.append(first)
            continue
        stride, dilation = _numbers(op, "strides", window), _numbers(op, "dilations", window)
        if stride is None or dilation is None:
            return None
        second = AffineExpr.dimension(loops.index(index[1]))
        found.append(first * stride + second * dilation if (stride, dilation) != (1, 1) else first + second)
        window += 1
    return AffineMap(len(loops), 0, tuple(found))


def _numbers(op: Operation, name: str, at: int) -> int | None:
    value = op.attributes.get(name) or op.properties.get(name)
    if value is None:
        return 1
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    numbers = cast("DenseIntOrFPElementsAttr[IntegerType]", value).get_values()
    return numbers[at] if at < len(numbers) else None


def _reduced(name: str, unsigned: bool) -> Emit:
    def emit(add: Add, elements: Sequence[SSAValue], _: Sequence[SSAValue]) -> list[SSAValue]:
        *_, total = elements
        as_unsigned = unsigned or name.endswith("unsigned")
        left = cast_to(add, elements[0], total.type, as_unsigned)
        if name.startswith("pooling"):
            kind = "add" if name.removesuffix("_unsigned").endswith("sum") else name.split("_")[2]
            return [_apply(add, kind + ("_unsigned" if as_unsigned else ""), total, left)]
        right = cast_to(add, elements[1], total.type, as_unsigned)
        return [_apply(add, "add", total, _apply(add, "mul", left, right))]

    return emit


def _apply(add: Add, kind: str, *operands: SSAValue) -> SSAValue:
    type = operands[0].type
    floats, integers_, booleans = _OPS[kind]
    name = floats if isinstance(type, AnyFloat) else booleans if type == i1 else integers_
    if type.name == "complex":
        name = f"complex.{kind}"
    return add(op_class(name).create(operands=operands, result_types=[type]))


def _folded(kind: str) -> Emit:
    return lambda add, elements, counters: [_apply(add, kind, *elements[:-1])]


def _math(name: str) -> Emit:
    def emit(add: Add, elements: Sequence[SSAValue], _: Sequence[SSAValue]) -> list[SSAValue]:
        return [add(op_class(name).create(operands=elements[:-1], result_types=[elements[0].type]))]

    return emit


def _square(add: Add, elements: Sequence[SSAValue], _: Sequence[SSAValue]) -> list[SSAValue]:
    return [_apply(add, "mul", elements[0], elements[0])]


def cast_to(add: Add, value: SSAValue, type: Attribute, unsigned: bool = False) -> SSAValue:
    """Insert a cast of `value` to a different numeric type; integers are signed unless `unsigned`."""
    given = value.type
    if given == type:
        return value
    name = None
    if is_integer(given) and is_integer(type):
        wider = type.bitwidth > given.bitwidth
        name = ("arith.extui" if unsigned else "arith.extsi") if wider else "arith.trunci"
    elif isinstance(given, AnyFloat) and isinstance(type, AnyFloat):
        name = "arith.extf" if type.bitwidth > given.bitwidth else "arith.truncf"
    elif is_integer(given) and isinstance(type, AnyFloat):
        name = "arith.uitofp" if unsigned else "arith.sitofp"
    elif isinstance(given, AnyFloat) and is_integer(type):
        name = "arith.fptoui" if unsigned else "arith.fptosi"
    elif isinstance(given, IndexType) or isinstance(type, IndexType):
        name = "arith.index_cast"
    if name is None:
        return value
    return add(op_class(name).create(operands=[value], result_types=[type]))


def rank_of(value: SSAValue) -> int:
    """Return the rank of a memref, 0 for a scalar."""
    return len(value.type.get_shape()) if is_memref(value.type) else 0


_OPS = {
    "add": ("arith.addf", "arith.addi", "arith.ori"),
    "sub": ("arith.subf", "arith.subi", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli", "arith.andi"),
    "div": ("arith.divf", "arith.divsi", "arith.divsi"),
    "div_unsigned": ("arith.divf", "arith.divui", "arith.divui"),
    "max": ("arith.maximumf", "arith.maxsi", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi", "arith.minsi"),
    "max_unsigned": ("arith.maximumf", "arith.maxui", "arith.maxui"),
    "min_unsigned": ("arith.minimumf", "arith.minui", "arith.minui"),
}
"""Maps the name of an operation to the ops for floats, integers and i1."""

_ELEMENTWISE: dict[str, tuple[int, Emit]] = {
    **{name: (2, _folded(name)) for name in ("add", "sub", "mul", "div", "div_unsigned", "max", "min")},
    **{
        name: (1, _math(f"math.{op}"))
        for name, op in {
            "abs": "absf", "ceil": "ceil", "erf": "erf", "exp": "exp", "floor": "floor", "log": "log",
            "round": "round", "rsqrt": "rsqrt", "sqrt": "sqrt", "tanh": "tanh",
        }.items()
    },
    "negf": (1, _math("arith.negf")),
    "powf": (2, _math("math.powf")),
    "square": (1, _square),
}  # fmt: skip
"""Maps each elementwise op to its number of inputs and its payload."""

_PRODUCTS = {
    "dot": "k k k .",
    "matvec": "mk m_k k m",
    "vecmat": "nk k k_n n",
    "matmul": "mnk m_k k_n m_n",
    "matmul_unsigned": "mnk m_k k_n m_n",
    "matmul_transpose_a": "mnk k_m k_n m_n",
    "matmul_transpose_b": "mnk m_k n_k m_n",
    "batch_matmul": "bmnk b_m_k b_k_n b_m_n",
    "batch_matmul_transpose_a": "bmnk b_k_m b_k_n b_m_n",
    "batch_matmul_transpose_b": "bmnk b_m_k b_n_k b_m_n",
    "batch_matvec": "bmk b_m_k b_k b_m",
    "batch_vecmat": "bnk b_k b_k_n b_n",
    "batch_reduce_matmul": "bmnk b_m_k b_k_n m_n",
    "mmt4d": "mnkabc m_k_a_c n_k_b_c m_n_a_b",
    "batch_mmt4d": "Bmnkabc B_m_k_a_c B_n_k_b_c B_m_n_a_b",
    "conv_1d": "wi wi i w",
    "conv_2d": "hwij hi_wj i_j h_w",
    "conv_3d": "dhwkij dk_hi_wj k_i_j d_h_w",
    "conv_1d_nwc_wcf": "nwfic n_wi_c i_c_f n_w_f",
    "conv_1d_ncw_fcw": "nfwci n_c_wi f_c_i n_f_w",
    "conv_2d_nhwc_hwcf": "nhwfijc n_hi_wj_c i_j_c_f n_h_w_f",
    "conv_2d_nhwc_fhwc": "nhwfijc n_hi_wj_c f_i_j_c n_h_w_f",
    "conv_2d_nchw_fchw": "nfhwcij n_c_hi_wj f_c_i_j n_f_h_w",
    "conv_3d_ndhwc_dhwcf": "ndhwfkijc n_dk_hi_wj_c k_i_j_c_f n_d_h_w_f",
    "conv_3d_ncdhw_fcdhw": "nfdhwckij n_c_dk_hi_wj f_c_k_i_j n_f_d_h_w",
    "depthwise_conv_1d_nwc_wc": "nwci n_wi_c i_c n_w_c",
    "depthwise_conv_1d_ncw_cw": "nwci n_c_wi c_i n_c_w",
    "depthwise_conv_2d_nhwc_hwc": "nhwcij n_hi_wj_c i_j_c n_h_w_c",
    "depthwise_conv_2d_nchw_chw": "nhwcij n_c_hi_wj c_i_j n_c_h_w",
    "depthwise_conv_2d_nhwc_hwcm": "nhwcmij n_hi_wj_c i_j_c_m n_h_w_c_m",
    **{
        f"pooling_{layout}_{kind}": shapes
        for layout, shapes in {
            "nhwc": "nhwcij n_hi_wj_c i_j n_h_w_c",
            "nchw": "nchwij n_c_hi_wj i_j n_c_h_w",
            "nwc": "nwci n_wi_c i n_w_c",
            "ncw": "ncwi n_c_wi i n_c_w",
            "ndhwc": "ndhwckij n_dk_hi_wj_c k_i_j n_d_h_w_c",
        }.items()
        for kind in ("sum", "max", "min", "max_unsigned", "min_unsigned")
    },
}
"""Maps each op to its loops, and to the indices of each operand; a letter names a loop.

`hi` is an index into a window: the loops of the output and of the window."""
