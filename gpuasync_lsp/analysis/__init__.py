"""Diagnoses the async tokens of a file under a target release: builds models, runs rules, returns findings.

`check_source` runs everything; `analyze` returns the model for hover, hints and the stream view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.carriage_returns import as_item_ends_lines
from gpuasync_lsp.analysis.config import Config
from gpuasync_lsp.analysis.model.context import FileContext, file_contexts, start_of
from gpuasync_lsp.analysis.model.dependents import is_dependent
from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Kind, Wait
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.analysis.repairs.dependencies import can_join, join
from gpuasync_lsp.analysis.repairs.outlining import outline_launch, outline_ops
from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.analysis.rules import (
    BY_CODE,
    RULES,
    internal_error,
    invalid_op,
    pipeline_stops,
    syntax_error,
    took_too_long,
    undefined_value,
)
from gpuasync_lsp.analysis.rules.serialized_fork import fork
from gpuasync_lsp.analysis.suppressions import Comments, comments
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem, SourceFile, parse_source, shift_problem
from gpuasync_lsp.syntax.symbols import symbol_name
from gpuasync_lsp.text import Finding, Fix, Related, in_text_order
from gpuasync_lsp.text.defects import contained
from gpuasync_lsp.text.effort import TookTooLong, limited, spend
from gpuasync_lsp.text.recent import Recent, recent

__all__ = [
    "BY_CODE",
    "RULES",
    "SAY_ERRORS",
    "AsyncFunction",
    "AsyncOp",
    "Comments",
    "Config",
    "Draft",
    "FileContext",
    "Handle",
    "Kind",
    "Origin",
    "Rule",
    "Unit",
    "Wait",
    "analyze",
    "analyze_for_other",
    "can_join",
    "check_chunk",
    "check_item",
    "check_outside_items",
    "check_source",
    "comments",
    "effective",
    "explain",
    "file_contexts",
    "forget_others",
    "fork",
    "gather",
    "is_dependent",
    "item_rejections",
    "join",
    "outline_launch",
    "outline_ops",
    "parse_errors",
    "pipeline_stops",
    "rejections",
    "start_of",
    "suppression_findings",
    "unchecked",
]


class _Models(NamedTuple):
    """The models of an item's functions."""

    functions: list[AsyncFunction]
    given_up_at: Operation | None = None
    """The function whose analysis took too long; functions after it are not analyzed."""


_OF_OTHERS: Recent[_Models] = Recent(400_000)
"""Models for releases other than the file's, weighted by the characters of their items."""

MOST_OF_RULE = 1_000
"""The maximum number of findings of one rule in a function, or in an item for rules that check items."""

SAY_ERRORS = frozenset({syntax_error.RULE.code, undefined_value.RULE.code})
"""Codes of the rules that report the parser's errors."""


def analyze(item: Item, context: FileContext, profile: Profile) -> list[AsyncFunction]:
    """Return the model of every host function with a body in `item`, cached in the item.

    If the analysis of a function takes too long, this function and the ones after it are missing."""
    return _models(item, context, profile).functions


def _models(item: Item, context: FileContext, profile: Profile) -> _Models:
    key = _models_key(item, context, profile)
    kept = recent(item.memo, "analysis.models")
    known: _Models | None = kept.get(key)
    return known or kept.keep(key, _analyzed(item, context, profile))


def _models_key(item: Item, context: FileContext, profile: Profile) -> tuple[object, ...]:
    return context.key(item), profile.version, not item.invalid


def analyze_for_other(item: Item, context: FileContext, profile: Profile) -> list[AsyncFunction]:
    """Analyze `item` for a release other than the file's, for hover, which shows all releases.

    Recent results are cached in one cache for all items."""
    key = (item, context.key(item), profile.version, not item.invalid)
    known = _OF_OTHERS.get(key)
    if known is None:
        known = _OF_OTHERS.keep(key, _analyzed(item, context, profile), len(item.text))
    return known.functions


def forget_others() -> None:
    """Clear the cache of `analyze_for_other`, which keeps models and items alive."""
    _OF_OTHERS.clear()


def _models_for_errors(item: Item, context: FileContext, profile: Profile) -> tuple[AsyncFunction, ...]:
    """Return the models that rules with `Rule.stops` need: the cached ones, or new ones without paths.

    The findings of these rules depend on a function's launches, not on the paths through it."""
    known = recent(item.memo, "analysis.models").get(_models_key(item, context, profile))
    if known is not None:
        return tuple(known.functions)
    if not _has_launches(item):
        return ()
    from gpuasync_lsp.analysis.model.building import begin, build

    found: list[AsyncFunction] = []
    is_valid = not item.invalid
    for op in _host_functions(item, context):
        try:
            with limited(len(item.text)):
                model = begin(op, item.spans, context, profile, is_valid=is_valid)
                if any(info.rejections or info.has_object for info in model.ops):
                    # Rules that need streams and offer fixes report nothing without launches.
                    model = build(op, item.spans, context, profile, is_valid=is_valid)
        except TookTooLong:
            break
        found.append(model)
    return tuple(found)


