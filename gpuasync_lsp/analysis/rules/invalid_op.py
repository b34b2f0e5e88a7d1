"""An op that MLIR's verifier rejects, in the verifier's words.

## What happens
mlir-opt verifies the module before the first pass and stops: nothing is lowered.

## What it does not report
- Ops of unknown dialects, and the parts of a verifier that are not implemented ([dialects](../dialects.md)).
- Ops in a line that does not parse, and symbols that may be defined in such a line.

## Example
```mlir
%t1 = gpu.memcpy async [%t0] %dst, %bytes : memref<4xf32>, memref<4xi8>
```
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache

from xdsl.dialects.builtin import IndexType, UnitAttr, UnregisteredOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.analysis.model.context import CONTAINER, WITH_SEQUENCES
from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.releases import Profile, is_in
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType, LaunchFuncOp, LaunchOp
from gpuasync_lsp.syntax.identified_structs import redefined_structs
from gpuasync_lsp.syntax.ods.by_table import ByTable
from gpuasync_lsp.syntax.ods.operation import (
    OdsOperation,
    is_spelled_differently,
    is_spelled_for,
    spelled_in,
    spelling,
)
from gpuasync_lsp.syntax.ods.table import absence, has_op, is_in_no_release, ops_of, rejects_unknown
from gpuasync_lsp.syntax.older_spellings import names_no_result
from gpuasync_lsp.syntax.opaque import OpaqueOp, written_name
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.syntax.release_names import unread_names
from gpuasync_lsp.syntax.spellings import may_be_rejected, unread
from gpuasync_lsp.syntax.symbols import check_use, symbol_name, uses
from gpuasync_lsp.text import Fix, Related, Severity, Span
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_SEGMENTS = lazy_pattern(
    r'"gpu\.launch"\([^)]*\)\s*<\{[^}]*\boperandSegmentSizes\s*=\s*array<i32:([-\d,\s]*)>'
)
"""Matches a gpu.launch in the generic form up to its operand segment sizes."""


def problems(
    code: str, fixes: Callable[[Unit], Callable[[Problem], Iterable[Fix]]] = lambda unit: lambda problem: ()
) -> Callable[[Unit], Iterator[Draft]]:
    """Return a check that reports the parser's errors with `code`, together with the fixes from `fixes`."""

    def check_unit(unit: Unit) -> Iterator[Draft]:
        found = [problem for problem in unit.item.problems if problem.code == code]
        repairs = fixes(unit) if found else None
        for problem in found:
            related = tuple(Related(span, message) for span, message in problem.related)
            yield Draft(problem.span, problem.message, related, tuple(repairs(problem) if repairs else ()))

    return check_unit


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Yield the errors of the parser and the verifier, including ops that the release does not parse."""
    yield from problems("GA003")(unit)
    unknown = set[Span]()
    reported = {problem.message for problem in unit.item.problems}
    for problem in names_not_read(unit.item.text, reported, unit.profile):
        yield Draft(problem.span, problem.message)
    for span, reason in redefined_structs(unit.item.text):
        yield Draft(span, reason)
    for op in unit.ops():
        is_container = op.attributes and isinstance(op.attributes.get(CONTAINER), UnitAttr)
        if is_container and op.name != "builtin.module":
            message = f"expected '{CONTAINER}' attribute to be attached to 'builtin.module'"
            yield Draft(unit.item.spans.name(op), message)
        yield from _not_ended(op, unit)
        if _is_always_read(type(op), unit.profile.version) or (isinstance(op, OpaqueOp) and op.is_error):
            continue
        reason = unknown_to(op, unit.profile) or _misspelt(op, unit) or _launch_misspelt(op, unit)
        if reason:
            unknown.add(unit.item.spans.name(op))
            yield Draft(unit.item.spans.name(op), f"{unit.profile.label} does not parse this: {reason}")
        elif (
            isinstance(op, LaunchOp)
            and op.async_dependencies
            and op.async_token is None
            and unit.profile.launch_sync_dependencies == "verifier"
        ):
            words = "dependency operands require the dependency-based async model i.e. returning a token"
            yield Draft(unit.item.spans.name(op), f"'gpu.launch' op {words}\nWrite `gpu.launch async [...]`.")
    # MLIR checks an op's definition before it calls the C++ verifier, which may not exist in the release.
    reported = set(unknown)
    for op, wrong in unit.item.rejected_by(unit.profile.version):
        if (place := unit.item.spans.name(op)) not in unknown:
            reported.add(place)
            yield Draft(place, wrong)
    for problem in unit.item.invalid:
        if problem.span not in reported:
            yield Draft(problem.span, problem.in_release(unit.profile.version))
    yield from _symbols(unit)
    yield from _sequences(unit)


def _not_ended(op: Operation, unit: Unit) -> Iterator[Draft]:
    """Find a gpu.module in the generic form without the terminator that the release requires.

    The custom form never prints the terminator."""
    if op.name != "gpu.module" or not unit.profile.gpu_module_has_end or op not in unit.item.spans.ops:
        return
    last = op.regions[0].blocks[0].last_op if op.regions and op.regions[0].blocks else None
    if last is not None and unit.item.spans.is_generic(op) and last.name != "gpu.module_end":
        reason = "a gpu.module in the generic form ends with a gpu.module_end"
        yield Draft(unit.item.spans.name(last), f"{unit.profile.label} does not parse this: {reason}")


def names_not_read(text: str, reported: Container[str], profile: Profile) -> Iterator[Problem]:
    """Yield the types and attributes that the release does not parse, except those already `reported`."""
    for span, reason in unread_names(text, profile.version):
        if reason not in reported:
            yield Problem("GA003", span, f"{profile.label} does not parse this: {reason}")


def _sequences(unit: Unit) -> Iterator[Draft]:
    """Find transform sequences in a module without `transform.with_named_sequence` (an error since LLVM
    17)."""
    reported = {problem.span for problem in unit.item.invalid}
    for op in () if unit.context.takes_sequences else unit.item.ops:
        if op.name == "transform.named_sequence" and unit.item.spans.name(op) not in reported:
            words = f"expects the parent symbol table to have the '{WITH_SEQUENCES}' attribute"
            yield Draft(unit.item.spans.name(op), words)


def _symbols(unit: Unit) -> Iterator[Draft]:
    """Find symbols that are defined twice, and uses of symbols that do not match their definition."""
    context, name_of = unit.context, unit.item.spans.name
    for op in unit.item.ops:
        name = symbol_name(op)
        if name in context.redefined:
            yield Draft(name_of(op), f"redefinition of symbol named '{name}'")
        for use in uses(op):
            try:
                check_use(use, context.lookup, unit.profile.version)
            except VerifyException as error:
                yield Draft(name_of(use), str(error))
            except KeyError:
                continue  # The symbol may be defined in an unparsed part.


def unknown_to(op: Operation, profile: Profile) -> str:
    """Describe why the release's parser does not know `op`; empty if it does."""
    name = written_name(op)
    # GA114 reports ops with tokens.
    has_token = AsyncTokenType() in (*op.operand_types, *op.result_types)
    if isinstance(op, UnregisteredOp) and not has_token and rejects_unknown(name, profile.version):
        dialect = f"dialect ('{name.partition('.')[0]}')"
        return f"unregistered operation '{name}' found in {dialect} that does not allow unknown operations"
    missing = absence(name)
    # With an option, mlir-opt accepts unregistered ops in the generic form.
    is_generic = isinstance(op, OdsOperation) and spelled_in(op) is None
    if missing is not None and not missing.is_in(profile.version) and not is_generic:
        newer = missing.since is not None and not is_in(profile.version, missing.since)
        return f"custom op '{name}' is unknown" + f"; LLVM {missing.since} added it" * newer
    if isinstance(op, OpaqueOp) and is_in_no_release(name, profile.version):
        return f"custom op '{name}' is unknown"
    if not is_spelled_for(op, profile.version):
        return f"the assembly of '{name}' in this release is: {spelling(name, profile.version)}"
    if not isinstance(op, LaunchFuncOp):
        return ""
    if not profile.async_object and op.async_object is not None:
        return "a launch takes no explicit stream `<..>`"
    if not profile.launch_clusters and op.cluster_size_x is not None:
        return "a launch has no `clusters in`"
    if not profile.launch_integer_sizes and not isinstance(op.grid_size_x.type, IndexType):
        return "the sizes of a launch are of type index"
    return ""


