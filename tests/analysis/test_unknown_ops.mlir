// An op that the release lacks is reported once, whatever else its text may be, and hides what it may define.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{custom op 'gpu.fun' is unknown}}
    gpu.fun @copy(%n: index) kernel {
      // expected-error @+1 {{custom op 'gpu.retur' is unknown}}
      gpu.retur
    }
  }
  func.func @misspelt(%s: !gpu.async.token, %n: index) {
    %0 = gpu.launch_func async [%s] @kernels::@copy blocks in (%n, %n, %n) threads in (%n, %n, %n)
    // expected-error @+1 {{custom op 'gpu.wate' is unknown}}
    gpu.wate [%missing]
    // expected-error @+1 {{use of undeclared SSA value name '%missing2'}}
    gpu.wait [%missing2]
    return
  }
  func.func @unknown_parts(%x: vector<4xf32>) {
    // expected-error @+1 {{custom op 'nvvm.foo.bar' is unknown}}
    %0 = nvvm.foo.bar %x {a = #nvvm.foo<x>} : vector<4xf32> -> !gpu.foo
    return
  }
}
