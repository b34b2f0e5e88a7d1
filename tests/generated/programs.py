"""Random valid async programs: hypothesis draws a small tree, which is printed as MLIR.

A tree rather than a text allows a program with a disagreement to be reduced (`smaller`). Every op
is on a separate line, so that findings can be compared by line. The conditions of branches are
arguments, some of which control several branches; whether a loop continues is decided in each iteration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

MAX_OPS = 40
MAX_DEPTH = 3
TOKEN = "!gpu.async.token"
VALUE = f"!async.value<{TOKEN}>"
KERNEL = "blocks in (%n, %n, %n) threads in (%n, %n, %n)"
AGAIN = "func.func private @again() -> i1"
"""A function that decides whether a loop continues."""
_NAME = re.compile(r"%\w+")


@dataclass(frozen=True)
class Body:
    """The ops of a region or of a sequence of blocks, and the token that it forwards, or an empty name."""

    nodes: tuple[Node, ...]
    given: str = ""


@dataclass(frozen=True)
class Node:
    """An op, with bodies if it has regions."""

    kind: str
    """`op`, `if`, `switch`, `for`, `parallel`, `while`, `do`, `region`, `execute`, `exit`."""
    text: str = ""
    """The text of an op without bodies."""
    result: str = ""
    stand_in: str = ""
    """A value that replaces the result if the node is removed."""
    bodies: tuple[Body, ...] = ()
    cf: bool = False
    """Whether the node is printed as blocks and branches instead of an scf op."""
    argument: str = ""
    """The name of the token argument of a loop's or async.execute's body."""
    initial: str = ""
    header: str = ""
    """The condition of a branch, the bounds of scf.for, the dependencies of async.execute."""


@dataclass(frozen=True)
class Program:
    """A generated function, and the properties of the module around it."""

    body: tuple[Node, ...]
    nvvm: bool = True
    """Whether kernels target NVVM, which loads that dialect."""
    fatal: bool = False
    """Whether it has a launch that makes the pass fail in some release."""

    def function(self, name: str = "f") -> str:
        """Return the text of the function without its module."""
        return "\n".join(_Printer(name, self).lines) + "\n"

    def kernels(self, version: int, prefix: str = "k") -> str:
        """Return the kernels that the function launches on one line, with one module for each launch."""
        names = sorted(set(re.findall(rf"@({prefix}\d+)::", self.function())))
        if version == 16:
            attributes = 'attributes {nvvm.cubin = "BLOB"}'
            kernel = "{ llvm.func @k() attributes {gpu.kernel} { llvm.return } }"
            return " ".join(f"gpu.module @{name} {attributes} {kernel}" for name in names)
        target = "nvvm" if self.nvvm else "rocdl"
        return " ".join(f'gpu.binary @{name} [#gpu.object<#{target}.target, "BLOB">]' for name in names)

    def text(self, version: int) -> str:
        """Return a module: one line of kernels, then the function from line 3 on."""
        head = "module attributes {gpu.container_module} {"
        return f"{head}\n{AGAIN} {self.kernels(version)}\n{self.function()}}}\n"

    @property
    def size(self) -> int:
        """The number of ops."""
        return sum(1 for _ in walk(self.body))


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Yield all nodes, outer ones first."""
    for node in nodes:
        yield node
        for body in node.bodies:
            yield from walk(body.nodes)


