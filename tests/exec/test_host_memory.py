"""All kinds of host accesses are checked: globals, constant vectors, atomic updates."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, WRITE
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import access, type_of
from tests.exec.harness import run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

PROGRAM = TEXTS["PROGRAM"]
ACCESSES = {
    "store": "memref.store %f, %g[%c0] : memref<8xf32>",
    "constant vector": "vector.store %w, %g[%c0] : memref<8xf32>, vector<4xf32>",
    "atomic": "%x = memref.atomic_rmw addf %f, %g[%c0] : (f32, memref<8xf32>) -> f32",
}


def program(before: str = "", after: str = "") -> str:
    return PROGRAM.replace("BEFORE", before).replace("AFTER", after)


@pytest.mark.parametrize("name", ACCESSES)
def test_the_host_races_with_a_copy_of_a_variable(name: str) -> None:
    text = program(before=ACCESSES[name])
    (finding,) = run(text).findings
    assert finding.name == "host-race"
    assert text.splitlines()[finding.place.line - 1].strip() == ACCESSES[name]
    assert "gpu.memcpy" in text.splitlines()[finding.related[0].place.line - 1]
    assert run(program(after=ACCESSES[name])).outcome == "ok"


def test_bounds_of_a_variable_are_kept() -> None:
    text = program(after="memref.store %f, %g[%c9] : memref<8xf32>")
    (finding,) = run(text).findings
    assert finding.name == "out-of-bounds"
    assert "writes 4 bytes, 4 bytes past the end of a buffer of 32 bytes" in finding.message


@pytest.mark.parametrize("schedules", [1, 4])
def test_variables_begin_with_their_values_in_every_run(schedules: int) -> None:
    report = run(program(after=ACCESSES["atomic"]), schedules=schedules)
    assert report.outcome == "ok", report.findings
    assert report.output.splitlines()[1] == "[9,  1,  2,  3,  4,  5,  6,  7]"


def test_a_kernel_cannot_use_a_variable_that_is_not_registered() -> None:
    text = program(
        after="""gpu.launch blocks(%bx, %by, %bz) in (%gx = %one_, %gy = %one_, %gz = %one_)
      threads(%tx, %ty, %tz) in (%sx = %one_, %sy = %one_, %sz = %one_) {
    memref.store %f, %g[%c0] : memref<8xf32>
    gpu.terminator
  }"""
    ).replace("%c0 = ", "%one_ = arith.constant 1 : index\n  %c0 = ")
    assert [f.name for f in run(text).findings] == ["illegal-address"]
    registered = text.replace(
        "  gpu.launch",
        "  %r = memref.cast %g : memref<8xf32> to memref<*xf32>\n"
        "  gpu.host_register %r : memref<*xf32>\n  gpu.launch",
    )
    assert run(registered).outcome == "ok"


@pytest.mark.parametrize(
    ("line", "kind", "type", "pointer", "alignment"),
    [
        ("  %1 = load <4 x float>, ptr addrspace(3) %p, align 8", READ, "<4 x float>", "%p", 8),
        ("  %1 = load atomic i32, ptr %p syncscope(\"block\") acquire, align 4", READ, "i32", "%p", 4),
        ("  store { i32, i64 } %v, ptr @g, align 8", WRITE, "{ i32, i64 }", "@g", 8),
        ("  store volatile <2 x i8> <i8 1, i8 2>, ptr %p", WRITE, "<2 x i8>", "%p", 1),
        (
            "  store i8 0, ptr getelementptr inbounds ([4 x i8], ptr @g, i64 0, i64 2), align 1",
            WRITE,
            "i8",
            "getelementptr inbounds ([4 x i8], ptr @g, i64 0, i64 2)",
            1,
        ),
        ("  %1 = atomicrmw volatile fadd ptr addrspace(1) %p, float 1.0 monotonic", ATOMIC, "float", "%p", 4),
        ("  %1 = cmpxchg weak ptr %p, i64 %a, i64 %b acq_rel monotonic, align 8", ATOMIC, "i64", "%p", 8),
    ],
)  # fmt: skip
def test_instructions_are_read(line: str, kind: int, type: str, pointer: str, alignment: int) -> None:
    found = access(line)
    assert found is not None
    assert (found.kind, found.type, found.pointer, found.alignment) == (kind, type, pointer, alignment)
    assert found.through(found.pointer) == line
    assert access("  %1 = add i32 %a, %b") is None


def test_a_type_ends_with_its_bracket() -> None:
    assert type_of("<2 x float> <float 1.0, float 2.0>") == "<2 x float>"
    assert type_of("ptr addrspace(3) %p") == "ptr addrspace(3)"
