"""How gpu-to-llvm lowers tokens, memory and launches, one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact

HostShared = Literal["never", "sync", "sync-at-most-one"]
SyncLaunch = Literal["error", "verifier"]


class GpuToLlvm:
    """Facts about how gpu-to-llvm lowers tokens, memory and launches."""

    rejects_loudly = fact(until=17)
    """The gpu dialect is illegal: the pass fails at the first unlowered op (`failed to legalize operation`).

    The exit status is 1. In later releases an unlowered op silently remains, with exit status 0; only an
    unlowered gpu.launch_func is an error."""

    greedy_prepass = fact(since=20)
    """A greedy rewrite runs first: it erases an unused gpu.alloc and an empty gpu.launch, folds block
    arguments that always have the same value, and merges equal blocks."""

    alloc_needs_one_dependency = fact(until=22)
    """gpu.alloc and gpu.dealloc lower only if they are async with exactly one dependency.

    PR 191661 (LLVM 23) accepts zero or one dependency, sync or async; without a dependency, the null stream
    is used."""

    alloc_null_token = fact(since=23, source="PR 191661")
    """An async gpu.alloc or gpu.dealloc without dependencies lowers its token to the null stream, which a
    later gpu.wait treats as an event."""

    launch_max_dependencies: Fact[int | None] = by_release({16: 1, 23: None}, source="PR 188987")
    """The maximum number of dependencies of an async gpu.launch_func; None for no limit.

    Without a limit, the launch runs on the stream of the first dependency, and waits on the others through
    events."""

    launch_sync_dependencies: Fact[SyncLaunch] = by_release({16: "error", 24: "verifier"})
    """What rejects a sync gpu.launch_func with dependencies: the conversion (`error`), or the `verifier`."""

    host_shared: Fact[HostShared] = by_release({16: "never", 18: "sync", 23: "sync-at-most-one"})
    """The gpu.alloc host_shared ops that lower.

    `never`: none lowers. `sync`: sync ops with any number of dependencies, the first of which is the stream.
    `sync-at-most-one`: sync ops with at most one dependency (PR 191661)."""

    yield_keeps_stream_with_nvvm = fact(since=18, until=22, source="PR 190717")
    """If the NVVM dialect is loaded, async.yield of a gpu token yields the stream itself: no event is
    recorded, and the stream is never destroyed."""

    memset_widths = by_release({16: frozenset({32}), 17: frozenset({16, 32})})
    """Bit widths of gpu.memset values that lower."""

    memset_complex_crashes = fact(since=21, until=23)
    """gpu.memset of a complex<f32> crashes mlir-opt."""

    copy_in_any_space = fact(since=17)
    """gpu.memcpy and gpu.memset lower in all integer memory spaces, not only in 0."""

    alloc_in_any_space = by_release({16: True, 17: False, 23: True})
    """gpu.alloc lowers in all integer memory spaces, not only in 0; gpu.dealloc lowers only in 0."""

    gpu_address_space_lowers = fact(until=16)
    """Memrefs in `#gpu.address_space<..>` are accepted; later releases print an `error:` and exit with 0."""

    malloc_before_memory_space = fact(since=18, until=20)
    """A memref.alloc that fails to legalize because of its memory space leaves a declaration of malloc;
    LLVM 17 crashes."""

    reserved_functions_have_types = fact(since=20)
    """A call to malloc or a similar function fails to legalize if an llvm.func of that name has a different
    type; LLVM 18 and 19 crash."""

    gpu_address_space_alloc_crashes = fact(since=18, until=20)
    """gpu.alloc of a memref in `#gpu.address_space<..>` crashes mlir-opt."""

    launch_result_crashes_parser = fact(until=22)
    """`%r = gpu.launch` without `async` crashes the parser, in mlir-lsp-server as well. Later releases report
    `gpu.launch requires 'async' keyword to return a value`."""

    launch_asks_for_shared = fact(since=18, source="CudaRuntimeWrappers.cpp", unprobed="runtime")
    """mgpuLaunchKernel raises the kernel's limit on dynamic shared memory (48 KiB) to the size that the
    launch needs."""

    launch_clusters = fact(since=18)
    """gpu.launch_func may have `clusters in (...)`; earlier releases report a parse error."""

    launch_integer_sizes = fact(since=18)
    """gpu.launch_func may have i32 or i64 sizes (`: i64`); earlier releases report a parse error."""

    async_object = fact(since=18)
    """gpu.launch_func may have an explicit stream `<%s : !llvm.ptr>`.

    The conversion drops the stream if it has to recreate the op, for example for index sizes or memref
    operands."""

    async_object_conflict = by_release(
        {
            16: "",
            23: "cannot have both async dependencies and an explicit async object",
            24: "stream-based and dependency-based async models are mutually exclusive",
        }
    )
    """The verifier's message for an explicit stream with `async` or dependencies; empty if both are
    accepted."""

    async_object_excludes_async = fact(since=24)
    """`async` without dependencies is also rejected, with the message `async_object_conflict`."""

    async_object_on_launch = fact(since=24, source="PR 213031")
    """gpu.launch may also have an explicit stream."""

    launch_checked_after_conversion = fact(since=18)
    """The verifier checks launches after their memref operands are expanded: a gpu.func kernel that still has
    memref arguments fails (`got 6 kernel operands but expected 2`). Earlier releases accept it."""

    module_per_launch = fact(until=20, unprobed="translation")
    """Every launch first loads the GPU module, and unloads it directly afterwards.

    Later releases load the module once in a global constructor (PR 135478)."""

    ptx_ends_in_null = fact(until=20, source="PR 133019", unprobed="translation")
    """PTX in a gpu.binary ends in a null character."""

    one_launch_per_module = fact(until=17)
    """A second launch from one gpu.module fails: `redefinition of symbol named 'K_gpubin_cst'`."""

    intersperse_sizes = fact(since=20, source="PR 123384")
    """The option `intersperse-sizes-for-kernels` exists."""

    opaque_pointers = fact(since=17)
    """Pointers are `!llvm.ptr`; LLVM 16 prints typed pointers unless `use-opaque-pointers` is set."""

    annotated_binaries = fact(until=18)
    """The binary of a kernel is an attribute of its gpu.module; the option `gpu-binary-annotation` names
    the attribute. Later releases support only gpu.binary."""

    keeps_targeted_launches = fact(since=18, until=18)
    """Launches from a gpu.module with targets, or from a gpu.binary, remain gpu.launch_func; other launches
    become runtime calls."""

    launches_say_sizes = fact(since=18, unprobed="translation")
    """mgpuModuleLoad takes the size of the binary, and mgpuLaunchKernel takes the number of parameters."""

    alloc_host_shared_argument = fact(since=18)
    """mgpuMemAlloc has a third argument, isHostShared."""

    copy_size_from_sizes = fact(since=21, source="PR 128820")
    """The element count of a dynamic gpu.memcpy or gpu.memset is the product of all sizes of the
    descriptor; in earlier releases it is the first stride times the first size."""

    reads_all_shapes = fact(until=16)
    """gpu-to-llvm converts a memref.reshape whose shape has any integer element type; later releases require
    index elements."""

    converts_poison = by_release({16: True, 20: False, 21: True})
    """gpu-to-llvm converts the ub dialect."""

    converts_index_and_complex = fact(since=18)
    """gpu-to-llvm converts the index and complex dialects."""

    converts_math = fact(since=18)
    """gpu-to-llvm converts the math dialect."""

    bare_pointers_for_unranked = fact(until=22, unprobed="hidden")
    """With bare pointers for kernels, an unranked memref operand is passed unchanged, as a struct; later
    releases reject the launch."""

    container_word = by_release({16: "module", 18: "container"})
    """The word that the verifier prints for WORD in `kernel WORD 'x' is undefined`."""

    exchange_says_signless = fact(since=19)
    """The verifier of llvm.cmpxchg says `signless integer` instead of `integer`."""
