func.func @select(%which: i1, %a: memref<64xf32>, %host: memref<64xf32>) {
  %first = gpu.wait async
  %second = gpu.wait async
  %token = arith.select %which, %first, %second : !gpu.async.token
  gpu.wait [%token]
  return
}
