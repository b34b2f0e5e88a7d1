"""One function per request, from the protocol's parameters and a `View` to JSON; `ide/` does the work."""
