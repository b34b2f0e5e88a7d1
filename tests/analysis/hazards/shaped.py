"""Pairs whose hazard depends on the shape of the program: loops, branches, callees, tasks, lifetimes."""

# ruff: noqa: E501 - a line of a program is a line here.

from __future__ import annotations

from collections.abc import Iterator

from tests.analysis.hazards.pairs import LAUNCH, PART, SPARE, Pair, cast, part, program

M = "memref<64xf32>"
TOKEN = "!gpu.async.token"


def up(out: str, token: str, to: str, source: str = "%h") -> str:
    """Return a gpu.memcpy of a whole buffer."""
    return f"{out} = gpu.memcpy async [{token}] {to}, {source} : {M}, {M}\n"


def fill(out: str, token: str, to: str) -> str:
    return f"{out} = gpu.memset async [{token}] {to}, %v : {M}, f32\n"


def write(out: str, token: str, to: str) -> str:
    return f"{out} = gpu.launch_func async [{token}] @k::@write {LAUNCH} args({to} : {PART}, %v : f32)\n"


def load(of: str, n: int = 0) -> str:
    return f"%x{n} = memref.load {of}[%zero] : {M}\n"


def stream(*names: str) -> str:
    return "".join(f"{name} = gpu.wait async\n" for name in names)


def loop(body: str, carried: str = "", kinds: str = "", results: str = "") -> str:
    head = f"{results} = " if results else ""
    iters = f" iter_args({carried}) -> ({kinds})" if carried else ""
    return f"{head}scf.for %r = %zero to %eight step %one{iters} {{\n{body}}}\n"


WAIT_A = "gpu.wait [%a]\n"


def shaped_pairs() -> Iterator[Pair]:
    """Yield the pairs."""
    yield from _loops()
    yield from _branches()
    yield from _calls()
    yield from _tasks()
    yield from _lifetimes()
    yield from _host_in_parts()


def _pair(name: str, kind: str, broken: str, sound: str, more: str = "") -> Pair:
    return Pair(name, kind, program(broken, more=more), program(sound, more=more))


