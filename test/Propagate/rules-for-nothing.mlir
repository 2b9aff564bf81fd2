// A rule for a custom call that the program has not is said: it is likely misspelt. Kernels of the package have rules
// whether or not anything is left of their calls.

// RUN: partita plan %s --mesh data=4 --search none --rule 'flash=([i])->([i])' --rule 'mine=([i])->([i])' \
// RUN:   --rule 'partita.kernel.k=([i])->([i])' 2>&1 | FileCheck %s

// CHECK: warning: --rule names 'flash', but the program has no such custom call
// CHECK-NOT: warning

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @mine(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
