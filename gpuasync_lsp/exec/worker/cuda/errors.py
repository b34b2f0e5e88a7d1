"""Errors of the CUDA driver: names, meanings, and likely causes in MLIR programs."""

from __future__ import annotations


def explain(code: int, function: str = "") -> str:
    """Return `NAME (code): meaning`; the meaning can depend on the function."""
    name, meaning = ERRORS.get(code, (f"CUDA error {code}", "see the CUDA driver API's CUresult"))
    meaning = _OF_FUNCTION.get((function, code), meaning)
    return f"{name} ({code}): {meaning}" if code in ERRORS else f"{name}: {meaning}"


def is_sticky(code: int) -> bool:
    """Return whether the context is lost after this error."""
    return code in STICKY


STICKY = frozenset({700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721})
"""Errors after which the process must restart to use CUDA, according to the driver API's documentation."""

_OF_FUNCTION = {
    (launch, 1): "a size of the grid, block or cluster is 0 or over the device's limit"
    for launch in ("cuLaunchKernel", "cuLaunchKernelEx")
} | {
    ("cuFuncSetAttribute", 1): "the launch asks for more shared memory than a block may have on this device",
    ("cuMemHostRegister", 1): "the memory is not the host's, or its size is 0",
    ("cuMemAllocManaged", 801): "this GPU has no managed memory (MIG instances may lack it)",
}
"""Meanings of a code for particular functions. Source: cuLaunchKernel and cuMemHostRegister in the CUDA
driver API: a launch fails with CUDA_ERROR_INVALID_VALUE because of its configuration."""

ERRORS: dict[int, tuple[str, str]] = {
    1: (
        "CUDA_ERROR_INVALID_VALUE",
        "an argument is out of range: often a pointer that the device does not know, or a size "
        "that is larger than the buffer",
    ),
    2: (
        "CUDA_ERROR_OUT_OF_MEMORY",
        "the device does not have enough free memory",
    ),
    3: (
        "CUDA_ERROR_NOT_INITIALIZED",
        "the driver has not been initialized",
    ),
    4: (
        "CUDA_ERROR_DEINITIALIZED",
        "the driver is shutting down",
    ),
    34: (
        "CUDA_ERROR_STUB_LIBRARY",
        "libcuda.so.1 is the stub for linking, not the driver: remove its folder from LD_LIBRARY_PATH",
    ),
    46: (
        "CUDA_ERROR_DEVICE_UNAVAILABLE",
        "another process uses the GPU exclusively, or it is being reset",
    ),
    100: (
        "CUDA_ERROR_NO_DEVICE",
        "there is no GPU that CUDA can use",
    ),
    101: (
        "CUDA_ERROR_INVALID_DEVICE",
        "there is no device with that number",
    ),
    200: (
        "CUDA_ERROR_INVALID_IMAGE",
        "the kernel module is not a PTX, cubin or fatbin that this driver can read",
    ),
    201: (
        "CUDA_ERROR_INVALID_CONTEXT",
        "no context is current, or it has been destroyed",
    ),
    209: (
        "CUDA_ERROR_NO_BINARY_FOR_GPU",
        "the kernel module has no code for this GPU: check the chip of its target",
    ),
    214: (
        "CUDA_ERROR_ECC_UNCORRECTABLE",
        "the GPU's memory has an error that it cannot correct",
    ),
    218: (
        "CUDA_ERROR_INVALID_PTX",
        "the driver's compiler rejects the PTX",
    ),
    221: (
        "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
        "the driver's compiler of PTX (libnvidia-ptxjitcompiler) is not installed",
    ),
    222: (
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "the PTX version is newer than the driver: use an older one or update the driver",
    ),
    304: (
        "CUDA_ERROR_OPERATING_SYSTEM",
        "the operating system denies the driver access, often to /dev/nvidia*",
    ),
    400: (
        "CUDA_ERROR_INVALID_HANDLE",
        "a stream, event, module or function that does not exist or has been destroyed",
    ),
    500: (
        "CUDA_ERROR_NOT_FOUND",
        "a name is not found: often a kernel that is not in its module",
    ),
    600: (
        "CUDA_ERROR_NOT_READY",
        "work is still running",
    ),
    700: (
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "a kernel accessed invalid memory: out of bounds, freed, or host memory that is not registered",
    ),
    701: (
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "too many threads in a block for the registers or the shared memory that the kernel needs",
    ),
    702: (
        "CUDA_ERROR_LAUNCH_TIMEOUT",
        "the kernel ran longer than the system allows",
    ),
    712: (
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "this host memory is already registered",
    ),
    713: (
        "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        "this host memory is not registered",
    ),
    709: (
        "CUDA_ERROR_CONTEXT_IS_DESTROYED",
        "the device's context has been destroyed",
    ),
    710: (
        "CUDA_ERROR_ASSERT",
        "an assertion in a kernel failed",
    ),
    714: (
        "CUDA_ERROR_HARDWARE_STACK_ERROR",
        "a kernel overflowed its stack",
    ),
    715: (
        "CUDA_ERROR_ILLEGAL_INSTRUCTION",
        "a kernel executed an instruction that the device does not support",
    ),
    716: (
        "CUDA_ERROR_MISALIGNED_ADDRESS",
        "a kernel accessed an address that is not a multiple of the access size",
    ),
    717: (
        "CUDA_ERROR_INVALID_ADDRESS_SPACE",
        "a kernel accessed shared, local or global memory in the wrong address space",
    ),
    718: (
        "CUDA_ERROR_INVALID_PC",
        "a kernel jumped to an invalid address",
    ),
    719: (
        "CUDA_ERROR_LAUNCH_FAILED",
        "a kernel failed: often a bad pointer in shared memory",
    ),
    721: (
        "CUDA_ERROR_TENSOR_MEMORY_LEAK",
        "a kernel exited without freeing its tensor memory",
    ),
    720: (
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "the blocks of the launch cannot all run at once",
    ),
    801: (
        "CUDA_ERROR_NOT_SUPPORTED",
        "this device does not support the operation",
    ),
    802: (
        "CUDA_ERROR_SYSTEM_NOT_READY",
        "the system is not ready for CUDA: often because the fabric manager is not running",
    ),
    803: (
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        "the kernel driver and its library have different versions: often a reboot is needed",
    ),
    804: (
        "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        "the compatibility library of CUDA does not support this GPU",
    ),
    805: (
        "CUDA_ERROR_MPS_CONNECTION_FAILED",
        "the MPS server that CUDA_MPS_PIPE_DIRECTORY names does not answer",
    ),
    912: (
        "CUDA_ERROR_INVALID_CLUSTER_SIZE",
        "the device has no clusters of this size",
    ),
    999: (
        "CUDA_ERROR_UNKNOWN",
        "unknown error of the driver",
    ),
}
"""Maps the values of CUresult to their names and meanings, from the CUDA driver API."""
