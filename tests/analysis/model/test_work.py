"""The work for one function is linear in its size, not quadratic: measured in bytecodes, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from benchmarks.generate import module
from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.syntax import parse_source
from tests.support.thinning import thinned

HEAD = "func.func @f(%h: memref<8xf32>, %g: memref<8xf32>, %v: f32, %c: i1, %n: index) {\n"
SET = "gpu.memset async [{}] %g, %v : memref<8xf32>, f32"


def leaks(size: int) -> str:
    """One chain of joins, each of which leaks a stream."""
    return module(size + 12, size + 12)


def released(size: int) -> str:
    """Many streams that write one buffer, each joined into the next; the last wait destroys all."""
    lines = ["%t0 = gpu.wait async"]
    for number in range(size):
        lines.append(f"%a{number} = " + SET.format(f"%t{number}"))
        lines.append(f"%t{number + 1} = gpu.wait async [%a{number}]")
    names = [f"%a{number}" for number in range(size)]
    return HEAD + "\n".join([*lines, f"gpu.wait [{', '.join(names)}, %t{size}]", "return", "}"])


def branches(size: int) -> str:
    """Many consecutive scf.if, each with a stream and work of its own."""
    body = "scf.if %c {{\n%s{0} = gpu.wait async\n%a{0} = " + SET.format("%s{0}") + "\ngpu.wait [%a{0}]\n}}"
    return HEAD + "\n".join([*(body.format(number) for number in range(size)), "return", "}"])


def loop(size: int) -> str:
    """One loop with many ops."""
    lines = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "scf.for %i = %c0 to %n step %c1 {",
    ]
    for number in range(size):
        lines.append(
            f"%s{number} = gpu.wait async\n%a{number} = {SET.format(f'%s{number}')}\ngpu.wait [%a{number}]"
        )
    return HEAD + "\n".join([*lines, "}", "return", "}"])


def racing(size: int) -> str:
    """Many unordered streams that write one buffer, all leaked."""
    body = "%s{0} = gpu.wait async\n%a{0} = " + SET.format("%s{0}")
    return HEAD + "\n".join([*(body.format(number) for number in range(size)), "return", "}"])


def forked(size: int) -> str:
    """Many copies from one buffer that depend on one token."""
    copy = "gpu.memcpy async [%t] %p{0}, %h : memref<8xf32>, memref<8xf32>"
    lines = ["%t = gpu.wait async"]
    for number in range(size):
        lines.append(f"%p{number} = memref.alloc() : memref<8xf32>\n%a{number} = " + copy.format(number))
    return HEAD + "\n".join([*lines, f"gpu.wait [%a{size - 1}]", "return", "}"])


def chosen(size: int) -> str:
    """Many consecutive scf.if that yield a token; each may be one of more streams than the last."""
    lines = ["%s0 = gpu.wait async"]
    for number in range(size):
        lines += [
            f"%s{number + 1} = scf.if %c{number} -> (!gpu.async.token) {{",
            f"  %a{number} = " + SET.format(f"%s{number}"),
            f"  scf.yield %a{number} : !gpu.async.token\n}} else {{",
            f"  %t{number} = gpu.wait async [%s{number}]",
            f"  %b{number} = " + SET.format(f"%t{number}"),
            f"  scf.yield %b{number} : !gpu.async.token\n}}",
        ]
    conditions = "".join(f", %c{number}: i1" for number in range(size))
    head = HEAD.replace("%c: i1", "%c: i1" + conditions)
    return head + "\n".join(
        [*lines, f"gpu.wait [%s{size}]", "%x = memref.load %g[%n] : memref<8xf32>", "return", "}"]
    )


SHAPES = (racing, leaks, released, branches, loop, forked)


def bytecodes(text: str) -> int:
    """Return the number of bytecodes executed by a check of the parsed `text`."""
    source = parse_source(text)
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        check_source(source, Config(llvm=22))
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", thinned(SHAPES, 3), ids=lambda shape: shape.__name__)
def test_work_is_linear(shape: Callable[[int], str]) -> None:
    bytecodes(shape(40))  # Tables and caches that are filled once.
    small, middle, large = (bytecodes(shape(size)) for size in (160, 320, 640))
    assert large - middle < 2.2 * (middle - small), (small, middle, large)


@pytest.mark.slow
def test_branches_do_not_multiply() -> None:
    """Forty branches have 2^40 paths; searches for one of them are bounded."""
    check_source(parse_source(chosen(4)), Config(llvm=22))  # Tables and caches that are filled once.
    assert bytecodes(chosen(40)) < 8 * bytecodes(chosen(20))


def test_a_deep_chain_of_joins_is_checked() -> None:
    found = check_source(leaks(4000), Config(llvm=22))
    leaked = [finding for finding in found if finding.code == "GA402"]
    assert len(leaked) > 700
    assert all(len(finding.message) < 200 and len(finding.related) <= 1 for finding in leaked)
    assert all(len(finding.fixes) == 1 for finding in leaked)
