"""One function per request: the protocol's parameters and a `View` in, JSON out. The work is done in `ide/`."""
