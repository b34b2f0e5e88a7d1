"""Model of a function's tokens: how it is built and run abstractly, and the faults found on its paths."""
