"""The passes, one file or folder each, named as in mlir-opt."""
