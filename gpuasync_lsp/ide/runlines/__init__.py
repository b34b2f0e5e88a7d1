"""RUN lines of lit tests: parsing them, running them without a shell, and updating CHECK lines."""
