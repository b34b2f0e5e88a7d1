"""Tables that map the llvm and nvvm dialects to LLVM IR: operations, predicates, intrinsics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, UnregisteredOp
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.llvm_ir.types import floating, ir_type
from gpuasync_lsp.syntax.dialects.llvm import EXCEPTIONS, ROUNDING_MODES
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.kinds import is_float_attr, number_of

_BINARY = (
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr", "fadd",
    "fsub", "fmul", "fdiv", "frem",
)  # fmt: skip
BINARY = {f"llvm.{op}": op for op in _BINARY}

_CASTS = (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint",
    "inttoptr", "bitcast", "addrspacecast",
)  # fmt: skip
CASTS = {f"llvm.{op}": op for op in _CASTS}

FCMP = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "true",
]  # fmt: skip

ATOMIC_KINDS = [
    "xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd", "fsub", "fmax",
    "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum",
]  # fmt: skip

ORDERINGS = ["", "unordered", "monotonic", "", "acquire", "release", "acq_rel", "seq_cst"]
"""LLVM's atomic orderings, indexed by their numbers; 3 is unassigned."""

_SREGS = (
    [
        f"{register}.{axis}"
        for register in ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid")
        for axis in "xyz"
    ]
    + [f"cluster.{register}.{axis}" for register in ("ctaid", "nctaid") for axis in "xyz"]
    + ["warpsize", "laneid", "cluster.ctarank", "cluster.nctarank", "clock", "clock64", "globaltimer"]
    + [f"envreg{number}" for number in range(32)]
    + ["globaltimer.lo", "warpid", "nwarpid", "smid", "nsmid", "gridid"]
    + [f"lanemask.{which}" for which in ("eq", "lt", "le", "gt", "ge")]
)

SPECIAL_REGISTERS = {f"nvvm.read.ptx.sreg.{r}": f"llvm.nvvm.read.ptx.sreg.{r}" for r in _SREGS} | {
    f"nvvm.read.ptx.sreg.{kind}.smem.size": f"llvm.nvvm.read.ptx.sreg.{kind}_smem_size"
    for kind in ("aggr", "dynamic", "total")
}

_NO_OVERLOAD = frozenset({"trap", "debugtrap", "stacksave", "stackrestore"})
_EXTRA_FALSE = {"ctlz": "is_zero_poison", "cttz": "is_zero_poison", "abs": "is_int_min_poison"}
_MEMORY = frozenset({"memcpy", "memmove", "memset", "memcpy.inline"})


UNTRANSLATED = (
    "llvm.intr.coro.",
    "llvm.intr.eh.",
    "llvm.intr.experimental.noalias.",
    "llvm.intr.matrix.",
    "llvm.intr.ptrmask",
    "llvm.intr.vacopy",
    "llvm.intr.vaend",
    "llvm.intr.vastart",
)
"""Prefixes of intrinsics that take arguments in a special form; no lowering emits them."""


class Made(NamedTuple):
    """An argument of an intrinsic that an instruction computes."""

    text: str
    """The instruction, without its result."""
    type: str


class Call(NamedTuple):
    """A call of an intrinsic for an op."""

    name: str
    arguments: Sequence[str | Made]
    """Operands with their types, or values to compute."""
    type: str = ""
    """The intrinsic's result type, if it is not that of the op."""


