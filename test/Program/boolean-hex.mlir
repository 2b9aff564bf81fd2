// Booleans in hexadecimal are read packed, as MLIR 22 writes them, and a byte each, as newer ones do; they are written
// as words, which every version of JAX reads. partita-opt writes what jaxlib 0.10.2 does.
// RUN: partita import %s | FileCheck %s
// RUN: partita import %s | partita-opt | FileCheck %s --check-prefix=BYTES

// CHECK: %c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
// CHECK: %c_0 = stablehlo.constant dense<[{{\[}}true, false, false, false, {{.*}}, false, true]]> : tensor<2x52xi1>
// CHECK: %c_1 = stablehlo.constant dense<true> : tensor<104xi1>
// BYTES: %c_0 = stablehlo.constant dense<"0x01000000{{[01]+}}0001"> : tensor<2x52xi1>
func.func public @main() -> (tensor<3xi1>, tensor<2x52xi1>, tensor<104xi1>) {
  %0 = stablehlo.constant dense<"0x010001"> : tensor<3xi1>
  %1 = stablehlo.constant dense<"0x01000000000000000000000080"> : tensor<2x52xi1>
  %2 = stablehlo.constant dense<"0x01"> : tensor<104xi1>
  return %0, %1, %2 : tensor<3xi1>, tensor<2x52xi1>, tensor<104xi1>
}
