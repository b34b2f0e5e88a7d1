"""The lowering beside the source."""
