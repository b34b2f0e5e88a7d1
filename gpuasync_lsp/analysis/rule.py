"""Rules, their findings, and the items they check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.context import FileContext
from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.text import Finding, Fix, Related, Severity, Span


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding without the rule's code, name and severity, which the registry adds."""

    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    tags: tuple[str, ...] = ()
    stops: bool = True
    """Whether mlir-opt stops at this finding, if the rule sets `stops`."""
    only_named: bool = False
    """Whether the finding is reported only if the settings name the rule explicitly."""
    severity: Severity | None = None
    """The severity if it differs from the rule's; the user's choice takes precedence."""

    def finding(self, rule: Rule, severity: Severity) -> Finding:
        """Return the finding of `rule` with `severity`, which is the rule's or the user's."""
        if self.severity is not None and severity is rule.severity:
            severity = self.severity
        return Finding(
            rule.code, rule.name, severity, self.span, self.message, self.related, self.fixes, self.tags
        )


@dataclass(frozen=True, slots=True)
class Unit:
    """One item under one profile, with all facts that rules use."""

    item: Item
    context: FileContext
    profile: Profile
    functions: tuple[AsyncFunction, ...]

    def ops(self, *names: str) -> Iterator[Operation]:
        """Yield the ops of the item whose name is in `names` (by default all ops), in text order."""
        for op in self.item.ops:
            for inner in op.walk():
                if not names or inner.name in names:
                    yield inner


@dataclass(frozen=True, slots=True)
class Rule:
    """One diagnosis: its code, the name of the pattern, default severity, and the check that finds it."""

    code: str
    name: str
    severity: Severity
    check: Callable[[AsyncFunction], Iterable[Draft]] | None = None
    """Checks the model of one function; None for rules that check items."""
    check_unit: Callable[[Unit], Iterable[Draft]] | None = None
    """Checks a whole item; None for rules that check models."""
    doc: str = ""
    """The docstring of the rule's module: summary, what happens, example, alternative."""
    only_named: bool = False
    """Whether the rule is off unless the settings name it, in `select` or with a severity."""
    stops: bool = False
    """Whether the rule reports errors of mlir-opt's parser or verifier, after which no pass runs."""
    versions: Callable[[Profile], str] | None = None
    """Describes, for the rule's page, how the rule depends on the profile; None if it does not."""
