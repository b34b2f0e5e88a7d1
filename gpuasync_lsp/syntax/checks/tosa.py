"""tosa: shapes of results, axes, windows of convolutions and pools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.printer import attribute_text

Said = str | Refusal | None
Check = Callable[[View], Said]


def _ranked(type: Attribute) -> TensorType[Attribute]:
    if not isinstance(type, TensorType):
        raise NotKnown
    return cast("TensorType[Attribute]", type)


def _shape(type: Attribute) -> Sequence[int]:
    return _ranked(type).get_shape()


def _result(view: View, index: int = 0) -> Attribute:
    return view.op.results[index].type


def _newest(check: Check) -> Check:
    """Return `check` for LLVM 22 and later, where the dialect verifies most."""

    def of_release(view: View) -> Said:
        said = check(view)
        return Refusal(said, 22) if isinstance(said, str) else said

    return of_release


# Axes


def _reduce(view: View) -> Said:
    axis = view.integer("axis")
    if axis < 0:
        return "reduce axis must not be negative"
    source, made = _shape(view.type("input")), _shape(_result(view))
    if axis >= len(source) and not (axis == 0 and not source):
        return f"expect input tensor rank ({len(source)}) to be larger than reduce axis ({axis})"
    if len(made) != len(source):
        return "expect output tensor rank to be equal to input tensor rank"
    if made and made[axis] not in (1, -1):
        return f"expect reduced dimension size to be 1, got {made[axis]}"
    given, found = _ranked(view.type("input")), _ranked(_result(view))
    if given.element_type != found.element_type:
        wanted = TensorType(given.element_type, [*source[:axis], 1, *source[axis + 1 :]])
        return (
            f"inferred type(s) '{attribute_text(wanted)}' are incompatible with return type(s) of operation "
            f"'{attribute_text(found)}'"
        )
    return None


def _reverse(view: View) -> Said:
    axis = view.integer("axis")
    if axis < 0:
        return "expected non-negative reverse axis"
    source = _shape(view.type("input1"))
    if axis >= len(source) and not (axis == 0 and not source):
        return f"expect input tensor rank ({len(source)}) to be larger than reverse axis ({axis})"
    return None


def _argmax(view: View) -> Said:
    made = _ranked(_result(view))
    if not isinstance(made.element_type, IntegerType):
        return "result tensor is not of integer type"
    source, axis = _shape(view.type("input")), view.integer("axis")
    if not 0 <= axis < len(source):
        return "specified axis is outside the rank of the tensor"
    wanted = [*source[:axis], *source[axis + 1 :]]
    if not _compatible(wanted, made.get_shape()):
        shown = [", ".join("?" if n < 0 else str(n) for n in each) for each in (wanted, made.get_shape())]
        return Refusal(f"expected output shape '{shown[0]}', got '{shown[1]}'", 21)
    return None


def _dim(view: View) -> Said:
    rank, axis = len(_shape(view.type("input1"))), view.integer("axis")
    return None if 0 <= axis < rank else f"expect axis to be in the range [0, {rank}), got {axis}"


def _concat(view: View) -> Said:
    types = [value.type for value in view.op.operands]
    if not types:
        return "expect at least one input"
    made, axis = _ranked(_result(view)), view.integer("axis")
    for each in types:
        element = _ranked(each).element_type
        if element != made.element_type:
            names = f"'{attribute_text(element)}' and '{attribute_text(made.element_type)}'"
            return f"expect input and output to have same element type, got {names}"
    shapes = [_shape(each) for each in types]
    rank = len(shapes[0])
    if not 0 <= axis < rank:
        return f"expect axis to be within range 0 < axis < rank(input1[firstRankedTensorIdx]), got {axis}"
    for number, shape in enumerate(shapes[1:], 1):
        if len(shape) != rank:
            ranks = f"got {rank} vs {len(shape)} on operands 0 and {number}"
            return f"expect all operands to have the same rank, but {ranks}"
        for at, (first, other) in enumerate(zip(shapes[0], shape, strict=True)):
            if at != axis and min(first, other) >= 0 and first != other:
                where = f"got {other} vs {first} at index {at} on operands 0 and {number}"
                return f"expect all operand shapes to have the same sizes on non-axis dimensions, but {where}"
    if len(made.get_shape()) != rank:
        return None
    total, wanted = sum(shape[axis] for shape in shapes), made.get_shape()[axis]
    if all(shape[axis] >= 0 for shape in shapes) and wanted >= 0 and total != wanted:
        words = "requires sum of axis dimensions of input1 equal to output axis dimension"
        return f"{words}, got {total} and {wanted}"
    return None


def _transpose(view: View) -> Said:
    given, made = _ranked(view.type("input1")), _ranked(_result(view))
    perms, source, target = view.integers("perms"), given.get_shape(), made.get_shape()
    if len(perms) != len(source):
        return f"expected perms attribute to have size {len(source)} (input rank) but got size {len(perms)}"
    if len(source) != len(target):
        return "expected input tensor rank to equal result tensor rank"
    if sorted(perms) != list(range(len(source))):
        return "expected valid permutation indices"
    for at, place in enumerate(perms):
        if source[place] >= 0 and target[at] >= 0 and source[place] != target[at]:
            return f"expected output tensor dim {at} to match input dim {place} with value of {source[place]}"
    return None


# Constants


def _const(view: View) -> Said:
    values, made = view.attribute("values"), _ranked(_result(view))
    if not isinstance(values, DenseIntOrFPElementsAttr):
        raise NotKnown
    given = cast("Any", values).type
    if given.element_type != made.element_type:
        return "expected same attr/result element types"
    if tuple(given.get_shape()) != made.get_shape():
        return "failed to verify that all of {values, output} have same shape"
    return None


def _const_shape(view: View) -> Said:
    values = view.attribute("values")
    if not isinstance(values, DenseIntOrFPElementsAttr):
        raise NotKnown
    shape = cast("Any", values).type.get_shape()
    if len(shape) != 1:
        return "expect elements in attribute values with rank 1"
    rank = _rank_of(_result(view))
    if shape[0] != rank and not (rank == 0 and shape[0] == 1):
        words = f"expect number of elements in attribute values ({shape[0]}) to be equal to the rank ({rank})"
        return f"{words} for the result shape type"
    return None


def _rank_of(type: Attribute) -> int:
    """Return N of `!tosa.shape<N>`."""
    text = attribute_text(type)
    digits = text.removeprefix("!tosa.shape<").removesuffix(">").strip()
    if not text.startswith("!tosa.shape<") or not digits.isdigit() or len(digits) > 9:
        raise NotKnown
    return int(digits)


def _constant_of(view: View, name: str) -> list[int]:
    """Return the numbers of the shape `name`, where it is a constant."""
    owner = view.values(name)[0].owner
    values = owner.properties.get("values") if isinstance(owner, Operation) else None
    if not isinstance(values, DenseIntOrFPElementsAttr) or not isinstance(owner, Operation):
        raise NotKnown
    if owner.name != "tosa.const_shape" or (number := _rank_of(owner.results[0].type)) > 16:
        raise NotKnown
    found = [int(each) for each in cast("Any", values).get_values()]
    return found * number if len(found) == 1 else found


def _clamp(view: View) -> Said:
    element = _ranked(view.type("input")).element_type
    low, high = view.attribute("min_val"), view.attribute("max_val")
    numbers = [_number_of(each, element) for each in (low, high)]
    if None in numbers:
        return "min/max attributes types are incompatible with input/output element types."
    if cast("float", numbers[0]) <= cast("float", numbers[1]):
        return None
    shown = [attribute_text(cast("Attribute", each)) for each in (low, high)]
    return f"expected min_val <= max_val, got min_val={shown[0]}, max_val={shown[1]}"


def _number_of(value: Attribute | None, element: Attribute) -> float | None:
    """Return the number that `value` is, None if it is not of the type `element`."""
    if not isinstance(value, FloatAttr | IntegerAttr) or _is_quantized(element):
        raise NotKnown
    number = cast("Any", value)
    return number.value.data if number.type == element else None


# Shapes


def _compatible(first: Sequence[int], second: Sequence[int]) -> bool:
    return len(first) == len(second) and all(
        a == b or min(a, b) < 0 for a, b in zip(first, second, strict=True)
    )


def _product(sizes: Sequence[int]) -> int:
    number = 1
    for size in sizes:
        number *= size
    return number


def _names(first: Attribute, second: Attribute) -> str:
    return f"'{attribute_text(first)}' and '{attribute_text(second)}'"


def _same_elements(view: View, name: str) -> str | None:
    given, made = _ranked(view.type(name)).element_type, _ranked(_result(view)).element_type
    if given == made:
        return None
    return f"expect input and output to have same element type, got {_names(given, made)}"


def _reshape(view: View) -> Said:
    if (said := _same_elements(view, "input1")) is not None:
        return said
    source, target = _shape(view.type("input1")), _shape(_result(view))
    wanted = _constant_of(view, "shape")
    if len(wanted) != len(target):
        return "new shape does not match result rank"
    if any(have >= 0 and size >= 0 and have != size for have, size in zip(wanted, target, strict=True)):
        return "new shape is inconsistent with result shape"
    if min((0, *source, *target)) >= 0 and _product(source) != _product(target):
        return f"cannot reshape {_product(source)} elements into {_product(target)}"
    return None


def _tile(view: View) -> Said:
    if (said := _same_elements(view, "input1")) is not None:
        return said
    rank, given = len(_shape(view.type("input1"))), _rank_of(view.type("multiples"))
    return None if given == rank else f"expect 'multiples' to have rank {rank} but got {given}."


def _slice(view: View) -> Said:
    if (said := _same_elements(view, "input1")) is not None:
        return said
    rank, made = len(_shape(view.type("input1"))), len(_shape(_result(view)))
    if rank != made:
        return f"expect input1 and output to have the same ranks, got {rank} and {made}"
    for name in ("start", "size"):
        if _rank_of(view.type(name)) != rank:
            return f"length of {name} is not equal to rank of input shape"
    return None


def _pad(view: View) -> Said:
    if (said := _same_elements(view, "input1")) is not None:
        return said
    source, made = _shape(view.type("input1")), _shape(_result(view))
    if len(source) != len(made):
        ranks = f"inputRank: {len(source)}, outputRank: {len(made)}"
        return f"expect same input and output tensor rank, but got {ranks}"
    given = _rank_of(view.type("padding"))
    if given != 2 * len(source):
        wanted = f"2 * {len(source)} = {2 * len(source)}"
        return f"padding tensor must have {wanted} elements, but got {given}"
    pads = _constant_of(view, "padding")
    for at, (size, found) in enumerate(zip(source, made, strict=True)):
        low, high = pads[2 * at : 2 * at + 2]
        if min(size, found, low, high) >= 0 and size + low + high != found:
            sum_of = f"{size} + {low} + {high} = {size + low + high}"
            return f"mismatch in output shape at dimension {at}: expected {sum_of}, but got {found}"
    return None


def _table(view: View) -> Said:
    source, made = _shape(view.type("input1")), _shape(_result(view))
    if len(source) != len(made):
        return "expected input tensor rank to equal result tensor rank"
    for at, (size, found) in enumerate(zip(source, made, strict=True)):
        if min(size, found) >= 0 and size != found:
            return f"dim(result, {at}) = {found} doesn't match dim(input, {at}) = {size}"
    return None


def _has(what: str, at: int, wanted: int, found: int) -> str | None:
    if min(wanted, found) < 0 or wanted == found:
        return None
    return f"requires {what} dimension {at} to have size {wanted}, got {found}"


def _gather(view: View) -> Said:
    values, indices, made = (
        _shape(each) for each in (view.type("values"), view.type("indices"), _result(view))
    )
    if (len(values), len(indices), len(made)) != (3, 2, 3):
        return None
    return (
        _has("indices", 0, values[0], indices[0])
        or _has("output", 0, values[0], made[0])
        or _has("output", 1, indices[1], made[1])
        or _has("output", 2, values[2], made[2])
    )


def _scatter(view: View) -> Said:
    values, indices, given = (_shape(view.type(name)) for name in ("values_in", "indices", "input"))
    made = _shape(_result(view))
    if (len(values), len(indices), len(given), len(made)) != (3, 2, 3, 3):
        return None
    said = (
        _has("indices", 0, values[0], indices[0])
        or _has("input", 0, values[0], given[0])
        or _has("input", 1, indices[1], given[1])
        or _has("input", 2, values[2], given[2])
        or _has("values_out", 0, values[0], made[0])
        or _has("values_out", 1, values[1], made[1])
        or _has("values_out", 2, values[2], made[2])
    )
    if said is None and min(values[1], indices[1]) >= 0 and values[1] < indices[1]:
        return f"requires dimensions K >= W, got K={values[1]} and W={indices[1]}"
    return said


def _broadcast(shapes: Sequence[Sequence[int]]) -> list[int] | None:
    """Return the shape that all of `shapes`, of one rank, make together; None where they do not fit."""
    found: list[int] = []
    for sizes in zip(*shapes, strict=True):
        known = {size for size in sizes if size > 1 or size == 0}
        if len(known) > 1:
            return None
        found.append(known.pop() if known else min(sizes))
    return found


def _elementwise(view: View) -> Said:
    given, made = [_shape(value.type) for value in view.op.operands], _shape(_result(view))
    if len({len(each) for each in given}) > 1:
        return "operands don't have matching ranks"
    together = _broadcast(given)
    if together is None:
        return "operands don't have broadcast-compatible shapes"
    if _compatible(together, made):
        return None
    shown = ["x".join("?" if size < 0 else str(size) for size in each) for each in (made, together)]
    return (
        f"result type '{shown[0]}' not broadcast compatible with broadcasted operands's shapes '{shown[1]}'"
    )


def _mul(view: View) -> Said:
    types = [view.type(name) for name in ("input1", "input2")]
    if _ranked(types[0]).element_type != _ranked(types[1]).element_type:
        return "requires the same element type for all operands"
    shapes = [_shape(each) for each in types]
    if len(shapes[0]) != len(shapes[1]):
        return f"a and b operands don't have matching ranks, got {len(shapes[0])} and {len(shapes[1])}"
    if _broadcast(shapes) is None:
        return f"a and b operands don't have broadcast-compatible shapes, got {_names(*types)}"
    return None


def _select(view: View) -> Said:
    made = _ranked(_result(view)).element_type
    for name in ("input2", "input3"):
        element = _ranked(view.type(name)).element_type
        if element != made:
            return f"expect input and output to have same element type, got {_names(element, made)}"
    return _elementwise(view)


def _is_quantized(type: Attribute) -> bool:
    return "quant" in attribute_text(type)


def _zero_point(view: View, value: Attribute, name: str, what: str) -> str | None:
    """Say whether the zero point `name` is of the element type of `value`."""
    element, point = _ranked(value).element_type, _ranked(view.type(name)).element_type
    if element == point or _is_quantized(element) or _is_quantized(point):
        return None
    return f"expect both {what} and its zero point are the same element type, got {_names(element, point)}"


def _negate(view: View) -> Said:
    return _zero_point(view, view.type("input1"), "input1_zp", "input") or _zero_point(
        view, _result(view), "output_zp", "output"
    )


def _matmul(view: View) -> Said:
    for name in "ab":
        element, point = (_ranked(view.type(each)).element_type for each in (name, f"{name}_zp"))
        if element != point and not _is_quantized(element):
            words = f"expect input {name} and {name}_zp have the same element type"
            return f"{words}, got {_names(element, point)}"
    return None


# Windows

_AXES = {
    "height": ("top", "bottom", "y"),
    "width": ("left", "right", "x"),
    "depth": ("front", "back", "d"),
}


class _Side(NamedTuple):
    """One axis along which a window moves."""

    axis: str
    size: int
    pads: tuple[int, int]
    stride: int
    made: int


def _least(view: View, names: Sequence[tuple[str, str, int]]) -> str | None:
    for name, what, least in names:
        numbers = view.integers(name)
        if any(number < least for number in numbers):
            return f"expect all {what} values to be >= {least}, got {', '.join(map(str, numbers))}"
    return None


def _moves(side: _Side, reach: int, formula: str, given: str) -> str | None:
    """Say whether a window, `reach` behind its first element, makes what the result has."""
    if side.size < 0:
        return None
    low, high, short = _AXES[side.axis]
    whole = side.size + sum(side.pads) - reach
    if whole % side.stride:
        numbers = f"({side.size} + {side.pads[0]} + {side.pads[1]} - {given}) / {side.stride}"
        return (
            f"expected input_{side.axis} + pad_{low} + pad_{high} - {formula} to be wholly divisible by "
            f"stride_{short}, got {numbers}"
        )
    calculated = whole // side.stride + 1
    if side.made >= 0 and calculated != side.made:
        found = f"calculated={calculated}, expected={side.made}"
        return f"calculated output {side.axis} did not match expected: {found}"
    return None


def _pool(view: View) -> Said:
    windows = (("kernel", "kernel", 1), ("stride", "stride", 1), ("pad", "padding", 0))
    if (said := _least(view, windows)) is not None:
        return said
    kernel, stride, pad = (view.integers(name) for name in ("kernel", "stride", "pad"))
    source, made = _shape(view.type("input")), _shape(_result(view))
    if (len(kernel), len(stride), len(pad), len(source), len(made)) != (2, 2, 4, 4, 4):
        return None
    for at, axis in enumerate(("height", "width")):
        low, high, short = _AXES[axis]
        pads = (pad[2 * at], pad[2 * at + 1])
        if max(pads) >= kernel[at]:
            words = f"expected {low}/{high} padding to be less than the {axis} of the kernel"
            return f"{words}, got pad_{low}={pads[0]}, pad_{high}={pads[1]}, kernel_{short}={kernel[at]}"
    for at, axis in enumerate(("height", "width")):
        pads = (pad[2 * at], pad[2 * at + 1])
        side = _Side(axis, source[at + 1], pads, stride[at], made[at + 1])
        said = _moves(side, kernel[at], f"kernel_{_AXES[axis][2]}", str(kernel[at]))
        if said is not None:
            return said
    return None


def _average(view: View) -> Said:
    return (
        _pool(view)
        or _zero_point(view, view.type("input"), "input_zp", "input")
        or _zero_point(view, _result(view), "output_zp", "output")
        or _accumulator(view)
    )


def _accumulator(view: View) -> Said:
    element, wanted = _ranked(view.type("input")).element_type, view.attribute("acc_type")
    text = "" if wanted is None else attribute_text(wanted)
    name = attribute_text(element)
    allowed = {"i8": ("i32",), "f32": ("f32",), "bf16": ("f32",), "f16": ("f16", "f32"), "i16": ("i48",)}
    if view.op.name == "tosa.avg_pool2d":
        allowed["i16"] = ("i32",)
    if name not in allowed or not text or text in allowed[name]:
        return None
    return f"accumulator type for {name} tensor is not {'/'.join(allowed[name])}"


def _convolution(depth: int, kernel_at: int) -> Check:
    """Return a check of convolutions over `depth` axes; the kernel's begin at `kernel_at` of the weight."""

    def check(view: View) -> Said:
        given, weight = _ranked(view.type("input")), _ranked(view.type("weight"))
        pair = (given.element_type, weight.element_type)
        if isinstance(pair[0], AnyFloat) != isinstance(pair[1], AnyFloat) and not any(
            map(_is_quantized, pair)
        ):
            return f"expect both input and weight to be float or not together, got {_names(*pair)}"
        said = (
            _accumulator(view)
            or _zero_point(view, given, "input_zp", "input")
            or _zero_point(view, weight, "weight_zp", "weight")
            or _least(view, (("pad", "padding", 0), ("stride", "stride", 1), ("dilation", "dilation", 1)))
        )
        if said is not None:
            return said
        stride, pad, dilation = (view.integers(name) for name in ("stride", "pad", "dilation"))
        made = _shape(_result(view))
        if len(made) != depth + 2 or len(pad) != 2 * depth or not len(stride) == len(dilation) == depth:
            return None
        for at, axis in enumerate(("depth", "height", "width")[3 - depth :]):
            reach = weight.get_shape()[kernel_at + at]
            side = _Side(
                axis, given.get_shape()[at + 1], (pad[2 * at], pad[2 * at + 1]), stride[at], made[at + 1]
            )
            short = _AXES[axis][2]
            formula = f"(kernel_{short} - 1) * dilation_{short}"
            numbers = f"({reach} - 1) * {dilation[at]}"
            if reach < 0:
                continue
            size = side._replace(size=side.size - 1 if side.size >= 0 else side.size)
            found = _moves(size, (reach - 1) * dilation[at], formula, numbers)
            if found is not None:
                head = f"expected input_{axis} "
                return found.replace(head, f"{head}- 1 ", 1).replace(
                    f"got ({size.size} ", f"got ({side.size} - 1 "
                )
        bias, channels = _shape(view.type("bias")), made[-1]
        if len(bias) == 1 and min(bias[0], channels) >= 0 and bias[0] not in (1, channels):
            words = f"bias channels expected to be equal to output channels ({channels}) or 1"
            return f"{words}, got {bias[0]}"
        return None

    return check


