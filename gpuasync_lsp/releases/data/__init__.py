"""Data from the tools and definitions of the releases: `python -m tools.release` writes it."""
