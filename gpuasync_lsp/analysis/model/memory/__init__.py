"""Memory: what a memref may be, which part of it an op touches, and how."""
