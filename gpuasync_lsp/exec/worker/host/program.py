"""The host program: inserts site stores and access checks at marked instructions, then compiles it.

Before each call and each division (which may trap), the program stores the number of the source site, for
callbacks, the progress thread and the crash handler. Loads and stores that may access the arena are checked
(`checks.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.checks import READ, WRITE, Names, as_generic, check_calls, encoded
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import access, type_of

_SITE = re.compile(r", !gpuasync !(\d+)$")
_DEFINE = re.compile(r"define .*?@(\"[^\"]+\"|[\w.$-]+)\(")
_DECLARE = re.compile(r"declare \S.*?@(\"[^\"]+\"|[\w.$-]+)\(")
_CALL = re.compile(r"(?:%[^ ]+ = )?call [^@]*@(\"[^\"]+\"|[\w.$-]+)\((.*)\)$")
_ALLOCA = re.compile(r"\s*(%\S+) = alloca ")
_DIVISION = re.compile(r"\s*%\S+ = [su](?:div|rem) ")
_BLOCK_COPY = re.compile(r"\s*call void @llvm\.mem(cpy|move|set)[^ (]*\((.*)\)$")


@dataclass(frozen=True)
class HostCode:
    """Instrumented host IR."""

    text: str
    declared: dict[str, int]
    """Maps each declared, undefined function to the site of its first call (-1 if it is not called)."""


def instrument_host(ir: str, site_address: int, *, checked: bool, stack: Collection[int] = ()) -> HostCode:
    """Return `ir` with site stores and, if `checked`, checked accesses.

    `site_address` is the address of the current site (i32). `stack` contains the sites of stack
    variables, which are moved to the arena if `checked`."""
    if checked and stack:
        ir = "\n".join(_with_stack(ir.splitlines(), frozenset(stack)))
    ir = "\n".join(map(_as_it_is, ir.splitlines()))
    out: list[str] = []
    here = f"  store volatile i32 {{}}, ptr inttoptr (i64 {site_address} to ptr)"
    declared = {m[1].strip('"'): -1 for line in ir.splitlines() if (m := _DECLARE.match(line))}
    names = Names()
    local: set[str] = set()
    for line in ir.splitlines():
        if line.startswith("define"):
            local = set()
        if (slot := _ALLOCA.match(line)) is not None and not slot[1].startswith(_ON_STACK):
            local.add(slot[1])
        marked = _SITE.search(line)
        site = int(marked[1]) if marked else -1
        text = line[: marked.start()] if marked else line
        if checked and (block := _BLOCK_COPY.match(text)) is not None:
            lines, text = _block_check(text, block[1], block[2], site, names)
            out += lines
        elif (call := _CALL.match(text.strip())) is not None:
            name = call[1].strip('"')
            if site >= 0 and not name.startswith("llvm."):
                if name in declared:
                    declared[name] = site if declared[name] < 0 else declared[name]
                out.append(here.format(site))
        elif site >= 0 and _DIVISION.match(text) is not None:
            out.append(here.format(site))
        elif not checked:
            pass
        elif (found := access(text)) is not None and found.pointer not in local and found.size:
            cast, generic = as_generic(found.pointer_type, found.pointer, names)
            lines, pointer = check_calls("host", generic, found.size, encoded(site, found.kind), names)
            out += [*cast, *lines]
            if cast:
                generic, pointer = pointer, names.fresh()
                out.append(f"  {pointer} = addrspacecast ptr {generic} to {found.pointer_type}")
            text = found.through(pointer)
        out.append(text)
    text = "\n".join(line for line in out if not re.match(r"!\d+ = !\{i32", line))
    text += "\ndeclare i64 @gpuasync_host_block(ptr, i64, i32)\n" if checked else "\n"
    return HostCode(text, {n: s for n, s in declared.items() if not n.startswith("llvm.")})


_ON_STACK = "%gpuasync.stack."
_VARIABLE = re.compile(r"\s*(%\S+) = alloca (.+?)(?:, i64 ([^ ,]+))?(?:, align (\d+))?$")
_SAVED = re.compile(r"\s*(%\S+) = call ptr @llvm\.stacksave")
_RESTORED = re.compile(r"\s*call void @llvm\.stackrestore[^(]*\(ptr (%[^ )]+)\)")
_STACK = """declare ptr @gpuasync_stack(ptr, i64, i32)
declare void @gpuasync_stack_end(i64, i32)
@gpuasync.stack.left = internal global i64 4096
@gpuasync.stack.depth = internal global i64 0
define internal ptr @gpuasync.stack.variable(ptr %own, i64 %size, i32 %site) {
  %left = load i64, ptr @gpuasync.stack.left
  %none = icmp eq i64 %left, 0
  br i1 %none, label %stack, label %arena
stack:
  ret ptr %own
arena:
  %fewer = sub i64 %left, 1
  store i64 %fewer, ptr @gpuasync.stack.left
  %p = call ptr @gpuasync_stack(ptr %own, i64 %size, i32 %site)
  %kept = icmp ne ptr %p, %own
  %one = zext i1 %kept to i64
  %depth = load i64, ptr @gpuasync.stack.depth
  %deeper = add i64 %depth, %one
  store i64 %deeper, ptr @gpuasync.stack.depth
  ret ptr %p
}
define internal void @gpuasync.stack.end(i64 %mark, i32 %site) {
  %depth = load i64, ptr @gpuasync.stack.depth
  %some = icmp ugt i64 %depth, %mark
  br i1 %some, label %end, label %done
end:
  call void @gpuasync_stack_end(i64 %mark, i32 %site)
  store i64 %mark, ptr @gpuasync.stack.depth
  br label %done
done:
  ret void
}"""
"""IR that allocates stack variables in the arena, whose addresses are never reused, while they fit; later
variables stay on the processor's stack."""
_ALIGNED = 16
"""The alignment of the arena's memory, in bytes."""


