"""tensor: types of casts, sizes, slices, reshapes, gathers and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Block

from gpuasync_lsp.syntax.checks.packs import pack, unpack
from gpuasync_lsp.syntax.checks.slices import groups_of, in_bounds, mixed_lists
from gpuasync_lsp.syntax.checks.view import Checks, Fault, NotKnown, VerifierError, View, bits
from gpuasync_lsp.syntax.kinds import element_type, is_tensor
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

AnyTensor = TensorType[Attribute]


def _tensor(type: Attribute) -> AnyTensor:
    if not is_tensor(type):
        raise NotKnown
    return type


def _shape(type: AnyTensor) -> tuple[int, ...]:
    return tuple(type.get_shape())


def _agree(a: int, b: int) -> bool:
    return a == b or DYNAMIC_INDEX in (a, b)


# Casts


def _casts(view: View, *, same_width: bool) -> Fault:
    source, target = view.type("source"), view.type("dest")
    for type in (source, target):
        if not isinstance(type, TensorType | UnrankedTensorType):
            raise NotKnown
    before, after = cast("AnyTensor", source), cast("AnyTensor", target)
    fits = before.element_type == after.element_type
    if same_width:
        fits = bits(before.element_type) == bits(after.element_type)
    if fits and isinstance(source, TensorType) and isinstance(target, TensorType):
        sizes = _shape(before), _shape(after)
        fits = len(sizes[0]) == len(sizes[1]) and all(map(_agree, *sizes))
    if fits:
        return None
    names = f"operand type '{attribute_text(before)}' and result type '{attribute_text(after)}'"
    return f"{names} are cast incompatible"


# Elements


def _count(view: View, type: Attribute, what: str) -> Fault:
    if view.count("indices") != len(_shape(_tensor(type))):
        return f"incorrect number of indices{what}"
    return None


def _dynamic(view: View, name: str) -> Fault:
    wanted = _shape(_tensor(view.op.results[0].type)).count(DYNAMIC_INDEX)
    given = view.count(name)
    return f"incorrect number of dynamic sizes, has {given}, expected {wanted}" if given != wanted else None


def _yields(block: Block, element: Attribute) -> bool:
    """Return whether a body yields a value of type `element`; true if that is unknown."""
    last = block.last_op
    if last is None or last.name != "tensor.yield" or len(last.operands) != 1:
        return True
    return last.operands[0].type == element or isinstance(last.operands[0].type, UnknownType)


def _generate(view: View) -> Fault:
    result = _tensor(view.op.results[0].type)
    if len(view.op.operands) != _shape(result).count(DYNAMIC_INDEX):
        words = "must have as many index operands as dynamic extents in the result type"
        given = len(view.op.operands)
        dynamic = _shape(result).count(DYNAMIC_INDEX)
        newer = f"'tensor.generate' op incorrect number of dynamic sizes, has {given}, expected {dynamic}"
        return VerifierError(newer, 20, bare=True, earlier=words)
    block = view.block()
    if any(not isinstance(each.type, IndexType | UnknownType) for each in block.args):
        return VerifierError("all body arguments must be index", bare=True)
    if len(block.args) != len(_shape(result)):
        return VerifierError("must have one body argument per input dimension", bare=True)
    if _yields(block, result.element_type):
        return None
    return "body must be terminated with a `yield` operation of the tensor element type"


# Reshapes


def _reshape(view: View) -> Fault:
    source, result, shape = view.type("source"), view.type("result"), _tensor(view.type("shape"))
    if element_type(source) != element_type(result):
        return "element types of source and destination tensor types should be the same"
    length = _shape(shape)[0] if len(_shape(shape)) == 1 else None
    if length is None or not isinstance(result, TensorType):
        return None
    sizes = _shape(_tensor(cast("Attribute", result)))
    if isinstance(source, TensorType):
        old = _shape(_tensor(cast("Attribute", source)))
        if DYNAMIC_INDEX not in (*old, *sizes) and prod(old) != prod(sizes):
            return "source and destination tensor should have the same number of elements"
    if length == DYNAMIC_INDEX:
        return "cannot use shape operand with dynamic length to reshape to statically-ranked tensor type"
    if length != len(sizes):
        return "length of shape operand differs from the result's tensor rank"
    return None


def _expand(view: View) -> Fault:
    source, result = _tensor(view.type("src")), _tensor(view.type("result"))
    if view.attribute("static_output_shape") is not None:
        static, rank = view.integers("static_output_shape"), len(_shape(result))
        if len(static) != rank:
            return (
                f"expected number of static shape dims to be equal to the output rank ({rank}) but found "
                f"{len(static)} inputs instead"
            )
        dynamic, given = static.count(DYNAMIC_INDEX), view.count("output_shape")
        if dynamic != given:
            return (
                "mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape has "
                f"{dynamic} dynamic dims while output_shape has {given} values"
            )
    return _regrouped(view, source, result, is_expansion=True)


def _collapse(view: View) -> Fault:
    return _regrouped(view, _tensor(view.type("result")), _tensor(view.type("src")), is_expansion=False)


def _regrouped(view: View, small: AnyTensor, large: AnyTensor, *, is_expansion: bool) -> Fault:
    few, many, groups = _shape(small), _shape(large), groups_of(view)
    if len(many) < len(few):
        return (
            f"expected the expanded type, '{attribute_text(large)}' to have a higher (or same) rank than the "
            f"collapsed type, '{attribute_text(small)}'."
        )
    if not few:
        return None
    if len(groups) != len(few):
        return (
            f"expected collapsed rank ({len(few)}) to equal the number of reassociation maps ({len(groups)})."
        )
    flat = [at for group in groups for at in group]
    if flat != list(range(len(many))):
        return _contiguous(groups, len(many))
    for index, (group, size) in enumerate(zip(groups, few, strict=True)):
        sizes = [many[at] for at in group]
        if DYNAMIC_INDEX in sizes:
            if size != DYNAMIC_INDEX:
                return (
                    f"expected dimension {index} of collapsed type to be dynamic since one or more of the "
                    "corresponding dimensions in the expanded type is dynamic"
                )
        elif prod(sizes) != size:
            return f"expected dimension {index} of collapsed type to be static value of {prod(sizes)}"
    if small.element_type != large.element_type:
        wanted = TensorType(large.element_type, small.get_shape())
        names = f"'{attribute_text(wanted)}', but got '{attribute_text(small)}'"
        return f"expected collapsed type to be {names}"
    return None


def _contiguous(groups: Sequence[Sequence[int]], rank: int) -> Fault:
    following = 0
    largest = max((at for group in groups for at in group), default=-1)
    if largest + 1 != rank:
        return (
            f"expected reassociation map #0 to have size equal to the expanded rank ({rank}), but it is "
            f" {largest + 1}."
        )
    for index, group in enumerate(groups):
        if list(group) != list(range(following, following + len(group))):
            return f"expected reassociation map #{index} to be valid and contiguous."
        following += len(group)
    return None


# Slices


def _lists(view: View) -> list[tuple[int, ...]]:
    return [view.integers(f"static_{name}") for name in ("offsets", "sizes", "strides")]


def _ranks(view: View, rank: int) -> VerifierError | None:
    lists = _lists(view)
    rest = "so the rank of the result type is well-formed."
    counts = [len(each) for each in lists]
    if counts[0] != counts[1]:
        words = f"expected mixed offsets rank to match mixed sizes rank ({counts[0]} vs {counts[1]}) {rest}"
        return VerifierError(words, bare=True)
    if counts[1] != counts[2]:
        words = f"expected mixed sizes rank to match mixed strides rank ({counts[1]} vs {counts[2]}) {rest}"
        return VerifierError(words, bare=True)
    for name, count in zip(("offset", "size", "stride"), counts, strict=True):
        if count != rank:
            return VerifierError(f"expected {rank} {name} values, got {count}", bare=True)
    return None


def _reduced(whole: AnyTensor, part: AnyTensor) -> Fault:
    """Return the error unless `part` results from `whole` by dropping dimensions of size 1."""
    sizes, ours = _shape(whole), _shape(part)
    if len(ours) > len(sizes):
        return VerifierError("expected rank to be smaller or equal to the other rank.", bare=True)
    if not _drops(sizes, ours):
        shown = f"expected type to be '{attribute_text(whole)}' or a rank-reduced version. (size mismatch)"
        return VerifierError(shown, bare=True)
    if whole.element_type != part.element_type:
        return VerifierError(f"expected element type to be '{attribute_text(whole.element_type)}'", bare=True)
    return None


def _drops(whole: Sequence[int], part: Sequence[int]) -> bool:
    reachable = {0}
    for size in whole:
        following = {at + 1 for at in reachable if at < len(part) and part[at] == size}
        if size == 1:
            following |= reachable
        reachable = following
    return len(part) in reachable


def _slice(view: View, whole: str, part: Attribute) -> Fault:
    outer, inner = _tensor(view.type(whole)), _tensor(part)
    if (error := mixed_lists(view)) is not None:
        return error
    if (error := _ranks(view, len(_shape(outer)))) is not None:
        return error
    offsets, sizes, strides = _lists(view)
    wanted: AnyTensor = TensorType(outer.element_type, sizes)
    error = _reduced(wanted, inner)
    return error or in_bounds(_shape(outer), offsets, sizes, strides)


def _parallel_insert(view: View) -> Fault:
    parent = view.op.parent_op()
    if parent is not None and parent.name in ("func.func", "scf.for", "scf.if", "scf.forall", "scf.while"):
        newer = "expected InParallelOpInterface parent, got:"
        return VerifierError(
            newer, 22, bare=True, earlier="expected ParallelCombiningOpInterface parent, got:"
        )
    return _slice(view, "dest", view.type("source"))


# Pads and concatenations


def _pad(view: View) -> Fault:
    source, result = _tensor(view.type("source")), _tensor(view.type("result"))
    shape, made = _shape(source), _shape(result)
    low, high = view.integers("static_low"), view.integers("static_high")
    if not len(low) == len(high) == len(shape):
        names = f"'{attribute_text(source)}', specified resultType is '{attribute_text(result)}'"
        return VerifierError(f"failed to infer expectedType from sourceType {names}", bare=True)
    wanted = [
        DYNAMIC_INDEX if DYNAMIC_INDEX in (a, size, b) else a + size + b
        for a, size, b in zip(low, shape, high, strict=True)
    ]
    fits = len(made) == len(wanted) and all(
        to in (DYNAMIC_INDEX, size) for size, to in zip(made, wanted, strict=True)
    )
    if not fits:
        expected: AnyTensor = TensorType(source.element_type, wanted)
        names = f"'{attribute_text(result)}' does not match the inferred type '{attribute_text(expected)}'"
        return VerifierError(f"specified type {names}", bare=True)
    block = view.block()
    if len(block.args) != len(made):
        return VerifierError(f"expected the block to have {len(made)} arguments", bare=True)
    for index, argument in enumerate(block.args):
        if not isinstance(argument.type, IndexType | UnknownType):
            return f"expected block argument {index + 1} to be an index"
    yields_it = _yields(block, result.element_type)
    return None if yields_it else "expected yield type to match shape element type"


def _concat(view: View) -> Fault:
    inputs, result = [_tensor(type) for type in view.types("inputs")], _tensor(view.type("result"))
    dim, made = view.integer("dim"), _shape(result)
    if not inputs:
        return "must have at least one input"
    if any(len(_shape(each)) != len(made) for each in inputs):
        return "rank of concatenated inputs must match result rank"
    if any(each.element_type != result.element_type for each in inputs):
        return "inputs and result element type must match"
    if not 0 <= dim < len(made):
        return "concatenation dim must be less than the tensor rank"
    wanted: list[int] = []
    for at in range(len(made)):
        sizes = [_shape(each)[at] for each in inputs]
        if at == dim:
            wanted.append(DYNAMIC_INDEX if DYNAMIC_INDEX in sizes else sum(sizes))
            continue
        known = {size for size in sizes if size != DYNAMIC_INDEX}
        if len(known) > 1:
            return f"static concatenation size mismatch along non-concatenated dimension {at}"
        wanted.append(known.pop() if known else DYNAMIC_INDEX)
    if not all(map(_agree, wanted, made)):
        expected: AnyTensor = TensorType(result.element_type, wanted)
        shown = f"'{attribute_text(result)}'does not match inferred shape '{attribute_text(expected)}'"
        return f"result type {shown} static sizes"
    return None


# Gathers


def _gathered(view: View, whole: AnyTensor, part: AnyTensor, name: str, what: str) -> Fault:
    dims, shape = view.integers(f"{name}_dims"), _shape(whole)
    indices = _shape(_tensor(view.type("indices")))
    if not dims:
        return f"{name}_dims must be non-empty"
    if len(dims) > len(shape):
        return f"{name}_dims overflow {what} rank"
    for dim in dims:
        if dim < 0:
            return f"{name}_dims value must be non-negative"
        if dim >= len(shape):
            return f"{name}_dims value must be smaller than {what} rank"
    if any(one >= other for one, other in pairwise(dims)):
        return f"{name}_dims values must be strictly increasing"
    if name == "scatter" and view.attribute("unique") is None:
        return "requires 'unique' attribute to be set"
    lead = indices[:-1]
    full = (*lead, *(1 if at in dims else size for at, size in enumerate(shape)))
    reduced = (*lead, *(size for at, size in enumerate(shape) if at not in dims))
    ours = _shape(part)
    if ours not in (full, reduced) or part.element_type != whole.element_type:
        made = [
            attribute_text(cast("Attribute", TensorType(whole.element_type, each)))
            for each in (full, reduced)
        ]
        kind = "result" if name == "gather" else "source"
        return (
            f"{kind} type mismatch: expected '{made[0]}' or its rank-reduced variant '{made[1]}' "
            f"(got: '{attribute_text(part)}')"
        )
    return None


def _gather(view: View) -> Fault:
    return _gathered(view, _tensor(view.type("source")), _tensor(view.type("result")), "gather", "source")


def _scatter(view: View) -> Fault:
    return _gathered(view, _tensor(view.type("dest")), _tensor(view.type("source")), "scatter", "dest")


def _from_elements(view: View) -> Fault:
    given, wanted = len(view.op.operands), prod(_shape(_tensor(view.type("result"))))
    if given == wanted or DYNAMIC_INDEX in _shape(_tensor(view.type("result"))):
        return None
    start = "custom op 'tensor.from_elements' "
    return VerifierError(
        f"{start}number of operands and types do not match: got {given} operands and {wanted} types",
        20,
        bare=True,
        earlier=f"{start}{given} operands present, but expected {wanted}",
    )


CHECKS: Checks = {
    "tensor.bitcast": lambda view: _casts(view, same_width=True),
    "tensor.cast": lambda view: _casts(view, same_width=False),
    "tensor.collapse_shape": _collapse,
    "tensor.concat": _concat,
    "tensor.empty": lambda view: _dynamic(view, "dynamicSizes"),
    "tensor.expand_shape": _expand,
    "tensor.extract": lambda view: _count(view, view.type("tensor"), " for extract_element"),
    "tensor.extract_slice": lambda view: _slice(view, "source", view.type("result")),
    "tensor.from_elements": _from_elements,
    "tensor.gather": _gather,
    "tensor.generate": _generate,
    "tensor.insert": lambda view: _count(view, view.type("dest"), ""),
    "tensor.insert_slice": lambda view: _slice(view, "dest", view.type("source")),
    "tensor.pack": pack,
    "tensor.pad": _pad,
    "tensor.parallel_insert_slice": _parallel_insert,
    "tensor.reshape": _reshape,
    "tensor.scatter": _scatter,
    "tensor.splat": lambda view: _dynamic(view, "dynamicSizes"),
    "tensor.unpack": unpack,
}
