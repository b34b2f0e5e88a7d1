"""Data from the tools and definitions of the releases, written by `python -m tools.release`."""
