"""Abstract interpretation of a function's graph: the facts at each point, and the faults found."""
