"""Editor features, one module per protocol method."""
