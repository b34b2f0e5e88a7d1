"""The CPU as a device: a stream runtime with checked memory, and kernels compiled for this processor."""
