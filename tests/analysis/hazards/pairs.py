"""Pairs of programs, written from the documentation only: one has a hazard, its twin has the smallest
repair.

A pair combines two names for memory (`RELATIONS`), two ops that access it (`DEVICE`, `HOST`), and an
order that one program lacks and the other has (`host_pairs`, `device_pairs`). Pairs whose hazard
depends on the shape of the program are written out (`shaped.py`). A third of the pairs is held back by
a hash of the name: the rules were developed without their results.

The taxonomy follows what detectors for CUDA's host API test (CuSan, compute-sanitizer) and what the
programming guide describes for streams: host against stream, stream against stream, events recorded too
early or waited for in one branch, aliased memory, parts of one buffer, callees, lifetimes.
"""

# ruff: noqa: E501 - a line of a program is a line here.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

ARGUMENTS = (
    "%d: memref<64xf32>, %e: memref<64xf32>, %h: memref<64xf32>, %g: memref<64xf32>, "
    "%m: memref<8x8xf32>, %o: memref<8x8xf32>, %v: f32, %i: index, %j: index, %n: index, %c: i1"
)
PART = "memref<?xf32, strided<[?], offset: ?>>"
TILE = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
HEAD = f"""module attributes {{gpu.container_module}} {{
  memref.global "private" @table : memref<64xf32> = uninitialized
  gpu.module @k {{
    func.func @element(%p: {PART}, %t: index) -> f32 {{
      %x = memref.load %p[%t] : {PART}
      return %x : f32
    }}
    gpu.func @write(%p: {PART}, %x: f32) kernel {{
      %t = gpu.thread_id x
      memref.store %x, %p[%t] : {PART}
      gpu.return
    }}
    gpu.func @read(%p: {PART}, %q: {PART}) kernel {{
      %t = gpu.thread_id x
      %x = memref.load %p[%t] : {PART}
      memref.store %x, %q[%t] : {PART}
      gpu.return
    }}
    gpu.func @read_by_helper(%p: {PART}, %q: {PART}) kernel {{
      %t = gpu.thread_id x
      %x = func.call @element(%p, %t) : ({PART}, index) -> f32
      memref.store %x, %q[%t] : {PART}
      gpu.return
    }}
    gpu.func @read_vectors(%p: {PART}, %q: {PART}) kernel {{
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      %x = vector.transfer_read %p[%t], %zero : {PART}, vector<4xf32>
      vector.transfer_write %x, %q[%t] : vector<4xf32>, {PART}
      gpu.return
    }}
    gpu.func @read_gathered(%p: {PART}, %q: {PART}) kernel {{
      %t = gpu.thread_id x
      %at = vector.step : vector<4xindex>
      %mask = vector.constant_mask [4] : vector<4xi1>
      %pass = arith.constant dense<0.0> : vector<4xf32>
      %x = vector.gather %p[%t] [%at], %mask, %pass : {PART}, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
      vector.transfer_write %x, %q[%t] : vector<4xf32>, {PART}
      gpu.return
    }}
    gpu.func @read_base(%p: {PART}, %q: {PART}) kernel {{
      %t = gpu.thread_id x
      %base, %offset, %size, %stride = memref.extract_strided_metadata %p : {PART} -> memref<f32>, index, index, index
      %flat = memref.reinterpret_cast %base to offset: [%offset], sizes: [%size], strides: [%stride] : memref<f32> to {PART}
      %x = memref.load %flat[%t] : {PART}
      memref.store %x, %q[%t] : {PART}
      gpu.return
    }}
    gpu.func @add(%p: {PART}, %x: f32) kernel {{
      %t = gpu.thread_id x
      %old = memref.atomic_rmw addf %x, %p[%t] : (f32, {PART}) -> f32
      gpu.return
    }}
    gpu.func @write_tile(%p: {TILE}, %x: f32) kernel {{
      %t = gpu.thread_id x
      memref.store %x, %p[%t, %t] : {TILE}
      gpu.return
    }}
  }}
  func.func private @printMemrefF32(memref<*xf32>)
"""
LAUNCH = "blocks in (%one, %one, %one) threads in (%n, %one, %one)"
START = "%one = arith.constant 1 : index\n%zero = arith.constant 0 : index\n%eight = arith.constant 8 : index"


