"""What has to be known of an LLVM release, measured on a build of it: `python -m tools.release --help`."""
