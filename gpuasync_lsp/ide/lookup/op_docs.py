"""Descriptions and syntax of the ops of the gpu and async dialects."""

from __future__ import annotations

from dataclasses import dataclass

from gpuasync_lsp.ide.lookup.op_tables import table_documentation, table_link


@dataclass(frozen=True, slots=True)
class OpDoc:
    """Documentation of one op, for hover and completion."""

    summary: str
    syntax: str
    """The custom assembly; square brackets with a `?` enclose optional parts."""
    snippet: str = ""
    """The snippet to insert, with LSP's `$1` placeholders; empty for ops that are rarely written by hand.

    Placeholders named like an operand (`%dst`), its type (`type dst`) or a dependency (`%token`) are filled
    with values in scope.
    """


def op_documentation(name: str) -> str | None:
    """Return the documentation of an op as Markdown, or None if it is unknown."""
    doc = OP_DOCS.get(name)
    if doc is None:
        return table_documentation(name)
    link = table_link(name)
    text = f"{doc.summary}\n\n```mlir\n{doc.syntax}\n```"
    return text if link is None else f"{text}\n\n{link}"


OP_DOCS: dict[str, OpDoc] = {
    "gpu.wait": OpDoc(
        "Without `async`, blocks the host until the work of every token is done, and destroys their "
        "streams. With `async`, returns a token of a new stream that is ordered after the dependencies.",
        "%t = gpu.wait async [%a, %b]\ngpu.wait [%t]",
        "gpu.wait [${1:%token}]",
    ),
    "gpu.alloc": OpDoc(
        "Allocates device memory; with `host_shared`, memory that the host can access as well.",
        "%m, %t = gpu.alloc async [%dep] (%size) : memref<?xf32>",
        "gpu.alloc async [${1:%token}] (${2}) : memref<${3:?xf32}>",
    ),
    "gpu.dealloc": OpDoc(
        "Frees memory from gpu.alloc.",
        "%t = gpu.dealloc async [%dep] %m : memref<?xf32>",
        "gpu.dealloc async [${1:%token}] ${2:%memref} : ${3:type memref}",
    ),
    "gpu.memcpy": OpDoc(
        "Copies one buffer to another; destination first.",
        "%t = gpu.memcpy async [%dep] %dst, %src : memref<?xf32>, memref<?xf32>",
        "gpu.memcpy async [${1:%token}] ${2:%dst}, ${3:%src} : ${4:type dst}, ${5:type src}",
    ),
    "gpu.memset": OpDoc(
        "Fills a buffer with a value of its element type.",
        "%t = gpu.memset async [%dep] %dst, %value : memref<?xf32>, f32",
        "gpu.memset async [${1:%token}] ${2:%dst}, ${3:%value} : ${4:type dst}, ${5:f32}",
    ),
    "gpu.launch_func": OpDoc(
        "Launches a kernel of a gpu.module, by its symbol.",
        "%t = gpu.launch_func async [%dep] @module::@kernel blocks in (%x, %y, %z) threads in (%a, %b, %c) "
        "args(%v : f32)",
        "gpu.launch_func async [${1:%token}] @${2:module}::@${3:kernel} blocks in (${4:%c1, %c1, %c1}) "
        "threads in (${5:%c1, %c1, %c1}) args($6)",
    ),
    "gpu.launch": OpDoc(
        "A kernel written inline; `gpu-kernel-outlining` turns it into a gpu.func and a gpu.launch_func.",
        "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c, ...) threads(%tx, ...) in (%sx = %c, ...) { ... }",
        "gpu.launch blocks(%bx, %by, %bz) in (%gx = ${1:%c1}, %gy = ${2:%c1}, %gz = ${3:%c1})\n"
        "    threads(%tx, %ty, %tz) in (%sx = ${4:%c1}, %sy = ${5:%c1}, %sz = ${6:%c1}) {\n"
        "  $0\n  gpu.terminator\n}",
    ),
    "gpu.module": OpDoc(
        "Holds the kernels that are compiled together for one target.",
        "gpu.module @kernels [#nvvm.target] { ... }",
        "gpu.module @${1:kernels} {\n"
        "  gpu.func @${2:kernel}(%${3:a}: memref<${4:16xf32}>) kernel {\n    $0\n    gpu.return\n  }\n}",
    ),
    "gpu.func": OpDoc(
        "A function of the device; `kernel` makes it one that the host can launch.",
        "gpu.func @k(%arg: memref<?xf32>) kernel { ... gpu.return }",
        "gpu.func @${1:kernel}($2) kernel {\n  $0\n  gpu.return\n}",
    ),
    "gpu.return": OpDoc("Ends a gpu.func.", "gpu.return", "gpu.return"),
    "gpu.terminator": OpDoc("Ends the body of a gpu.launch.", "gpu.terminator", "gpu.terminator"),
    "gpu.barrier": OpDoc("Waits for every thread of the block.", "gpu.barrier", "gpu.barrier"),
    "gpu.host_register": OpDoc(
        "Registers host memory with the driver, so that async copies from and to it are truly asynchronous.",
        "gpu.host_register %m : memref<*xf32>",
        "gpu.host_register ${1:%memref} : memref<*x${2:f32}>",
    ),
    "gpu.host_unregister": OpDoc(
        "Undoes gpu.host_register.",
        "gpu.host_unregister %m : memref<*xf32>",
        "gpu.host_unregister ${1:%memref} : memref<*x${2:f32}>",
    ),
    "gpu.set_default_device": OpDoc(
        "Selects the device for the following ops.",
        "gpu.set_default_device %n",
        "gpu.set_default_device ${1:%devIndex}",
    ),
    "gpu.binary": OpDoc(
        "Compiled kernels for one or more targets.", "gpu.binary @kernels [#gpu.object<...>]"
    ),
    "gpu.thread_id": OpDoc(
        "The thread's index in its block.", "%i = gpu.thread_id x", "gpu.thread_id ${1|x,y,z|}"
    ),
    "gpu.block_id": OpDoc(
        "The block's index in the grid.", "%i = gpu.block_id x", "gpu.block_id ${1|x,y,z|}"
    ),
    "gpu.block_dim": OpDoc("Threads per block.", "%n = gpu.block_dim x", "gpu.block_dim ${1|x,y,z|}"),
    "gpu.grid_dim": OpDoc("Blocks in the grid.", "%n = gpu.grid_dim x", "gpu.grid_dim ${1|x,y,z|}"),
    "gpu.global_id": OpDoc(
        "The thread's index in the grid.", "%i = gpu.global_id x", "gpu.global_id ${1|x,y,z|}"
    ),
    "gpu.printf": OpDoc(
        "Prints from a kernel.", 'gpu.printf "%d", %v : i32', 'gpu.printf "$1", ${2:%v} : ${3:i32}'
    ),
    "async.execute": OpDoc(
        "Runs its body on a host thread; returns a token, and a value per result of the body.",
        "%t, %r = async.execute [%dep] -> !async.value<!gpu.async.token> { ... async.yield %x : ... }",
        "async.execute {\n  $0\n  async.yield\n}",
    ),
    "async.await": OpDoc(
        "Blocks until an async.execute is done; on a value, returns it.",
        "%v = async.await %r : !async.value<!gpu.async.token>",
        "async.await ${1:%token} : ${2:!async.token}",
    ),
    "async.yield": OpDoc(
        "Ends the body of an async.execute. A yielded `!gpu.async.token` becomes an event that is recorded "
        "on its stream; if the NVVM dialect is loaded, LLVM 18 to 22 yield the stream itself instead.",
        "async.yield %t : !gpu.async.token",
        "async.yield",
    ),
}
"""Maps ops that users write or read often to their documentation; hover on other ops shows only types."""
