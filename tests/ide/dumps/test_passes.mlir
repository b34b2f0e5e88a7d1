//// FORK
func.func @f(%a: memref<4xf32>, %b: memref<4xf32, 1>) {
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %b, %a : memref<4xf32, 1>, memref<4xf32>
  %2 = gpu.memcpy async [%0] %b, %a : memref<4xf32, 1>, memref<4xf32>
  gpu.wait [%1]
  gpu.wait [%2]
  return
}
//// TRITON
// -----// IR Dump Before TritonGPUCoalesce (tritongpu-coalesce) ('builtin.module' operation) //----- //
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#loc = loc("add.py":28:0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @add_kernel(%arg0: !tt.ptr<f32> loc("add.py":28:0), %arg1: i32 loc("add.py":28:0)) {
    %0 = tt.get_program_id x : i32 loc(#loc1)
    %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked> loc(#loc1)
    tt.return loc(#loc1)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("add.py":40:4)


// -----// IR Dump Before TritonGPUPipeline (tritongpu-pipeline{n=3}) ('builtin.module' operation) //----- //
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @add_kernel(%arg0: !tt.ptr<f32>, %arg1: i32) {
    %0 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    tt.return
  }
}
//// FLANG
// -----// IR Dump After CharacterConversion (character-conversion) ('builtin.module' operation) //----- //
module attributes {fir.defaultkind = "a1c4d8i4l4r4", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @_QPaxpy(%arg0: !fir.ref<f32> {fir.bindc_name = "a"}) {
    %0 = fir.load %arg0 : !fir.ref<f32>
    %1 = fir.undefined f32
    return
  }
}


// -----// IR Dump After CSE (cse) ('func.func' operation: @_QPaxpy) //----- //
module attributes {fir.defaultkind = "a1c4d8i4l4r4", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @_QPaxpy(%arg0: !fir.ref<f32> {fir.bindc_name = "a"}) {
    return
  }
}
//// PART
func.func @f(%a: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %m = memref.get_global @data : memref<4xf32>
  gpu.launch_func @k::@kern blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>)
  call @h() : () -> ()
  return
}
