// The product adds to its result, which nothing has cleared.
func.func @main(%n: index, %nnz: index, %rows: memref<?xindex>, %columns: memref<?xindex>, %values: memref<?xf32>, %x: memref<?xf32>, %out: memref<?xf32>, %scratch: memref<?xi8>) {
  %s = gpu.wait async
  %y, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
  %a, %t1 = gpu.create_csr async [%t0] %n, %n, %nnz, %rows, %columns, %values : memref<?xindex>, memref<?xindex>, memref<?xf32>
  %dx, %t2 = gpu.create_dn_tensor async [%t1] %x, %n : index into memref<?xf32>
  %dy, %t3 = gpu.create_dn_tensor async [%t2] %y, %n : index into memref<?xf32>
  // expected-warning @+1 {{GA305: This gpu.spmv reads %y, which nothing has written.}}
  %t4 = gpu.spmv async [%t3] %a, %dx, %dy, %scratch : memref<?xi8> into f32
  %t5 = gpu.memcpy async [%t4] %out, %y : memref<?xf32>, memref<?xf32>
  %t6 = gpu.dealloc async [%t5] %y : memref<?xf32>
  gpu.wait [%t6]
  return
}
// -----
func.func @main(%n: index, %nnz: index, %rows: memref<?xindex>, %columns: memref<?xindex>, %values: memref<?xf32>, %x: memref<?xf32>, %out: memref<?xf32>, %scratch: memref<?xi8>) {
  %s = gpu.wait async
  %y, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %set = gpu.memset async [%t0] %y, %zero : memref<?xf32>, f32
  %a, %t1 = gpu.create_csr async [%set] %n, %n, %nnz, %rows, %columns, %values : memref<?xindex>, memref<?xindex>, memref<?xf32>
  %dx, %t2 = gpu.create_dn_tensor async [%t1] %x, %n : index into memref<?xf32>
  %dy, %t3 = gpu.create_dn_tensor async [%t2] %y, %n : index into memref<?xf32>
  %t4 = gpu.spmv async [%t3] %a, %dx, %dy, %scratch : memref<?xi8> into f32
  %t5 = gpu.memcpy async [%t4] %out, %y : memref<?xf32>, memref<?xf32>
  %t6 = gpu.dealloc async [%t5] %y : memref<?xf32>
  gpu.wait [%t6]
  return
}
