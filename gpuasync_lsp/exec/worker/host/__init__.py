"""The host program: its compilation, and the functions that it calls beside the runtime's."""
