"""Memory: the buffers a memref may refer to, and the parts of them that an op reads or writes."""
