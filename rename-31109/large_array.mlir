func.func @copy(%from: memref<?xf32>) {
  return
}