def intrinsic_call(op: Operation, name: str, operands: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the intrinsic's name and typed arguments for an `llvm.intr.*` op called `name`."""
    base = name.removeprefix("llvm.intr.")
    result = _suffix(op.results[0].type) if op.results else ""
    types = [_suffix(operand.type) for operand in op.operands]
    if base.startswith("experimental.constrained."):
        modes = [f'metadata !"fpexcept.{EXCEPTIONS[_number(op, "fpExceptionBehavior")]}"']
        if op.properties.get("roundingmode", op.attributes.get("roundingmode")) is not None:
            modes.insert(0, f'metadata !"round.{ROUNDING_MODES[_number(op, "roundingmode")]}"')
        return f"llvm.{base}.{result}.{types[0]}", [*operands, *modes]
    match base:
        case "masked.load":
            return f"llvm.{base}.{result}.{types[0]}", [_aligned(op, operands[0]), *operands[1:]]
        case "masked.store" | "masked.scatter":
            value, pointer, mask = operands
            return f"llvm.{base}.{types[0]}.{types[1]}", [value, _aligned(op, pointer), mask]
        case "masked.gather":
            rest = (
                operands[1:] if len(operands) > 2 else [operands[1], f"{ir_type(op.results[0].type)} poison"]
            )
            return f"llvm.{base}.{result}.{types[0]}", [_aligned(op, operands[0]), *rest]
        case "prefetch":
            words = [f"i32 {_number(op, word)}" for word in ("rw", "hint", "cache")]
            return f"llvm.{base}.{types[0]}", [*operands, *words]
        case "expect.with.probability":
            probability = op.get_attr_or_prop("prob")
            assert is_float_attr(probability)
            value = floating(probability.value.data, probability.type)
            return f"llvm.{base}.{result}", [*operands, f"double {value}"]
        case "invariant.start":
            return f"llvm.{base}.{types[0]}", [f"i64 {_number(op, 'size')}", *operands]
        case "invariant.end":
            started, pointer = operands
            return f"llvm.{base}.{types[1]}", [started, f"i64 {_number(op, 'size')}", pointer]
        case "vector.extract":
            return f"llvm.{base}.{result}.{types[0]}", [*operands, f"i64 {_number(op, 'pos')}"]
        case "vector.insert":
            return f"llvm.{base}.{result}.{types[1]}", [*operands, f"i64 {_number(op, 'pos')}"]
        case _:
            overloaded, immediates = _overloaded(op, base)
            return overloaded, [*operands, *immediates]


def parameter_type(argument: str) -> str:
    """Return the type of an argument as a declaration spells it: `ptr` for `ptr align 4 %v1`.

    The type ends at its closing bracket, or at the end of its first word: constants after it may
    contain spaces.
    """
    if argument[0] in _BRACKETS:
        depth = 0
        for index, character in enumerate(argument):
            depth += (character in "<[{(") - (character in ">]})")
            if not depth:
                return argument[: index + 1]
    type, _, rest = argument.partition(" ")
    space = rest.partition(" ")[0]
    return f"{type} {space}" if space.startswith("addrspace(") else type


_BRACKETS = "<[{"


_PREDICATED_CASTS = frozenset(
    f"vp.{name}"
    for name in ("trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp")
) | {"vp.ptrtoint", "vp.inttoptr"}


def _overloaded(op: Operation, base: str) -> tuple[str, Sequence[str]]:
    """Return an intrinsic's name with its overload types, and its trailing immediate arguments."""
    if base in _NO_OVERLOAD:
        return (
            f"llvm.{base}.p0" if base.startswith("stack") else f"llvm.{base}",
            (),
        )
    if base in _MEMORY:
        pointers = op.operands[:1] if base == "memset" else op.operands[:2]
        suffix = "".join(f".{_suffix(p.type)}" for p in pointers) + f".{_suffix(op.operands[2].type)}"
        return f"llvm.{base}{suffix}", ("i1 " + ("true" if _flag(op, "isVolatile") else "false"),)
    if base in _EXTRA_FALSE:
        return (
            f"llvm.{base}.{_suffix(op.results[0].type)}",
            ("i1 " + ("true" if _flag(op, _EXTRA_FALSE[base]) else "false"),),
        )
    if base in ("lifetime.start", "lifetime.end"):
        return f"llvm.{base}.p0", ()
    if base.startswith("vector.reduce."):
        return f"llvm.{base}.{_suffix(op.operands[-1].type)}", ()
    if base.startswith("vp.reduce."):
        return f"llvm.{base}.{_suffix(op.operands[1].type)}", ()
    if base in _PREDICATED_CASTS or base == "vp.load":
        return f"llvm.{base}.{_suffix(op.results[0].type)}.{_suffix(op.operands[0].type)}", ()
    if base == "vp.store":
        return f"llvm.{base}.{_suffix(op.operands[0].type)}.{_suffix(op.operands[1].type)}", ()
    if base.endswith(".with.overflow"):
        return f"llvm.{base}.{_suffix(op.operands[0].type)}", ()
    if base in ("powi", "ldexp"):
        return f"llvm.{base}.{_suffix(op.results[0].type)}.{_suffix(op.operands[1].type)}", ()
    if base in ("fptosi.sat", "fptoui.sat", "lround", "llround", "lrint", "llrint"):
        return f"llvm.{base}.{_suffix(op.results[0].type)}.{_suffix(op.operands[0].type)}", ()
    if base == "is.fpclass":
        return f"llvm.is.fpclass.{_suffix(op.operands[0].type)}", (f"i32 {_number(op, 'bit')}",)
    if op.results and isinstance(struct := op.results[0].type, LLVMStructType):
        exponent = f".{_suffix(struct.types.data[1])}" if base == "frexp" else ""
        return f"llvm.{base}.{_suffix(op.operands[0].type)}{exponent}", ()
    return f"llvm.{base}.{_suffix(op.results[0].type if op.results else op.operands[0].type)}", ()


def _reducing_barrier(op: Operation, operands: Sequence[str]) -> Call:
    """Return the call for a barrier that reduces one bit of each thread, set if its operand is nonzero.

    Through LLVM 22 the op is `nvvm.barrier`, later `nvvm.barrier.reduction`, which has no thread count."""
    kind, (*who, given) = keyword(op, "reductionOp"), operands
    name = f"llvm.nvvm.barrier.cta.red.{kind}{_alignment(op)}.{'count' if len(who) == 2 else 'all'}"
    bit = Made(f"icmp ne {given}, 0", "i1")
    return Call(name, [*(who or ["i32 0"]), bit], "i32" if kind == "popc" else "i1")


def _alignment(op: Operation) -> str:
    """Return the suffix of a barrier's intrinsic: `.aligned` if all threads reach the same barrier."""
    return "" if keyword(op, "aligned") == "false" else ".aligned"


def nvvm_call(op: Operation, operands: Sequence[str]) -> Call | None:
    """Return the call of an intrinsic for an nvvm op; None if unknown."""
    name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
    if op.results and name in ("nvvm.barrier", "nvvm.barrier.reduction"):
        return _reducing_barrier(op, operands)
    found = _intrinsic(op, name, operands)
    return Call(*found) if found is not None else None


def _intrinsic(op: Operation, name: str, operands: Sequence[str]) -> tuple[str, Sequence[str]] | None:
    match name:
        case "nvvm.barrier0":
            return "llvm.nvvm.barrier.cta.sync.aligned.all", ["i32 0"]
        case "nvvm.barrier":
            if len(operands) == 2:
                return f"llvm.nvvm.barrier.cta.sync{_alignment(op)}.count", operands
            return f"llvm.nvvm.barrier.cta.sync{_alignment(op)}.all", operands or ["i32 0"]
        case "nvvm.barrier.arrive":
            return "llvm.nvvm.barrier.cta.arrive.aligned.count", ["i32 0", *operands][-2:]
        case "nvvm.bar.warp.sync":
            return "llvm.nvvm.bar.warp.sync", operands
        case "nvvm.shfl.sync":
            kind = keyword(op, "kind")
            type = ir_type(op.results[0].type)
            predicate = "p" if type.startswith("{") else ""
            scalar = "f32" if "float" in type else "i32"
            return f"llvm.nvvm.shfl.sync.{kind}.{scalar}{predicate}", operands
        case "nvvm.vote.sync":
            return f"llvm.nvvm.vote.{keyword(op, 'kind')}.sync", operands
        case "nvvm.vote.ballot.sync":
            return "llvm.nvvm.vote.ballot.sync", operands
        case "nvvm.match.sync":
            kind, mask = keyword(op, "kind"), "p" if ir_type(op.results[0].type).startswith("{") else ""
            return f"llvm.nvvm.match.{kind}.sync.{_suffix(op.operands[1].type)}{mask}", operands
        case "nvvm.redux.sync":
            value, mask = operands
            how = ".abs" * _flag(op, "abs") + ".NaN" * _flag(op, "nan")
            return f"llvm.nvvm.redux.sync.{keyword(op, 'kind')}{how}", [value, mask]
        case "nvvm.rcp.approx.ftz.f":
            return "llvm.nvvm.rcp.approx.ftz.f", operands
        case "nvvm.fence.acq_rel.cluster" | "nvvm.fence.sc.cluster":
            return f"llvm.{name}", []
        case "nvvm.memory.barrier":
            barriers = {
                "cta": "membar.cta",
                "cluster": "fence.sc.cluster",
                "gpu": "membar.gl",
                "sys": "membar.sys",
            }
            return f"llvm.nvvm.{barriers[keyword(op, 'scope')]}", []
        case "nvvm.breakpoint":
            return "llvm.debugtrap", []
        case "nvvm.exit":
            return "llvm.nvvm.exit", []
        case "nvvm.cp.async.shared.global":
            partial = ".s" if len(operands) == 3 else ""
            name = f"cp.async.{keyword(op, 'modifier')}.shared.global.{_number(op, 'size')}{partial}"
            return f"llvm.nvvm.{name}", operands
        case "nvvm.cp.async.commit.group":
            return f"llvm.{name}", []
        case "nvvm.cp.async.wait.group":
            return f"llvm.{name}", [f"i32 {_number(op, 'n')}"]
        case "nvvm.wmma.load" | "nvvm.wmma.mma" | "nvvm.wmma.store":
            return _wmma(op, name), operands
        case _:
            return None


def _wmma(op: Operation, name: str) -> str:
    """Return the intrinsic of a wmma op; its name contains the shape, fragment, layouts and types."""
    shape = "".join(f"{extent}{_number(op, extent)}" for extent in "mnk")
    if name == "nvvm.wmma.mma":
        a, c = keyword(op, "eltypeA"), keyword(op, "eltypeB")
        types = f"{c}.{c}" if a == "f16" else a
        return f"llvm.nvvm.wmma.{shape}.mma.{keyword(op, 'layoutA')}.{keyword(op, 'layoutB')}.{types}"
    what = f"load.{keyword(op, 'frag')}" if name == "nvvm.wmma.load" else "store.d"
    tail = f"{keyword(op, 'layout')}.stride.{keyword(op, 'eltype')}.{_suffix(op.operands[0].type)}"
    return f"llvm.nvvm.wmma.{shape}.{what}.{tail}"


def _suffix(type: Attribute) -> str:
    text = ir_type(type)
    if text.startswith("<"):
        *scale, count, element = text[1:-1].split(" x ")
        return f"{'nx' if scale else ''}v{count}{_scalar_suffix(element)}"
    return _scalar_suffix(text)


def _scalar_suffix(text: str) -> str:
    if text.startswith("ptr"):
        return "p" + (text[len("ptr addrspace(") : -1] or "0")
    return _SUFFIXES.get(text, text)


_SUFFIXES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", "fp128": "f128"}


def _number(op: Operation, name: str) -> int:
    return number_of(op.properties.get(name, op.attributes.get(name)))


def _aligned(op: Operation, pointer: str) -> str:
    type, _, value = pointer.rpartition(" ")
    return f"{type} align {_number(op, 'alignment')} {value}"


def _flag(op: Operation, name: str) -> bool:
    value = op.properties.get(name, op.attributes.get(name))
    if isinstance(value, IntegerAttr):
        flag: int = value.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return bool(flag)
    return value is not None


def keyword(op: Operation, name: str) -> str:
    """Return the keyword in an enum attribute: `bfly` for `#nvvm<shfl_kind bfly>`."""
    value = op.properties.get(name, op.attributes.get(name))
    return str(value).rstrip(">").replace("<", " ").split()[-1].strip('"')