_ELEMENTWISE = (
    "add", "arithmetic_right_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "greater",
    "greater_equal", "intdiv", "logical_and", "logical_left_shift", "logical_or", "logical_right_shift",
    "logical_xor", "maximum", "minimum", "pow", "sub",
)  # fmt: skip
_REDUCTIONS = ("all", "any", "max", "min", "product", "prod", "sum")
_NEWEST: dict[str, Check] = {
    "avg_pool2d": _average,
    "clamp": _clamp,
    "concat": _concat,
    "const": _const,
    "const_shape": _const_shape,
    "conv2d": _convolution(2, 1),
    "conv3d": _convolution(3, 1),
    "depthwise_conv2d": _convolution(2, 0),
    "dim": _dim,
    "gather": _gather,
    "matmul": _matmul,
    "max_pool2d": _pool,
    "mul": _mul,
    "negate": _negate,
    "pad": _pad,
    "reshape": _reshape,
    "scatter": _scatter,
    "select": _select,
    "slice": _slice,
    "table": _table,
    "tile": _tile,
    "transpose": _transpose,
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
}

CHECKS: dict[str, Check] = {
    **{f"tosa.{name}": _newest(check) for name, check in _NEWEST.items()},
    **{f"tosa.reduce_{name}": _reduce for name in _REDUCTIONS},
    "tosa.argmax": _argmax,
    "tosa.reverse": _reverse,
}
