"""`convert-nvvm-to-llvm`: nvvm ops without an LLVM intrinsic become PTX in `llvm.inline_asm`.

gpu-to-llvm and convert-to-llvm have the same patterns from LLVM 18 on. Source: the output of each
release; each release has more intrinsics than the one before, and fewer of these patterns. `wgmma.py`
converts `nvvm.wgmma.mma_async`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import wgmma
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.read_write import go_on_with
from gpuasync_lsp.releases import Releases, profile
from gpuasync_lsp.releases.fact import NEVER
from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.assembly import UNIT, i64_attr
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.kinds import is_vector
from gpuasync_lsp.syntax.ods.operation import op_classes

_WAIT = (
    "{\n\t.reg .pred       P1; \n\tLAB_WAIT: \n\tmbarrier.try_wait.parity%s.b64 P1, [$0], $1, $2; \n\t"
    "@P1 bra.uni DONE; \n\tbra.uni     LAB_WAIT; \n\tDONE: \n\t}"
)
_ELECT = (
    "{                                  \n"
    ".reg .u32 rx;                      \n"
    ".reg .pred px;                     \n"
    " mov.pred $0, 0;                   \n"
    "    elect.sync rx | px, 0xFFFFFFFF;\n"
    "@px mov.pred $0, 1;                \n"
    "}\n"
)
_SHARED = 3


@dataclass(frozen=True)
class Assembly:
    """A PTX snippet in which `$N` numbers the results, then the values, then the constants."""

    text: str
    values: Sequence[SSAValue] = ()
    constants: Sequence[int] = ()
    predicate: SSAValue | None = None
    results: Sequence[Attribute] = field(default=())
    changed: Sequence[SSAValue] = ()
    """The updated operands, whose new values are the first results."""


def _mbarrier(instruction: str, arguments: Sequence[str]) -> Callable[[View, int], Assembly]:
    """Return a function that writes an instruction on a barrier, such as `mbarrier.init.b64 [$0], $1;`."""

    def write(view: View, version: int) -> Assembly:
        text = instruction % _suffix(view, version)
        return Assembly(text, [view.values(name)[0] for name in arguments], predicate=_predicate(view))

    return write


_INIT = _mbarrier("mbarrier.init%s.b64 [$0], $1;", ("addr", "count"))
_EXPECT = _mbarrier("mbarrier.arrive.expect_tx%s.b64 _, [$0], $1;", ("addr", "txcount"))


def _barrier_arrive(view: View, version: int) -> Assembly:
    identifier, threads = view.values("barrierId"), view.values("numberOfThreads")
    text = "bar.arrive $0, $1;" if identifier else "bar.arrive 0, $0;"
    return Assembly(text, [*identifier, *threads])


def _prefetch(name: str) -> Callable[[View, int], Assembly]:
    def write(view: View, version: int) -> Assembly:
        return Assembly("prefetch.tensormap [$0];", view.values(name), predicate=_predicate(view))

    return write


def _fence_proxy(view: View, version: int) -> Assembly:
    kind, space = view.word("kind"), view.word("space")
    return Assembly(f"fence.proxy.{kind}{'' if space is None else f'::{space}'};")


def _set_registers(view: View, version: int) -> Assembly:
    action = {"increase": "inc", "decrease": "dec"}[view.word("action") or ""]
    return Assembly(f"setmaxnreg.{action}.sync.aligned.u32 $0;", constants=[view.integer("regCount")])


def _wait_group(view: View, version: int) -> Assembly:
    return Assembly("wgmma.wait_group.sync.aligned $0;", constants=[view.integer("group")])


def _fixed(text: str) -> Callable[[View, int], Assembly]:
    return lambda view, version: Assembly(text, results=[value.type for value in view.op.results])


def _load_tensor(view: View, version: int) -> Assembly:
    """Write `cp.async.bulk.tensor.2d.shared::cluster.global...`, which copies through a tensor map."""
    at, offsets = view.values("coordinates"), view.values("im2colOffsets")
    mask, hint = view.values("multicastMask"), view.values("l2CacheHint")
    text = f"cp.async.bulk.tensor.{len(at)}d.shared::cluster.global.mbarrier::complete_tx::bytes"
    text += ".im2col" * bool(offsets) + ".multicast::cluster" * bool(mask) + ".L2::cache_hint" * bool(hint)
    first = 3 + len(at)
    text += f" [$0], [$1, {_listed(2, len(at))} ], [${first - 1}]"
    if offsets:
        text += f",{_listed(first, len(offsets))}"
        first += len(offsets)
    for number in range(first, first + len(mask) + len(hint)):
        text += f", ${number}"
    values = [
        *view.values("dstMem"),
        *view.values("tmaDescriptor"),
        *at,
        *view.values("mbar"),
        *offsets,
        *mask,
        *hint,
    ]
    return Assembly(f"{text};", values, predicate=_predicate(view))


def _store_tensor(view: View, version: int) -> Assembly:
    at = view.values("coordinates")
    if profile(version).tensor_stores_take_hints and view.values("l2CacheHint"):
        raise NotKnown
    coordinates = ", ".join(f"${2 + number}" for number in range(len(at)))
    text = f"cp.async.bulk.tensor.{len(at)}d.global.shared::cta.bulk_group [$0, {{{coordinates}}} ], [$1];"
    values = [*view.values("tmaDescriptor"), *view.values("srcMem"), *at]
    return Assembly(text, values, predicate=_predicate(view))


def _copy(view: View, version: int) -> Assembly:
    values = [*view.values("dst"), *view.values("src"), *view.values("cpSize")]
    text = f"cp.async.{view.word('modifier')}.shared.global [$0], [$1], $2, $3;\n"
    return Assembly(text, values, [view.integer("size")])


def _store_matrix(view: View, version: int) -> Assembly:
    sources = view.values("sources")
    layout = ".trans" * (view.word("layout") == "col")
    end = ";" * profile(version).stmatrix_ends_in_semicolon
    text = f"stmatrix.sync.aligned.x{len(sources)}{layout}.m8n8.shared.b16 [$0], "
    text += _spaced(1, len(sources)) + end
    return Assembly(text, [*view.values("ptr"), *sources])


def _inline_ptx(view: View, version: int) -> Assembly:
    """Write `nvvm.inline_ptx`, in which `{$rN}` is a value, `{$wN}` a result, `{$rwN}` an updated operand."""
    changed, values = view.values("readWriteArgs"), view.values("readOnlyArgs")
    results = [value.type for value in (*changed, *view.op.results)]
    text, first = view.text("ptxCode"), len(changed)
    for letters, count, at in (
        ("rw", first, 0),
        ("w", len(results) - first, first),
        ("r", len(values), len(results)),
    ):
        for number in range(count):
            text = text.replace(f"{{${letters}{number}}}", f"${at + number}")
    return Assembly(text, values, predicate=_predicate(view), results=results, changed=changed)


def _listed(first: int, count: int) -> str:
    return "{" + ",".join(f"${first + number}" for number in range(count)) + "}"


def _spaced(first: int, count: int) -> str:
    return "{" + ", ".join(f"${first + number}" for number in range(count)) + "}"


def _predicate(view: View) -> SSAValue | None:
    found = view.values("predicate")
    return found[0] if found else None


def _wait_parity(view: View, version: int) -> Assembly:
    values = [view.values(name)[0] for name in ("addr", "phase", "ticks")]
    return Assembly(_WAIT % _suffix(view, version), values)


def _suffix(view: View, version: int) -> str:
    """Return the suffix for the memory space of a barrier op, from the pointer type or the op's name."""
    type = view.type("addr")
    is_shared = view.op.name.endswith(".shared")
    if profile(version).nvvm_space_is_in_type:
        is_shared = isinstance(type, LLVMPointerType) and type.space == _SHARED
    return ".shared" if is_shared else ""


