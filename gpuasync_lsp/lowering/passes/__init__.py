"""The passes, one file or folder each, with the names of mlir-opt."""