def _has_launches(item: Item) -> bool:
    return any(inner.name in ("gpu.launch", "gpu.launch_func") for op in item.ops for inner in op.walk())


def _host_functions(item: Item, context: FileContext) -> Iterator[Operation]:
    for op in item.ops:
        for function in op.walk() if op.name == "builtin.module" else (op,):
            if not function.regions or not function.regions[0].blocks:
                continue
            if function.name == "func.func" or (
                function.name == "llvm.func" and _has_device_work(function, context)
            ):
                yield function


def _has_device_work(function: Operation, context: FileContext) -> bool:
    """Return whether an llvm.func contains gpu ops, or calls a function that enqueues work."""
    for op in function.walk():
        if op.name.startswith("gpu."):
            return True
        callee = callee_of(op)
        info = context.functions.get(callee) if callee is not None else None
        if info is not None and any(effect.token is not None for effect in info.effects or ()):
            return True
    return False


def _analyzed(item: Item, context: FileContext, profile: Profile) -> _Models:
    found: list[AsyncFunction] = []
    for function in _host_functions(item, context):
        try:
            with limited(len(item.text)):
                model = contained(
                    "the model of a function",
                    lambda function=function: _modeled(function, item, context, profile),
                    lambda message, error, function=function: _no_model(message, error, function, item),
                )
        except TookTooLong:
            return _Models(found, function)
        if model is not None:
            found.append(model)
    return _Models(found)


def _modeled(function: Operation, item: Item, context: FileContext, profile: Profile) -> AsyncFunction:
    # Imported lazily: `rejections` needs no paths, and seldom a model.
    from gpuasync_lsp.analysis.model.building import build
    from gpuasync_lsp.analysis.model.conclusions import run

    model = build(function, item.spans, context, profile, is_valid=not item.invalid)
    run(model)
    return model


def _no_model(message: str, error: Exception, function: Operation, item: Item) -> None:
    name = symbol_name(function)
    skipped = f"The tokens, streams and memory of @{name} are not analyzed."
    item.defects.append(internal_error.at(item, error, message, skipped))


def check_item(item: Item, context: FileContext, profile: Profile, config: Config) -> tuple[Finding, ...]:
    """Return the findings of one item, in text order and with relative spans, cached in the item.

    Fixes use the item's line endings."""
    key = (context.key(item), profile.version, config.key)
    kept = recent(item.memo, "analysis.findings")
    found: tuple[Finding, ...] | None = kept.get(key)
    if found is None:
        models = _models(item, context, profile)
        unit = Unit(item, context, profile, tuple(models.functions))
        all_found = as_item_ends_lines(_findings(unit, models.given_up_at, config), item)
        found = in_text_order(all_found)
        kept.keep(key, found)
    return found


def _findings(unit: Unit, given_up_at: Operation | None, config: Config) -> list[Finding]:
    """Return the findings of all enabled rules in one item.

    `given_up_at` is the function whose analysis took too long."""
    found: list[Finding] = []
    try:
        with limited(len(unit.item.text)):
            for rule in RULES:
                severity = config.level(rule.code, rule.name, rule.severity, only_named=rule.only_named)
                if severity is not None:
                    named = config.names(rule.code, rule.name)
                    drafts = (each for each in _drafts_of(rule, unit) if named or not each.only_named)
                    found += [draft.finding(rule, severity) for draft in drafts]
    except TookTooLong:
        given_up_at = given_up_at or next(iter(unit.item.ops), None)
    rule = took_too_long.RULE
    severity = config.level(rule.code, rule.name, rule.severity)
    if given_up_at is not None and severity is not None:
        found.append(took_too_long.at(given_up_at, unit.item).finding(rule, severity))
    rule = internal_error.RULE
    severity = config.level(rule.code, rule.name, rule.severity)
    if unit.item.defects and severity is not None:
        found += [draft.finding(rule, severity) for draft in internal_error.drafts(unit.item.defects)]
    return _without_fixes_of_errors(_once_per_unknown_op(found, unit), unit.item)


