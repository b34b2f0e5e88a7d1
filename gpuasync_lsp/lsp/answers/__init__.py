"""One function per request: the protocol's parameters and a `View` in, JSON out; `ide/` does the work."""