class _Printer:
    """Prints a program with one op per line."""

    def __init__(self, name: str, program: Program) -> None:
        self.labels = 0
        conditions = [n.header for n in walk(program.body) if n.header.startswith("%c")]
        conditions += re.findall(r"arith.select (%c\d+)", " ".join(n.text for n in walk(program.body)))
        given = ["%a: memref<4xf32>", "%b: memref<4xf32>", "%d: memref<?xf32>", "%e: memref<8xf16>"]
        given += ["%f: f32", "%h: f16", "%n: index"]
        given += [f"{name}: i1" for name in dict.fromkeys(conditions)]
        for kind, cf in (("i32", True), ("index", False)):
            cases = [n.header for n in walk(program.body) if n.kind == "switch" and n.cf is cf]
            given += [f"{name}: {kind}" for name in dict.fromkeys(cases)]
        self.lines = [f"func.func @{name}({', '.join(given)}) {{"]
        self.put("%lo = arith.constant 0 : index")
        self.put("%one = arith.constant 1 : index")
        self.put("%hi = arith.constant 2 : index")
        self.nodes(program.body)
        self.put("return")
        self.lines.append("}")

    def put(self, text: str) -> None:
        self.lines.append("  " + text)

    def label(self) -> str:
        self.labels += 1
        return f"^b{self.labels}"

    def nodes(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            getattr(self, f"{node.kind}_cf" if node.cf else f"{node.kind}_")(node)

    def body(self, body: Body, ending: str) -> None:
        self.nodes(body.nodes)
        if body.given:
            self.put(f"{ending} {body.given} : {TOKEN}")

    def ask(self, node: Node) -> None:
        """Print the call that decides whether a loop continues."""
        self.put(f"{node.header} = func.call @again() : () -> i1")

    def op_(self, node: Node) -> None:
        self.put(node.text)

    # Structured.

    def if_(self, node: Node) -> None:
        head = (
            f"{node.result} = scf.if {node.header} -> ({TOKEN}) {{"
            if node.result
            else f"scf.if {node.header} {{"
        )
        self.put(head)
        for number, body in enumerate(node.bodies):
            if number:
                self.put("} else {")
            self.body(body, "scf.yield")
        self.put("}")

    def switch_(self, node: Node) -> None:
        head = f"scf.index_switch {node.header} "
        if node.result:
            head = f"{node.result} = {head}-> {TOKEN} "
        *cases, default = node.bodies
        for number, body in enumerate(cases, 1):
            self.put(f"{head if number == 1 else ''}case {number} {{")
            self.ended(body)
        self.put("default {")
        self.ended(default)

    def region_(self, node: Node) -> None:
        head = "scf.execute_region"
        self.put(f"{node.result} = {head} -> {TOKEN} {{" if node.result else f"{head} {{")
        self.ended(node.bodies[0])

    def ended(self, body: Body) -> None:
        """Print a body that must end with a yield, even without operands, and its closing brace."""
        self.body(body, "scf.yield")
        if not body.given:
            self.put("scf.yield")
        self.put("}")

    def parallel_(self, node: Node) -> None:
        self.put(f"scf.parallel (%i{self.label()[2:]}) = {node.header} {{")
        self.nodes(node.bodies[0].nodes)
        self.put("}")

    def for_(self, node: Node) -> None:
        head = f"scf.for %i{self.label()[2:]} = {node.header}"
        if node.result:
            carried = f"iter_args({node.argument} = {node.initial}) -> ({TOKEN})"
            head = f"{node.result} = {head} {carried}"
        self.put(head + " {")
        self.body(node.bodies[0], "scf.yield")
        self.put("}")

    def while_(self, node: Node) -> None:
        self.put(f"{node.result} = scf.while ({node.argument} = {node.initial}) : ({TOKEN}) -> {TOKEN} {{")
        first, second = node.bodies
        self.nodes(first.nodes)
        self.ask(node)
        self.put(f"scf.condition({node.header}) {first.given} : {TOKEN}")
        self.put("} do {")
        self.put(f"^bb0({node.argument}x: {TOKEN}):")
        self.body(second, "scf.yield")
        self.put("}")

    def execute_(self, node: Node) -> None:
        passed = f" ({node.initial} as {node.argument}: {VALUE})" if node.initial else ""
        names = f"{node.result}d, {node.result}"
        self.put(f"{names} = async.execute{node.header}{passed} -> {VALUE} {{")
        self.body(node.bodies[0], "async.yield")
        self.put("}")

    # Blocks.

    def edge(self, label: str, given: str) -> str:
        return f"{label}({given} : {TOKEN})" if given else label

    def open(self, label: str, argument: str = "") -> None:
        self.lines.append(f"{label}({argument}: {TOKEN}):" if argument else f"{label}:")

    def branches(self, node: Node) -> tuple[list[tuple[str, Body]], str]:
        """Return the label of each body and of the block after them; an empty body is an edge to the
        latter."""
        join = self.label()
        edges = [(self.label() if b.nodes else self.edge(join, b.given), b) for b in node.bodies]
        return edges, join

    def meet(self, node: Node, edges: list[tuple[str, Body]], join: str) -> None:
        for label, body in edges:
            if body.nodes:
                self.open(label)
                self.nodes(body.nodes)
                self.put(f"cf.br {self.edge(join, body.given)}")
        self.open(join, node.result)

    def if_cf(self, node: Node) -> None:
        edges, join = self.branches(node)
        targets = [label for label, _ in edges]
        if len(targets) == 1:
            targets.append(join)
        self.put(f"cf.cond_br {node.header}, {', '.join(targets)}")
        self.meet(node, edges, join)

    def switch_cf(self, node: Node) -> None:
        edges, join = self.branches(node)
        cases = ", ".join(f"{'default' if n == 0 else n}: {label}" for n, (label, _) in enumerate(edges))
        self.put(f"cf.switch {node.header} : i32, [{cases}]")
        self.meet(node, edges, join)

    def while_cf(self, node: Node) -> None:
        head, inner, leave = self.label(), self.label(), self.label()
        self.put(f"cf.br {self.edge(head, node.initial)}")
        self.open(head, node.argument)
        first, second = node.bodies
        self.nodes(first.nodes)
        self.ask(node)
        self.put(f"cf.cond_br {node.header}, {inner}, {self.edge(leave, first.given)}")
        self.open(inner)
        self.nodes(second.nodes)
        self.put(f"cf.br {self.edge(head, second.given)}")
        self.open(leave, node.result)

    def do_cf(self, node: Node) -> None:
        head, leave = self.label(), self.label()
        self.put(f"cf.br {self.edge(head, node.initial)}")
        self.open(head, node.argument)
        body = node.bodies[0]
        self.nodes(body.nodes)
        self.ask(node)
        edges = f"{self.edge(head, body.given)}, {self.edge(leave, body.given)}"
        self.put(f"cf.cond_br {node.header}, {edges}")
        self.open(leave, node.result)

    def exit_cf(self, node: Node) -> None:
        leave, go = self.label(), self.label()
        self.put(f"cf.cond_br {node.header}, {leave}, {go}")
        self.open(leave)
        self.nodes(node.bodies[0].nodes)
        self.put("return")
        self.open(go)


def smaller(program: Program) -> Iterator[Program]:
    """Yield programs with one node removed, or replaced by the contents of its bodies."""
    for number in range(program.size):
        for way in ("drop", "hoist"):
            cut = _Cut(number, way)
            body = cut.nodes(program.body)
            if cut.done:
                yield replace(program, body=_renamed(body, cut.renamed))
    if program.nvvm:
        yield replace(program, nvvm=False)


@dataclass
class _Cut:
    """Removes node `number` from a tree."""

    number: int
    way: str
    seen: int = -1
    done: bool = False
    renamed: dict[str, str] = field(default_factory=dict[str, str])

    def nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            self.seen += 1
            if self.seen != self.number:
                bodies = tuple(replace(b, nodes=self.nodes(b.nodes)) for b in node.bodies)
                found.append(replace(node, bodies=bodies))
                continue
            if self.way == "hoist" and node.bodies and node.kind != "execute":
                self.done = True
                found += [inner for body in node.bodies for inner in body.nodes]
                stand_in = node.bodies[0].given
                self.renamed |= {node.argument: node.initial, f"{node.argument}x": node.initial}
                self.renamed[node.result] = stand_in
            elif self.way == "drop":
                self.done = True
                self.renamed[node.result] = node.stand_in
            self.seen += sum(1 for b in node.bodies for _ in walk(b.nodes))
        return tuple(found)


def _renamed(nodes: tuple[Node, ...], names: dict[str, str]) -> tuple[Node, ...]:
    names = {old: new for old, new in names.items() if old and new}

    def change(text: str) -> str:
        return _NAME.sub(lambda match: names.get(match[0], match[0]), text)

    return tuple(
        replace(
            node,
            text=change(node.text),
            initial=change(node.initial),
            header=change(node.header),
            stand_in=change(node.stand_in),
            bodies=tuple(Body(_renamed(b.nodes, names), change(b.given)) for b in node.bodies),
        )
        for node in nodes
    )


# Drawing.


@dataclass
class _Scope:
    """The values that are visible at a position."""

    tokens: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])
    """The names of `!async.value`s that can be awaited."""
    memory: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    allocated: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    own: dict[str, str] = field(default_factory=dict[str, str])
    """For orderly programs: each stream that was created in this scope, and its last token."""

    def inner(self) -> _Scope:
        return _Scope(list(self.tokens), list(self.values), list(self.memory))


