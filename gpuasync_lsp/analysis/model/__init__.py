"""Model of a function's tokens: its construction and interpretation, and the errors on its paths."""
