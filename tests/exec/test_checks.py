"""Findings of the CPU run: handles, memory, races, leaks, each at its line, with the related location."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.exec import RunFinding, RunReport
from gpuasync_lsp.exec.timeline import chrome_trace
from tests.exec.harness import FIXTURES, compute, run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

YIELD = (FIXTURES / "async_yield.mlir").read_text()


def found(report: RunReport, name: str) -> RunFinding:
    return next(f for f in report.findings if f.name == name)


@pytest.mark.parametrize(
    ("version", "printed"), [(16, "[84,  84]"), (19, "[42,  42]"), (22, "[42,  42]"), (24, "[84,  84]")]
)
def test_the_yield_bug_shows_where_it_is(version: int, printed: str) -> None:
    """PR 190717: 19 and 22 yield the stream where an event is expected, so the host does not wait."""
    # LLVM 16 has neither gpu.host_unregister nor target attributes on gpu.module.
    text = YIELD if version > 16 else re.sub(r"(?m)^.*gpu\.host_unregister.*\n| \[#nvvm[^\n\]]*\]", "", YIELD)
    report = run(text, version)
    assert report.output.splitlines()[-1] == printed
    lines = text.splitlines()
    if version in (16, 24):
        assert "host-race" not in {f.name for f in report.findings}
        return
    taken = found(report, "stream-taken-for-event")
    assert "gpu.wait [%e]" in lines[taken.place.line - 1]
    assert "gpu.wait async" in lines[taken.related[0].place.line - 1]
    races = [f for f in report.findings if f.name == "host-race"]
    printed_race = next(f for f in races if "printMemrefI32" in lines[f.place.line - 1])
    assert "gpu.launch_func" in lines[printed_race.related[0].place.line - 1]


RACE = TEXTS["RACE"]


def test_kernels_on_two_streams_race_at_both_lines() -> None:
    text = RACE.replace("BEFORE", "%b")
    report = run(text)
    race = found(report, "data-race")
    lines = text.splitlines()
    told = {
        lines[race.place.line - 1].split("@k::")[1][:6],
        lines[race.related[0].place.line - 1].split("@k::")[1][:6],
    }
    assert told == {"@twice", "@inc bl"[:6]}


def test_ordered_kernels_do_not_race() -> None:
    report = run(
        RACE.replace("[BEFORE]", "[%a1]").replace("gpu.wait [%a]\n", "").replace("%b = gpu.wait async", "")
    )
    assert report.outcome == "ok", report.findings


def test_schedules_tell_that_a_result_depends_on_the_order() -> None:
    report = run(RACE.replace("BEFORE", "%b"), schedules=12)
    finding = found(report, "schedule-dependent-result")
    assert "as late as legal" in finding.message
    assert "as early as legal (order early; " in finding.message


@pytest.mark.slow
def test_the_first_other_order_shows_a_race_of_two_streams() -> None:
    text = RACE.replace("BEFORE", "%b")
    for order in ("late", "latest", "early", "held:0", "held:1", "held:9"):
        assert run(text, order=order).outcome == "findings"
    other_wait = text.replace("gpu.wait [%b1]\n    gpu.wait [%a]", "gpu.wait [%a]\n    gpu.wait [%b1]")
    assert other_wait != text
    for program, order in ((text, "early"), (other_wait, "latest"), (text, "held:2")):
        assert run(program, order=order).values[0].preview != run(program).values[0].preview
        assert "schedule-dependent-result" in {f.name for f in run(program, schedules=3).findings}


def test_orders_are_legal_where_nothing_is_missing() -> None:
    text = RACE.replace("[BEFORE]", "[%a1]").replace("gpu.wait [%a]\n", "").replace("%b = gpu.wait async", "")
    assert run(text, schedules=9).outcome == "ok"


def test_schedules_compare_what_is_printed_and_print_it_once() -> None:
    report = run(YIELD, 22, schedules=10)
    finding = found(report, "schedule-dependent-result")
    assert finding.message.startswith("what it prints depends on the order in which streams run: [42, 42] as")
    assert "[84, 84] as early as legal (order early" in finding.message
    assert report.output.count("Unranked Memref") == 1
    assert run(YIELD, 24, schedules=10).outcome == "ok"


def test_schedules_compare_elements_that_the_preview_leaves_out() -> None:
    text = RACE.replace("BEFORE", "%b").replace("memref<64xf32>", "memref<4096xf32>")
    text = text.replace(
        "%i = gpu.thread_id x",
        "%far = arith.constant 2000 : index\n%t = gpu.thread_id x\n%i = arith.addi %t, %far : index",
    )
    finding = found(run(text, schedules=12), "schedule-dependent-result")
    assert "%x depends on the order" in finding.message
    assert "elements that are not shown" in finding.message


def test_schedules_do_not_compare_clocks() -> None:
    text = """