@dataclass(frozen=True)
class Pair:
    """A program with a hazard, and its repaired twin."""

    name: str
    kind: str
    broken: str
    sound: str

    @property
    def is_held_back(self) -> bool:
        return crc32(self.name.encode()) % 3 == 0


def program(body: str, *, arguments: str = ARGUMENTS, more: str = "") -> str:
    """Return a module with one host function that has this body."""
    text = f"{HEAD}{more}  func.func @main({arguments}) {{\n{START}\n{body}\nreturn\n}}\n}}\n"
    head, *rest = text.split("\n")
    return head + "\n" + "\n".join(line if line.startswith(" ") else f"    {line}" for line in rest)


@dataclass(frozen=True)
class Relation:
    """Two names for overlapping memory, each with its type."""

    name: str
    lines: str
    first: tuple[str, str]
    second: tuple[str, str]


def part(name: str, offset: str, size: str, stride: str = "1", of: str = "%d") -> str:
    """Return a subview of `of` with a type that every kernel accepts."""
    whole = "memref<64xf32>"
    known = offset if offset.isdigit() else "?"
    kind = f"strided<[{stride if stride.isdigit() else '?'}], offset: {known}>"
    length = size if size.isdigit() else "?"
    return (
        f"{name}_s = memref.subview {of}[{offset}] [{size}] [{stride}] : {whole} to memref<{length}xf32, {kind}>\n"
        f"{name} = memref.cast {name}_s : memref<{length}xf32, {kind}> to {PART}"
    )


def cast(name: str, of: str) -> str:
    return f"{name} = memref.cast {of} : memref<64xf32> to {PART}"


P, Q = ("%p", PART), ("%q", PART)
RELATIONS = (
    Relation("same_value", cast("%p", "%d"), P, P),
    Relation("two_casts", cast("%p", "%d") + "\n" + cast("%q", "%d"), P, Q),
    Relation("part_and_whole", part("%p", "8", "16") + "\n" + cast("%q", "%d"), P, Q),
    Relation("overlapping_parts", part("%p", "0", "32") + "\n" + part("%q", "16", "32"), P, Q),
    Relation("strided_and_dense", part("%p", "0", "32", "2") + "\n" + part("%q", "10", "4"), P, Q),
    Relation("same_dynamic_part", part("%p", "%i", "16") + "\n" + part("%q", "%i", "16"), P, Q),
    Relation(
        "nested_parts",
        part("%w", "16", "32")
        + f"\n%p = memref.subview %w[4] [8] [1] : {PART} to {PART[:7]}8{PART[8:]}\n".replace("%p =", "%p_s =")
        + f"%p = memref.cast %p_s : {PART[:7]}8{PART[8:]} to {PART}\n"
        + part("%q", "24", "2"),
        P,
        Q,
    ),
    Relation(
        "select_of_casts",
        cast("%a1", "%d")
        + "\n"
        + cast("%a2", "%d")
        + f"\n%p = arith.select %c, %a1, %a2 : {PART}\n"
        + cast("%q", "%d"),
        P,
        Q,
    ),
    Relation(
        "result_of_if",
        cast("%a1", "%d")
        + f"\n%p = scf.if %c -> ({PART}) {{\n scf.yield %a1 : {PART}\n}} else {{\n"
        + cast("%a2", "%d")
        + f"\n scf.yield %a2 : {PART}\n}}\n"
        + cast("%q", "%d"),
        P,
        Q,
    ),
    Relation(
        "collapsed",
        "%m1 = memref.collapse_shape %m [[0, 1]] : memref<8x8xf32> into memref<64xf32>\n"
        + part("%p", "8", "8", of="%m1")
        + "\n%q_s = memref.subview %m[1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 8>>\n"
        + f"%q = memref.cast %q_s : memref<8xf32, strided<[1], offset: 8>> to {PART}",
        P,
        Q,
    ),
    Relation(
        "expanded",
        "%d2 = memref.expand_shape %d [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>\n"
        "%p_s = memref.subview %d2[2, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 16>>\n"
        f"%p = memref.cast %p_s : memref<8xf32, strided<[1], offset: 16>> to {PART}\n"
        + part("%q", "20", "2"),
        P,
        Q,
    ),
    Relation(
        "transposed",
        "%tr = memref.transpose %m (x, y) -> (y, x) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>\n"
        "%p_s = memref.subview %tr[5, 0] [1, 8] [1, 1] : memref<8x8xf32, strided<[1, 8]>> to memref<8xf32, strided<[8], offset: 5>>\n"
        f"%p = memref.cast %p_s : memref<8xf32, strided<[8], offset: 5>> to {PART}\n"
        "%q_s = memref.subview %m[2, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 16>>\n"
        f"%q = memref.cast %q_s : memref<8xf32, strided<[1], offset: 16>> to {PART}",
        P,
        Q,
    ),
    Relation(
        "reinterpreted",
        f"%p = memref.reinterpret_cast %d to offset: [%zero], sizes: [%eight], strides: [%one] : memref<64xf32> to {PART}\n"
        + part("%q", "0", "4"),
        P,
        Q,
    ),
    Relation(
        "metadata_and_back",
        "%base, %off, %size, %stride = memref.extract_strided_metadata %d : memref<64xf32> -> memref<f32>, index, index, index\n"
        f"%p = memref.reinterpret_cast %base to offset: [%off], sizes: [%size], strides: [%stride] : memref<f32> to {PART}\n"
        + cast("%q", "%d"),
        P,
        Q,
    ),
    Relation(
        "global_twice",
        "%g1 = memref.get_global @table : memref<64xf32>\n%g2 = memref.get_global @table : memref<64xf32>\n"
        + cast("%p", "%g1")
        + "\n"
        + cast("%q", "%g2"),
        P,
        Q,
    ),
    Relation(
        "block_argument",
        cast("%p0", "%d") + f"\ncf.br ^go(%p0 : {PART})\n^go(%p: {PART}):\n" + cast("%q", "%d"),
        P,
        Q,
    ),
    Relation(
        "bytes",
        "%raw = memref.alloc() : memref<256xi8>\n"
        "%v1 = memref.view %raw[%zero][] : memref<256xi8> to memref<64xf32>\n"
        "%v2 = memref.view %raw[%zero][] : memref<256xi8> to memref<64xf32>\n"
        + cast("%p", "%v1")
        + "\n"
        + cast("%q", "%v2"),
        P,
        Q,
    ),
)

