"""Completion and signature help at the cursor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.ide.features.completion import MOST, Completion, completions
from gpuasync_lsp.ide.features.signature_help import signature_at
from tests.support.marks import at_cursor
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

FORK = TEXTS["FORK"]

LAUNCH = TEXTS["LAUNCH"]


def offered(source: str, line: str) -> list[Completion]:
    state, offset = at_cursor(source.format(line=line))
    return completions(state, offset)


def labels(source: str, line: str) -> list[str]:
    return [c.label for c in offered(source, line)]


def test_dependencies_are_tokens_the_nearest_first() -> None:
    assert labels(FORK, "%t2 = gpu.memcpy async [<|>] %m, %h : memref<8xf32>, memref<8xf32>") == [
        "%u0",
        "%t1",
        "%t0",
    ]
    assert labels(FORK, "gpu.wait [<|>]") == ["%u0", "%t1", "%t0"]


def test_streams_that_are_listed_already_come_last() -> None:
    assert labels(FORK, "%t2 = gpu.wait async [%t1, <|>]") == ["%u0", "%t0"]
    found = offered(FORK, "%t2 = gpu.wait async [%t1, %<|>]")
    assert [(c.label, c.detail) for c in found] == [("%u0", "stream 1"), ("%t0", "stream 0, ordered already")]


def test_only_what_is_defined_above_is_offered() -> None:
    found = labels(FORK, '"t.use"(%<|>) : (index) -> ()')
    assert "%later" not in found
    assert set(found) == {"%u0", "%m", "%t1", "%t0", "%c1", "%h", "%n", "%v"}


def test_a_copy_wants_memrefs_first() -> None:
    found = labels(FORK, "%t2 = gpu.memcpy async [%t1] %<|>")
    assert found[:2] == ["%m", "%h"]


BLOCKS = TEXTS["BLOCKS"]


@pytest.mark.parametrize(
    ("where", "visible"),
    [("left", ["%t1", "%t0"]), ("right", ["%t2", "%t0"]), ("end", ["%t3", "%t0"])],
)
def test_only_what_dominates_is_offered(where: str, visible: list[str]) -> None:
    lines = dict.fromkeys(("left", "right", "end"), "")
    state, offset = at_cursor(BLOCKS.format(**{**lines, where: "gpu.wait [<|>]"}))
    assert [c.label for c in completions(state, offset)] == visible


REGIONS = TEXTS["REGIONS"]


@pytest.mark.parametrize(
    ("where", "seen", "hidden"),
    [
        ("then", {"%then", "%outer", "%c"}, {"%else", "%inside", "%bx"}),
        ("other", {"%outer", "%c"}, {"%then", "%else"}),
        ("after", {"%outer", "%n"}, {"%then", "%else", "%inside", "%bx"}),
    ],
)
def test_what_is_inside_another_region_is_not_offered(where: str, seen: set[str], hidden: set[str]) -> None:
    lines = dict.fromkeys(("then", "other", "after"), "")
    state, offset = at_cursor(REGIONS.format(**{**lines, where: '"t.use"(%<|>) : (index) -> ()'}))
    found = {c.label for c in completions(state, offset)}
    assert seen <= found
    assert not hidden & found


def test_a_function_sees_nothing_of_another() -> None:
    text = (
        "func.func @f(%a: i32) {\n  return\n}\nfunc.func @g(%b: i32) {\n  %x = arith.addi %<|>\n  return\n}\n"
    )
    state, offset = at_cursor(text)
    assert [c.label for c in completions(state, offset)] == ["%b"]


TYPES = TEXTS["TYPES"]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("scf.if %<|>", {"%flag"}),
        ("cf.cond_br %<|>", {"%flag"}),
        ("%d = gpu.alloc (%<|>) : memref<?xf32>", {"%size"}),
        ("%x = memref.load %<|>", {"%m", "%u"}),
        ("%x = memref.load %m[%<|>] : memref<8xf32>", {"%size"}),
        ("memref.store %v, %<|>", {"%m", "%u"}),
        ("%x = arith.addf %v, %<|>", {"%v"}),
        ("%x = arith.cmpi slt, %i, %<|>", {"%i"}),
        ("scf.for %k = %<|>", {"%size"}),
        ("scf.for %k = %size to %<|>", {"%size"}),
        ("func.call @callee(%<|>) : (f32) -> ()", {"%v"}),
        ("gpu.launch_func @a::@b blocks in (%size, %<|>", {"%size"}),
        ("gpu.launch_func @a::@b\n      blocks in (%size, %size, %size)\n      threads in (%<|>", {"%size"}),
        (
            "gpu.launch_func @a::@b blocks in (%size, %size, %size) threads in (%size, %size, %size) "
            "dynamic_shared_memory_size %<|>",
            {"%i"},
        ),
    ],
)
def test_values_of_the_type_that_is_wanted_come_first(line: str, first: set[str]) -> None:
    found = labels(TYPES, line)
    assert set(found[: len(first)]) == first
    assert len(found) == 6  # The other suggestions are unchanged.


def test_arguments_of_a_launch_have_the_types_of_the_kernel() -> None:
    launch = "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) threads in (%x, %x, %x) args("
    assert labels(LAUNCH, f"{launch}%<|>")[0] == "%m"
    assert labels(LAUNCH, f"{launch}%m : memref<8xf32>, %<|>")[0] == "%f"


def test_a_stream_that_a_listed_token_waits_for_comes_last() -> None:
    joined = "%j = gpu.wait async [%t1, %u0]\n  %k = gpu.wait async\n  gpu.wait [%j, <|>]"
    found = offered(FORK, joined)
    assert [c.label for c in found] == ["%k", "%u0", "%t1", "%t0"]
    assert found[1].detail.endswith(", ordered already")


def test_a_stream_that_is_destroyed_comes_last() -> None:
    found = offered(FORK, "gpu.wait [%u0]\n  gpu.wait [<|>]")
    assert [c.label for c in found] == ["%t1", "%t0", "%u0"]
    assert found[-1].detail == "stream 1, waited for above"


def test_what_is_typed_narrows_and_is_replaced() -> None:
    (found,) = offered(FORK, "gpu.wait [%u<|>]")
    assert found.label == "%u0"
    assert found.span.end - found.span.start == 2


@pytest.mark.parametrize("line", ["gpu.<|>", "%x = gpu.<|>", "<|>"])
def test_ops_at_the_begin_of_a_statement(line: str) -> None:
    found = {c.label: c for c in offered(FORK, line)}
    assert "gpu.wait" in found
    assert ("func.call" in found) == ("gpu" not in line)
    named = line.startswith("%")
    assert found["gpu.memcpy"].snippet.startswith("gpu.memcpy" if named else "%token = gpu.memcpy")


def test_keywords_of_an_op() -> None:
    found = labels(LAUNCH, "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) t<|>")
    assert found[0] == "threads in"
    assert "blocks in" not in found
    assert labels(FORK, "%i = gpu.thread_id <|>") == ["x", "y", "z"]
    assert labels(FORK, "%a, %b = gpu.alloc <|>") == ["async", "host_shared"]
    assert labels(FORK, "%x = arith.cmpi s<|>")[:2] == ["slt", "sle"]
    assert labels(FORK, "scf.for %k = %c1 <|>") == ["to"]
    assert labels(FORK, "scf.for %k = %c1 to %c1 step %c1 <|>") == ["iter_args"]
    # On a continuation line of the op, in addition to the ops that may begin there.
    further = labels(LAUNCH, "gpu.launch_func @kernels::@scale\n        blocks in (%x, %x, %x)\n        t<|>")
    assert further[0] == "threads in"
    assert "threads in" not in labels(FORK, "th<|>")


def test_kernels_come_with_their_arguments() -> None:
    found = offered(LAUNCH, "gpu.launch_func async [%t] @<|>")
    assert found[0].label == "@kernels::@scale"
    assert found[0].snippet == (
        "@kernels::@scale blocks in (${1:%c1, %c1, %c1}) threads in (${2:%c1, %c1, %c1}) "
        "args(${3:%m} : memref<8xf32>, ${4:%f} : f32)"
    )
    # The snippet uses existing values: the nearest buffer of the type, a constant for the sizes.
    line = "%two = arith.constant 2 : index\n    %d = gpu.alloc () : memref<8xf32>\n    gpu.launch_func @<|>"
    assert offered(LAUNCH, line)[0].snippet == (
        "@kernels::@scale blocks in (${1:%two, %two, %two}) threads in (${2:%two, %two, %two}) "
        "args(${3:%d} : memref<8xf32>, ${4:%f} : f32)"
    )
    assert "@kernels::@helper" not in [c.label for c in found]


def test_functions_after_a_call() -> None:
    assert labels(LAUNCH, "func.call @<|>")[0] in ("@f", "@log")


def test_blocks_and_aliases() -> None:
    state, offset = at_cursor("func.func @f() {\n  cf.br ^<|>\n^there:\n  return\n}\n")
    assert [c.label for c in completions(state, offset)] == ["^there"]
    state, offset = at_cursor("#map = affine_map<(d0) -> (d0)>\nfunc.func private @f(memref<4xf32, #<|>>)\n")
    assert "#map" in [c.label for c in completions(state, offset)]


def test_comments_are_left_alone() -> None:
    assert labels(FORK, "// gpu.<|>") == []
    assert labels(FORK, '"t.op"() {a = "b://c"} : () -> () // <|>') == []
    assert "%m" in labels(FORK, '"t.op"() {a = "b://c"} : () -> () "t.op"(%<|>) : (index) -> ()')


def test_the_release_of_the_file_in_a_comment_that_begins_so() -> None:
    (found,) = offered("{line}\n" + FORK, "// gpu<|>")
    assert found.snippet == "// gpuasync: llvm=${1|24,23,22,21,20,19,18,17,16|}"
    assert (found.span.start, found.span.end) == (0, len("// gpu"))
    assert labels("{line}\n" + FORK, "// <|>") == []


def test_completion_beside_a_syntax_error() -> None:
    assert "%t1" in labels(FORK, "%x = = ?\n  %t2 = gpu.memcpy async [<|>")


@pytest.mark.parametrize(
    ("line", "label", "active"),
    [
        (
            "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) threads in (%x, %x, %x) args(<|>",
            "@scale",
            0,
        ),
        (
            "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) threads in (%x, %x, %x) "
            "args(%m : memref<8xf32>, <|>)",
            "@scale",
            1,
        ),
        ("func.call @log(<|>) : (i32) -> ()", "@log", 0),
        ("call @log(%x<|>) : (i32) -> ()", "@log", 0),
    ],
)
def test_signature_help(line: str, label: str, active: int) -> None:
    state, offset = at_cursor(LAUNCH.format(line=line))
    found = signature_at(state.source, offset)
    assert found is not None
    assert found.label.startswith(label)
    assert found.active == active
    assert [found.label[a:b] for a, b in found.parameters] == (
        ["%m: memref<8xf32>", "%f: f32"] if label == "@scale" else ["%x: i32"]
    )


@pytest.mark.parametrize("line", ["gpu.wait [<|>%t]", "gpu.launch_func @kernels::@scale blocks in (<|>"])
def test_no_signature_where_nothing_is_called(line: str) -> None:
    state, offset = at_cursor(LAUNCH.format(line=line))
    assert signature_at(state.source, offset) is None


def test_a_long_function_offers_the_nearest_tokens_and_all_by_name() -> None:
    body = "\n".join(f"  %t{n} = gpu.wait async" for n in range(MOST + 500))
    found = labels(f"func.func @f() {{{{\n{body}\n  {{line}}\n  return\n}}}}\n", "gpu.wait [<|>]")
    assert len(found) == MOST
    assert found[0] == f"%t{MOST + 499}"
    assert "%t7" not in found
    assert "%t7" in labels(f"func.func @f() {{{{\n{body}\n  {{line}}\n  return\n}}}}\n", "gpu.wait [%t7<|>]")


@pytest.mark.parametrize(
    "line",
    ["%s2 = gpu.wait async<|>", "return<|>", "cf.br ^bb1<|>", "%i = gpu.thread_id x<|>", "gpu.barrier<|>"],
)
def test_a_whole_word_is_left_to_the_enter_key(line: str) -> None:
    """A suggestion would replace the word with another, or consume the line break."""
    blocks = "\nfunc.func @g() {{\n^bb0:\n  {line}\n^bb1:\n  return\n}}\n"
    assert labels(blocks if "^" in line else FORK, line) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        # The rest of these ops is optional, so the op may be complete here.
        (
            "omp.task<|>",
            [
                "omp.task",
                "omp.taskgroup",
                "omp.taskloop.context",
                "omp.taskloop.wrapper",
                "omp.taskwait",
                "omp.taskyield",
            ],
        ),
        ("gpu.wait<|>", ["gpu.wait"]),
        ("gpu.memcpy<|>", ["gpu.memcpy"]),
        ("%x = memref.cast<|>", ["memref.cast"]),
        ("scf.yield<|>", []),
        ("gpu.barrier<|>", []),
    ],
)
def test_a_whole_name_of_an_op_is_offered_with_what_is_missing(line: str, found: list[str]) -> None:
    suggestions = offered(FORK, line)
    assert [c.label for c in suggestions] == found
    assert all(c.snippet not in ("", c.label) for c in suggestions[:1])


def test_an_op_comes_with_the_region_that_its_clauses_stand_before() -> None:
    assert offered(FORK, "omp.task<|>")[0].snippet == "omp.task {\n  $0\n}"


def test_a_whole_word_comes_before_longer_ones() -> None:
    source = FORK.replace("%u0 =", "%t0long =")
    assert labels(source, "gpu.wait [%t0<|>]") == ["%t0", "%t0long"]


@pytest.mark.parametrize("line", ["%t2 = gpu.wait <|>", "gpu.wait <|>", "%t2 = gpu.wait a<|>"])
def test_after_wait_comes_async(line: str) -> None:
    assert labels(FORK, line)[:1] == ["async"]


@pytest.mark.parametrize(
    "line",
    [
        "%x = memref.load %h[%n] : <|>",
        "gpu.memcpy %m, %h : memref<8xf32>, <|>",
        "%r = func.call @g() : () -> <|>",
    ],
)
def test_types_where_types_stand(line: str) -> None:
    found = labels(FORK, line)
    assert {"memref<8xf32>", "index", "f32", "!gpu.async.token"} <= set(found)
    assert not {"gpu.wait", "async"} & set(found)


def test_element_types_after_a_shape() -> None:
    assert labels(FORK, "%x = memref.load %h[%n] : memref<8x<|>")[:2] == ["f32", "f16"]
    assert labels(FORK, "%x = memref.load %h[%n] : memref<8xf32<|>") == []


def test_symbols_of_the_kind_that_the_op_takes() -> None:
    assert "@log" not in labels(LAUNCH, "gpu.launch_func @<|>")
    assert "@kernels" in labels(LAUNCH, "gpu.launch_func @<|>")
    assert labels(LAUNCH, "func.call @<|>") == ["@f", "@log"]
    assert labels(LAUNCH, "call @<|>") == ["@f", "@log"]


POSITIONS = TEXTS["POSITIONS"]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("%s = arith.addf %f, %f : <|>", ["f32"]),
        ("%s = memref.load %m[%n, %n] : <|>", ["memref<8x4xf32>"]),
        ("return %f, %x : <|>", ["f32, i32"]),
        ("return %f, %x : f32, <|>", ["i32"]),
        ("%s = call @log(%x) : <|>", ["(i32) -> f32"]),
        (
            "gpu.launch_func @kernels::@scale blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%f : <|>",
            ["f32"],
        ),
        ("%s = arith.addf %f, %f fastmath<<|>", ["none", "reassoc", "nnan"]),
        ("%s = arith.addf %f, %f {fastmath = <|>", ["#arith.fastmath<none>"]),
        ("%s, %k = gpu.shuffle <|>", ["xor", "up", "down", "idx"]),
        ("%w = memref.cast %m : memref<8x4xf32> <|>", ["to"]),
        ("%g = memref.get_global @<|>", ["@table"]),
        ("%s = vector.load %m[%n, %<|>", ["%n"]),
        ("%s = vector.insert %f, %<|>", ["%v"]),
        ("%s = memref.subview %m[%<|>", ["%n"]),
        ("%s = vector.reduction <|>", []),
        ("scf.if %b { memref.store %f, %<|>", ["%m"]),
        ("scf.if %b {\n  } <|>", ["else"]),
        ("func.func @k(%a: f<|>", ["f16", "f32", "f64"]),
    ],
)
def test_what_the_format_takes_next_comes_first(line: str, first: list[str]) -> None:
    found = labels(POSITIONS, line)
    if first[:1] == ["f16"]:
        assert set(first) <= set(found)
    else:
        assert found[: len(first)] == first


@pytest.mark.parametrize(
    "line",
    ["%<|>", "%s, %<|>", "func.func @<|>", '%s = arith.constant "gpu.<|>', "%s = <|>= 1", "arith.addf<|>"],
)
def test_nothing_where_something_new_is_named(line: str) -> None:
    found = labels(POSITIONS, line)
    assert not [name for name in found if name[0] in "%@"]


def test_snippets_hold_what_is_missing_and_fit_what_is_there() -> None:
    found = {c.label: c for c in offered(POSITIONS, "<|>")}
    assert found["memref.store"].snippet == (
        "memref.store ${1:%value}, ${2:%m}[${3:%i}, ${4:%i}] : ${5:memref<8x4xf32>}"
    )
    assert found["arith.addi"].snippet.startswith("%add = arith.addi ")
    found = {c.label: c for c in offered(POSITIONS, "%s = arith.<|>")}
    assert found["arith.addf"].snippet.startswith("arith.addf ")
    found = {c.label: c for c in offered(POSITIONS, "scf.index<|>")}
    assert found["scf.index_switch"].snippet == "scf.index_switch ${1:%n} $2\ndefault {\n  $0\n}"


def test_all_ops_of_a_dialect_come_with_its_name() -> None:
    found = labels(POSITIONS, "vec<|>")
    assert {"vector.load", "vector.fma", "vector.transfer_read"} <= set(found)
    assert labels(POSITIONS, "nvvm.<|>")


def test_what_cannot_be_here_comes_last() -> None:
    found = labels(POSITIONS, "<|>")
    assert found.index("memref.store") < found.index("gpu.return")
    assert found[0].startswith("gpu.")


def test_keywords_in_no_way_come_behind_an_equals_sign_of_a_statement() -> None:
    assert "%stream = " not in "".join(c.snippet for c in offered(POSITIONS, "%s2 = gpu.w<|>"))


@pytest.mark.parametrize(
    ("version", "op", "is_offered"),
    [
        (24, "gpu.module_end", False),
        (22, "gpu.module_end", False),
        (18, "gpu.module_end", True),
        (17, "gpu.binary", False),
        (18, "gpu.binary", True),
        (16, "gpu.spmm", False),
        (20, "gpu.rotate", False),
        (24, "gpu.rotate", True),
        (21, "gpu.subgroup_broadcast", False),
        (23, "gpu.subgroup_broadcast", True),
    ],
)
def test_ops_that_the_release_has(version: int, op: str, is_offered: bool) -> None:
    state, offset = at_cursor(
        f"// gpuasync: llvm={version}\nfunc.func @f() {{\n  {op[:-2]}<|>\n  return\n}}\n"
    )
    assert (op in [found.label for found in completions(state, offset)]) is is_offered


def test_types_that_the_op_may_have_come_first() -> None:
    line = "%m2, %t2 = gpu.alloc async [%t0] () : <|>"
    assert labels(FORK, line)[:2] == ["memref<8xf32>", "memref<?xf32>"]
    assert labels(FORK, "%s = vector.broadcast %v : f32 to <|>")[0] == "vector<4xf32>"


def test_literals_of_a_constant_and_no_symbols() -> None:
    assert set(labels(LAUNCH, "%c = arith.constant <|>")) == {"dense", "false", "true"}
    (dense,) = offered(LAUNCH, "%c = arith.constant den<|>")
    assert dense.snippet == "dense<$1>"
    assert labels(LAUNCH, "gpu.printf <|>") == []  # gpu.printf takes a string.


def test_types_where_the_format_is_not_described() -> None:
    assert {"i32", "memref<8xf32>"} <= set(labels(FORK, "%l = llvm.load %p : !llvm.ptr -> <|>"))
    assert "i32" not in labels(FORK, "%l = llvm.load %p : !llvm.ptr <|>")


def test_a_kernel_is_offered_behind_its_module() -> None:
    assert labels(LAUNCH, "gpu.launch_func @kernels::<|>") == ["@kernels::@scale"]


def _first(source: str, line: str) -> str:
    """Return the text inserted by the first suggestion, with the placeholder names."""
    best = offered(source, line)[0]
    return re.sub(r"\$\{\d+:([^}]*)\}", r"\1", best.snippet or best.label)


@pytest.mark.parametrize(
    ("line", "inserted"),
    [
        ("%t2 = gpu.wai<|>", "gpu.wait async"),
        ("%t2 = gpu.wait<|>", "gpu.wait async"),
        ("gpu.wai<|>", "gpu.wait [%u0]"),
        ("gpu.memc<|>", "%token = gpu.memcpy async [%u0] %m, %h : memref<8xf32>, memref<8xf32>"),
        ("%t2 = gpu.memc<|>", "gpu.memcpy async [%u0] %m, %h : memref<8xf32>, memref<8xf32>"),
        ("gpu.mems<|>", "%token = gpu.memset async [%u0] %m, %v : memref<8xf32>, f32"),
        ("gpu.deal<|>", "%token = gpu.dealloc async [%u0] %m : memref<8xf32>"),
        ("%p, %t2 = gpu.allo<|>", "gpu.alloc async [%u0] (${2}) : memref<?xf32>"),
        ("gpu.set_<|>", "gpu.set_default_device %devIndex"),
    ],
)
def test_an_op_comes_with_what_is_in_scope(line: str, inserted: str) -> None:
    assert _first(FORK, line) == inserted


ONE_KERNEL = LAUNCH.replace("gpu.func @helper() {{\n      gpu.return\n    }}", "")


def test_a_launch_names_the_one_kernel() -> None:
    launch = (
        "gpu.launch_func async [%t] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)"
    )
    assert _first(ONE_KERNEL, "%d = gpu.laun<|>") == f"{launch} args(%m : memref<8xf32>, %f : f32)"


@pytest.mark.parametrize(
    ("typed", "first"), [("func", "func.func"), ("mod", "module"), ("gpu.m", "gpu.module")]
)
def test_at_the_top_level_comes_what_has_a_symbol(typed: str, first: str) -> None:
    assert labels("{line}", f"{typed}<|>")[0] == first


FIRST = [
    line.split(" | ")
    for line in Path(__file__).with_name("first_entries.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("context", "typed", "first"), FIRST)
def test_the_first_entry_is_what_is_meant(context: str, typed: str, first: str) -> None:
    assert _first(TEXTS[context], f"{typed}<|>").replace("\n", "\\n") == first


def test_first_entries_are_known_in_sixty_positions() -> None:
    assert len(FIRST) >= 60