func.func private @rtclock() -> f64
func.func private @printF64(f64)
func.func @main() {
  %t = func.call @rtclock() : () -> f64
  // Six digits are printed: of a long time they would be the same for a while.
  %second = arith.constant 1.0 : f64
  %part = arith.remf %t, %second : f64
  func.call @printF64(%part) : (f64) -> ()
  return
}
"""
    report = run(text, schedules=3)
    assert {f.name for f in report.findings} == {"schedules-not-compared"}
    assert report.outcome == "ok"


def test_streams_overlap_in_time_as_if_they_ran_beside_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock only advances by the second that each kernel takes."""
    from gpuasync_lsp.exec.worker.cpu.memory_checks import MemoryChecks

    now = 0.0
    note = MemoryChecks.note_kernel

    def slow(memory: MemoryChecks, actor: object) -> None:
        nonlocal now
        now += 1.0
        note(memory, actor)  # type: ignore[arg-type]

    monkeypatch.setattr("time.perf_counter", lambda: now)
    monkeypatch.setattr(MemoryChecks, "note_kernel", slow)

    def times(text: str, label: str) -> list[tuple[str, float, float]]:
        operations = compute(text, 24).report["operations"]
        origin = min(o["start"] for o in operations)
        return sorted(
            (o["lane"], round((o["start"] - origin) / 1e6, 3), o["duration"] / 1e6)
            for o in operations
            if o["label"].startswith(label)
        )

    beside = RACE.replace("BEFORE", "%b")
    behind = RACE.replace("[BEFORE]", "[%a1]").replace("%b = gpu.wait async", "")
    assert times(beside, "kernel") == [("stream 1", 0.0, 1.0), ("stream 2", 0.0, 1.0)]
    assert times(beside, "wait for stream 1") == [("host", 1.0, 0.0)], "it ended while the host waited for 2"
    assert times(behind, "kernel") == [("stream 1", 0.0, 1.0), ("stream 1", 1.0, 1.0)]
    assert times(behind, "wait for stream 1")[0] == ("host", 0.0, 2.0)


def test_atomic_updates_from_two_streams_do_not_race() -> None:
    text = RACE.replace("BEFORE", "%b")
    for name in ("@twice", "@inc"):
        head, tail = text.split(f"gpu.func {name}(", 1)
        body, rest = tail.split("gpu.return", 1)
        signature = body.split("\n", 1)[0]
        text = (
            f"{head}gpu.func {name}({signature}\n"
            "      %one = arith.constant 1.0 : f32\n      %i = gpu.thread_id x\n"
            "      %o = memref.atomic_rmw addf %one, %m[%i] : (f32, memref<64xf32>) -> f32\n"
            f"      gpu.return{rest}"
        )
    report = run(text)
    assert "data-race" not in {f.name for f in report.findings}


HALVES = TEXTS["HALVES"]


def test_disjoint_parts_do_not_race() -> None:
    assert run(HALVES).outcome == "ok"
    report = run(HALVES.replace("%y[0] [32]", "%x[0] [32]"))
    assert found(report, "data-race").place.line == 9


def kernel(body: str, arguments: str = "%m: memref<8xf32>", host: str = "") -> str:
    return f"""
module attributes {{gpu.container_module}} {{
  func.func @main(%m: memref<8xf32>) {{
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %u = memref.cast %m : memref<8xf32> to memref<*xf32>
    {host}
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8xf32>)
    return
  }}
  gpu.module @k {{
    gpu.func @f({arguments}) kernel {{
      %c1 = arith.constant 1 : index
      %f = arith.constant 1.0 : f32
      %i = gpu.thread_id x
{body}
      gpu.return
    }}
  }}
}}
"""


REGISTER = "gpu.host_register %u : memref<*xf32>"


def test_an_access_out_of_bounds_is_told_inside_the_kernel() -> None:
    text = kernel(
        "%j = arith.addi %i, %c1 : index\n      memref.store %f, %m[%j] : memref<8xf32>", host=REGISTER
    )
    finding = found(run(text), "out-of-bounds")
    lines = text.splitlines()
    assert "memref.store" in lines[finding.place.line - 1]
    assert "just past the end of a buffer of 32 bytes" in finding.message
    assert "gpu.launch_func" in lines[finding.related[0].place.line - 1]


