"""Reduces a program to the smallest one that still shows a finding or a crash, or satisfies a script."""
