"""`gpuasync-lsp explain`: what a rule reports, why it matters, and how to fix it."""

from __future__ import annotations

import argparse

from gpuasync_lsp.commands.arguments import Subparsers, print_error
from gpuasync_lsp.output import print_text


def add_parser(subparsers: Subparsers) -> None:
    """Add the `explain` command."""
    parser = subparsers.add_parser(
        "explain",
        help="explain a rule",
        description="Explain rules: what happens in which LLVM release, and what to write instead.",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "rule", metavar="CODE", nargs="?", help="a code (GA101) or a name (too-many-dependencies)"
    )
    which.add_argument("--all", action="store_true", help="explain every rule")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the documentation of the given rules; return the exit status."""
    from gpuasync_lsp.analysis import RULES, explain
    from gpuasync_lsp.ide.document.settings import SettingsError, rule_words

    if args.all:
        codes = [rule.code for rule in RULES]
    else:
        codes = [rule.code for rule in RULES if args.rule.upper() == rule.code or args.rule == rule.name]
    if not codes:
        try:
            rule_words([args.rule])
            print_error(f"{args.rule!r} matches several rules; give a full code")
        except SettingsError as error:
            print_error(error)
        return 2
    print_text("\n".join(explain(code) or "" for code in codes))
    return 0
