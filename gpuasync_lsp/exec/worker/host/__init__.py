"""The host program: its compilation, and the functions that it calls next to the runtime's."""
