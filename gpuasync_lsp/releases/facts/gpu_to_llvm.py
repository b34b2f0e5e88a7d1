"""Behavior of gpu-to-llvm on tokens, memory and launches, one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact

HostShared = Literal["never", "sync", "sync-at-most-one"]
SyncLaunch = Literal["error", "verifier"]


class GpuToLlvm:
    """Behavior of gpu-to-llvm on tokens, memory and launches."""

    rejects_loudly = fact(until=17)
    """The gpu dialect is marked illegal: the first unlowered op ends the run with `failed to legalize
    operation`, exit 1. From 18 the op silently remains, exit 0; only gpu.launch_func is an error."""

    greedy_prepass = fact(since=20)
    """A greedy rewrite runs first: it erases an unused gpu.alloc and an empty gpu.launch, folds block
    arguments that always have one value, and merges equal blocks."""

    alloc_needs_one_dependency = fact(until=22)
    """gpu.alloc and gpu.dealloc lower only if async with exactly one dependency. PR 191661 (LLVM 23)
    accepts zero or one, sync or async, zero being the null stream."""

    alloc_null_token = fact(since=23, source="PR 191661")
    """An async gpu.alloc or gpu.dealloc without dependency lowers its token to the null stream, which a
    later gpu.wait treats as an event."""

    launch_max_dependencies: Fact[int | None] = by_release({16: 1, 23: None}, source="PR 188987")
    """The maximum number of dependencies of an async gpu.launch_func; None: no limit, the first is the
    primary stream and the others are joined into it by events."""

    launch_sync_dependencies: Fact[SyncLaunch] = by_release({16: "error", 24: "verifier"})
    """Sync gpu.launch_func with dependencies: `error` from the conversion, or rejected in the `verifier`."""

    host_shared: Fact[HostShared] = by_release({16: "never", 18: "sync", 23: "sync-at-most-one"})
    """gpu.alloc host_shared: `never` lowers (16), only `sync` with any number of dependencies, the first
    being the stream (19, 22), or `sync-at-most-one` (24, PR 191661)."""

    yield_keeps_stream_with_nvvm = fact(since=18, until=22, source="PR 190717")
    """async.yield of a gpu token yields the raw stream, unrecorded and never destroyed, when the NVVM
    dialect is loaded."""

    memset_widths = by_release({16: frozenset({32}), 17: frozenset({16, 32})})
    """Bit widths of gpu.memset values that lower: 32 in 16; 16 and 32 from 18."""

    memset_complex_crashes = fact(since=21, until=23)
    """gpu.memset of a complex<f32> crashes the tool."""

    copy_in_any_space = fact(since=17)
    """gpu.memcpy and gpu.memset lower in all integer memory spaces, not only in 0."""

    alloc_in_any_space = by_release({16: True, 17: False, 23: True})
    """gpu.alloc lowers in all integer memory spaces, not only in 0; gpu.dealloc never does."""

    gpu_address_space_lowers = fact(until=16)
    """Memrefs in `#gpu.address_space<..>` are accepted (16); later an `error:` is printed with exit 0."""

    malloc_before_memory_space = fact(since=18, until=20)
    """A memref.alloc that is not lowered because of its memory space leaves a declaration of malloc; 17
    crashes."""

    reserved_functions_have_types = fact(since=20)
    """A call to malloc or a similar function is not lowered if an llvm.func of that name has another type;
    18 and 19 crash."""

    gpu_address_space_alloc_crashes = fact(since=18, until=20)
    """gpu.alloc of a memref in `#gpu.address_space<..>` crashes the tool."""

    launch_result_crashes_parser = fact(until=22)
    """`%r = gpu.launch` without `async` crashes the parser, mlir-lsp-server's too. 16 to 22; 24 reports
    `gpu.launch requires 'async' keyword to return a value`."""

    launch_asks_for_shared = fact(since=18, source="CudaRuntimeWrappers.cpp", unprobed="runtime")
    """mgpuLaunchKernel raises the kernel's limit of dynamic shared memory, 48 KiB, to the size of the
    launch."""

    launch_clusters = fact(since=18)
    """gpu.launch_func takes `clusters in (...)`. Not in 16 (parse error there)."""

    launch_integer_sizes = fact(since=18)
    """gpu.launch_func takes i32 or i64 sizes (`: i64`). Not in 16 (parse error there)."""

    async_object = fact(since=18)
    """gpu.launch_func takes an explicit stream `<%s : !llvm.ptr>`, dropped whenever the op needs conversion
    (index dimensions or memref arguments)."""

    async_object_conflict = by_release(
        {
            16: "",
            23: "cannot have both async dependencies and an explicit async object",
            24: "stream-based and dependency-based async models are mutually exclusive",
        }
    )
    """The verifier's message for an explicit stream next to `async` or dependencies; empty: accepted."""

    async_object_excludes_async = fact(since=24)
    """The conflict is also reported for `async` alone."""

    async_object_on_launch = fact(since=24, source="PR 213031")
    """gpu.launch takes an explicit stream too."""

    launch_checked_after_conversion = fact(since=18)
    """The verifier runs on launches whose memref arguments were expanded: a gpu.func kernel that still takes
    memrefs fails, `got 6 kernel operands but expected 2`; 16 accepts it."""

    module_per_launch = fact(until=20, unprobed="translation")
    """The GPU module is loaded before and unloaded directly after every launch. 16, 19; from 21 it is loaded
    once in a global constructor, PR 135478."""

    ptx_ends_in_null = fact(until=20, source="PR 133019", unprobed="translation")
    """PTX in a gpu.binary ends in a null character."""

    one_launch_per_module = fact(until=17)
    """A second launch from one gpu.module fails: `redefinition of symbol named 'K_gpubin_cst'`. 16."""

    intersperse_sizes = fact(since=20, source="PR 123384")
    """The option `intersperse-sizes-for-kernels` exists."""

    opaque_pointers = fact(since=17)
    """Pointers are `!llvm.ptr`; 16 prints typed pointers unless asked with `use-opaque-pointers`."""

    annotated_binaries = fact(until=18)
    """Kernels come from an attribute on gpu.module named by `gpu-binary-annotation`; 19 supports only
    gpu.binary."""

    keeps_targeted_launches = fact(since=18, until=18)
    """Launches from a gpu.module with targets, or from a gpu.binary, remain gpu.launch_func, although
    others are expanded."""

    launches_say_sizes = fact(since=18, unprobed="translation")
    """mgpuModuleLoad takes the size of the binary, mgpuLaunchKernel the number of parameters."""

    alloc_host_shared_argument = fact(since=18)
    """mgpuMemAlloc takes a third argument, isHostShared."""

    copy_size_from_sizes = fact(since=21, source="PR 128820")
    """The element count of a dynamic gpu.memcpy or gpu.memset is the product of all sizes of the descriptor;
    before, it is the first stride times the first size."""

    reads_all_shapes = fact(until=16)
    """gpu-to-llvm converts memref.reshape by a shape of any integers."""

    converts_poison = by_release({16: True, 20: False, 21: True})
    """gpu-to-llvm converts the ub dialect."""

    converts_index_and_complex = fact(since=18)
    """gpu-to-llvm converts the index and complex dialects."""

    converts_math = fact(since=18)
    """gpu-to-llvm converts the math dialect."""

    bare_pointers_for_unranked = fact(until=22, unprobed="hidden")
    """With bare pointers for kernels an unranked memref operand is passed unchanged, as a struct; 24
    rejects the launch."""

    container_word = by_release({16: "module", 18: "container"})
    """The verifier's word in `kernel WORD 'x' is undefined`."""

    exchange_says_signless = fact(since=19)
    """The verifier of llvm.cmpxchg expects a `signless integer` in its message, not an `integer`."""
