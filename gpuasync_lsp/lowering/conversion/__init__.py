"""Dialect conversion: its driver, the greedy one, types, descriptors, and builders of llvm ops."""
