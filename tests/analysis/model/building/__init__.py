"""Unit tests of the parts that build the model."""
