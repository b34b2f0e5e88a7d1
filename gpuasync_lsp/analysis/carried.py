"""Findings after an edit of white space, comments or operands: what is elsewhere moves, what is near is found
again.

The ops are the same, and so is what the model says of them: a rule may say something else only where it looks
at the text, and that it does at the places that its findings and their fixes name. What it takes of the whole
text (the names that are in use, the margins of the body) is looked at here.

Where an op takes other operands of the same types, the few rules that find or look at much, and at nothing of
that, are not asked again, but for what is near.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.carriage_returns import has_carriage_returns
from gpuasync_lsp.analysis.model.function import AsyncFunction, Fault, Handle, names_in
from gpuasync_lsp.analysis.rule import Draft
from gpuasync_lsp.analysis.rules import (
    RULES,
    data_race,
    double_dealloc,
    event_taken_for_stream,
    host_race,
    inaccessible_memory,
    invalid_op,
    leaked_buffer,
    leaked_joined_stream,
    missing_async,
    parser_crash,
    read_of_uninitialized,
    stream_taken_for_event,
    syntax_error,
    took_too_long,
    undefined_value,
    unknown_kernel,
    use_after_dealloc,
)
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.patch import Respaced
from gpuasync_lsp.syntax.plain import ALLOC, CALLS, HOST, STREAMED
from gpuasync_lsp.syntax.release_names import unread_names
from gpuasync_lsp.syntax.source import Before, Item
from gpuasync_lsp.syntax.spellings import unread
from gpuasync_lsp.text import Finding, FindingList, Span
from gpuasync_lsp.text.recent import Recent

_LOOKS_AT_TYPES = frozenset({unknown_kernel.RULE.code})
"""Rules that look at no operand but its type."""
_LOOKS_AT_STREAMS = frozenset(rule.code for rule in RULES if rule.check_unit is None)
"""Rules that look at functions: at ops that only compute numbers where these come into other ops."""
_NOT_OF_NUMBERS = STREAMED | HOST | CALLS | {ALLOC}
"""Ops that do more than compute numbers."""
_LOOKS_AT_EACH = frozenset({invalid_op.RULE.code})
"""Rules that say something of single ops, by what verifier and parser do."""
_LOOKS_AT_REJECTED = frozenset({missing_async.RULE.code})
"""Rules that look at ops that stay unconverted."""
_LOOKS_AT_FAULTS = frozenset({leaked_joined_stream.RULE.code})
"""Rules that look at nothing else but faults of handles."""

_LOOKS_AT_HOST = frozenset({inaccessible_memory.RULE.code})
"""Rules that look at what the host does to memory."""

SAY_ERRORS = frozenset({syntax_error.RULE.code, undefined_value.RULE.code})
"""Rules that say what the parser says."""
JUDGED = frozenset(rule.code for rule in RULES if rule.check_faults is not None) | {
    module.RULE.code
    for module in (
        data_race,
        double_dealloc,
        event_taken_for_stream,
        host_race,
        leaked_buffer,
        leaked_joined_stream,
        read_of_uninitialized,
        stream_taken_for_event,
        use_after_dealloc,
    )
}
"""Rules that are silent about a function with a statement that does not parse (`AsyncFunction.analysed`)."""
_LOOKED_FOR = frozenset('@!#{"')
"""What rules may look for in the text, of whatever op: symbols, types and attributes of dialects."""

MOST_OF_RULE = 1_000
"""Findings of one rule in one function, or in an item for rules that look at items: nobody reads more."""

FINDINGS = "analysis.findings"
"""What findings of an item are kept under."""


class Carried(NamedTuple):
    """What is left of the findings of the text before."""

    findings: FindingList
    """At their new places."""
    again: frozenset[str]
    """The codes of the rules that have to be asked again; none of their findings is in `findings`."""
    drafts: Mapping[str, Sequence[Draft]]
    """What other rules say anew of the streams that have other work, by code."""


def carried(
    item: Item, keys: Sequence[Hashable], profile: Profile, functions: Sequence[AsyncFunction]
) -> Carried | None:
    """Return what the findings under one of `keys` of the item before say of this one, whose models are
    `functions`; None where all rules have to be asked."""
    before = item.before
    kept: Recent[FindingList] | None = None if before is None else before.found.get(FINDINGS)
    known = None if kept is None else next((f for key in keys if (f := kept.get(key)) is not None), None)
    if before is None or known is None:
        return None
    if not before.changes_ops and not _is_local(item, profile):
        return None
    if took_too_long.RULE.code in known.codes:
        return None
    if has_carriage_returns(before.text) != has_carriage_returns(item.text):
        return None  # Fixes end lines otherwise.
    lines = before.edit.lines
    again = known.scattered | frozenset(
        known[number].code for number in known.touching(lines) if _is_near(known[number], before.edit)
    )
    if before.edit.respelled:
        again |= SAY_ERRORS
        if item.is_refused_in_some:
            # Of what is wrong already nothing more is said.
            again |= _LOOKS_AT_EACH
    if before.changes_ops:
        again |= frozenset(rule.code for rule in RULES) - _not_concerned(item, profile, functions, known)
    edge = (before.edit.replaced or lines).end
    moved = known.without(again).after(edge, before.edit.delta, lines)
    drafts: dict[str, list[Draft]] = {}
    if before.changes_ops and all(function.is_adapted for function in functions):
        drafts = _of_new_ops(before, functions, known.codes)
        again -= drafts.keys()
    code = leaked_joined_stream.RULE.code
    if before.changes_ops and code not in again and any(function.worked_on for function in functions):
        said = _of_worked_on(functions, moved)
        if said is None:
            return Carried(moved.without({code}), again | {code}, drafts)
        streams = {
            leaked_joined_stream.place(function, handle)
            for function in functions
            for handle in function.worked_on
            if handle.op is not None
        }
        streams.update(draft.span for draft in said)
        moved = moved.but({number for place in streams for number in moved.at(place, code)})
        drafts[code] = said
    return Carried(moved, again, drafts)


def _of_worked_on(functions: Sequence[AsyncFunction], known: FindingList) -> list[Draft] | None:
    """Return what is said anew of streams that leak, where it was said of those in `known`; None where all
    has to be said anew, as it is of others now that it is listed."""
    rule, found = leaked_joined_stream, list[Draft]()
    for function in functions:
        streams: Set[Handle] = function.worked_on
        told = rule.told(function)
        events = sum(fault.fault is Fault.EVENT_LEAKED for fault in function.faults)
        code = rule.RULE.code
        said = sum(entry.finding.code == code for entry in known.entries)
        if said >= MOST_OF_RULE or events + len(told) > MOST_OF_RULE:
            listed = told[:MOST_OF_RULE]
            if events or len(functions) > 1 or len(told) <= MOST_OF_RULE + len(streams):
                return None
            if said != MOST_OF_RULE or listed[-1] in streams:
                return None
            streams = streams & {*listed}
            if not {rule.place(function, each) for each in listed} <= known.places(code):
                return None
        found += rule.check(function, streams)
    return found


def _of_new_ops(before: Before, functions: Sequence[AsyncFunction], said: Set[str]) -> dict[str, list[Draft]]:
    """Return by code what rules that look at ops, or faults, one by one, and said nothing before, say of what
    is new."""
    found: dict[str, list[Draft]] = {}
    concerned = before.concerned
    one_by_one = [rule for rule in RULES if rule.check_ops is not None or rule.check_faults is not None]
    for function in functions:
        ops = [function.by_op[op] for op in (*concerned, *function.redone) if op in function.by_op]
        faults = [fault for fault in function.faults if fault.handle in function.worked_on]
        for rule in one_by_one:
            if rule.code not in said:
                drafts = found.setdefault(rule.code, [])
                drafts += rule.check(function) if rule.check is not None else ()
                drafts += rule.check_ops(function, ops) if rule.check_ops is not None else ()
                drafts += rule.check_faults(function, faults) if rule.check_faults is not None else ()
    return found


def _not_concerned(
    item: Item, profile: Profile, functions: Sequence[AsyncFunction], known: FindingList
) -> frozenset[str]:
    """Return the rules that say what they said before ops took other operands, or came and went, but for the
    lines of these; `known` is what they said."""
    assert item.before is not None
    made = [inner for op in _made(item.before) for inner in op.walk()]
    launches = any(op.name == "gpu.launch_func" for op in made)
    found = frozenset[str]() if launches else _LOOKS_AT_TYPES
    if all(function.is_adapted and not function.rejects_others for function in functions):
        found |= _LOOKS_AT_REJECTED
    names = {op.name for op in item.before.come_and_gone}
    if item.before.lines is not None and names.isdisjoint(_NOT_OF_NUMBERS):
        found |= _LOOKS_AT_STREAMS
    if names.isdisjoint(HOST | CALLS):
        found |= _LOOKS_AT_HOST
    if _names_change(item, item.before):
        found -= known.defining
    if all(function.faults_stay for function in functions):
        found |= _LOOKS_AT_FAULTS
    refused = {op for op, _ in item.refused_by(profile.version)}
    name, calls = item.spans.name, not names.isdisjoint(CALLS)
    if not (item.problems or item.invalid or launches or calls) and not any(
        op in refused
        or invalid_op.unknown_to(op, profile)
        or unread(op.name, item.text, name(op).start, profile.version)
        for op in (*item.before.edit.ops, *made)
    ):
        found |= _LOOKS_AT_EACH
    return found


def _names_change(item: Item, before: Before) -> bool:
    """Tell whether values have other names, so that a fix may have to choose another for what it makes."""
    (start, end), delta = before.edit.lines, before.edit.delta
    return names_in(before.text[start:end]) != names_in(item.text[start : end + delta])


def _made(before: Before) -> Sequence[Operation]:
    return () if before.lines is None else before.lines.made


def _is_near(finding: Finding, edit: Respaced) -> bool:
    """Tell whether a finding may be another after `edit`, as it says or repairs something there.

    What is said of the faults of a handle has to do with nothing else in the lines of the places named."""
    if edit.replaced is None or finding.code not in _LOOKS_AT_FAULTS:
        return any(_touch(place, edit.lines) for place in finding.places)
    said = (finding.span, *(related.span for related in finding.related))
    return any(_touch(place, edit.replaced) for place in said) or any(
        _touch(change.span, edit.lines) for fix in finding.fixes for change in fix.edits
    )


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _is_local(item: Item, profile: Profile) -> bool:
    """Tell whether the edit can only change what is said of, or edited in, the lines that it is in."""
    before = item.before
    if before is None:
        return False
    (start, end), delta, ops = before.edit[:3]
    old, new = before.text[start:end], item.text[start : end + delta]
    if names_in(old) != names_in(new) or parser_crash.may_be_in(f"{old}\n{new}\n"):
        # A new name of a fix may be taken now; and one rule looks for launches in the text.
        return False
    if before.edit.respelled:
        words = f"{old}{new}"
        if before.edit.replaced is not None and not any(isinstance(op, OpaqueOp) for op in ops):
            # The ops say what else stands in the lines.
            (first, last) = before.edit.replaced
            words = f"{_words(before.text, first, last)} {_words(item.text, first, last + delta)}"
        if not _LOOKED_FOR.isdisjoint(words) or unread_names(new, profile.version):
            return False
    name = item.spans.name
    return not any(
        op.prev_op is None or unread(op.name, item.text, name(op).start, profile.version) for op in ops
    )


def _words(text: str, start: int, end: int) -> str:
    """Return what stands between the blanks around a part of `text`."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end]