SHARED = """
func.func @main(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 32 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %bytes
      workgroup(%a : memref<8xf32, #gpu.address_space<workgroup>>, %b : memref<8xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    memref.store %one, %a[%tx] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %one, %b[%tx] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    BODY
    gpu.barrier
    %v = memref.load %b[%tx] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %v, %x[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}
"""  # noqa: E501
CHOSEN = """%far = arith.cmpi ugt, %bx, %c1 : index
    %m = arith.select %far, %b, %a : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %two, %m[%i] : memref<8xf32, #gpu.address_space<workgroup>>"""
DYNAMIC = """%s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %d = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %two, %d[%i] : memref<8xf32, #gpu.address_space<workgroup>>"""  # noqa: E501


@pytest.mark.parametrize("shift", [0, 1, 8])
@pytest.mark.parametrize(
    "access",
    [
        "memref.store %two, %a[%i] : memref<8xf32, #gpu.address_space<workgroup>>",
        "%o = memref.atomic_rmw addf %two, %a[%i]"
        " : (f32, memref<8xf32, #gpu.address_space<workgroup>>) -> f32",
        CHOSEN,
        DYNAMIC,
    ],
)
def test_an_access_outside_shared_memory_is_told_and_not_made(access: str, shift: int) -> None:
    body = f"%k = arith.constant {shift} : index\n    %i = arith.addi %tx, %k : index\n    {access}"
    text = SHARED.replace("BODY", body)
    report = run(text, shared_arguments=True)
    assert report.values[0].preview == "[1. 1. 1. 1. 1. 1. 1. 1.]", "the other buffer stays as it is"
    if shift == 0:
        assert report.outcome == "ok", report.findings
        return
    finding = found(report, "out-of-bounds")
    assert "bytes of workgroup memory" in finding.message
    assert "[%i]" in text.splitlines()[finding.place.line - 1]
    assert "gpu.launch" in text.splitlines()[finding.related[0].place.line - 1]


def test_host_memory_that_is_not_registered_is_an_illegal_address() -> None:
    finding = found(run(kernel("memref.store %f, %m[%i] : memref<8xf32>")), "illegal-address")
    assert "host memory that is not registered" in finding.message


def test_threads_that_wait_at_different_barriers_are_a_deadlock() -> None:
    text = kernel(
        """
      %c0 = arith.constant 0 : index
      %w = arith.constant 32 : i32
      %one = arith.constant 1 : i32
      %first = arith.cmpi eq, %i, %c0 : index
      cf.cond_br %first, ^a, ^b
    ^a:
      %s, %ok = gpu.shuffle xor %one, %one, %w : i32
      cf.br ^c
    ^b:
      gpu.barrier
      cf.br ^c
    ^c:""",
        host=REGISTER,
    )
    finding = found(run(text), "deadlock")
    assert "wait for each other" in finding.message


@pytest.mark.parametrize("barrier", ["", "gpu.barrier\n      "])
def test_an_assertion_that_fails_ends_its_thread(barrier: str) -> None:
    text = kernel(
        f"""
      %c5 = arith.constant 5 : index
      {barrier}%small = arith.cmpi ult, %i, %c5 : index
      cf.assert %small, "at most five"
      {barrier}memref.store %f, %m[%i] : memref<8xf32>""",
        host=REGISTER,
    )
    report = run(text, arguments=(("m", "zeros"),))
    finding = found(report, "assertion-failed")
    lines = text.splitlines()
    assert "'at most five' fails in thread (5, 0, 0) of block (0, 0, 0)" in finding.message
    assert "cf.assert" in lines[finding.place.line - 1]
    assert "gpu.launch_func" in lines[finding.related[0].place.line - 1]
    assert report.values[0].preview == "[1. 1. 1. 1. 1. 0. 0. 0.]"


def test_a_block_that_is_too_large_is_told() -> None:
    text = kernel("memref.store %f, %m[%i] : memref<8xf32>", host=REGISTER).replace(
        "threads in (%c8, %c1, %c1)", "threads in (%big, %c1, %c1)"
    )
    text = text.replace("    %c8 =", "    %big = arith.constant 2048 : index\n    %c8 =")
    finding = found(run(text), "invalid-launch")
    assert "over the limit of 1024" in finding.message


