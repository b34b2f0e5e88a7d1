"""The mapping of tokens to handles, and the streams or events that opaque handles may be."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Kind, Origin
from gpuasync_lsp.analysis.model.building.members import fill_members
from tests.analysis.model.building.function import TOKEN, Sample

MEMSET = "%x = gpu.memset async [{}] %m, %f : memref<4xf32>, f32"


def test_a_wait_makes_a_stream_and_ops_stay_on_it() -> None:
    sample = Sample("%t = gpu.wait async\n" + MEMSET.format("%t"))
    tokens = sample.tokens()
    stream = tokens.handle(sample["%t"])
    assert stream.kind is Kind.STREAM
    assert tokens.handle(sample["%x"]) is stream
    assert stream.tokens == [sample["%t"], sample["%x"]]


def test_an_op_that_stays_has_a_stand_in_unless_it_depends_on_one_stream() -> None:
    two = "%t = gpu.wait async\n%s = gpu.wait async\n"
    sample = Sample(two + MEMSET.format("%t, %s"))
    assert sample.tokens().handle(sample["%x"]).kind is Kind.LEFT
    sample = Sample(two + MEMSET.format("%t, %t"))
    tokens = sample.tokens()
    assert tokens.handle(sample["%x"]) is tokens.handle(sample["%t"])


def test_a_value_that_is_awaited_twice_is_one_handle() -> None:
    sample = Sample(
        f"%a = async.await %v : !async.value<{TOKEN}>\n%b = async.await %v : !async.value<{TOKEN}>",
        arguments=f"%v: !async.value<{TOKEN}>",
    )
    tokens = sample.tokens()
    assert tokens.handle(sample["%a"]) is tokens.handle(sample["%b"])
    assert list(tokens.defined_by) == [sample["%v"]]


@pytest.mark.parametrize(
    ("body", "name", "members"),
    [
        ("", "%e", {Origin.UNKNOWN}),
        (f"%x = arith.select %c, %e, %t : {TOKEN}", "%x", {Origin.UNKNOWN, "stream"}),
        (f"%x = async.await %v : !async.value<{TOKEN}>", "%x", {Origin.EVENT}),
        (f"%x = builtin.unrealized_conversion_cast %p : !llvm.ptr to {TOKEN}", "%x", {Origin.STREAM}),
        (f"%x = func.call @unknown() : () -> {TOKEN}", "%x", {Origin.UNKNOWN}),
        (
            f"%x = scf.while (%y = %t) : ({TOKEN}) -> {TOKEN} {{\n  scf.condition(%c) %y : {TOKEN}\n"
            f"}} do {{\n^bb0(%z: {TOKEN}):\n  scf.yield %e : {TOKEN}\n}}",
            "%x",
            {Origin.UNKNOWN, "stream"},
        ),
    ],
)
def test_members(body: str, name: str, members: set[object]) -> None:
    arguments = f"%e: {TOKEN}, %c: i1, %v: !async.value<{TOKEN}>, %p: !llvm.ptr"
    sample = Sample(f"%t = gpu.wait async\n{body}", arguments=arguments)
    tokens = sample.tokens()
    stream, handle = tokens.handle(sample["%t"]), tokens.handle(sample[name])
    fill_members(tokens, {})
    assert handle.kind is Kind.OPAQUE
    assert {"stream" if member is stream else member for member in handle.members} == members


def test_what_merging_adds_flows_in() -> None:
    sample = Sample("%t = gpu.wait async")
    tokens = sample.tokens()
    merged = tokens.handle(sample["%e"])
    fill_members(tokens, {sample["%e"]: [sample["%t"]]})
    assert merged.sources == (tokens.handle(sample["%t"]),)