DEVICE = {
    # name: (line, whether it writes)
    "kernel_writes": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@write {LAUNCH} args({{m}} : {PART}, %v : f32)",
        True,
    ),
    "kernel_reads": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@read {LAUNCH} args({{m}} : {PART}, %spare{{k}} : {PART})",
        False,
    ),
    "vectors": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@read_vectors {LAUNCH} args({{m}} : {PART}, %spare{{k}} : {PART})",
        False,
    ),
    "helper": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@read_by_helper {LAUNCH} args({{m}} : {PART}, %spare{{k}} : {PART})",
        False,
    ),
    "gathered": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@read_gathered {LAUNCH} args({{m}} : {PART}, %spare{{k}} : {PART})",
        False,
    ),
    "base": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@read_base {LAUNCH} args({{m}} : {PART}, %spare{{k}} : {PART})",
        False,
    ),
    "atomics": (
        f"{{o}} = gpu.launch_func async [{{t}}] @k::@add {LAUNCH} args({{m}} : {PART}, %v : f32)",
        True,
    ),
}
HOST = {
    "load": (f"%x{{k}} = memref.load {{m}}[%zero] : {PART}", False),
    "store": (f"memref.store %v, {{m}}[%zero] : {PART}", True),
    "copy_from": (f"memref.copy {{m}}, %host : {PART} to {PART}", False),
    "copy_to": (f"memref.copy %host, {{m}} : {PART} to {PART}", True),
    "atomic": (f"%x{{k}} = memref.atomic_rmw addf %v, {{m}}[%zero] : (f32, {PART}) -> f32", True),
    "vector": (f"%x{{k}} = vector.transfer_read {{m}}[%zero], %v : {PART}, vector<2xf32>", False),
    "affine": (f"%x{{k}} = affine.load {{m}}[0] : {PART}", False),
    "fill": (f"linalg.fill ins(%v : f32) outs({{m}} : {PART})", True),
    "print": (
        f"%u{{k}} = memref.cast {{m}} : {PART} to memref<*xf32>\nfunc.call @printMemrefF32(%u{{k}}) : (memref<*xf32>) -> ()",
        False,
    ),
}
SPARE = (
    "%host_m = memref.alloc() : memref<64xf32>\n"
    + cast("%host", "%host_m")
    + "\n"
    + cast("%spare1", "%e")
    + "\n"
    + cast("%spare2", "%g")
)