@dataclass(frozen=True)
class _Rule:
    write: Callable[[View, int], Assembly]
    always: Releases = NEVER
    """The releases in which the op never has an intrinsic."""
    if_predicated: Releases = NEVER
    """The releases in which the op has an intrinsic only without a predicate."""
    if_sized: bool = False
    """Whether the rule applies only to ops with the operand `cpSize`."""


_RULES: Mapping[str, _Rule] = {
    "nvvm.mbarrier.init": _Rule(_INIT, if_predicated=Releases(18)),
    "nvvm.mbarrier.init.shared": _Rule(_INIT, if_predicated=Releases(18)),
    "nvvm.mbarrier.arrive.expect_tx": _Rule(_EXPECT, Releases(18, 21), Releases(22)),
    "nvvm.mbarrier.arrive.expect_tx.shared": _Rule(_EXPECT, Releases(18, 21)),
    "nvvm.mbarrier.try_wait.parity": _Rule(_wait_parity, Releases(18)),
    "nvvm.mbarrier.try_wait.parity.shared": _Rule(_wait_parity, Releases(18, 21)),
    "nvvm.barrier.arrive": _Rule(_barrier_arrive, Releases(19, 22)),
    "nvvm.prefetch.tensormap": _Rule(_prefetch("tmaDescriptor"), Releases(18, 21)),
    "nvvm.prefetch": _Rule(_prefetch("addr"), if_predicated=Releases(22)),
    "nvvm.elect.sync": _Rule(_fixed(_ELECT), Releases(18, 19)),
    "nvvm.fence.proxy": _Rule(_fence_proxy, Releases(18, 21)),
    "nvvm.fence.mbarrier.init": _Rule(_fixed("fence.mbarrier_init.release.cluster;"), Releases(18, 21)),
    "nvvm.setmaxregister": _Rule(_set_registers, Releases(18, 18)),
    "nvvm.wgmma.fence.aligned": _Rule(_fixed("wgmma.fence.sync.aligned;"), Releases(18, 19)),
    "nvvm.wgmma.commit.group.sync.aligned": _Rule(
        _fixed("wgmma.commit_group.sync.aligned;"), Releases(18, 19)
    ),
    "nvvm.wgmma.wait.group.sync.aligned": _Rule(_wait_group, Releases(18, 19)),
    "nvvm.cp.async.bulk.commit.group": _Rule(_fixed("cp.async.bulk.commit_group;"), Releases(18, 18)),
    "nvvm.cp.async.shared.global": _Rule(_copy, Releases(18, 19), if_sized=True),
    "nvvm.cp.async.bulk.tensor.shared.cluster.global": _Rule(_load_tensor, Releases(18, 21), Releases(22)),
    "nvvm.cp.async.bulk.tensor.global.shared.cta": _Rule(_store_tensor, Releases(18, 21), Releases(22)),
    "nvvm.inline_ptx": _Rule(_inline_ptx, Releases(22)),
    "nvvm.stmatrix": _Rule(_store_matrix, Releases(18, 21)),
}