def _with_stack(lines: Sequence[str], sites: frozenset[int]) -> Iterator[str]:
    """Yield a module's lines with the stack variables at `sites` moved to the arena.

    A variable lives from its `alloca` to the end of the function, or of the scope that restores the stack."""
    yield from _STACK.splitlines()
    first = 0
    for number, line in enumerate(lines):
        if line == "}":
            yield from _function_with_stack(lines[first : number + 1], sites)
            first = number + 1
    yield from lines[first:]


def _function_with_stack(lines: Sequence[str], sites: frozenset[int]) -> Iterator[str]:
    marked = [int(m[1]) if (m := _SITE.search(line)) is not None else -1 for line in lines]
    if not any(site in sites and _ALLOCA.match(line) for line, site in zip(lines, marked, strict=True)):
        yield from lines
        return
    begun = False
    for number, (line, site) in enumerate(zip(lines, marked, strict=True)):
        text = line.partition(", !gpuasync")[0]
        variable = _VARIABLE.fullmatch(text) if site in sites else None
        if variable is not None and int(variable[4] or 1) <= _ALIGNED:
            name, type, count = variable[1], variable[2], variable[3] or "1"
            own = f"{_ON_STACK}{number}"
            yield text.replace(f"{name} =", f"{own} =", 1)
            yield f"  {own}.end = getelementptr {type}, ptr null, i64 {count}"
            yield f"  {own}.size = ptrtoint ptr {own}.end to i64"
            yield f"  {name} = call ptr @gpuasync.stack.variable(ptr {own}, i64 {own}.size, i32 {site})"
            continue
        if text.startswith("  ret "):
            yield f"  call void @gpuasync.stack.end(i64 %gpuasync.mark, i32 {site})"
        yield line
        if not begun and line.endswith(":"):
            begun = True
            yield "  %gpuasync.mark = load i64, ptr @gpuasync.stack.depth"
        if (saved := _SAVED.match(text)) is not None:
            yield f"  {saved[1]}.gpuasync.mark = load i64, ptr @gpuasync.stack.depth"
        if (restored := _RESTORED.match(text)) is not None:
            yield f"  call void @gpuasync.stack.end(i64 {restored[1]}.gpuasync.mark, i32 {site})"


def _as_it_is(line: str) -> str:
    """Replace the declaration of a device-view function with a definition that returns its argument."""
    name = _DEVICE_VIEW.match(line)
    return line if name is None else _SAME.format(name=name[1])