def _loops() -> Iterator[Pair]:
    ping = "%cur = %d, %nxt = %e"
    swap = f"scf.yield %nxt, %cur : {M}, {M}\n"
    kinds = f"{M}, {M}"
    for where, mem in (("current", "%cur"), ("next", "%nxt")):
        work = stream("%s") + up("%a", "%s", mem)
        yield _pair(
            f"ping_pong/load_{where}", "host race",
            loop(work + load(mem) + WAIT_A + swap, ping, kinds, "%r1, %r2"),
            loop(work + WAIT_A + load(mem) + swap, ping, kinds, "%r1, %r2"),
        )  # fmt: skip
    # An iteration uploads to %nxt, which the next iteration reads as %cur.
    carried = ping + ", %tok = %s0"
    yields = f"scf.yield %nxt, %cur, %a : {M}, {M}, {TOKEN}\n"
    yield _pair(
        "ping_pong/across_rounds", "host race",
        stream("%s0")
        + loop(load("%cur") + up("%a", "%tok", "%nxt") + yields, carried, f"{kinds}, {TOKEN}", "%r1, %r2, %r3")
        + "gpu.wait [%s0]\n",
        loop(load("%cur") + stream("%s0") + up("%a", "%s0", "%nxt") + WAIT_A + swap, ping, kinds, "%r1, %r2"),
    )  # fmt: skip
    for how, op in (("memset", fill("%b", "%t", "%cur")), ("copy", up("%b", "%t", "%g", "%cur"))):
        body = stream("%s", "%t") + up("%a", "%s", "%cur")
        yield _pair(
            f"ping_pong/two_streams/{how}", "device race",
            loop(body + op + "gpu.wait [%a, %b]\n" + swap, ping, kinds, "%r1, %r2"),
            loop(body + "%u = gpu.wait async [%t, %a]\n" + op.replace("[%t]", "[%u]") + "gpu.wait [%a, %b, %t]\n" + swap,
                 ping, kinds, "%r1, %r2"),
        )  # fmt: skip
    yield _pair(
        "loop/wait_after", "host race",
        stream("%s") + loop(up("%a", "%s", "%d") + load("%d")) + "gpu.wait [%s]",
        loop(stream("%s") + up("%a", "%s", "%d") + WAIT_A + load("%d")),
    )  # fmt: skip
    yield _pair(
        "loop/load_behind", "host race",
        stream("%s") + loop(up("%a", "%s", "%d")) + load("%d") + "gpu.wait [%s]",
        stream("%s") + loop(up("%a", "%s", "%d")) + "gpu.wait [%s]\n" + load("%d"),
    )  # fmt: skip
    tile = "%at = arith.muli %r, %eight : index\n" + part("%p", "%at", "8")
    other = "%at2 = arith.addi %at, %{0} : index\n" + part("%q", "%at2", "8")
    far = "%far = arith.constant 8 : index\n%near = arith.constant 4 : index\n"
    body = stream("%s", "%t") + tile + "\n" + write("%a", "%s", "%p")
    end = "gpu.wait [%a, %b]\n"
    yield _pair(
        "loop/tiles_overlap", "device race",
        far + loop(body + other.format("near") + "\n" + write("%b", "%t", "%q") + end),
        far + loop(body + other.format("far") + "\n" + write("%b", "%t", "%q") + end),
    )  # fmt: skip
    yield _pair(
        "loop/tile_again", "device race",
        loop(body + write("%b", "%t", "%p") + end),
        loop(body + write("%b", "%a", "%p") + "gpu.wait [%b, %t]\n"),
    )  # fmt: skip
    yield _pair(
        "while/wait_outside", "host race",
        stream("%s") + up("%a", "%s", "%d")
        + "scf.while : () -> () {\n" + load("%d") + "%more = arith.cmpf olt, %x0, %v : f32\nscf.condition(%more)\n} do {\nscf.yield\n}\n" + WAIT_A,
        stream("%s") + up("%a", "%s", "%d") + WAIT_A
        + "scf.while : () -> () {\n" + load("%d") + "%more = arith.cmpf olt, %x0, %v : f32\nscf.condition(%more)\n} do {\nscf.yield\n}\n",
    )  # fmt: skip


def _branches() -> Iterator[Pair]:
    work = stream("%s") + up("%a", "%s", "%d")
    yield _pair(
        "branch/wait_in_one", "host race",
        work + "scf.if %c {\n gpu.wait [%a]\n " + load("%d") + "} else {\n " + load("%d", 1) + " gpu.wait [%a]\n}",
        work + "scf.if %c {\n gpu.wait [%a]\n " + load("%d") + "} else {\n gpu.wait [%a]\n " + load("%d", 1) + "}",
    )  # fmt: skip
    for other in ("%e", "%d"):
        choose = f"%p = arith.select %c, %d, {other} : {M}\n"
        yield _pair(
            f"branch/select_{other[1:]}", "host race",
            choose + stream("%s") + up("%a", "%s", "%p") + load("%p") + WAIT_A,
            choose + stream("%s") + up("%a", "%s", "%p") + WAIT_A + load("%p"),
        )  # fmt: skip
    choose = f"%p = scf.if %c -> ({M}) {{\n scf.yield %d : {M}\n}} else {{\n scf.yield %e : {M}\n}}\n"
    yield _pair(
        "branch/if_value_and_one_of_them", "host race",
        choose + stream("%s") + up("%a", "%s", "%p") + load("%e") + WAIT_A,
        choose + stream("%s") + up("%a", "%s", "%p") + WAIT_A + load("%e"),
    )  # fmt: skip
    two = (
        stream("%s", "%t") + f"scf.if %c {{\n {up('%a', '%s', '%d')} }} else {{\n {up('%b', '%t', '%d')} }}\n"
    )
    yield _pair(
        "branch/one_of_two_streams", "host race",
        two + "gpu.wait [%s]\n" + load("%d") + "gpu.wait [%t]",
        two + "gpu.wait [%s, %t]\n" + load("%d"),
    )  # fmt: skip
    pick = stream("%s", "%t") + f"%w = arith.select %c, %s, %t : {TOKEN}\n" + up("%a", "%w", "%d")
    yield _pair(
        "branch/selected_stream", "host race",
        pick + "gpu.wait [%s]\n" + load("%d") + "gpu.wait [%t]",
        pick + "gpu.wait [%s, %t]\n" + load("%d"),
    )  # fmt: skip
    blocks = (
        work
        + "cf.cond_br %c, ^one, ^two\n^one:\n{0}cf.br ^end\n^two:\ngpu.wait [%a]\ncf.br ^end\n^end:\n"
        + load("%d")
    )
    yield _pair("branch/blocks", "host race", blocks.format(""), blocks.format("gpu.wait [%a]\n"))
    many = (
        work
        + "scf.index_switch %i\ncase 0 {\n @@scf.yield\n}\ndefault {\n gpu.wait [%a]\n scf.yield\n}\n"
        + load("%d")
    )
    yield _pair("branch/switch", "host race", many.replace("@@", ""), many.replace("@@", "gpu.wait [%a]\n "))


