"""The abstract run of a function's graph: what holds at each point, and what is wrong there."""
