"""linalg: the checks of individual ops, which call those in `structured.py`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from gpuasync_lsp.syntax.checks.linalg.maps import BINARY, UNARY
from gpuasync_lsp.syntax.checks.linalg.structured import (
    Fault,
    body,
    destinations,
    element_of,
    is_pure,
    known_types,
    maps_of,
    shape_of,
    spaces,
)
from gpuasync_lsp.syntax.checks.view import Checks, NotKnown, VerifierError, View, elements
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

_NOT_LOOPS = frozenset(
    {"linalg.pack", "linalg.unpack", "linalg.softmax", "linalg.yield", "linalg.index",
     "linalg.winograd_filter_transform", "linalg.winograd_input_transform",
     "linalg.winograd_output_transform"}
)  # fmt: skip
"""The linalg ops without the LinalgOp interface."""


def _interface(view: View, maps: Sequence[AffineMap] | None, loops: int | None, outputs: str) -> Fault:
    op = view.op
    operands = list(op.operands)
    if (error := destinations(op, view.values(outputs))) is not None:
        return error
    if operands and not is_pure(known_types(operands)):
        return VerifierError("expected to have pure tensor or buffer semantics", 19)
    if maps is None or loops is None:
        return None
    if (error := spaces(maps, operands, loops)) is not None:
        return error
    return body(op, operands)


def _generic(view: View) -> Fault:
    loops = len(elements(view.attribute("iterator_types")))
    return _interface(view, maps_of(view.op, view), loops, "outputs")


def _named(view: View) -> Fault:
    op = view.op
    maps = maps_of(op, view)
    name = op.name.removeprefix("linalg.")
    if maps is not None and len(maps) != len(op.operands):
        return _arity(view, len(maps))
    if name in UNARY | BINARY and len(op.operands) != 2 + (name in BINARY):
        return _arity(view, 2 + (name in BINARY))
    if name.startswith("pooling_") and name.endswith("_unsigned"):
        element = element_of(known_types(op.operands)[-1])
        if isinstance(element, AnyFloat):
            kind = name.split("_")[-2]
            words = f"custom op '{op.name}' unsupported operation: unsigned {kind} not on uint"
            return VerifierError(words, 22, bare=True)
    error = _interface(view, maps, maps[0].num_dims if maps else None, "outputs")
    return error or (_elements(view, name) if name in UNARY | BINARY else None)


def _arity(view: View, wanted: int) -> VerifierError:
    words = f"[parseNamedStructuredOpRegion] ods-gen generated region expects {wanted} args"
    return VerifierError(f"custom op '{view.op.name}' {words}, got {len(view.op.operands)}", bare=True)


def _elements(view: View, name: str) -> Fault:
    """Check that the element types of all operands fit an op whose body has no casts."""
    types = [element_of(type) for type in known_types(view.op.operands)]
    is_float = [isinstance(type, AnyFloat) for type in types]
    if name == "div_unsigned" and is_float[0] and is_float[1]:
        words = f"custom op '{view.op.name}' unsupported operation: unsigned div not on uint"
        return VerifierError(words, 22, bare=True)
    if name in BINARY and types[0] != types[1]:
        if is_float[0] == is_float[1] and not any("complex" in type.name for type in types):
            of_floats, of_integers = _BODIES.get(name, ("", ""))
            body_op = of_floats if is_float[0] else of_integers
            words = f"'{body_op}' op requires the same type for all operands and results"
            return VerifierError(words, bare=True) if body_op else None
        names = f"'{attribute_text(types[0])}' and '{attribute_text(types[1])}'"
        words = "Cannot build binary Linalg operation: expects allComplex, allFloatingPoint, or allInteger"
        return VerifierError(f"custom op '{view.op.name}' {words}, got {names}", bare=True)
    if types[0] != types[-1]:
        return VerifierError(
            f"'linalg.yield' op type of yield operand 1 ('{attribute_text(types[0])}') doesn't match the "
            f"element type of the enclosing linalg.generic op ('{attribute_text(types[-1])}')",
            bare=True,
        )
    return None


def _fill(view: View) -> Fault:
    op = view.op
    if len(op.operands) != 2:
        return _arity(view, 2)
    if (error := destinations(op, view.values("outputs"))) is not None:
        return error
    value, target = known_types(op.operands)
    if value.name in ("tensor", "memref", "unranked_tensor", "unranked_memref"):
        return VerifierError("expected op with scalar input", bare=True)
    element = element_of(target)
    if value != element:
        names = f"('{attribute_text(value)}') to match output element type ('{attribute_text(element)}')"
        return VerifierError(f"expected fill value type {names}", 22)
    return None


_BODIES = {
    "add": ("arith.addf", "arith.addi"),
    "sub": ("arith.subf", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli"),
    "div": ("arith.divf", "arith.divsi"),
    "div_unsigned": ("", "arith.divui"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
    "powf": ("math.powf", ""),
}
"""Maps each named op to the ops in its body: for floats, and for integers."""


# Products with explicit maps


def _matmul(view: View) -> Fault:
    op = view.op
    if view.attribute("indexing_maps") is None:
        return _named(view)
    if len(op.operands) != 3:
        return _arity(view, 3)
    maps = maps_of(op, view) or []
    if len(maps) == 3:
        for given, wanted in zip(maps, ({0, 2}, {2, 1}), strict=False):
            places = [each.position for each in given.results if isinstance(each, AffineDimExpr)]
            if len(places) != len(given.results) or not set(places) <= wanted:
                return "Unexpected dim expression in map result."
            if len(places) < 2 and places != [2]:
                return "Invalid broadcast requested, should be (d2)."
    return _interface(view, maps, 3, "outputs")


def _batch(view: View) -> Fault:
    """Check the maps of batch products, but only against rules that all valid maps satisfy."""
    op = view.op
    if view.attribute("indexing_maps") is None:
        return _named(view)
    if len(op.operands) != 3:
        return _arity(view, 3)
    maps = maps_of(op, view) or []
    if len(maps) != 3:
        return "Indexing_map attribute must have 3 affine maps."
    is_reduced = op.name == "linalg.batch_reduce_matmul"
    wanted = ({0, 1, 3}, {0, 3, 2}, {1, 2} if is_reduced else {0, 1, 2})
    for index, (given, dims) in enumerate(zip(maps, wanted, strict=True)):
        places = [each.position for each in given.results if isinstance(each, AffineDimExpr)]
        if len(given.results) > 3 - (index == 2 and is_reduced):
            return "no. of result dim expressions exceeds 3."
        if len(places) != len(given.results) or not set(places) <= dims:
            return "Unexpected result dim expression (outside the set of default result dims)."
        if index < 2 and len(places) == 3 and places[0] != 0:
            return "Invalid batch dimension expression."
    if len(maps[2].results) != len(wanted[2]):
        return f"expects {len(wanted[2])} dims, but got ({len(maps[2].results)})."
    return _interface(view, maps, 4, "outputs")


def _contract(view: View) -> Fault:
    maps, types = maps_of(view.op, view), known_types(view.op.operands)
    if maps is None or len(maps) != 3 or len(types) != 3:
        return None
    error = _contraction(maps, types)
    return VerifierError(error, bare=True) if error else _interface(view, maps, maps[0].num_dims, "outputs")


def _contraction(maps: Sequence[AffineMap], types: Sequence[Attribute]) -> str | None:
    dims = maps[0].num_dims
    taken, made = [0] * dims, [0] * dims
    for index, (each, type) in enumerate(zip(maps, types, strict=True)):
        if each.num_dims != dims:
            return "iteration spaces of provided affine_maps differ"
        places = [one.position for one in each.results if isinstance(one, AffineDimExpr)]
        if len(set(places)) != len(each.results) or each.num_symbols:
            return "provided affine_map is not a projected permutation"
        is_shaped = type.name in ("tensor", "memref", "vector")
        if is_shaped and len(places) != len(shape_of(type)) and type.name != "vector":
            return "ranks of shaped operand and results of corresponding affine_map differ"
        if not is_shaped and places:
            return "affine_map specifies shaped access while operand has non-shaped type"
        for place in places:
            (taken if index < 2 else made)[place] += 1
    for dim in range(dims):
        if not taken[dim] and not made[dim]:
            return f"iteration space dim at index {dim} not used to access any operand"
        if taken[dim] == 1 and made[dim] != 1:
            words = "is neither a contracting dim nor of parallel iteration type"
            return f"iteration space dim at index {dim} {words}"
    if not any(one == 2 and not other for one, other in zip(taken, made, strict=True)):
        return "'indexing_maps' do not specify a contracting dimension"
    return None


_TERNARY = frozenset({"select"})


def _elementwise(view: View) -> Fault:
    op = view.op
    kind = view.word("kind")
    if kind is None:
        raise NotKnown
    wanted = 4 if kind in _TERNARY else 3 if kind in BINARY | _MORE_BINARY else 2
    maps = maps_of(op, view)
    if len(op.operands) != wanted:
        return _arity(view, wanted)
    rank = len(shape_of(known_types(op.operands)[-1]))
    if maps is None:
        maps = [AffineMap.identity(rank)] * len(op.operands)
    return _interface(view, maps, rank, "outputs")


_MORE_BINARY = frozenset({"max_signed", "min_signed", "max_unsigned", "min_unsigned"})


# Ops with an explicit body


def _map(view: View) -> Fault:
    op = view.op
    inputs, init = known_types(view.values("inputs")), known_types(view.values("init"))
    if not inputs and not init:
        return None
    if op.regions and op.regions[0].first_block is not None:
        arguments = op.regions[0].first_block.args
        count = len(arguments)
        if count == len(inputs):
            words = (
                f"expects number of operands to match the arity of mapper, but got: {count + 1} and {count}"
            )
            return VerifierError(words, 22)
        if count == len(inputs) + 1:
            words = (
                f"expects number of operands to match the arity of mapper, but got: {count - 1} and {count}"
            )
            error = _mapped([argument.type for argument in arguments], inputs, init)
            return VerifierError(error or "", 22, earlier=words)
        return (
            f"expects number of operands to match the arity of mapper, but got: {len(inputs) + 1} and {count}"
        )
    return _mapped([], inputs, init) or destinations(op, view.values("init"))


def _mapped(
    arguments: Sequence[Attribute], inputs: Sequence[Attribute], init: Sequence[Attribute]
) -> str | None:
    for argument, type in zip(arguments, inputs, strict=False):
        if argument != element_of(type):
            return (
                f"expected element type of input '{attribute_text(element_of(type))}' to match bbArg type "
                f"'{attribute_text(argument)}'"
            )
    if len(init) != 1:
        return None
    for type in inputs:
        if shape_of(type) != shape_of(init[0]):
            sizes = [", ".join(map(_size, shape_of(each))) for each in (type, init[0])]
            return f"expected shape of input ({sizes[0]}) to match shape of output ({sizes[1]})"
    return None


def _size(number: int) -> str:
    return str(-(1 << 63)) if number == DYNAMIC_INDEX else str(number)


def _reduce(view: View) -> Fault:
    op = view.op
    inputs, inits = known_types(view.values("inputs")), known_types(view.values("inits"))
    dims = view.integers("dimensions")
    if any(one >= other for one, other in pairwise(dims)):
        words = "i64 dense array attribute should be in increasing order"
        return f"attribute 'dimensions' failed to satisfy constraint: {words}"
    if not inputs or len(inputs) != len(inits):
        return None
    for what, short, types in (("inputs", "input", inputs), ("outputs", "output", inits)):
        for index, type in enumerate(types):
            if shape_of(type) != shape_of(types[0]):
                return (
                    f"expects all {what} to have the same shapes. Shape at {short}-index {index} is not "
                    f"equal to the shape at {short}-index 0."
                )
    shape, left = shape_of(inputs[0]), shape_of(inits[0])
    if any(not 0 <= dim < len(shape) for dim in dims):
        return f"dimensions for reduction should be in the range [0, {len(shape) - 1}]."
    kept = tuple(size for at, size in enumerate(shape) if at not in dims)
    if len(kept) != len(left):
        return f"number of dimensions after reduction {len(kept)} doesn't match the init rank {len(left)}"
    if kept != left:
        shown = [", ".join(map(_size, each)) for each in (left, kept)]
        return f"init dimensions [{shown[0]}] doesn't match input dimensions after reduction [{shown[1]}]"
    return _reducer(op, inputs, inits) or destinations(op, view.values("inits"))


def _reducer(op: Operation, inputs: Sequence[Attribute], inits: Sequence[Attribute]) -> str | None:
    block = op.regions[0].first_block if op.regions else None
    if block is None:
        return None
    if len(block.args) != len(op.operands):
        return "mismatching number of operands and block arguments"
    for index, (type, argument) in enumerate(zip((*inputs, *inits), block.args, strict=True)):
        element = element_of(type)
        if element != argument.type and not isinstance(argument.type, UnknownType):
            what = "input" if index < len(inputs) else "output"
            names = f"'{attribute_text(element)}' does not match corresponding block argument type "
            return f"{what} element type {names}'{attribute_text(argument.type)}'"
    return None


def _broadcast(view: View) -> Fault:
    source, init = shape_of(view.type("input")), shape_of(view.type("init"))
    dims = view.integers("dimensions")
    if len(source) + len(dims) != len(init):
        return (
            f"input rank plus added dimensions does not match init rank. input rank: {len(source)}, "
            f"dimensions size: {len(dims)}, init rank: {len(init)}"
        )
    for index, dim in enumerate(dims):
        if not 0 <= dim < len(init):
            return f"dimension {index} is out of range. expected range: [0, {len(init) - 1}], got: {dim}"
    kept = [at for at in range(len(init)) if at not in dims]
    for index, at in enumerate(kept[: len(source)]):
        if source[index] != init[at]:
            names = f"input: {_size(source[index])}, init: {_size(init[at])}"
            return f"input dim {index} should match init dim {at}. {names}"
    return destinations(view.op, view.values("init"))


def _transpose(view: View) -> Fault:
    source, init = shape_of(view.type("input")), shape_of(view.type("init"))
    permutation = view.integers("permutation")
    if sorted(permutation) != list(range(len(permutation))):
        return "permutation is not valid"
    if len(source) != len(init):
        return f"input rank {len(source)} does not match init rank {len(init)}"
    if len(permutation) != len(source):
        return f"size of permutation {len(permutation)} does not match the argument rank {len(source)}"
    for index, at in enumerate(permutation):
        if source[at] != init[index]:
            return (
                f"dim(result, {index}) = {_size(init[index])} doesn't match dim(input, permutation[{index}]) "
                f"= {_size(source[at])}"
            )
    return destinations(view.op, view.values("init"))


def _softmax(view: View) -> Fault:
    source, output = shape_of(view.type("input")), shape_of(view.type("output"))
    agree = all(a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(source, output, strict=False))
    if len(source) != len(output) or not agree:
        return "incompatible output shape"
    if not 0 <= view.integer("dimension") < len(source):
        return "incorrect dimension specified"
    return destinations(view.op, view.values("output"))


# Ops inside bodies


def _loop_op(view: View) -> Operation | None:
    parent = view.op.parent_op()
    if parent is None or isinstance(parent, OpaqueOp):
        raise NotKnown
    is_loops = parent.dialect_name() == "linalg" and parent.name not in _NOT_LOOPS
    return parent if is_loops else None


_OUTPUTS = {
    "linalg.broadcast": "init",
    "linalg.map": "init",
    "linalg.reduce": "inits",
    "linalg.transpose": "init",
}
"""The group name of an op's output operands, for ops that do not call it `outputs`."""


