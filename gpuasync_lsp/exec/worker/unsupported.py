"""Why a kernel has no form that this machine's processor can run."""

from __future__ import annotations


class UnsupportedKernel(Exception):
    """A kernel uses something that has no CPU form."""
