"""The host program: its compilation, and the library functions that it calls besides the runtime's."""
