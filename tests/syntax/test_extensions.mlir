//// IRDL
module {
  irdl.dialect @tiny {
    irdl.operation @twice {
      %0 = irdl.is i32
      irdl.operands(value: %0)
      irdl.results(result: %0)
    }
  }
}
//// GENERATED
module {
  irdl.dialect @tiny {
    irdl.operation @shaped {
      %0 = irdl.c_pred "(::llvm::isa<::mlir::ShapedType>($_self))"
      %1 = irdl.c_pred "(::llvm::cast<::mlir::ShapedType>($_self).getRank() > 0)"
      %2 = irdl.all_of(%0, %1)
      %3 = irdl.is i32
      %4 = irdl.any_of(%2, %3)
      irdl.operands(value: %4)
    }
    irdl.operation @some {
      %0 = irdl.is i32
      irdl.operands(values: variadic %0)
    }
    irdl.operation @with_body {
      %0 = irdl.region
      irdl.regions(body: %0)
    }
  }
}
