"""The parts that build the model, each alone."""
