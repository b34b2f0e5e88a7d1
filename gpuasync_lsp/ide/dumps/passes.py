"""The effect of each pass in a dump: added and removed ops, new and fixed findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.targets import Resolved
from gpuasync_lsp.ide.dumps.handles import difference
from gpuasync_lsp.ide.dumps.matching import changed
from gpuasync_lsp.ide.dumps.sections import Phase, Section, scope_of, sections
from gpuasync_lsp.ide.dumps.tracks import (
    Track,
    counted,
    delta,
    is_in,
    printed_module,
    printed_symbols,
    prints_module,
)
from gpuasync_lsp.text import Finding

MOST_SECTIONS = 50_000
"""The maximum number of sections of a dump that are processed."""
MOST_TRACKS = 64
"""The maximum number of modules of one dump that are distinguished."""

INPUT = "input"
"""The name of the first entry, if the dump contains the input of its first pass."""
UNSEEN = "passes that were not dumped"
"""The name of an unknown cause of a difference between two consecutive passes."""


class TooLarge(ValueError):
    """A dump with too many sections."""


@dataclass(frozen=True, slots=True)
class PassRun:
    """What a dump shows about one pass on one op."""

    pass_name: str
    """The name in pipelines; `INPUT`, `UNSEEN` or a label if there is no pass."""
    class_name: str
    options: str
    scope: str
    failed: bool
    section: Section
    """The section with the result or, without one, the section that shows the pass's start."""
    before: Section | None = None
    """The section that the result is compared with."""
    changed: bool | None = None
    """Whether the IR changed; None if there is nothing to compare with, or nothing was printed."""
    added: Mapping[str, int] = field(default_factory=dict[str, int])
    """Maps each kind of op to the number of added ops."""
    removed: Mapping[str, int] = field(default_factory=dict[str, int])
    lines: tuple[int, int] | None = None
    """The numbers of added and removed lines, if compared; names and order are ignored."""
    handles: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Maps `streams` and `events` to the numbers of added and removed ones; empty if nothing is compared."""
    seconds: float | None = None
    """The duration of the pass, if the dump contains it."""
    begin: tuple[Finding, ...] = ()
    """New findings in the result, with spans in the dump."""
    end: tuple[Finding, ...] = ()
    """Findings that the pass removes, at their locations in the previous section."""
    error: str = ""
    """The error of a failed pass, if this tool ran the pass."""
    reproducer: str = ""
    """The failed pass and its input, in the format of `mlir-opt --run-reproducer`."""


def pass_runs(
    text: str, resolved: Resolved, function: str | None = None, stopped: Callable[[], bool] = lambda: False
) -> Iterator[PassRun]:
    """Yield the effect of each pass of the dump `text`, in order; nothing for other texts.

    All findings of a module's first section are new. With `function`, everything outside of that function is
    ignored, including passes on other functions. Stops when `stopped` returns True. Raises TooLarge.
    """
    # The steps within a pass are part of its effect.
    found = [section for section in sections(text) if section.phase is not Phase.STEP]
    if len(found) > MOST_SECTIONS:
        raise TooLarge(f"the dump has {len(found)} sections; at most {MOST_SECTIONS} are compared")
    runs = _Runs(text, resolved, function, found)
    for section in found:
        if stopped():
            return
        yield from (run for run in runs.of(section) if _concerns(run.scope, function))
    yield from (run for run in runs.open() if _concerns(run.scope, function))


def _concerns(scope: str, function: str | None) -> bool:
    """Return whether a pass on `scope` may affect `function`."""
    if function is None or ".func" not in scope:
        return True
    return is_in(scope.partition("@")[2].strip('"'), function)


_RESULTS = (Phase.AFTER, Phase.FAILED)


class _Runs:
    def __init__(self, text: str, resolved: Resolved, function: str | None, found: Sequence[Section]) -> None:
        self._to_end = Counter((each.name, each.scope) for each in found if each.phase in _RESULTS)
        """For each pass and scope, the number of later sections that show the pass's end."""
        self._text = text
        self._resolved = resolved
        self._function = function
        self._tracks: list[Track] = []
        """The modules of the dump; the most recently printed one is last."""

    def of(self, section: Section) -> Iterator[PassRun]:
        """Yield the passes whose results appear first in `section`."""
        track = self._track(section)
        is_result = section.phase in _RESULTS
        if is_result:
            track.announced.ended(section.scope)
            self._to_end[section.name, section.scope] -= 1
        printed = "builtin.module" if track.prints_all(self._text, section) else section.scope
        started, is_new = track.announced.shown(printed)
        if is_result:
            started, is_new = section, True
        run = self._shown(track, section, started or section)
        has_effect = run.changed or run.begin or run.end
        if started is not None:
            # A pass that runs other passes (`inline`) is listed at its own end, if it has had an effect.
            is_running = not is_result and self._ends_later(started)
            if (is_new and not is_running) or has_effect:
                yield run
        elif run.before is None and run.section is track.section:
            yield _without_pass(run, INPUT, self._text)
        elif has_effect:
            yield _without_pass(run, (section.phase is Phase.LABEL and section.name) or UNSEEN, self._text)
        if section.phase is Phase.BEFORE:
            track.announced.begin(section)
        elif section.phase is Phase.OUTPUT:
            track.announced.clear()
            track.has_ended = True

    def _ends_later(self, section: Section) -> bool:
        return self._to_end[section.name, section.scope] > 0

    def open(self) -> Iterator[PassRun]:
        """Yield the passes whose start the dump shows but whose results it never shows."""
        for track in self._tracks:
            for started in track.announced.unseen():
                yield _run(started, started)

    def _shown(self, track: Track, section: Section, started: Section) -> PassRun:
        """Advance to `section`; return the effect of the pass that the header of `started` names."""
        before, old, function = track.state, track.section, self._function
        compares = track.knows(self._text, section)
        run = _run(started, section)
        if not track.take(self._text, section):
            return run
        after = track.state
        assert after is not None, "a section was taken"
        found = changed(
            before.findings(function, after) if before else (),
            after.findings(function, before),
            after.has_kind,
        )
        run = replace(
            run,
            begin=tuple(known.finding for known in found.begin),
            end=tuple(known.finding for known in found.end),
        )
        if before is None or not compares:
            return run
        old_units = list(before.all_units(function))
        new_units = list(after.all_units(function))
        if not before.is_whole:
            # Functions that no earlier section printed have no version to compare with.
            seen = {unit.path for unit in old_units}
            new_units = [unit for unit in new_units if unit.path in seen]
        earlier, counts = counted(old_units), counted(new_units)
        old_forms, new_forms = ([(unit.path, unit.form) for unit in each] for each in (old_units, new_units))
        touched = {path for path, _ in {*old_forms} ^ {*new_forms}}
        known = {unit.symbol for unit in (*old_units, *new_units)}
        return replace(
            run,
            before=old,
            changed=[form for _, form in old_forms] != [form for _, form in new_forms],
            lines=_lines(before.lines(touched), after.lines(touched)),
            handles=difference(
                *({n: e for n, e in s.handles.items() if n in known} for s in (before, after))
            ),
            added=delta(earlier, counts),
            removed=delta(counts, earlier),
        )

    def _track(self, section: Section) -> Track:
        """Return the module that a section belongs to, which is the last one with a common symbol.

        A function outside of any module belongs to the most recently printed module. A module without common
        symbols is a new one: GPU compilers compile several modules, nested or in sequence."""
        symbols = printed_symbols(self._text, section)
        inner = printed_module(self._text, section)
        around = (each for each in reversed(self._tracks) if inner and each.holds_module(inner))
        owners = (each for each in reversed(self._tracks) if each.owns(symbols))
        track = next(around, None) or next(owners, None)
        if track is None and self._tracks and not prints_module(self._text, section):
            track = None if self._tracks[-1].has_ended else self._tracks[-1]
        if track is None:
            track = Track(Checker(self._resolved), self._ends_later)
            del self._tracks[: len(self._tracks) - MOST_TRACKS + 1]
        else:
            self._tracks.remove(track)
        self._tracks.append(track)
        return track


def _lines(before: Mapping[str, Counter[str]], after: Mapping[str, Counter[str]]) -> tuple[int, int]:
    """Return the total numbers of added and removed lines in all functions."""
    come = gone = 0
    for path in {**before, **after}:
        old, new = before.get(path, Counter[str]()), after.get(path, Counter[str]())
        come += (new - old).total()
        gone += (old - new).total()
    return come, gone


def _run(started: Section, section: Section) -> PassRun:
    """Return a run of the pass that the header of `started` names, without an effect."""
    failed = started.phase is Phase.FAILED
    return PassRun(started.pass_name, started.name, started.options, started.scope, failed, section)


def _without_pass(run: PassRun, name: str, text: str) -> PassRun:
    """Return `run` as the effect of passes that the dump does not name; `name` labels them."""
    scope = scope_of(text, run.section.body) or run.section.scope
    return replace(run, pass_name=name, class_name="", options="", scope=scope)
