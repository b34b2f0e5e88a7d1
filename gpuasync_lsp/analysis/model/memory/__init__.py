"""Memory: the buffers that a memref may refer to, and the parts that an op reads or writes."""
