"""The CPU as a device: the runtime of streams with checked memory, and how kernels run on it."""
