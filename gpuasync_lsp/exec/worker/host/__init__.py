"""The host program: its compilation, and the library functions that it calls in addition to the runtime's."""
