"""The lowering next to the source."""