_DEVICE_VIEW = re.compile(
    r"declare \{ ptr, ptr, i64, \[1 x i64\], \[1 x i64\] \} @(mgpuMemGetDeviceMemRef1d(?:Float|Int32))\("
    r"ptr, ptr, i64, i64, i64\)"
)
"""Matches functions of mlir_rocm_runtime that return the device's view of registered host memory. Here host
and device use the same address, as in CUDA's unified address space."""

_SAME = """define {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} @{name}(ptr %a, ptr %b, i64 %c, i64 %d, i64 %e) {{
  %v = insertvalue {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} poison, ptr %a, 0
  %w = insertvalue {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} %v, ptr %b, 1
  %x = insertvalue {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} %w, i64 %c, 2
  %y = insertvalue {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} %x, i64 %d, 3, 0
  %z = insertvalue {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} %y, i64 %e, 4, 0
  ret {{ ptr, ptr, i64, [1 x i64], [1 x i64] }} %z
}}"""


def call_wrapper(name: str, result: str, parameters: list[str]) -> str:
    """Return the IR of `gpuasync_entry(slots, result)`: calls `name` with one 16-byte slot per argument.

    It first calls `gpuasync_begin`, which the device's code defines."""
    lines = ["define void @gpuasync_entry(ptr %slots, ptr %result) {", "  call void @gpuasync_begin()"]
    arguments: list[str] = []
    for number, type in enumerate(parameters):
        lines.append(f"  %p{number} = getelementptr i8, ptr %slots, i64 {16 * number}")
        lines.append(f"  %a{number} = load {type}, ptr %p{number}")
        arguments.append(f"{type} %a{number}")
    call = f"call {result} @{name}({', '.join(arguments)})"
    if result == "void":
        lines.append(f"  {call}")
    else:
        lines += [f"  %r = {call}", f"  store {result} %r, ptr %result, align 1"]
    return "\n".join([*lines, "  ret void", "}", ""])


def exit_wrapper(ir: str) -> str:
    """Return the IR of `gpuasync_exit()`, which calls the functions in `llvm.global_dtors`, as the JIT
    does not."""
    listed = re.search(r"^@llvm\.global_dtors = .*$", ir, re.MULTILINE)
    functions = re.findall(r"ptr (@\S+), ptr null", listed[0]) if listed is not None else []
    calls = [f"  call void {function}()" for function in functions]
    return "\n".join(["define void @gpuasync_exit() {", *calls, "  ret void", "}", ""])


def defined_signature(ir: str, name: str) -> tuple[str, list[str]] | None:
    """Return the LLVM result and parameter types of the function `@name` in `ir`; `name` includes its
    quotes."""
    for line in ir.splitlines():
        found = _DEFINE.match(line)
        if found is None or found[1] != name:
            continue
        head, tail = line[: found.start(1) - 1], line[found.end() :]
        inner = tail[: tail.rindex(") ")] if ") " in tail else tail[: tail.rindex(")")]
        result = head.removeprefix("define ").removeprefix("internal ").removeprefix("private ").strip()
        return result, [p.rsplit(" ", 1)[0] for p in split_arguments(inner)]
    return None


def split_arguments(text: str) -> list[str]:
    """Split an argument list at its top-level commas."""
    parts: list[str] = []
    depth, start = 0, 0
    for index, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def _block_check(call: str, kind: str, arguments: str, site: int, names: Names) -> tuple[list[str], str]:
    """Return the IR that checks a block copy, and the copy limited to the permitted number of bytes."""
    operands = split_arguments(arguments)
    width, length = operands[2].split()
    if width != "i64":
        return [], call
    lines: list[str] = []
    accesses = ((operands[0], WRITE),) if kind == "set" else ((operands[0], WRITE), (operands[1], READ))
    for operand, what in accesses:
        allowed = names.fresh()
        cast, pointer = as_generic(type_of(operand), operand.split()[-1], names)
        lines += cast
        lines.append(
            f"  {allowed} = call i64 @gpuasync_host_block(ptr {pointer}, i64 {length}, "
            f"i32 {encoded(site, what)})"
        )
        length = allowed
    return lines, call.replace(f", {operands[2]},", f", i64 {length},")
