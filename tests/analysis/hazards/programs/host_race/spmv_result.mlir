// Spmv result.
module attributes {gpu.container_module} {
  func.func @main(%nrows: index, %nnz: index, %rp: memref<?xindex>, %ci: memref<?xindex>, %va: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %buf: memref<?xi8>, %m: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %a, %t1 = gpu.create_csr async [%s] %m, %m, %nnz, %rp, %ci, %va : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %dx, %t2 = gpu.create_dn_tensor async [%t1] %x, %m : index into memref<?xf64>
    %dy, %t3 = gpu.create_dn_tensor async [%t2] %y, %m : index into memref<?xf64>
    %t4 = gpu.spmv async [%t3] %a, %dx, %dy, %buf : memref<?xi8> into f64
    // expected-warning @+1 {{GA302: The host reads %y while the gpu.spmv, which may read and write it, may still be running.}}
    %v = memref.load %y[%c0] : memref<?xf64>
    gpu.wait [%t4]
    return %v : f64
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%nrows: index, %nnz: index, %rp: memref<?xindex>, %ci: memref<?xindex>, %va: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %buf: memref<?xi8>, %m: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %a, %t1 = gpu.create_csr async [%s] %m, %m, %nnz, %rp, %ci, %va : memref<?xindex>, memref<?xindex>, memref<?xf64>
    %dx, %t2 = gpu.create_dn_tensor async [%t1] %x, %m : index into memref<?xf64>
    %dy, %t3 = gpu.create_dn_tensor async [%t2] %y, %m : index into memref<?xf64>
    %t4 = gpu.spmv async [%t3] %a, %dx, %dy, %buf : memref<?xi8> into f64
    gpu.wait [%t4]
    %v = memref.load %y[%c0] : memref<?xf64>
    return %v : f64
  }
}