def host_pairs() -> Iterator[Pair]:
    """Yield pairs of a device op and host code that does not wait for it."""
    for r, relation in enumerate(RELATIONS):
        for n, (how, (line, writes)) in enumerate(HOST.items()):
            if how in ("load", "vector", "affine") and relation.name in ("overlapping_parts", "nested_parts"):
                continue  # The one element is not in both.
            if how in ("store", "atomic") and relation.name == "overlapping_parts":
                continue
            if (r * 5 + n * 3) % 4 and how != "copy_from":
                continue
            names = list(DEVICE)
            device = names[(r + n) % len(names)]
            if not writes and not DEVICE[device][1]:
                device = "kernel_writes" if n % 2 else "atomics"
            if how == "atomic" and device == "atomics":
                device = "kernel_writes"
            # The host reads the first element, so the device uses the name that may begin later.
            d_name, h_name = relation.first[0], relation.second[0]
            if relation.name in (
                "part_and_whole",
                "strided_and_dense",
                "transposed",
                "nested_parts",
            ) and how not in ("copy_from", "copy_to", "fill", "print"):
                d_name, h_name = h_name, d_name
            if relation.name in ("strided_and_dense", "transposed") and how not in (
                "copy_from",
                "copy_to",
                "fill",
                "print",
            ):
                continue
            if (
                relation.name in ("part_and_whole", "nested_parts")
                and d_name == "%q"
                and relation.name == "nested_parts"
            ):
                continue
            work = DEVICE[device][0].format(o="%a", t="%s", m=d_name, k=1)
            touch = line.format(m=h_name, k=9)
            front = f"{SPARE}\n{relation.lines}\n%s = gpu.wait async\n{work}\n"
            yield Pair(
                f"host/{relation.name}/{device}/{how}",
                "host race",
                program(f"{front}{touch}\ngpu.wait [%a]"),
                program(f"{front}gpu.wait [%a]\n{touch}"),
            )


def device_pairs() -> Iterator[Pair]:
    """Yield pairs of two device ops on two streams, ordered in different ways or not at all."""
    writers = [name for name, (_, writes) in DEVICE.items() if writes]
    names = list(DEVICE)
    for r, relation in enumerate(RELATIONS):
        for n, order in enumerate(("join", "host", "one_stream", "early_event")):
            first = writers[(r + n) % len(writers)]
            second = names[(r * 2 + n) % len(names)]
            if first == second == "atomics":
                second = "kernel_reads"
            if (r + n) % 2:
                first, second = (second, first)
            a = DEVICE[first][0]
            b = DEVICE[second][0].format(o="%b", t="{t}", m=relation.second[0], k=2)
            front = f"{SPARE}\n{relation.lines}\n%s = gpu.wait async\n%t = gpu.wait async\n"
            work = a.format(o="%a", t="%s", m=relation.first[0], k=1) + "\n"
            end = "gpu.wait [%a, %b]"
            broken = front + work + b.format(t="%t") + "\n" + end
            if order == "join":
                sound = (
                    front
                    + work
                    + "%u = gpu.wait async [%t, %a]\n"
                    + b.format(t="%u")
                    + "\ngpu.wait [%a, %b, %t]"
                )
            elif order == "host":
                sound = front + work + "gpu.wait [%a]\n" + b.format(t="%t") + "\ngpu.wait [%b]"
            elif order == "one_stream":
                sound = front + work + b.format(t="%a") + "\ngpu.wait [%b, %t]"
            else:
                broken = (
                    front
                    + "%u = gpu.wait async [%t, %s]\n"
                    + work
                    + b.format(t="%u")
                    + "\ngpu.wait [%a, %b, %t]"
                )
                sound = (
                    front
                    + work
                    + "%u = gpu.wait async [%t, %a]\n"
                    + b.format(t="%u")
                    + "\ngpu.wait [%a, %b, %t]"
                )
            yield Pair(
                f"device/{relation.name}/{first}/{second}/{order}",
                "device race",
                program(broken),
                program(sound),
            )
