// The vector is read by the product, not where its handle is made.
module attributes {gpu.container_module} {
  func.func @spmv(%rows: memref<8xindex>, %cols: memref<8xindex>, %vals: memref<8xf64>, %x: memref<8xf64>, %y: memref<8xf64>, %hx: memref<8xf64>) {
    %n = arith.constant 8 : index
    %s0 = gpu.wait async
    %u0 = gpu.wait async
    %u1 = gpu.memcpy async [%u0] %x, %hx : memref<8xf64>, memref<8xf64>
    %m, %s1 = gpu.create_coo async [%s0] %n, %n, %n, %rows, %cols, %vals : memref<8xindex>, memref<8xindex>, memref<8xf64>
    %dx, %s2 = gpu.create_dn_tensor async [%s1] %x, %n : index into memref<8xf64>
    %dy, %s3 = gpu.create_dn_tensor async [%s2] %y, %n : index into memref<8xf64>
    %sz, %s4 = gpu.spmv_buffer_size async [%s3] %m, %dx, %dy into f64
    %buf, %s5 = gpu.alloc async [%s4] (%sz) : memref<?xi8>
    // expected-warning @+1 {{GA301: This gpu.spmv reads %x while the gpu.memcpy that writes it may still be running.}}
    %s6 = gpu.spmv async [%s5] %m, %dx, %dy, %buf : memref<?xi8> into f64
    %s7 = gpu.destroy_sp_mat async [%s6] %m
    %s8 = gpu.destroy_dn_tensor async [%s7] %dx
    %s9 = gpu.destroy_dn_tensor async [%s8] %dy
    %s10 = gpu.dealloc async [%s9] %buf : memref<?xi8>
    gpu.wait [%s10]
    gpu.wait [%u1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @spmv(%rows: memref<8xindex>, %cols: memref<8xindex>, %vals: memref<8xf64>, %x: memref<8xf64>, %y: memref<8xf64>, %hx: memref<8xf64>) {
    %n = arith.constant 8 : index
    %s0 = gpu.wait async
    %u1 = gpu.memcpy async [%s0] %x, %hx : memref<8xf64>, memref<8xf64>
    %m, %s1 = gpu.create_coo async [%u1] %n, %n, %n, %rows, %cols, %vals : memref<8xindex>, memref<8xindex>, memref<8xf64>
    %dx, %s2 = gpu.create_dn_tensor async [%s1] %x, %n : index into memref<8xf64>
    %dy, %s3 = gpu.create_dn_tensor async [%s2] %y, %n : index into memref<8xf64>
    %sz, %s4 = gpu.spmv_buffer_size async [%s3] %m, %dx, %dy into f64
    %buf, %s5 = gpu.alloc async [%s4] (%sz) : memref<?xi8>
    %s6 = gpu.spmv async [%s5] %m, %dx, %dy, %buf : memref<?xi8> into f64
    %s7 = gpu.destroy_sp_mat async [%s6] %m
    %s8 = gpu.destroy_dn_tensor async [%s7] %dx
    %s9 = gpu.destroy_dn_tensor async [%s8] %dy
    %s10 = gpu.dealloc async [%s9] %buf : memref<?xi8>
    gpu.wait [%s10]
    return
  }
}
