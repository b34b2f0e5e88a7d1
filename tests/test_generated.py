"""Generated async programs: what the rules say against what the real lowering does (`lowered_calls`).

hypothesis writes programs with several streams, joins, forks, branches, loops and async regions, mlir-opt of
each version lowers them, an independent judge runs the lowered calls on every path, and both must agree on
double destroys, uses after destroy, confused handles and leaks. A disagreement is shrunk to a small program.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from gpuasync_lsp.analysis import Config, check_source
from tests.lowered_calls import functions, hazards
from tests.tools import mlir_opt

EXAMPLES = int(os.environ.get("GPUASYNC_EXAMPLES", "25"))
FUNCTIONS = 12
"""Programs in one run of mlir-opt: starting it costs more than they do."""

KINDS = {
    "double": {"GA201", "GA206"},
    "late": {"GA202"},
    "confused": {"GA203", "GA204", "GA209"},
    "raw": {"GA205"},
    "leak": {"GA401", "GA402"},
}
LAUNCH = "@kernels::@none blocks in (%n, %n, %n) threads in (%n, %n, %n)"


@dataclass
class Writer:
    """Writes one function, statement by statement."""

    draw: st.DrawFn
    number: int
    launches: int
    """Most dependencies of a launch; below 0 there are none: 16 takes one launch from each gpu.module."""
    tidy: bool
    """Waits once for every stream, at the end of the block that makes it, so that most programs are right."""
    streams: dict[str, str] = field(default_factory=dict)
    """Per token: the first token of its stream or event."""
    lines: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    count: int = 0
    budget: int = 40

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 2) + text)

    def pick(self, tokens: list[str], low: int, high: int) -> list[str]:
        most = min(high, len(tokens))
        chosen = (
            st.lists(st.sampled_from(tokens), min_size=min(low, most), max_size=most)
            if tokens
            else st.just([])
        )
        return self.draw(chosen)

    def block(self, tokens: list[str], depth: int) -> list[str]:
        """Write some statements; return the tokens that are visible at their end.

        A call of its own keeps each block different: 22 and later merge equal blocks by new block arguments,
        which turns tokens into events. The analysis does not follow that.
        """
        tokens = list(tokens)
        self.put(depth, f"func.call @mark{self.number}_{self.count}() : () -> ()")
        self.marks.append(f"mark{self.number}_{self.count}")
        self.count += 1
        outer = set(tokens)
        for _ in range(self.draw(st.integers(1, 8 if depth == 0 else 3))):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(tokens, depth)
        own = dict.fromkeys(t for t in tokens if t not in outer and self.streams.get(t) == t)
        if self.tidy and own:
            self.put(depth, f"gpu.wait{listed(list(own))}")
        return tokens

    def statement(self, tokens: list[str], depth: int) -> None:
        kinds = ["create", "join"]
        if tokens and self.tidy:
            kinds += ["set", "set", "launch", "join"] + (["if", "for", "execute"] if depth < 2 else [])
        elif tokens:
            kinds += ["set", "set", "launch", "wait", "wait", "join"]
            kinds += ["if", "for", "select", "execute"] if depth < 2 else []
        match self.draw(st.sampled_from([k for k in kinds if k != "launch" or self.launches >= 0])):
            case "create":
                tokens.append(self.result(depth, "gpu.wait async"))
            case "join":
                deps = self.pick(tokens, 0, 3)
                tokens.append(self.result(depth, f"gpu.wait async{listed(deps)}"))
            case "set":
                dep = self.pick(tokens, 1, 1)
                text = f"gpu.memset async{listed(dep)} %a, %f : memref<4xf32>, f32"
                tokens.append(self.result(depth, text, dep))
            case "launch":
                deps = self.pick(tokens, 0, self.launches)
                tokens.append(self.result(depth, f"gpu.launch_func async{listed(deps)} {LAUNCH}", deps))
            case "wait":
                self.put(depth, f"gpu.wait{listed(self.pick(tokens, 1, 2))}")
            case "select":
                a, b = self.draw(st.sampled_from(tokens)), self.draw(st.sampled_from(tokens))
                tokens.append(self.result(depth, f"arith.select %c, {a}, {b} : !gpu.async.token"))
            case "if":
                self.branch(tokens, depth)
            case "for":
                self.loop(tokens, depth)
            case _:
                self.execute(tokens, depth)

    def result(self, depth: int, text: str, on: list[str] | None = None) -> str:
        """Write an op with a token; `on` are the dependencies of which the first is its stream."""
        name = self.name()
        self.streams[name] = self.streams.get(on[0], "") if on else name
        self.put(depth, f"{name} = {text}")
        return name

    def branch(self, tokens: list[str], depth: int) -> None:
        carries = not self.tidy and self.draw(st.booleans())
        name = self.name()
        self.put(depth, f"{name} = scf.if %c -> (!gpu.async.token) {{" if carries else "scf.if %c {")
        for part in range(2):
            inner = self.block(tokens, depth + 1)
            if carries:
                self.put(depth + 1, f"scf.yield {self.draw(st.sampled_from(inner))} : !gpu.async.token")
            self.put(depth, "} else {" if part == 0 else "}")
        if carries:
            tokens.append(name)

    def loop(self, tokens: list[str], depth: int) -> None:
        carries = not self.tidy and self.draw(st.booleans())
        name, carried = self.name(), self.name()
        head = f"scf.for {self.name()} = %c0 to %n step %n"
        if carries:
            start = self.draw(st.sampled_from(tokens))
            head = f"{name} = {head} iter_args({carried} = {start}) -> (!gpu.async.token)"
        self.put(depth, head + " {")
        inner = self.block([*tokens, carried] if carries else tokens, depth + 1)
        if carries:
            self.put(depth + 1, f"scf.yield {self.draw(st.sampled_from(inner))} : !gpu.async.token")
        self.put(depth, "}")
        if carries:
            tokens.append(name)

    def execute(self, tokens: list[str], depth: int) -> None:
        done, value = self.name(), self.name()
        self.put(depth, f"{done}, {value} = async.execute -> !async.value<!gpu.async.token> {{")
        stream = self.result(depth + 1, "gpu.wait async")
        text = f"gpu.memset async [{stream}] %a, %f : memref<4xf32>, f32"
        token = self.result(depth + 1, text, [stream])
        self.put(depth + 1, f"async.yield {token} : !gpu.async.token")
        self.put(depth, "}")
        tokens.append(self.result(depth, f"async.await {value} : !async.value<!gpu.async.token>"))


def listed(names: list[str]) -> str:
    return f" [{', '.join(names)}]" if names else ""


@st.composite
def modules(draw: st.DrawFn, launches: int) -> list[str]:
    """Draw the texts of some functions."""
    found: list[str] = []
    for number in range(draw(st.integers(1, FUNCTIONS))):
        writer = Writer(draw, number, launches, draw(st.booleans()))
        writer.block([], 0)
        body = "\n".join(writer.lines)
        found.append(
            "".join(f"  func.func private @{mark}()\n" for mark in writer.marks)
            + f"  func.func @f{number}(%a: memref<4xf32>, %f: f32, %c: i1, %n: index) {{\n"
            f"    %c0 = arith.constant 0 : index\n{body}\n    return\n  }}\n"
        )
    return found


def module(parts: list[str], target: str) -> str:
    kernels = "" if not target else f'  gpu.binary @kernels [#gpu.object<#{target}.target, "BLOB">]\n'
    return f"module attributes {{gpu.container_module}} {{\n{kernels}{''.join(parts)}}}\n"


def predicted(text: str, version: int) -> list[set[str]]:
    """Return per function the kinds of hazard that are found."""
    starts = [i for i in range(len(text)) if text.startswith("  func.func @f", i)]
    found: list[set[str]] = [set() for _ in starts]
    for finding in check_source(text, Config(version, pipeline=("convert-scf-to-cf",))):
        here = max(n for n, start in enumerate(starts) if start <= finding.span.start)
        found[here] |= {kind for kind, codes in KINDS.items() if finding.code in codes}
    return found


LAUNCHES = {16: -1, 19: 1, 22: 1, 24: 3}
"""Most dependencies of a launch that lowers."""

VARIANTS = [(16, ""), (19, "nvvm"), (19, "rocdl"), (22, "nvvm"), (22, "rocdl"), (24, "nvvm")]


@pytest.mark.slow
@pytest.mark.parametrize(("version", "target"), VARIANTS, ids=lambda v: str(v) or "none")
def test_findings_agree_with_what_the_lowered_code_does(version: int, target: str) -> None:
    tool = mlir_opt(version)
    compared = [0, 0]

    @settings(
        max_examples=EXAMPLES if version != 24 else max(3, EXAMPLES // 3),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
    )
    @given(parts=modules(launches=LAUNCHES[version]))
    def agree(parts: list[str]) -> None:
        text = module(parts, target)
        lowered = tool(text, "--convert-scf-to-cf", "--gpu-to-llvm")
        assert lowered.code == 0, lowered.err
        said = predicted(text, version)
        judged = functions(lowered.out)
        assert len(judged) == len(parts)
        for part, function, ours in zip(parts, judged, said, strict=True):
            truth = hazards(function)
            compared[0] += 1
            compared[1] += bool(truth)
            if "raw" in ours:
                # Said where the stream is yielded, whether or not anybody waits for it.
                assert truth & {"confused", "leak"}, part
                continue
            if "confused" in truth or "confused" in ours:
                # Past a confused handle the rest is not worth telling: one finding, one repair, then the
                # next.
                truth, ours = truth & {"confused"}, ours & {"confused"}
            note(f"LLVM {version}: measured {sorted(truth)}, found {sorted(ours)}\n{part}")
            assert truth == ours

    agree()
    print(f"\nLLVM {version} {target}: {compared[0]} programs agree, {compared[1]} of them with hazards")
