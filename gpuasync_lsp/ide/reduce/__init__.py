"""Reduces a program while it still shows a finding or a crash, or satisfies a script."""