class ConvertToAssembly(
    ConversionPattern[Operation], ops=tuple(each for name in _RULES for each in op_classes(name))
):
    """An op without an intrinsic in the release becomes PTX; any other op is left unchanged."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        version, rule = rewriter.profile.version, _RULES[op.name]
        view = View(op)
        try:
            if not _applies(rule, view, version):
                rewriter.match_failure("")
            written = rule.write(view, version)
            results = _insert(rewriter, written)
        except NotKnown:
            rewriter.match_failure("this tool does not support these operands or attributes")
        count = len(written.changed)
        if count and (rewriter.profile.inline_ptx_updates_values or len(results) > 1):
            # If there is no other result, LLVM 22 does not replace the uses of the old value.
            made = results[0].owner
            assert isinstance(made, Operation)
            taker = made.operands[0].owner if len(results) > 1 else made
            assert isinstance(taker, Operation)
            go_on_with(rewriter, op, list(zip(written.changed, results, strict=False)), taker)
        rewriter.replace(op, results[count:])


def _applies(rule: _Rule, view: View, version: int) -> bool:
    if version in rule.if_predicated:
        return bool(view.values("predicate"))
    return version in rule.always and not (rule.if_sized and not view.values("cpSize"))


def _insert(rewriter: ConversionRewriter, written: Assembly) -> Sequence[SSAValue]:
    """Insert the `llvm.inline_asm`; return its results."""
    values = [rewriter.lowered(value) for value in written.values]
    constraints = [f"={_constraint(type)}" for type in written.results]
    constraints += [_constraint(value.type) for value in values]
    at = len(values) - 1
    for constant in written.constants:
        # Constants precede the last value: in `cp.async` the source size follows the copy size.
        values.insert(max(at, 0), build.constant(rewriter, IntegerAttr(constant, i32), i32))
        constraints.insert(max(at, 0) + len(written.results), "n")
    text = written.text
    if written.predicate is not None:
        # LLVM 22, the first release with results and a predicate, does not count results when it numbers the
        # predicate.
        counted = len(written.changed) + len(values)
        number = len(constraints) if rewriter.profile.inline_ptx_counts_results else counted
        text = f"@${number} {text}"
        values.append(rewriter.lowered(written.predicate))
        constraints.append("b")
    results = [struct(written.results)] if len(written.results) > 1 else written.results
    constraints += [str(number) for number in range(len(written.changed))]
    op = llvm.InlineAsmOp.create(
        operands=[*rewriter.lowered_all(written.changed), *values],
        result_types=results,
        properties={
            "asm_string": StringAttr(text),
            "constraints": StringAttr(",".join(constraints)),
            "has_side_effects": UNIT,
            "asm_dialect": i64_attr(0),
        },
    )
    (*found,) = rewriter.add(op).results
    if len(written.results) < 2:
        return found
    return [build.extract_value(rewriter, found[0], number) for number in range(len(written.results))]


def _constraint(type: Attribute) -> str:
    """Return the register constraint for a value of `type`. Raises NotKnown for an unsupported type."""
    if isinstance(type, LLVMPointerType):
        return "r" if type.space == _SHARED else "l"
    if type == i1:
        return "b"
    element, count = type, 1
    if is_vector(type):
        element, count = type.element_type, type.element_count()
    width = cast("int", getattr(element, "bitwidth", 0))
    kinds = {16: "h", 32: "r", 64: "l"} if isinstance(element, IntegerType) else {16: "h", 32: "f", 64: "d"}
    if width * count not in kinds:
        raise NotKnown
    return kinds[width * count]


PATTERNS: Sequence[AnyPattern] = (ConvertToAssembly(), *wgmma.PATTERNS)