def _once_per_unknown_op(found: list[Finding], unit: Unit) -> list[Finding]:
    """Return `found`, keeping only the unknown-op finding for each op that the release lacks.

    Other findings about such an op may be wrong."""
    if not any(BY_CODE[finding.code].stops for finding in found):
        return found
    spans, version = unit.item.spans, unit.profile.version
    ops = spans.innermost_of_each(unit.item.ops, (finding.span.start for finding in found))
    unknown_op: dict[Operation | None, Finding] = {
        op: finding
        for finding in reversed(found)
        if BY_CODE[finding.code].stops
        and (op := ops[finding.span.start]) is not None
        and finding.span == spans.name(op)
        and invalid_op.is_unreadable(op, version)
    }
    return [f for f in found if unknown_op.get(ops[f.span.start], f) is f]


def _without_fixes_of_errors(found: list[Finding], item: Item) -> list[Finding]:
    """Return `found` without the fixes that rewrite an op with a syntax error or an undefined value.

    The intended meaning of such an op is unknown."""
    errors = [p.span.start for p in item.problems if p.code in ("GA001", "GA002")]
    if not errors or not any(f.fixes and not f.code.startswith("GA0") for f in found):
        return found

    broken = {*item.spans.innermost_of_each(item.ops, errors).values()} - {None}

    def rewrites(fix: Fix) -> bool:
        starts = (edit.span.start for edit in fix.edits if not edit.within)
        return any(item.spans.innermost(item.ops, start) in broken for start in starts)

    return [
        finding
        if finding.code.startswith("GA0") or not any(map(rewrites, finding.fixes))
        else replace(finding, fixes=tuple(fix for fix in finding.fixes if not rewrites(fix)))
        for finding in found
    ]


def unchecked(item: Item, error: Exception, message: str, config: Config) -> list[Finding]:
    """Return the findings to report for an item whose check raised `error`."""
    rule = internal_error.RULE
    severity = config.level(rule.code, rule.name, rule.severity)
    problems = (*item.defects, internal_error.at(item, error, message, "This is not checked."))
    return [] if severity is None else [d.finding(rule, severity) for d in internal_error.drafts(problems)]


def parse_errors(item: Item, config: Config) -> Sequence[Finding]:
    """Return the parser's errors in one item, with spans relative to it. This needs no model."""
    unit = Unit(item, FileContext(), config.profile, ())
    found: list[Finding] = []
    for rule in RULES:
        severity = config.level(rule.code, rule.name, rule.severity) if rule.code in SAY_ERRORS else None
        if severity is not None:
            found += [draft.finding(rule, severity) for draft in _drafts_of(rule, unit)]
    return as_item_ends_lines(found, item)


def check_chunk(chunk: Chunk, config: Config) -> list[Finding]:
    """Return the findings of one chunk, with absolute spans; suppression comments do not apply."""
    found = list(check_outside_items(chunk, config))
    for placed, context in file_contexts(chunk, config.pipeline):
        for finding in check_item(placed.item, context, config.profile, config):
            found.append(gather(finding, chunk, placed).shift(placed.offset))
    return found


def gather(finding: Finding, chunk: Chunk, placed: PlacedItem) -> Finding:
    """Convert a finding of `check_item` to absolute spans."""
    return finding.gathered(start_of(chunk, placed)) if finding.is_scattered else finding


def check_outside_items(chunk: Chunk, config: Config) -> Iterable[Finding]:
    """Yield the findings in alias definitions and `module` lines, with absolute spans."""
    problems = list(chunk.problems)
    for item, offset in chunk.headers:
        extra = [Problem("GA003", item.spans.name(op), words) for op, words in item.rejected_by(config.llvm)]
        extra += invalid_op.names_not_read(
            item.text, {problem.message for problem in item.problems}, config.profile
        )
        problems += [shift_problem(p, offset) for p in (*item.problems, *item.invalid, *extra, *item.defects)]
    words = {problem.message for problem in chunk.problems}
    for text, offset in chunk.preludes():
        problems += [
            shift_problem(each, offset) for each in invalid_op.names_not_read(text, words, config.profile)
        ]
    for problem in problems:
        rule = BY_CODE.get(problem.code)
        severity = config.level(rule.code, rule.name, rule.severity) if rule is not None else None
        if rule is not None and severity is not None:
            related = tuple(Related(span, message) for span, message in problem.related)
            yield Draft(problem.span, problem.message, related).finding(rule, severity)


def rejections(
    chunk: Chunk, version: int, contexts: Iterable[tuple[PlacedItem, FileContext]] | None = None
) -> list[Finding]:
    """Return the errors of mlir-opt's parser and verifier in `chunk` for LLVM `version`, in text order.

    These are the findings, with absolute spans, of the rules with `Rule.stops`, regardless of settings and
    suppressions. Lowering, the stream view and `run` check for them first. `contexts` are the contexts of the
    chunk's items, if the caller has them."""
    config = Config(llvm=version)
    found = [each for each in check_outside_items(chunk, config) if BY_CODE[each.code].stops]
    for placed, context in contexts or file_contexts(chunk):
        known = item_rejections(placed.item, context, version)
        found += [gather(each, chunk, placed).shift(placed.offset) for each in known]
    return list(in_text_order(found))