def _yield(view: View) -> Fault:
    parent = _loop_op(view)
    if parent is None:
        return "expected parent op with LinalgOp interface"
    outer = View(parent)
    outputs = outer.values(_OUTPUTS.get(parent.name, "outputs"))
    given = view.op.operands
    if len(given) != len(outputs):
        return (
            f"expected number of yield values ({len(given)}) to match the number of inits / outs operands of "
            f"the enclosing LinalgOp ({len(outputs)})"
        )
    for index, (value, type) in enumerate(zip(given, known_types(outputs), strict=True)):
        element = element_of(type)
        if value.type != element and not isinstance(value.type, UnknownType):
            return (
                f"type of yield operand {index + 1} ('{attribute_text(value.type)}') doesn't match the "
                f"element type of the enclosing linalg.generic op ('{attribute_text(element)}')"
            )
    return None


def _index(view: View) -> Fault:
    parent = _loop_op(view)
    if parent is None:
        return "expected parent op with LinalgOp interface"
    if parent.name != "linalg.generic":
        raise NotKnown
    loops, dim = len(elements(View(parent).attribute("iterator_types"))), view.integer("dim")
    if dim >= loops:
        return (
            f"expected dim ({dim}) to be lower than the number of loops ({loops}) of the enclosing LinalgOp"
        )
    return None


OWN: Checks = {
    "linalg.generic": _generic,
    "linalg.fill": _fill,
    "linalg.matmul": _matmul,
    "linalg.batch_matmul": _batch,
    "linalg.batch_reduce_matmul": _batch,
    "linalg.contract": _contract,
    "linalg.elementwise": _elementwise,
    "linalg.map": _map,
    "linalg.reduce": _reduce,
    "linalg.broadcast": _broadcast,
    "linalg.transpose": _transpose,
    "linalg.softmax": _softmax,
    "linalg.yield": _yield,
    "linalg.index": _index,
}
named = _named
"""The check of a named op without explicit maps."""