def _calls() -> Iterator[Pair]:
    def function(
        name: str, body: str, arguments: str = f"%d: {M}, %h: {M}, %v: f32", results: str = ""
    ) -> str:
        lines = ["%zero = arith.constant 0 : index", *body.split("\n")]
        inner = "".join(f"      {line}\n" for line in lines if line)
        return f"func.func @{name}({arguments}){results} {{\n{inner}    }}\n"

    work = stream("%s") + up("%a", "%s", "%d")
    call = f"func.call @{{}}(%d, %h, %v) : ({M}, {M}, f32) -> ()\n"
    for name, body in (
        ("reads", load("%d") + "return"),
        ("writes", f"memref.store %v, %d[%zero] : {M}\nreturn"),
        ("uploads_and_waits", stream("%s") + up("%a", "%s", "%d") + WAIT_A + "return"),
        ("calls_a_reader", f"func.call @inner(%d) : ({M}) -> ()\nreturn"),
    ):
        more = function("inner", load("%d") + "return", f"%d: {M}") + function(name, body)
        c = call.format(name)
        yield _pair(f"call/{name}", "host race", work + c + WAIT_A, work + WAIT_A + c, more)
    more = function("same", f"return %d : {M}", f"%d: {M}", f" -> {M}")
    same = f"%p = func.call @same(%d) : ({M}) -> {M}\n"
    yield _pair(
        "call/returns_its_argument",
        "host race",
        same + work + load("%p") + WAIT_A,
        same + work + WAIT_A + load("%p"),
        more,
    )
    more = function("drop", f"memref.dealloc %d : {M}\nreturn", f"%d: {M}")
    drop = f"func.call @drop(%b) : ({M}) -> ()\n"
    front = f"%b = memref.alloc() : {M}\n" + stream("%s") + up("%a", "%s", "%b")
    yield _pair("call/frees", "use after free", front + drop + WAIT_A, front + WAIT_A + drop, more)
    more = function(
        "touch", f"%g = memref.get_global @table : {M}\nmemref.store %v, %g[%zero] : {M}\nreturn", "%v: f32"
    )
    touch = "func.call @touch(%v) : (f32) -> ()\n"
    front = f"%b = memref.get_global @table : {M}\n" + stream("%s") + up("%a", "%s", "%g", "%b")
    yield _pair("call/touches_a_global", "host race", front + touch + WAIT_A, front + WAIT_A + touch, more)
    more = function(
        "start",
        up("%a", "%s", "%d") + f"return %a : {TOKEN}",
        f"%d: {M}, %h: {M}, %s: {TOKEN}",
        f" -> {TOKEN}",
    )
    start = stream("%s") + f"%a = func.call @start(%d, %h, %s) : ({M}, {M}, {TOKEN}) -> {TOKEN}\n"
    yield _pair(
        "call/enqueues_on_a_token",
        "host race",
        start + load("%d") + "gpu.wait [%s]",
        start + "gpu.wait [%s]\n" + load("%d"),
        more,
    )
    both = stream("%s", "%t") + up("%a", "%s", "%x") + fill("%b", "%t", "%y") + "gpu.wait [%a, %b]\nreturn"
    more = function("both", both, f"%x: {M}, %y: {M}, %h: {M}, %v: f32")
    shape = f"func.call @both(%d, {{}}, %h, %v) : ({M}, {M}, {M}, f32) -> ()"
    yield _pair("call/one_argument_twice", "device race", shape.format("%d"), shape.format("%e"), more)


