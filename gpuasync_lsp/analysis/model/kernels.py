"""Determines how a function body accesses the memory of its memref and pointer arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.descriptors import described_mode
from gpuasync_lsp.analysis.model.memory.elements import ASKING, Element, Threads
from gpuasync_lsp.analysis.model.passing import targets
from gpuasync_lsp.syntax.effects import (
    ALIASES,
    PARTS,
    POINTERS,
    Mode,
    effects_of,
    is_memref,
    points,
)
from gpuasync_lsp.syntax.kinds import is_array

RUNNER_READS = ("printMemref", "_mlir_ciface_printMemref", "verifyMemRef", "_mlir_ciface_verifyMemRef")
"""Name prefixes of functions in MLIR's runner utilities that only read their memrefs."""

SYNCHRONIZING = frozenset({"cudaDeviceSynchronize", "cuCtxSynchronize", "hipDeviceSynchronize"})
"""Functions of CUDA and HIP that wait for all device work, according to their API references."""

Modes = tuple[Mode | None, ...]
Resolve = Callable[[str], Modes | None]
"""A function that returns how a callee accesses its arguments, given its name; None if unknown."""


def argument_modes(function: Operation, resolve: Resolve) -> Modes:
    """Return how the body of `function` accesses the memory of each argument; None for no access.

    A use by an op with unknown effects is `Mode.MAY`. Argument attributes (`llvm.readonly`, `llvm.writeonly`,
    `llvm.readnone`, `bufferization.access`, `bufferization.writable`) take precedence over the body.
    """
    if not function.regions or not function.regions[0].blocks:
        return ()
    arguments = function.regions[0].blocks[0].args
    kind = function.properties.get("function_type")
    # Arguments for workgroup and private memory come after the operands of the launch.
    passed = arguments[: len(kind.inputs)] if isinstance(kind, FunctionType) else arguments
    found: list[Mode | None] = []
    for number, argument in enumerate(passed):
        is_declared, mode = declared(function, number)
        if points(argument.type):
            found.append(mode if is_declared else _mode(argument, resolve))
        else:
            found.append(described_mode(argument))
    return tuple(found)


def declared(function: Operation, number: int) -> tuple[bool, Mode | None]:
    """Return whether an argument's attributes declare how its memory is accessed, and the declared access."""
    kept = function.properties.get("arg_attrs") or function.attributes.get("arg_attrs")
    given_all = kept.data if is_array(kept) else ()
    if number >= len(given_all):
        return False, None
    given = given_all[number]
    attributes: Mapping[str, Attribute] = given.data if isinstance(given, DictionaryAttr) else {}
    if "llvm.readnone" in attributes:
        return True, None
    if "llvm.readonly" in attributes:
        return True, Mode.READ
    if "llvm.writeonly" in attributes:
        return True, Mode.WRITE
    access = attributes.get("bufferization.access")
    if isinstance(access, StringAttr) and access.data in _ACCESS:
        return True, _ACCESS[access.data]
    writable = attributes.get("bufferization.writable")
    if isinstance(writable, IntegerAttr) and not writable.value.data:
        return True, Mode.READ
    return False, None


def argument_elements(function: Operation) -> tuple[tuple[Element, ...] | None, ...]:
    """Return, per argument of a kernel, the elements that the threads access; None if unknown."""
    if function.name != "gpu.func" or not function.regions or not function.regions[0].blocks:
        return ()
    body = function.regions[0].blocks[0]
    kind = function.properties.get("function_type")
    passed = len(kind.inputs) if isinstance(kind, FunctionType) else len(body.args)
    threads = Threads(body, passed, is_launch=False)
    return tuple(
        threads.touched(argument, None) if is_memref(argument.type) else None
        for argument in body.args[:passed]
    )


_ACCESS = {"none": None, "read": Mode.READ, "write": Mode.WRITE, "read-write": Mode.BOTH}


def inner_modes(launch: Operation, resolve: Resolve) -> Iterator[tuple[SSAValue, Mode]]:
    """Yield the memrefs defined outside a gpu.launch that its body accesses, each with the access mode."""
    inside = set(launch.walk())
    outer: dict[SSAValue, None] = {}
    for op in launch.walk():
        for value in op.operands if op is not launch else ():
            block = value.owner if not isinstance(value.owner, Operation) else None
            defined = value.owner if block is None else block.parent_op()
            if is_memref(value.type) and defined not in inside:
                outer[value] = None
    for value in outer:
        mode = _mode(value, resolve, inside)
        if mode is not None:
            yield value, mode


def local_modes(module: Operation) -> Resolve:
    """Return a function that resolves calls within `module`; a recursive call has unknown accesses."""
    functions: dict[str, Operation] = {}
    for region in module.regions:
        for block in region.blocks:
            for op in block.ops:
                name = op.properties.get("sym_name") or op.attributes.get("sym_name")
                if isinstance(name, StringAttr):
                    functions[name.data] = op
    known: dict[str, Modes | None] = {}

    def resolve(name: str) -> Modes | None:
        if name not in known:
            known[name] = None
            op = functions.get(name)
            if op is not None and op.regions and op.regions[0].blocks:
                known[name] = argument_modes(op, resolve)
        return known[name]

    return resolve


def _mode(root: SSAValue, resolve: Resolve, inside: AbstractSet[Operation] | None = None) -> Mode | None:
    found: set[Mode] = set()
    work, seen = [root], {root}
    while work:
        value = work.pop()
        for use in value.uses:
            op = use.operation
            if inside is not None and op not in inside:
                continue
            goes = _aliases_at(op, use.index, value)
            if goes is not None:
                work += [result for result in goes if result not in seen]
                seen.update(goes)
                continue
            modes = _modes_of_use(op, use.index, resolve)
            found |= {Mode.MAY} if modes is None else modes
    if not found:
        return None
    if found <= {Mode.READ, Mode.MAY} and Mode.MAY in found:
        return Mode.MAY
    return found.pop() if len(found) == 1 else Mode.BOTH


def _aliases_at(op: Operation, index: int, value: SSAValue) -> list[SSAValue] | None:
    """Return the results and block arguments of `op` that alias operand `value`; None if there are none."""
    if op.name in ALIASES or op.name in PARTS or op.name in POINTERS:
        is_source = index == 0 or op.name in POINTERS
        return [r for r in op.results if points(r.type) or op.name in POINTERS] if is_source else []
    passed = targets(op, index, value)
    if passed is None and not points(value.type) and op.results and effects_of(op) == []:
        return list(op.results)  # An address as an integer, from which other addresses are computed.
    return passed


def _modes_of_use(op: Operation, index: int, resolve: Resolve) -> set[Mode] | None:
    if op.name in ("func.call", "llvm.call"):
        symbol = op.properties.get("callee")
        name = symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else ""
        if name.startswith(RUNNER_READS):
            return {Mode.READ}
        modes = resolve(name) if name else None
        if modes is None or index >= len(modes):
            return None
        mode = modes[index]
        return {mode} if mode is not None else set()
    effects = effects_of(op)
    if effects is None:
        return None
    here = {effect.mode for effect in effects if effect.operand == index}
    if Mode.FREE in here or (not here and op.operands[index].type.name == "llvm.ptr"):
        return None  # The memory is freed, or a pointer to it is stored somewhere.
    if not here and is_memref(op.operands[index].type) and op.name not in ASKING:
        return None
    if not here and not points(op.operands[index].type):
        return None  # An address as an integer, which may be stored or dereferenced.
    return here