def item_rejections(item: Item, context: FileContext, version: int) -> list[Finding]:
    """Return the errors of mlir-opt's parser and verifier in one item, with relative spans, cached in it."""
    kept = recent(item.memo, "analysis.rejections")
    key = (context.key(item), version)
    known: list[Finding] | None = kept.get(key)
    if known is None:
        profile = Config(llvm=version).profile
        known = _rejections(Unit(item, context, profile, _models_for_errors(item, context, profile)))
        kept.keep(key, known)
    return known


def _rejections(unit: Unit) -> list[Finding]:
    found: list[Finding] = []
    try:
        with limited(len(unit.item.text)):
            for rule in RULES:
                if rule.stops:
                    found += [d.finding(rule, rule.severity) for d in _drafts_of(rule, unit) if d.stops]
    except TookTooLong:
        pass  # Lowering reports the remaining errors.
    return found


def check_source(source: SourceFile | str, config: Config | None = None) -> list[Finding]:
    """Return the findings of a whole source file, in text order, with absolute spans.

    `// gpuasync:` comments apply: their release overrides that of `config`, and suppressed findings are
    left out.
    """
    file = parse_source(source) if isinstance(source, str) else source
    notes = comments(file.text)
    config = effective(config or Config(), notes)
    found = [finding for chunk in file.chunks for finding in check_chunk(chunk, config)]
    left = [finding for finding in found if not notes.silences(finding)]
    left += suppression_findings(notes, config, {finding.code for finding in found})
    return list(in_text_order(left))


def suppression_findings(notes: Comments, config: Config, found: Set[str]) -> Iterator[Finding]:
    """Yield the findings about the `// gpuasync:` comments in a source file.

    `found` are the codes of all findings, including suppressed ones. `notes.silences` must have been called
    with every finding. Unused suppressions are not reported if the analysis of the file is incomplete."""
    yield from notes.mistakes(config)
    if not any(BY_CODE[code].stops or code == took_too_long.RULE.code for code in found):
        yield from notes.unused(config)


def effective(config: Config, notes: Comments) -> Config:
    """Return `config` with the release that the file's comments set."""
    if notes.llvm is None or notes.llvm == config.llvm:
        return config
    return Config(notes.llvm, config.select, config.ignore, config.severity, config.pipeline)


def explain(code: str) -> str | None:
    """Return the documentation of a rule by code or name, as Markdown; None for an unknown rule."""
    for rule in RULES:
        if code.upper() == rule.code or code == rule.name:
            return f"# {rule.code} {rule.name}\n\n{rule.doc.strip()}\n"
    return None


def _drafts_of(rule: Rule, unit: Unit) -> list[Draft]:
    """Return the findings of a rule; if the rule raises an exception, return the findings before it."""
    found: list[Draft] = []

    def give_up(message: str, error: Exception) -> None:
        skipped = f"The findings of {rule.name} may be incomplete here."
        unit.item.defects.append(internal_error.at(unit.item, error, message, skipped))

    contained(f"rule {rule.code}", lambda: _find(rule, unit, found), give_up)
    return found


def _find(rule: Rule, unit: Unit, found: list[Draft]) -> None:
    if rule.check_unit is not None:
        found += _some(rule.check_unit(unit))
    for function in unit.functions:
        if rule.check is not None:
            found += _counted(rule.check(function), function)


def _counted(drafts: Iterable[Draft], function: AsyncFunction) -> list[Draft]:
    spend(len(function.ops))
    found: list[Draft] = []
    for draft in _some(drafts):
        spend(10)
        found.append(draft)
    return found


def _some(drafts: Iterable[Draft]) -> Iterable[Draft]:
    """Return the first `MOST_OF_RULE` findings; the last one mentions that further findings are left out."""
    rest = iter(drafts)
    first = next(rest, None)  # Most rules find nothing in most functions.
    return () if first is None else _from_first(first, rest)


def _from_first(first: Draft, rest: Iterator[Draft]) -> Iterator[Draft]:
    yield first
    yield from islice(rest, MOST_OF_RULE - 2)
    for last in islice(rest, 1):
        left_out = f"There are more of these here; only the first {MOST_OF_RULE:,} are listed."
        yield last if next(rest, None) is None else replace(last, message=f"{last.message}\n{left_out}")
