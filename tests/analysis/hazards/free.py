"""Programs without a race that overlap copies and kernels in common ways."""

# ruff: noqa: E501 - a line of a program is a line here.

from __future__ import annotations

from collections.abc import Iterator

from tests.analysis.hazards.pairs import LAUNCH, PART, SPARE, TILE, cast, part, program
from tests.analysis.hazards.shaped import TOKEN, M, fill, load, loop, stream, up, write

READERS = ("read", "read_by_helper", "read_vectors", "read_gathered", "read_base")


def read(out: str, token: str, kernel: str, source: str, to: str) -> str:
    return f"{out} = gpu.launch_func async [{token}] @k::@{kernel} {LAUNCH} args({source} : {PART}, {to} : {PART})\n"


def free_programs() -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the programs."""
    for name, body in _bodies():
        yield name, program(body)


def _bodies() -> Iterator[tuple[str, str]]:
    yield from _shared_inputs()
    yield from _chosen_streams()
    yield from _parts()
    yield from _loops()
    yield from _host()
    yield from _lifetimes()


def _shared_inputs() -> Iterator[tuple[str, str]]:
    for kernel in READERS:
        yield f"shared_input/{kernel}", (
            SPARE + "\n" + cast("%p", "%d") + "\n" + stream("%s", "%t")
            + read("%a", "%s", kernel, "%p", "%spare1") + read("%b", "%t", kernel, "%p", "%spare2")
            + "gpu.wait [%a, %b]\n" + load("%d")
        )  # fmt: skip
        yield f"shared_input/host_reads_too/{kernel}", (
            SPARE + "\n" + cast("%p", "%d") + "\n" + stream("%s") + read("%a", "%s", kernel, "%p", "%spare1")
            + load("%d") + f"%u = memref.cast %d : {M} to memref<*xf32>\n"
            + "func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()\n"
            + f"memref.copy %d, %g : {M} to {M}\nlinalg.copy ins(%d : {M}) outs(%g : {M})\n"
            + "gpu.wait [%a]\n"
        )  # fmt: skip
    inline = (
        "{0} = gpu.launch async [{1}] blocks(%bx, %by, %bz) in (%gx{2} = %one, %gy = %one, %gz = %one) "
        "threads(%tx, %ty, %tz) in (%sx = %eight, %sy = %one, %sz = %one) {{\n"
        f"%l = memref.load %d[%tx] : {M}\nmemref.store %l, {{3}}[%tx] : {M}\ngpu.terminator\n}}}}\n"
    )
    yield "shared_input/inline_launch", (
        stream("%s", "%t") + inline.format("%a", "%s", "1", "%e") + inline.format("%b", "%t", "2", "%g")
        + load("%d") + "gpu.wait [%a, %b]"
    )  # fmt: skip
    yield "shared_input/atomics", (
        cast("%p", "%d") + "\n" + stream("%s", "%t")
        + "".join(f"{o} = gpu.launch_func async [{s}] @k::@add {LAUNCH} args(%p : {PART}, %v : f32)\n" for o, s in (("%a", "%s"), ("%b", "%t")))
        + "gpu.wait [%a, %b]\n" + load("%d")
    )  # fmt: skip


def _chosen_streams() -> Iterator[tuple[str, str]]:
    end = "gpu.wait [%s, %t]\n" + load("%d")
    yield (
        "chosen/launch_in_branches",
        (
            stream("%s", "%t")
            + f"scf.if %c {{\n{up('%a', '%s', '%d')}}} else {{\n{up('%b', '%t', '%d')}}}\n"
            + end
        ),
    )
    yield (
        "chosen/select",
        stream("%s", "%t") + f"%w = arith.select %c, %s, %t : {TOKEN}\n" + up("%a", "%w", "%d") + end,
    )
    yield "chosen/if_result", (
        stream("%s", "%t")
        + f"%w = scf.if %c -> ({TOKEN}) {{\nscf.yield %s : {TOKEN}\n}} else {{\nscf.yield %t : {TOKEN}\n}}\n"
        + up("%a", "%w", "%d") + end
    )  # fmt: skip
    yield "chosen/block_argument", (
        stream("%s", "%t")
        + f"cf.cond_br %c, ^go(%s : {TOKEN}), ^go(%t : {TOKEN})\n^go(%w: {TOKEN}):\n" + up("%a", "%w", "%d") + end
    )  # fmt: skip
    yield "chosen/loop_token", (
        stream("%s")
        + loop(up("%a", "%w", "%d") + f"scf.yield %a : {TOKEN}\n", "%w = %s", TOKEN, "%z") + "gpu.wait [%s]\n" + load("%d")
    )  # fmt: skip
    yield "chosen/streams_take_turns", (
        stream("%s", "%t")
        + loop(
            up("%a", "%x", "%p") + f"scf.yield %y, %x, %q, %p : {TOKEN}, {TOKEN}, {M}, {M}\n",
            "%x = %s, %y = %t, %p = %d, %q = %e", f"{TOKEN}, {TOKEN}, {M}, {M}", "%z, %z2, %z3, %z4")
        + end
    )  # fmt: skip
    tiles = "%at = arith.muli %r, %eight : index\n" + part("%p", "%at", "8") + "\n"
    yield "chosen/parity", (
        stream("%s", "%t") + "%two = arith.constant 2 : index\n"
        + loop(
            tiles + "%bit = arith.remui %r, %two : index\n%odd = arith.cmpi eq, %bit, %one : index\n"
            f"%w = arith.select %odd, %s, %t : {TOKEN}\n" + write("%a", "%w", "%p"))
        + end
    )  # fmt: skip


def _parts() -> Iterator[tuple[str, str]]:
    for name, a, b in (
        ("halves", ("0", "32", "1"), ("32", "32", "1")),
        ("evens_and_odds", ("0", "32", "2"), ("1", "32", "2")),
        ("thirds", ("0", "20", "3"), ("2", "20", "3")),
        ("neighbors", ("%i", "1", "1"), ("%j", "1", "1")),
    ):
        lines = part("%p", *a) + "\n" + part("%q", *b) + "\n"
        yield (
            f"parts/{name}/two_streams",
            lines
            + stream("%s", "%t")
            + write("%a", "%s", "%p")
            + write("%b", "%t", "%q")
            + "gpu.wait [%a, %b]",
        )
        yield (
            f"parts/{name}/host",
            (
                SPARE
                + "\n"
                + lines
                + stream("%s")
                + write("%a", "%s", "%p")
                + f"memref.copy %host, %q : {PART} to {PART}\n"
                + "gpu.wait [%a]"
            ),
        )
    for at in ("32", "63"):
        yield f"parts/host_at_{at}", (
            part("%p", "0", "32") + f"\n%at = arith.constant {at} : index\n" + stream("%s") + write("%a", "%s", "%p")
            + f"memref.store %v, %d[%at] : {M}\n" + "gpu.wait [%a]"
        )  # fmt: skip
    yield (
        "parts/host_somewhere",
        (
            part("%p", "0", "32")
            + "\n"
            + stream("%s")
            + write("%a", "%s", "%p")
            + f"memref.store %v, %d[%i] : {M}\n"
            + "gpu.wait [%a]"
        ),
    )
    rows = (
        "%row_s = memref.subview {0}[{1}, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: {2}>>\n"
        f"%row = memref.cast %row_s : memref<8xf32, strided<[1], offset: {{2}}>> to {PART}\n"
    )
    for one, other in ((0, 1), (3, 7)):
        yield f"parts/rows_{one}_{other}", (
            rows.format("%m", one, one * 8) + rows.replace("%row", "%col").format("%m", other, other * 8)
            + stream("%s", "%t") + write("%a", "%s", "%row") + write("%b", "%t", "%col") + "gpu.wait [%a, %b]"
        )  # fmt: skip
    tile = (
        "{0}_s = memref.subview %m[{1}, {2}] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: {3}>>\n"
        f"{{0}} = memref.cast {{0}}_s : memref<4x4xf32, strided<[8, 1], offset: {{3}}>> to {TILE}\n"
    )
    launch = f"{{}} = gpu.launch_func async [{{}}] @k::@write_tile {LAUNCH} args({{}} : {TILE}, %v : f32)\n"
    for (a, b), (e, f) in (((0, 0), (0, 4)), ((0, 4), (4, 0)), ((4, 0), (4, 4))):
        yield f"parts/tiles_{a}{b}_{e}{f}", (
            tile.format("%p", a, b, a * 8 + b) + tile.format("%q", e, f, e * 8 + f) + stream("%s", "%t")
            + launch.format("%a", "%s", "%p") + launch.format("%b", "%t", "%q") + "gpu.wait [%a, %b]"
        )  # fmt: skip
    columns = (
        "%tr = memref.transpose %m (x, y) -> (y, x) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>\n"
        "%p_s = memref.subview %tr[{0}, 0] [1, 8] [1, 1] : memref<8x8xf32, strided<[1, 8]>> to memref<8xf32, strided<[8], offset: {0}>>\n"
        f"%p = memref.cast %p_s : memref<8xf32, strided<[8], offset: {{0}}>> to {PART}\n"
    )
    for one, other in ((0, 1), (2, 5)):
        yield f"parts/columns_{one}_{other}", (
            columns.format(one) + columns.format(other).replace("%p", "%q").replace("%tr", "%tr2")
            + stream("%s", "%t") + write("%a", "%s", "%p") + write("%b", "%t", "%q") + "gpu.wait [%a, %b]"
        )  # fmt: skip


def _loops() -> Iterator[tuple[str, str]]:
    swap = f"scf.yield %nxt, %cur : {M}, {M}\n"
    kinds = f"{M}, {M}"
    yield (
        "loop/ping_pong",
        (
            loop(
                stream("%s") + up("%a", "%s", "%nxt") + load("%cur") + "gpu.wait [%a]\n" + swap,
                "%cur = %d, %nxt = %e",
                kinds,
                "%r1, %r2",
            )
            + load("%r1")
        ),
    )
    yield "loop/ping_pong_two_streams", (
        loop(
            stream("%s", "%t") + up("%a", "%s", "%nxt") + up("%b", "%t", "%g", "%cur") + "gpu.wait [%a, %b]\n" + swap,
            "%cur = %d, %nxt = %e", kinds, "%r1, %r2")
    )  # fmt: skip
    tile = "%at = arith.muli %r, %eight : index\n" + part("%p", "%at", "8") + "\n"
    yield (
        "loop/tiled_uploads",
        stream("%s", "%t")
        + "gpu.wait [%t]\n"
        + loop(tile + write("%a", "%s", "%p"))
        + "gpu.wait [%s]\n"
        + load("%d"),
    )
    yield "loop/tile_and_next", (
        loop(
            stream("%s", "%t") + tile + "%far = arith.addi %at, %eight : index\n" + part("%q", "%far", "8") + "\n"
            + write("%a", "%s", "%p") + write("%b", "%t", "%q") + "gpu.wait [%a, %b]\n")
    )  # fmt: skip
    yield "loop/halo", (
        part("%p", "1", "62") + "\n" + part("%left", "0", "1") + "\n" + part("%right", "63", "1") + "\n"
        + loop(
            stream("%s", "%t", "%u") + write("%a", "%s", "%p") + write("%b", "%t", "%left") + write("%x", "%u", "%right")
            + "gpu.wait [%a, %b, %x]\n")
        + load("%d")
    )  # fmt: skip
    yield "loop/tile_read_while_next_written", (
        SPARE + "\n" + stream("%s")
        + loop(tile + write("%a", "%s", "%p") + "%w = arith.addi %at, %eight : index\n" + f"%y = memref.load %h[%w] : {M}\n") + "gpu.wait [%s]"
    )  # fmt: skip
    yield "loop/tokens_carried", (
        stream("%s")
        + loop(up("%a", "%w", "%d") + up("%b", "%a", "%e", "%d") + f"scf.yield %b : {TOKEN}\n", "%w = %s", TOKEN, "%z")
        + "gpu.wait [%s]\n" + load("%e")
    )  # fmt: skip


def _host() -> Iterator[tuple[str, str]]:
    yield "host/metadata_only", (
        stream("%s") + up("%a", "%s", "%d")
        + f"%b, %o1, %s1, %t1 = memref.extract_strided_metadata %d : {M} -> memref<f32>, index, index, index\n%dim = memref.dim %d, %zero : {M}\n"
        + "gpu.wait [%a]"
    )  # fmt: skip
    for count in (2, 3):
        names = [f"%s{n}" for n in range(count)]
        yield f"host/pipeline_{count}", (
            stream(*names) + "".join(up(f"%a{n}", s, "%d" if n == 0 else "%e" if n == 1 else "%g") for n, s in enumerate(names))
            + f"gpu.wait [{', '.join(f'%a{n}' for n in range(count))}]\n" + load("%d") + load("%e", 1)
        )  # fmt: skip
    yield "host/task_awaited", (
        "%task = async.execute {\n" + stream("%s") + up("%a", "%s", "%d") + "gpu.wait [%a]\nasync.yield\n}\n"
        + load("%e") + "async.await %task : !async.token\n" + load("%d", 1)
    )  # fmt: skip
    yield "host/tasks_in_a_row", (
        "%t1 = async.execute {\n" + f"memref.store %v, %d[%zero] : {M}\nasync.yield\n}}\n"
        "%t2 = async.execute [%t1] {\n" + f"memref.store %v, %d[%zero] : {M}\nasync.yield\n}}\nasync.await %t2 : !async.token\n" + load("%d")
    )  # fmt: skip


def _lifetimes() -> Iterator[tuple[str, str]]:
    kinds = f"{M}, {M}"
    yield "lifetime/freed_by_results", (
        stream("%s") + f"%b1, %x1 = gpu.alloc async [%s] () : {M}\n%b2, %x2 = gpu.alloc async [%x1] () : {M}\n"
        + fill("%f1", "%x2", "%b1") + fill("%f2", "%f1", "%b2") + "gpu.wait [%f2]\n"
        + loop(stream("%t") + up("%a", "%t", "%nxt", "%cur") + f"gpu.wait [%a]\nscf.yield %nxt, %cur : {kinds}\n", "%cur = %b1, %nxt = %b2", kinds, "%r1, %r2")
        + stream("%u") + f"%g1 = gpu.dealloc async [%u] %r1 : {M}\n%g2 = gpu.dealloc async [%g1] %r2 : {M}\ngpu.wait [%g2]"
    )  # fmt: skip
    for where in ("one_path", "each_path"):
        free = f"%g1 = gpu.dealloc async [%t] %b : {M}\ngpu.wait [%g1]\n"
        yield f"lifetime/freed_on_{where}", (
            ("scf.if %c {\n" if where == "one_path" else "")
            + stream("%s") + f"%b, %x1 = gpu.alloc async [%s] () : {M}\n" + fill("%f", "%x1", "%b") + "gpu.wait [%f]\n"
            + (stream("%t") + free + "}" if where == "one_path"
               else "cf.cond_br %c, ^one, ^two\n^one:\n" + stream("%t") + free + "cf.br ^end\n^two:\n"
               + (stream("%t") + free).replace("%t", "%tt").replace("%g1", "%gg") + "cf.br ^end\n^end:\n")
        )  # fmt: skip
    yield "lifetime/written_by_tiles", (
        stream("%s") + f"%b, %x1 = gpu.alloc async [%s] () : {M}\n"
        + loop("%at = arith.muli %r, %eight : index\n" + part("%p", "%at", "8", of="%b") + "\n" + write("%w", "%x1", "%p"))
        + up("%a", "%s", "%h", "%b") + f"%g1 = gpu.dealloc async [%a] %b : {M}\ngpu.wait [%g1]"
    )  # fmt: skip
    yield "lifetime/written_through_metadata", (
        stream("%s") + f"%b, %x1 = gpu.alloc async [%s] () : {M}\n"
        + f"%base, %o1, %s1, %t1 = memref.extract_strided_metadata %b : {M} -> memref<f32>, index, index, index\n"
        + f"%p = memref.reinterpret_cast %base to offset: [%o1], sizes: [%s1], strides: [%t1] : memref<f32> to {PART}\n"
        + write("%w", "%x1", "%p") + up("%a", "%w", "%h", "%b") + f"%g1 = gpu.dealloc async [%a] %b : {M}\ngpu.wait [%g1]"
    )  # fmt: skip
