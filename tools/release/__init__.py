"""Measures the facts about an LLVM release on a build of it: `python -m tools.release --help`."""
