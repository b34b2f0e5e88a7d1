"""Model of a function's tokens: how it is built and interpreted, and the errors on the function's paths."""