UNBRANCHED = ("for", "parallel", "region")
"""Kinds of nodes that are only printed as scf ops."""
STATIC, DYNAMIC, HALF = "memref<4xf32>", "memref<?xf32>", "memref<8xf16>"


class _Writer:
    def __init__(self, draw: st.DrawFn, orderly: bool, partial: bool) -> None:
        self.draw = draw
        self.orderly = orderly
        """Whether every stream is waited for once, and no token crosses a branch."""
        self.partial = partial
        """Whether some ops do not lower."""
        self.names = 0
        self.budget = draw(st.integers(3, MAX_OPS))
        self.streams: dict[str, str] = {}
        """For orderly programs: the stream of each token."""
        self.fatal = False
        self.conditions: dict[str, list[str]] = {"c": [], "k": [], "x": []}

    def name(self, start: str = "t") -> str:
        self.names += 1
        return f"%{start}{self.names}"

    def one(self, among: list[str]) -> str:
        # Prefer recent tokens, which are more interesting.
        return among[
            -1 - min(self.draw(st.integers(0, len(among) - 1)), self.draw(st.integers(0, len(among) - 1)))
        ]

    def some(self, among: list[str], low: int, high: int) -> list[str]:
        count = min(self.draw(st.integers(low, high)), len(among))
        return [self.one(among) for _ in range(count)]

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) < percent

    def body(self, scope: _Scope, depth: int, blocks: bool, region: str = "") -> tuple[Node, ...]:
        nodes: list[Node] = []
        for _ in range(self.draw(st.integers(1, MAX_OPS if depth == 0 else 5))):
            if self.budget <= 0:
                break
            self.budget -= 1
            nodes += self.node(scope, depth, blocks, region)
        if self.orderly and scope.own and region != "execute":
            nodes.append(self.final_wait(scope))
        return tuple(nodes)

    def final_wait(self, scope: _Scope) -> Node:
        tokens = list(scope.own.values())
        gone = set(scope.own)
        scope.tokens = [t for t in scope.tokens if self.streams.get(t) not in gone]
        scope.own.clear()
        return Node("op", f"gpu.wait [{', '.join(tokens)}]")

    def node(self, scope: _Scope, depth: int, blocks: bool, region: str) -> list[Node]:
        if not scope.tokens:
            return [self.create(scope)]
        kinds = ["create", "join", "set", "set", "copy", "alloc", "dealloc", "launch", "wait", "wait"]
        if depth < MAX_DEPTH and region != "execute":
            kinds += ["if", "if", "for", "while", "execute", "region" if self.chance(50) else "parallel"]
            kinds += ["switch"] if self.chance(20) else []
            kinds += ["switch", "do", "exit"] if blocks else []
        kinds += ["select"] if not self.orderly else []
        kinds += ["awaited"] if scope.values else []
        kinds += ["refused"] * 3 if self.partial else []
        kind = self.draw(st.sampled_from(kinds))
        match kind:
            case "if" | "switch" | "for" | "parallel" | "while" | "do" | "region" | "exit":
                return self.branch(kind, scope, depth, blocks)
            case "execute":
                return [self.execute(scope, depth)]
            case _:
                return [getattr(self, kind)(scope)]

    # Ops.

    def token(self, scope: _Scope, text: str, dep: str = "", *, new: bool = False, extra: str = "") -> Node:
        """Return an op with a token result, on the stream of `dep` or on a new one."""
        name = self.name()
        scope.tokens.append(name)
        if new:
            scope.own[name] = name
            self.streams[name] = name
        elif dep in self.streams:
            stream = self.streams[name] = self.streams[dep]
            if stream in scope.own:
                scope.own[stream] = name
        return Node("op", f"{extra}{name} = {text}", name, dep)

    def create(self, scope: _Scope) -> Node:
        return self.token(scope, "gpu.wait async", new=True)

    def join(self, scope: _Scope) -> Node:
        deps = self.some(scope.tokens, 0, 4)
        return self.token(scope, f"gpu.wait async{listed(deps)}", deps[0] if deps else "", new=True)

    def set(self, scope: _Scope) -> Node:
        dep = self.one(scope.tokens)
        memory, kind = self.draw(st.sampled_from([*scope.memory, *scope.memory, ("%e", HALF)]))
        if kind == HALF and not self.partial:
            memory, kind = "%a", STATIC
        value, of = ("%h", "f16") if kind == HALF else ("%f", "f32")
        return self.token(scope, f"gpu.memset async [{dep}] {memory}, {value} : {kind}, {of}", dep)

    def copy(self, scope: _Scope) -> Node:
        dep = self.one(scope.tokens)
        (to, kind), (source, other) = (
            self.draw(st.sampled_from(scope.memory)),
            self.draw(st.sampled_from(scope.memory)),
        )
        if kind != other:
            source, other = to, kind
        return self.token(scope, f"gpu.memcpy async [{dep}] {to}, {source} : {kind}, {other}", dep)

    def alloc(self, scope: _Scope) -> Node:
        dep = self.one(scope.tokens)
        memory = self.name("m")
        kind = self.draw(st.sampled_from([STATIC, DYNAMIC]))
        sizes = "(%n)" if kind == DYNAMIC else "()"
        scope.memory.append((memory, kind))
        scope.allocated.append((memory, kind))
        return self.token(scope, f"gpu.alloc async [{dep}] {sizes} : {kind}", dep, extra=f"{memory}, ")

    def dealloc(self, scope: _Scope) -> Node:
        if not scope.allocated:
            return self.alloc(scope)
        memory, kind = scope.allocated.pop()
        scope.memory.remove((memory, kind))
        dep = self.one(scope.tokens)
        return self.token(scope, f"gpu.dealloc async [{dep}] {memory} : {kind}", dep)

    def launch(self, scope: _Scope) -> Node:
        deps = self.some(scope.tokens, 0, 1)
        kernel = f"@{self.name('k')[1:]}::@k"
        text = f"gpu.launch_func async{listed(deps)} {kernel} {KERNEL}"
        if not deps and self.chance(30):
            return Node("op", f"gpu.launch_func {kernel} {KERNEL}")
        return self.token(scope, text, deps[0] if deps else "", new=not deps)

    def wait(self, scope: _Scope) -> Node:
        if not self.orderly:
            return Node("op", f"gpu.wait{listed(self.some(scope.tokens, 0 if self.chance(10) else 1, 3))}")
        if not scope.own:
            return self.create(scope)
        stream = self.one(list(scope.own))
        last = scope.own.pop(stream)
        scope.tokens = [t for t in scope.tokens if self.streams.get(t) != stream]
        return Node("op", f"gpu.wait [{last}]")

    def select(self, scope: _Scope) -> Node:
        a, b = self.one(scope.tokens), self.one(scope.tokens)
        return self.token(scope, f"arith.select {self.condition('select')}, {a}, {b} : {TOKEN}", a)

    def awaited(self, scope: _Scope) -> Node:
        value = self.one(scope.values)
        if self.orderly:
            scope.values.remove(value)
        return self.token(scope, f"async.await {value} : {VALUE}", new=True)

    def refused_launch(self, scope: _Scope, deps: list[str]) -> Node:
        self.fatal = True
        kernel = f"@{self.name('k')[1:]}::@k"
        if self.chance(30):
            return Node("op", f"gpu.launch_func{listed(deps)} {kernel} {KERNEL}")
        return self.token(scope, f"gpu.launch_func async{listed(deps)} {kernel} {KERNEL}", deps[0])

    def refused(self, scope: _Scope) -> Node:
        """Return an op that some release does not lower."""
        deps = self.some(scope.tokens, 2, 3)
        dep = deps[0]
        where = listed(deps)
        memory = self.name("m")
        many = [
            (f"gpu.memset async{where} %a, %f : {STATIC}, f32", dep, ""),
            (f"gpu.memcpy async{where} %a, %b : {STATIC}, {STATIC}", dep, ""),
            (f"gpu.alloc async{where} () : {STATIC}", dep, f"{memory}, "),
            (f"gpu.memcpy async %a, %b : {STATIC}, {STATIC}", "", ""),
            (f"gpu.alloc async () : {STATIC}", "", f"{memory}, "),
            (f"gpu.memset async [{dep}] %e, %h : {HALF}, f16", dep, ""),
            (f"gpu.alloc async [{dep}] host_shared () : {STATIC}", dep, f"{memory}, "),
        ]
        sync = [
            f"gpu.memcpy %a, %b : {STATIC}, {STATIC}",
            f"gpu.memset [{dep}] %a, %f : {STATIC}, f32",
            f"{memory} = gpu.alloc () : {STATIC}",
            f"{memory} = gpu.alloc host_shared () : {STATIC}",
            f"{memory} = gpu.alloc [{dep}] host_shared () : {STATIC}",
        ]
        number = self.draw(st.integers(0, len(many) + len(sync) + 1))
        if number < len(many):
            text, base, extra = many[number]
            if extra:
                # LLVM 22 and later erase an unused alloc.
                scope.memory.append((memory, STATIC))
            return self.token(scope, text, base, new=not base, extra=extra)
        if number < len(many) + len(sync):
            text = sync[number - len(many)]
            if text.startswith("%m"):
                scope.memory.append((memory, STATIC))
            return Node("op", text)
        return self.refused_launch(scope, deps)

    # Ops with bodies.

    def branch(self, kind: str, scope: _Scope, depth: int, blocks: bool) -> list[Node]:
        cf = kind in ("do", "exit") or (
            blocks and kind not in UNBRANCHED and self.chance(80 if kind == "switch" else 50)
        )
        carries = not self.orderly and kind not in ("exit", "parallel") and self.chance(60)
        condition, argument = self.condition(kind, cf), self.name("g")
        initial = self.one(scope.tokens)
        if kind == "while" and not cf:
            carries = not self.orderly
            if not carries:
                return [self.create(scope)]
        if kind == "for":
            condition = self.draw(
                st.sampled_from(["%lo to %n step %one", "%lo to %n step %one", "%lo to %hi step %one"])
            )
        if kind == "parallel":
            condition = "(%lo) to (%n) step (%one)"
        loop = kind in ("for", "while", "do")
        count = {"if": 2 if carries else self.draw(st.integers(1, 2)), "switch": 3, "while": 2}.get(kind, 1)
        bodies: list[Body] = []
        inner = scope.inner()
        if loop and carries:
            inner.tokens += [argument] * 3
        for number in range(count):
            if kind != "while" or number == 0 or not carries:
                within = inner.inner()
            else:
                within = inner.inner()
                if not cf:
                    within.tokens = [t for t in within.tokens if t != argument] + [f"{argument}x"] * 2
            empty = kind in ("if", "switch") and carries and cf and self.chance(25)
            nodes = () if empty else self.body(within, depth + 1, cf)
            given = self.one(within.tokens) if carries and within.tokens else ""
            bodies.append(Body(nodes, given))
        result = self.name() if carries else ""
        if carries:
            scope.tokens.append(result)
        start = initial if loop and carries else ""
        name = argument if loop and carries else ""
        return [Node(kind, "", result, initial, tuple(bodies), cf, name, start, condition)]

    def condition(self, kind: str, cf: bool = True) -> str:
        """Return the name of a condition, sometimes one that another branch uses, too."""
        mark = ("k" if cf else "x") if kind == "switch" else "c"
        if kind in ("while", "do", "for", "parallel", "region"):
            return self.name("r")
        if self.conditions[mark] and self.chance(25):
            return self.one(self.conditions[mark])
        self.conditions[mark].append(self.name(mark))
        return self.conditions[mark][-1]

    def execute(self, scope: _Scope, depth: int) -> Node:
        inner = scope.inner()
        initial = argument = ""
        if scope.values and not self.orderly and self.chance(30):
            initial, argument = self.one(scope.values), self.name("g")
            inner.tokens += [argument] * 2
        if self.orderly or self.chance(80):
            inner.tokens = [argument] * 2 if argument else []
        nodes = self.body(inner, MAX_DEPTH, False, "execute")
        if self.orderly and len(inner.own) > 1:
            last = list(inner.own)[-1]
            others = [t for s, t in inner.own.items() if s != last]
            nodes = (*nodes, Node("op", f"gpu.wait [{', '.join(others)}]"))
            inner.tokens = [inner.own[last]]
        elif self.orderly and not inner.own:
            nodes = (*nodes, self.create(inner))
            inner.tokens = inner.tokens[-1:]
        elif self.orderly:
            inner.tokens = list(inner.own.values())
        elif not inner.tokens:
            nodes = (*nodes, self.create(inner))
        result = self.name("v")
        scope.values.append(result)
        return Node(
            "execute", "", result, "", (Body(nodes, self.one(inner.tokens)),), False, argument, initial
        )


def listed(names: list[str]) -> str:
    """Return a dependency list with a leading blank, or an empty string."""
    return f" [{', '.join(names)}]" if names else ""


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw a program: one in four is orderly, one in five has ops that some release does not lower."""
    manner = draw(st.integers(0, 19))
    writer = _Writer(draw, orderly=manner < 5, partial=manner >= 16)
    scope = _Scope(memory=[("%a", STATIC), ("%b", STATIC), ("%d", DYNAMIC)])
    body = writer.body(scope, 0, blocks=True)
    return Program(body, nvvm=draw(st.booleans()), fatal=writer.fatal)
