"""What the tools and definitions of the releases say: `python -m tools.release` writes it."""
