"""Command-line options of the test suite."""

from __future__ import annotations