def _tasks() -> Iterator[Pair]:
    work = stream("%s") + up("%a", "%s", "%d") + WAIT_A
    task = f"%task = async.execute {{\n{work}async.yield\n}}\n"
    yield _pair(
        "task/no_await",
        "host race",
        task + load("%d") + "async.await %task : !async.token",
        task + "async.await %task : !async.token\n" + load("%d"),
    )
    store = f"memref.store %v, %d[%zero] : {M}\nasync.yield\n}}\n"
    two = (
        f"%one_t = async.execute {{\n{store}%two_t = async.execute@@ {{\n{load('%d')}async.yield\n}}\n"
        "async.await %one_t : !async.token\nasync.await %two_t : !async.token"
    )
    yield _pair("task/two_bodies", "host race", two.replace("@@", ""), two.replace("@@", " [%one_t]"))
    group = (
        "%group = async.create_group %one : !async.group\n"
        + task
        + "%rank = async.add_to_group %task, %group : !async.token\n"
    )
    yield _pair(
        "task/group",
        "host race",
        group + load("%d") + "async.await_all %group",
        group + "async.await_all %group\n" + load("%d"),
    )


def _lifetimes() -> Iterator[Pair]:
    front = f"%b = memref.alloc() : {M}\n" + stream("%s") + up("%a", "%s", "%b")
    free = f"memref.dealloc %b : {M}\n"
    yield _pair("lifetime/free_while_copied", "use after free", front + free + WAIT_A, front + WAIT_A + free)
    yield _pair(
        "lifetime/load_freed",
        "use after free",
        front + WAIT_A + free + load("%b"),
        front + WAIT_A + load("%b") + free,
    )
    choose = f"%b = memref.alloc() : {M}\n%b2 = memref.alloc() : {M}\n%p = arith.select %c, %b, %b2 : {M}\n"
    late = stream("%s") + up("%a", "%s", "%p")
    ends = f"memref.dealloc %b2 : {M}\n"
    yield _pair(
        "lifetime/one_of_two_freed",
        "use after free",
        choose + late + free + WAIT_A + ends,
        choose + late + WAIT_A + free + ends,
    )
    alloc = stream("%s") + f"%b, %s1 = gpu.alloc async [%s] () : {M}\n"
    gone = f"%f = gpu.dealloc async [%a] %b : {M}\n"
    yield _pair("lifetime/leak_in_branch", "leak",
        alloc + fill("%a", "%s1", "%b") + f"%w = scf.if %c -> ({TOKEN}) {{\n{gone}scf.yield %f : {TOKEN}\n}} else {{\nscf.yield %a : {TOKEN}\n}}\ngpu.wait [%s]",
        alloc + fill("%a", "%s1", "%b") + gone + "gpu.wait [%f]")  # fmt: skip
    yield _pair("lifetime/leak_in_loop", "leak",
        loop(alloc + fill("%a", "%s1", "%b") + "gpu.wait [%a]\n"),
        loop(alloc + fill("%a", "%s1", "%b") + gone + "gpu.wait [%f]\n"))  # fmt: skip
    yield _pair("lifetime/leak_on_early_return", "leak",
        alloc + fill("%a", "%s1", "%b") + "cf.cond_br %c, ^early, ^go\n^early:\ngpu.wait [%a]\nreturn\n^go:\n" + gone + "gpu.wait [%f]",
        alloc + fill("%a", "%s1", "%b") + "cf.cond_br %c, ^early, ^go\n^early:\n" + gone.replace("%f", "%f2") + "gpu.wait [%f2]\nreturn\n^go:\n" + gone + "gpu.wait [%f]")  # fmt: skip
    read = up("%a", "{}", "%h", "%b") + gone + "gpu.wait [%f]"
    yield _pair(
        "lifetime/read_unwritten",
        "uninitialized",
        alloc + read.format("%s1"),
        alloc + fill("%a0", "%s1", "%b") + read.format("%a0"),
    )
    one = (
        f"%w = scf.if %c -> ({TOKEN}) {{\n{fill('%a0', '%s1', '%b')}scf.yield %a0 : {TOKEN}\n}} else {{\n"
        f"@@scf.yield ## : {TOKEN}\n}}\n"
    )
    behind = up("%a", "%s", "%h", "%b") + f"%f = gpu.dealloc async [%s] %b : {M}\ngpu.wait [%s]"
    yield _pair("lifetime/written_in_one_branch", "uninitialized", alloc + one.replace("@@", "").replace("##", "%s1") + behind,
        alloc + one.replace("@@", fill("%a1", "%s1", "%b")).replace("##", "%a1") + behind)  # fmt: skip
    for size, other in (("16", "32"), ("32", "40")):
        lower = part("%p", "0", size, of="%b")
        upper = part("%q", other, "8", of="%b")
        whole = part("%q", "0", "8", of="%b")
        reads = (
            f"%a = gpu.launch_func async [%w1] @k::@read {LAUNCH} args(%q : {PART}, %spare1 : {PART})\n"
            + gone
            + "gpu.wait [%f]"
        )
        text = SPARE + "\n" + alloc + lower + "\n{}\n" + write("%w1", "%s1", "%p") + reads
        yield _pair(
            f"lifetime/other_part_written_{size}",
            "uninitialized",
            text.replace("{}", upper),
            text.replace("{}", whole),
        )
    adds = (
        alloc
        + cast("%p", "%b")
        + "\n{}"
        + f"%a = gpu.launch_func async [{{}}] @k::@add {LAUNCH} args(%p : {PART}, %v : f32)\n"
        + gone
        + "gpu.wait [%f]"
    )
    yield _pair(
        "lifetime/atomics_on_unwritten",
        "uninitialized",
        adds.format("", "%s1"),
        adds.format(fill("%a0", "%s1", "%b"), "%a0"),
    )


def _host_in_parts() -> Iterator[Pair]:
    copy = "memref.copy %q, %host : " + f"{PART} to {PART}\n"
    for name, (a, b, c) in {
        "halves": (("0", "32", "1"), ("16", "8", "1"), ("32", "8", "1")),
        "evens_and_odds": (("0", "32", "2"), ("4", "8", "2"), ("5", "8", "2")),
        "thirds": (("0", "20", "3"), ("3", "4", "6"), ("4", "4", "6")),
    }.items():
        front = (
            SPARE + "\n" + part("%p", *a) + "\n{}\n" + stream("%s") + write("%a", "%s", "%p") + copy + WAIT_A
        )
        yield _pair(
            f"parts/{name}",
            "host race",
            front.replace("{}", part("%q", *b)),
            front.replace("{}", part("%q", *c)),
        )
    for name, bad, good in (("constant_index", 8, 40), ("last", 31, 32), ("first", 0, 63)):
        front = (
            part("%p", "0", "32")
            + "\n%at = arith.constant {} : index\n"
            + stream("%s")
            + write("%a", "%s", "%p")
        )
        front += f"%x = memref.load %d[%at] : {M}\n" + WAIT_A
        yield _pair(f"parts/{name}", "host race", front.format(bad), front.format(good))
