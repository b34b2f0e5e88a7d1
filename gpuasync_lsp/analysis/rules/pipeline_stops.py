"""A pass of the file's pipeline that fails or crashes here, or leaves an op in a kernel.

## What happens
The passes of the setting `pipeline` (or `--pipeline`), or else those of the file's first RUN line, run on a
copy of the file as in the target release. If one fails or crashes, the passes after it do not run. An op that
is left in a kernel after its conversion makes the translation of the kernel to LLVM IR fail. A branch with
tokens that convert-scf-to-cf creates after gpu-to-llvm keeps them: no release reports this in these passes,
and convert-cf-to-llvm or reconcile-unrealized-casts fails later.

Without a configured pipeline and RUN line, only gpu-to-llvm runs, on the host code of files of up to 20,000
characters that contain tasks (async.execute), branches, memory spaces, tensors, tuples or unranked memrefs. A
pass of mlir-opt that this tool does not implement is reported once, at the start of the file: neither that
pass nor the passes after it are run. With `check --engine mlir-opt`, your own mlir-opt runs all of them.

## What it does not report
- Anything that another rule reports at the same op, and anything in a file that mlir-opt cannot parse.
- RUN lines with `not` or `-verify-diagnostics`, or with passes that this tool does not implement.
- Without a configured pipeline: errors at launches and at ops of dialects that other passes lower, such as
  linalg, and unlowered host ops.
- Errors that an op of an unknown dialect causes.
- Host ops that a conversion leaves unlowered: passes that are not configured may convert them.
- Passes after one that this tool does not implement, and files of more than 200,000 characters.
- Differences between the passes of this tool and the real ones.

## Example
```mlir
%token, %value = async.execute -> !async.value<tuple<i32, i32>> {
  %pair = "mine.pair"() : () -> tuple<i32, i32>
  async.yield %pair : tuple<i32, i32>
}
async.await %token : !async.token
```
Use instead: values whose types convert to the LLVM dialect, such as numbers, vectors and memrefs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.analysis.wording import sentence
from gpuasync_lsp.syntax.crashes import known_crash
from gpuasync_lsp.text import Severity, Span


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Find ops at which gpu-to-llvm crashes, if no passes are configured."""
    if unit.context.pipeline is None:
        for op in unit.item.ops:
            found = known_crash(op, "gpu-to-llvm", (), unit.profile.version)
            # GA111 reports crashes at signatures.
            if found is not None and found[0] in unit.item.spans.ops and found[0].name != "func.func":
                at, crash = found
                span = unit.item.spans.name(at)
                yield stops(span, "gpu-to-llvm", crash.words, crash.advice, unit.profile.label)


def stops(span: Span, name: str, words: str, advice: str, label: str) -> Draft:
    """Return the finding for the pass `name` that fails or crashes with the message `words`."""
    known = (what for pattern, what in _ADVICE if pattern.search(words))
    after = advice or next(known, "The passes after it do not run.")
    return Draft(span, f"{label}, {name}: {_closed(words)}\n{after}")


def leaves(span: Span, name: str, reason: str, label: str) -> Draft:
    """Return the finding for an op called `name` that passes leave in a kernel because of `reason`."""
    return Draft(
        span,
        f"{label} silently leaves this {name} in the kernel, so the translation to LLVM IR fails.\n"
        f"{_closed(sentence(reason))}",
        severity=Severity.WARNING,
    )


def leaves_tokens(span: Span, label: str) -> Draft:
    """Return the finding for a branch whose tokens are left, because it was created after gpu-to-llvm."""
    return Draft(
        span,
        f"{label} silently leaves the tokens of this op unlowered: gpu-to-llvm runs before "
        "convert-scf-to-cf.\n"
        "Run convert-scf-to-cf first: gpu-to-llvm converts the tokens of branches, but not those of scf.",
        severity=Severity.WARNING,
    )


def left(span: Span, name: str, label: str) -> Draft:
    """Return the finding for an op called `name` that the user's own mlir-opt leaves unlowered."""
    return Draft(
        span,
        f"{label} silently leaves this {name} unlowered, as your mlir-opt shows.\n"
        "Compare it with the example of the rule for its op, or with `gpuasync-lsp lower`.",
    )


def not_run(span: Span, name: str) -> Draft:
    """Return the finding for the pass `name`, which this tool does not implement."""
    return Draft(
        span,
        f"This tool does not implement the pass {name}: its effects and those of later passes are not "
        "checked.\nCheck with `--engine mlir-opt` to let your own mlir-opt run them.",
        severity=Severity.INFORMATION,
    )


_ADVICE = (
    (
        re.compile("the module has no target attributes"),
        "Give the gpu.module a target: run nvvm-attach-target (rocdl-attach-target for AMD) before "
        "gpu-module-to-binary.",
    ),
    (
        re.compile(r"got \d+ kernel operands but expected \d+"),
        "Lower the kernel first, with gpu.module(convert-gpu-to-nvvm): gpu-to-llvm passes the fields of a "
        "memref's descriptor, and the kernel still takes the memref.",
    ),
    (
        re.compile(r"incorrect number of operands \(2\) for callee \(expecting: 3\)"),
        "Leave out use-bare-pointers-for-host: the runtime takes the descriptor of the registered memref.",
    ),
    (
        re.compile(r"missing \S+ attribute"),
        "Serialize the kernel first: gpu-to-cubin or gpu-to-hsaco writes that attribute.",
    ),
    (
        re.compile(r"'async.execute' op expects region #0 to have 0 or 1 blocks"),
        "Keep branches and cf.assert out of the task: move them into a function that the task calls, or use "
        "scf.if.",
    ),
    (
        re.compile(r"type mismatch for operand 0: '!llvm.ptr<\d+>' != '!llvm.ptr'"),
        "Free memory of the default memory space only: the runtime takes pointers without address space.",
    ),
    (re.compile("does not refer to a registered pass"), "The target release has no pass of this name."),
)
"""Pairs of a pattern that matches an error message of LLVM, and the advice to give."""


def _closed(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


RULE = Rule("GA115", "pipeline-stops", Severity.ERROR, check_unit=check_unit)