@pytest.mark.parametrize(
    ("body", "name", "line"),
    [
        (
            "%s = gpu.wait async\n  gpu.wait [%s]\n  gpu.wait [%s]",
            "use-after-stream-destroy",
            5,
        ),
        ("%s = gpu.wait async\n  %t = gpu.wait async [%s]\n  gpu.wait [%t]", "leaked-stream", 3),
        (
            "%s = gpu.wait async\n  %d, %t = gpu.alloc async [%s] () : memref<8xf32>\n  gpu.wait [%t]",
            "leaked-buffer",
            4,
        ),
        (
            "%s = gpu.wait async\n  %d, %t = gpu.alloc async [%s] () : memref<8xf32>\n"
            "  %t1 = gpu.dealloc async [%t] %d : memref<8xf32>\n"
            "  %t2 = gpu.dealloc async [%t1] %d : memref<8xf32>\n  gpu.wait [%t2]",
            "double-dealloc",
            6,
        ),
        (
            "%s = gpu.wait async\n  %d, %t = gpu.alloc async [%s] () : memref<8xf32>\n"
            "  %t1 = gpu.memcpy async [%t] %x, %d : memref<8xf32>, memref<8xf32>\n"
            "  %t2 = gpu.dealloc async [%t1] %d : memref<8xf32>\n  gpu.wait [%t2]",
            "read-of-uninitialized",
            5,
        ),
        (
            "%s = gpu.wait async\n  %d, %t = gpu.alloc async [%s] () : memref<8xf32>\n"
            "  %t1 = gpu.memcpy async [%t] %d, %x : memref<8xf32>, memref<8xf32>\n"
            "  gpu.wait [%t1]\n  %c0 = arith.constant 0 : index\n"
            "  %v = memref.load %d[%c0] : memref<8xf32>\n  memref.store %v, %x[%c0] : memref<8xf32>\n"
            "  %u = gpu.wait async\n  %u1 = gpu.dealloc async [%u] %d : memref<8xf32>\n  gpu.wait [%u1]",
            "host-access-to-device-memory",
            8,
        ),
        (
            "%s = gpu.wait async\n  %f = arith.constant 1.0 : f32\n"
            "  %t = gpu.memset async [%s] %x, %f : memref<8xf32>, f32",
            "unawaited-token",
            5,
        ),
        ("%n = arith.constant 1 : i32\n  gpu.set_default_device %n", "invalid-device", 4),
    ],
)
def test_a_fault_is_found_at_its_line(body: str, name: str, line: int) -> None:
    report = run(f"\nfunc.func @main(%x: memref<8xf32>) {{\n  {body}\n  return\n}}\n")
    assert found(report, name).place.line == line


def test_a_launch_that_nothing_waits_for_gives_the_old_value_every_time() -> None:
    text = kernel("memref.store %f, %m[%i] : memref<8xf32>", host=REGISTER).replace(
        "gpu.launch_func @k", "%s = gpu.wait async\n    %t = gpu.launch_func async [%s] @k"
    )
    report = run(text)
    assert not report.values[0].changed
    assert found(report, "unawaited-token")


def test_arguments_are_made_and_unknown_ones_refused() -> None:
    text = "func.func @main(%n: index, %x: memref<?x2xf32>) -> index {\n  return %n : index\n}\n"
    report = run(text, arguments=(("n", "7"), ("x", "zeros@3")))
    assert report.values[0].preview == "7"
    assert report.values[1].preview.count("0.") == 6
    refused = run(text, arguments=(("y", "zeros"),))
    assert refused.message == "@main has no argument y (it has: %n, %x)"
    refused = run(text, arguments=(("x", "pi"),))
    assert "expected zeros, ones, iota" in refused.message


def test_printing_is_that_of_mlir_runner_utils() -> None:
    text = """
func.func private @printMemrefF32(memref<*xf32>)
func.func private @printF64(f64)
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @printComma()
func.func private @printOpen()
func.func private @printClose()
func.func @main(%m: memref<2x3xf32>, %n: memref<1x2xf32>) {
  %u = memref.cast %m : memref<2x3xf32> to memref<*xf32>
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  %v = memref.cast %n : memref<1x2xf32> to memref<*xf32>
  func.call @printMemrefF32(%v) : (memref<*xf32>) -> ()
  %d = arith.constant 1.0e20 : f64
  %i = arith.constant -3 : i64
  func.call @printOpen() : () -> ()
  func.call @printF64(%d) : (f64) -> ()
  func.call @printComma() : () -> ()
  func.call @printI64(%i) : (i64) -> ()
  func.call @printClose() : () -> ()
  func.call @printNewline() : () -> ()
  return
}
"""
    lines = run(text).output.splitlines()
    assert lines[0].startswith("Unranked Memref base@ = 0x")
    assert lines[0].endswith(" rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1] data = ")
    assert lines[1:3] == ["[[0,   1,   2], ", " [3,   4,   5]]"]
    assert lines[4] == "[[0,   1]]"
    assert lines[5] == "( 1e+20, -3 )"