def is_unreadable(op: Operation, version: int) -> bool:
    """Return whether LLVM `version` has the dialect of `op`, but lacks the op or cannot parse it."""
    if isinstance(op, OpaqueOp) and op.is_error:
        return True
    name = written_name(op)
    missing = absence(name)
    return is_in_no_release(name, version) or (missing is not None and not missing.is_in(version))


@lru_cache(maxsize=4_096)
def _is_always_read(kind: type[Operation], version: int) -> bool:
    """Return whether the release's parser accepts all ops of this class, in any spelling."""
    own = OpaqueOp | OdsOperation | UnregisteredOp | LaunchFuncOp | LaunchOp
    if issubclass(kind, own) or may_be_rejected(kind.name):
        return False
    if issubclass(kind, ByTable) and is_spelled_differently(kind.name):
        return False
    missing = absence(kind.name)
    return missing is None or missing.is_in(version)


def _misspelt(op: Operation, unit: Unit) -> str:
    """Describe the first part of `op` that the release's parser does not accept; empty if there is none."""
    name = op.op_name if isinstance(op, OpaqueOp) else op.name
    if not may_be_rejected(name):
        return ""
    place = unit.item.spans.ops.get(op)
    if place is None:
        return ""
    if place.whole.start != place.name.start and names_no_result(op, unit.profile.version):
        return "it has no result"
    return unread(name, unit.item.text, place.name.start, unit.profile.version)


def _launch_misspelt(op: Operation, unit: Unit) -> str:
    """Return the parser's error about an explicit stream on a gpu.launch; empty if the release accepts it."""
    place = unit.item.spans.ops.get(op)
    if not isinstance(op, LaunchOp) or place is None:
        return ""
    takes_stream = unit.profile.async_object_on_launch
    if unit.item.text[place.name.start] != '"':
        return "" if op.async_object is None or takes_stream else "custom op 'gpu.launch' expected 'blocks'"
    # Our parser extends the attribute of earlier releases, so only the text contains the original sizes.
    segments = _SEGMENTS.match(unit.item.text, place.name.start)
    found, wanted = segments[1].count(",") + 1 if segments is not None else 0, 11 + takes_stream
    is_other = found in (11, 12) and found != wanted
    return f"size mismatch in attribute conversion: {found} vs {wanted}" if is_other else ""


def versions(profile: Profile) -> str:
    """Describe how many ops of the gpu dialect the release does not know."""
    missing = sum(not has_op(name, profile.version) for name in ops_of("gpu"))
    return f"{missing} ops of the gpu dialect are unknown" if missing else "every op is known"


RULE = Rule("GA003", "invalid-op", Severity.ERROR, check_unit=check_unit, stops=True, versions=versions)
