"""The passes, one module or package each, named as in mlir-opt."""
