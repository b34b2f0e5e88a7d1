"""The passes, one file or folder each, named as mlir-opt spells them."""
