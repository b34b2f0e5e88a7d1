"""The edge: the protocol's JSON on one side, plain data on the other; and when things run."""