def test_printf_in_a_kernel() -> None:
    text = kernel('gpu.printf "thread %lld: %4.1f\\n", %i, %f : index, f32', host=REGISTER)
    assert run(text).output.splitlines() == [f"thread {n}:  1.0" for n in range(8)]


def test_printf_takes_narrow_integers_as_c_does() -> None:
    """mlir-opt passes them without conversion, so the upper bits that `%d` reads are undefined."""
    body = """%b = arith.constant -2 : i8
      %w = arith.constant -300 : i16
      %t = arith.constant true
      gpu.printf "%d %d %d\\n", %b, %w, %t : i8, i16, i1"""
    report = run(kernel(body, host=REGISTER))
    assert report.output.splitlines()[0] == "-2 -300 1"


ORDER = TEXTS["ORDER"]


def test_the_timeline_says_what_each_operation_is_directly_after() -> None:
    """A join follows both streams, an op the previous op of its stream, the host its last operation."""
    operations = run(ORDER).operations
    after = {
        o.place.line: {operations[each].place.line for each in o.after}
        for o in operations
        if o.label != "end"
    }
    assert after == {5: set(), 8: set(), 10: {5, 8}, 11: {10}, 12: {11}}
    trace = chrome_trace(run(ORDER), "order.mlir")["traceEvents"]
    arrows = [event for event in trace if event["ph"] in "sf"]
    bars = [event for event in trace if event["ph"] == "X"]
    assert len(arrows) == 2 * sum(len(o.after) for o in operations)
    for arrow in arrows:  # Each end is within an op of its lane.
        assert any(
            bar["tid"] == arrow["tid"] and bar["ts"] <= arrow["ts"] <= bar["ts"] + bar["dur"] for bar in bars
        )


DEAD = """%m = func.call @make() : () -> memref<8xf32>
  memref.store %none, %m[%zero] : memref<8xf32>"""


def test_a_stack_variable_is_gone_when_its_function_returns() -> None:
    assert run(TEXTS["STACK"].replace("BODY", ""), 24).outcome == "ok"
    report = run(TEXTS["STACK"].replace("BODY", DEAD), 24)
    assert report.values[0].preview == "5000.0"
    used = found(report, "use-after-dealloc")
    assert "the host writes a stack variable whose function has returned" in used.message
    assert [related.message for related in used.related] == ["its lifetime ends here", "allocated here"]


@pytest.mark.parametrize("version", [19, 22, 24])
@pytest.mark.parametrize(("taken", "comment"), [("1", "// first"), ("0", "// second")])
def test_equal_branches_keep_their_lines(version: int, taken: str, comment: str) -> None:
    """gpu-to-llvm merges equal blocks since 21, but a run must not."""
    text = TEXTS["BRANCHES"]
    finding = found(run(text, version, arguments=(("first", taken),)), "out-of-bounds")
    assert text.splitlines()[finding.place.line - 1].endswith(comment)


@pytest.mark.parametrize(
    ("barrier", "name", "words"),
    [
        ("gpu.barrier", "divergent-barrier", "64 threads expected, 32 arrived"),
        ("nvvm.barrier id = %id number_of_threads = %expected", "deadlock", "(64 expected, 32 arrived)"),
    ],
)
def test_barriers_say_how_many_threads_they_lack(barrier: str, name: str, words: str) -> None:
    assert words in found(run(TEXTS["COUNTS"].replace("BARRIER", barrier)), name).message


def test_mbarriers_say_how_many_arrivals_they_lack() -> None:
    assert run(TEXTS["MBARRIER"].replace("COUNT", "64")).outcome == "ok"
    finding = found(run(TEXTS["MBARRIER"].replace("COUNT", "65")), "deadlock")
    assert "for an mbarrier (65 arrivals expected, 64 arrived)" in finding.message
