"""Model of a function's tokens: its construction, its abstract interpretation, and the errors on its
paths."""
