"""The protocol layer: converts between LSP's JSON and plain data, and schedules work."""
